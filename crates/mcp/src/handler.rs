//! What a connection is answered.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    GetSkillRequestParams, GetSkillResult, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::active::Active;
use super::desk::{Desk, lock};
use super::tools::Bench;
use super::{instructions, resources, skills, tools};
use crate::ops::serve::Served;

/// How many resources one page has.
const PAGE: usize = 200;

/// One connection; over HTTP without sessions, one request.
pub(super) struct Handler {
    desk: Arc<Desk>,
    active: Arc<Mutex<Active>>,
    /// The resources whose changes a client of the older protocol wants to hear of.
    watched: Arc<Mutex<BTreeSet<String>>>,
}

impl Handler {
    pub(super) fn new(desk: Arc<Desk>) -> Self {
        Handler { desk, active: Arc::default(), watched: Arc::default() }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_skills_with_directory_read()
            .build();
        let mut info = ServerConfig::new(capabilities).with_instructions(instructions::OF_SERVER);
        info.server_info = Implementation::new("skillpm", env!("CARGO_PKG_VERSION"))
            .with_title("skillpm")
            .with_description("The skills of this project, this person and this machine");
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all(self.desk.proposals)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::get(name, self.desk.proposals)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let bench = Bench { desk: &self.desk, active: &self.active, client: client(&context) };
        let result = bench.call(&request.name, request.arguments.unwrap_or_default()).await;
        let unknown = || ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None);
        result.map(CallToolResponse::from).ok_or_else(unknown)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let served = self.desk.page(cursor.as_deref()).await;
        let (page, next) = skills::paged(served.skills(), cursor.as_deref(), PAGE)?;
        let mut result = ListResourcesResult::with_all_items(page.into_iter().map(resources::of_skill).collect());
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = self.desk.seek(|served| resources::read(served, &request.uri)).await?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let served = self.desk.page(cursor.as_deref()).await;
        let (page, next) = skills::page(&served, cursor.as_deref())?;
        let mut result = ListSkillsResult::with_all_items(page);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let served = self.desk.fresh().await;
        skills::get(&served, &request.uri).map(GetSkillResult::new)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let served = self.desk.fresh().await;
        resources::children(&served, &request.uri).map(ListResourcesResult::with_all_items)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (desk, watched) = (Arc::clone(&self.desk), Arc::clone(&self.watched));
        tokio::spawn(async move { tell_changes(&context.peer, &desk, &watched).await });
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.desk.seek(|served| resources::read(served, &request.uri)).await?;
        lock(&self.watched).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        lock(&self.watched).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let watched: BTreeSet<String> = context.accepted().resource_subscriptions.iter().flatten().cloned().collect();
        let lists = context.accepted().resources_list_changed == Some(true);
        let (mut changes, mut before) = (self.desk.changes(), self.desk.now());
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                told = changes.changed() => if told.is_err() { return Ok(()) },
            }
            let now = self.desk.now();
            if lists && context.sink().notify_resource_list_changed().await.is_err() {
                return Ok(());
            }
            for uri in changed_of(&watched, &before, &now) {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
            before = now;
        }
    }
}

/// What a client calls itself.
fn client(context: &RequestContext<RoleServer>) -> Option<String> {
    context.client_info().map(|client| client.name)
}

/// Tells a client of the older protocol of every change, until it is gone.
async fn tell_changes(peer: &Peer<RoleServer>, desk: &Desk, watched: &Mutex<BTreeSet<String>>) {
    let (mut changes, mut before) = (desk.changes(), desk.now());
    while !peer.is_transport_closed() && changes.changed().await.is_ok() {
        let now = desk.now();
        if peer.notify_resource_list_changed().await.is_err() {
            return;
        }
        let watched = lock(watched).clone();
        for uri in changed_of(&watched, &before, &now) {
            if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return;
            }
        }
        before = now;
    }
}

/// Those of the resources that are not what they were.
fn changed_of(watched: &BTreeSet<String>, before: &Served, now: &Served) -> Vec<String> {
    let is_changed = |uri: &&String| resources::digest(before, uri) != resources::digest(now, uri);
    watched.iter().filter(is_changed).cloned().collect()
}
