//! The MCP request handler of a connection.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, GetSkillRequestParams, GetSkillResult, Implementation,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::active_skills::ActiveSkills;
use super::server_state::{ServerState, lock};
use super::tools::ToolSession;
use super::{instructions, resources, skills, tools};
use skillpm_ops::serve::ServedCatalog;

/// Number of resources per page.
const PAGE: usize = 200;

/// One connection; over HTTP without sessions, one request.
pub(super) struct McpHandler {
    state: Arc<ServerState>,
    active: Arc<Mutex<ActiveSkills>>,
    /// The resources that a client of the older protocol has subscribed to.
    subscriptions: Arc<Mutex<BTreeSet<String>>>,
}

impl McpHandler {
    pub(super) fn new(state: Arc<ServerState>) -> Self {
        McpHandler {
            state,
            active: Arc::default(),
            subscriptions: Arc::default(),
        }
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_skills_with_directory_read()
            .build();

        let mut info =
            ServerConfig::new(capabilities).with_instructions(instructions::SERVER_INSTRUCTIONS);
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
        // Refreshed, because an agent's own tool lists the skills in its description.
        let served = self.state.refreshed().await;

        Ok(ListToolsResult::with_all_items(tools::all_tools(
            &served,
            self.state.proposals,
        )))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find_tool(name, &self.state.current(), self.state.proposals)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let session = ToolSession {
            state: &self.state,
            active: &self.active,
            client: client_name(&context),
        };

        let result = session
            .call(&request.name, request.arguments.unwrap_or_default())
            .await;

        let unknown =
            || ErrorData::invalid_params(format!("unknown tool `{}`", request.name), None);

        result.map(CallToolResponse::from).ok_or_else(unknown)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let served = self.state.for_page(cursor.as_deref()).await;
        let (page, next) = skills::paginate(served.skills(), cursor.as_deref(), PAGE)?;

        let mut result = ListResourcesResult::with_all_items(
            page.into_iter().map(resources::skill_resource).collect(),
        );
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![
            resources::file_template(),
        ]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = self
            .state
            .find_or_refresh(|served| resources::read_resource(served, &request.uri))
            .await?;

        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let served = self.state.for_page(cursor.as_deref()).await;
        let (page, next) = skills::list_page(&served, cursor.as_deref())?;

        let mut result = ListSkillsResult::with_all_items(page);
        result.next_cursor = next;

        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let served = self.state.refreshed().await;
        skills::get_skill(&served, &request.uri).map(GetSkillResult::new)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let served = self.state.refreshed().await;
        resources::list_children(&served, &request.uri).map(ListResourcesResult::with_all_items)
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
        let (state, watched) = (Arc::clone(&self.state), Arc::clone(&self.subscriptions));
        // In a task of its own, since it runs as long as the connection does.
        tokio::spawn(async move { notify_changes(&context.peer, &state, &watched).await });
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.state
            .find_or_refresh(|served| resources::read_resource(served, &request.uri))
            .await?;

        // A file that was added just now is found as well, after a refresh.
        // The read above refuses unknown URIs, so a client cannot fill the set with them.
        lock(&self.subscriptions).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        lock(&self.subscriptions).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // Every filter is served as asked: what it names and is not there never changes.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        // Held until the client no longer listens.
        let opened = self.state.streams.open(None);
        let _permit = opened.map_err(|why| ErrorData::internal_error(why, None))?;

        let watched: BTreeSet<String> = context
            .accepted()
            .resource_subscriptions
            .iter()
            .flatten()
            .cloned()
            .collect();
        let lists = context.accepted().resources_list_changed == Some(true);
        let has_tools = context.accepted().tools_list_changed == Some(true);

        let (mut changes, mut before) = (self.state.subscribe(), self.state.current());
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                event = changes.changed() => if event.is_err() { return Ok(()) },
            }

            let now = self.state.current();
            if lists && context.sink().notify_resource_list_changed().await.is_err() {
                return Ok(());
            }

            if has_tools
                && tools::have_changed(&before, &now)
                && context.sink().notify_tool_list_changed().await.is_err()
            {
                return Ok(());
            }

            for uri in changed_resources(&watched, &before, &now) {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }

            before = now;
        }
    }
}

/// The name that a client reports.
fn client_name(context: &RequestContext<RoleServer>) -> Option<String> {
    context.client_info().map(|client| client.name)
}

/// Notifies a client of the older protocol of every change, until it disconnects.
async fn notify_changes(
    peer: &Peer<RoleServer>,
    state: &ServerState,
    watched: &Mutex<BTreeSet<String>>,
) {
    let (mut changes, mut before) = (state.subscribe(), state.current());

    // rmcp does not end this task with the connection, so each round checks for that.
    while !peer.is_transport_closed() && changes.changed().await.is_ok() {
        let now = state.current();

        if peer.notify_resource_list_changed().await.is_err() {
            return;
        }
        if tools::have_changed(&before, &now) && peer.notify_tool_list_changed().await.is_err() {
            return;
        }
        // Copied, so that the lock is not kept while a slow client is written to.
        let watched = lock(watched).clone();

        for uri in changed_resources(&watched, &before, &now) {
            if peer
                .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                .await
                .is_err()
            {
                return;
            }
        }

        before = now;
    }
}

/// The resources that have changed.
fn changed_resources(
    watched: &BTreeSet<String>,
    before: &ServedCatalog,
    now: &ServedCatalog,
) -> Vec<String> {
    let is_changed =
        // By digest and not by time: a file that is written again with the same bytes has not
        // changed.
        |uri: &&String| resources::file_digest(before, uri) != resources::file_digest(now, uri);
    watched.iter().filter(is_changed).cloned().collect()
}
