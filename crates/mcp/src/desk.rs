//! What all connections share: the skills of this moment, and word of their changes.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{oneshot, watch};

use super::active::Active;
use crate::error::{Error, Result};
use crate::ops::live::Stop;
use crate::ops::proposals::{Proposed, Stored};
use crate::ops::serve::Served;

/// Most conversations whose active skills are remembered.
const CONVERSATIONS_MAX: usize = 1024;

/// What the keeper is asked.
pub(super) enum Ask {
    /// To look now whether anything changed, and say when that is done.
    Look(oneshot::Sender<()>),
    /// To keep a proposal.
    Propose(Box<Proposed>, oneshot::Sender<Result<Stored>>),
}

/// The skills of this moment, with word of every change that those who are served can see.
pub(super) type Board = watch::Sender<Arc<Served>>;

/// Puts other skills in the place of those that were served.
pub(super) fn replace(board: &Board, served: Served) {
    board.send_if_modified(|before| {
        let is_seen = !served.skills().eq(before.skills());
        *before = Arc::new(served);
        is_seen
    });
}

/// What all connections share.
pub(super) struct Desk {
    board: Board,
    /// `None` only while it is dropped.
    asks: Option<Sender<Ask>>,
    /// Ends the keeper's wait, so that it hears what it is asked.
    bell: Stop,
    conversations: Mutex<BTreeMap<String, Arc<Mutex<Active>>>>,
    /// Whether clients may propose changes.
    pub(super) proposals: bool,
}

impl Desk {
    pub(super) fn new(board: Board, asks: Sender<Ask>, bell: Stop, proposals: bool) -> Self {
        Desk { board, asks: Some(asks), bell, conversations: Mutex::default(), proposals }
    }

    /// The skills as they were last seen.
    pub(super) fn now(&self) -> Arc<Served> {
        Arc::clone(&self.board.borrow())
    }

    /// The skills as they are: looked at since this was called.
    pub(super) async fn fresh(&self) -> Arc<Served> {
        let (done, told) = oneshot::channel();
        self.ask(Ask::Look(done));
        // A keeper that has gone cannot tell of anything new.
        let _ = told.await;
        self.now()
    }

    /// What `find` finds in the skills as they were last seen, or else as they are: who asks for one skill need not wait
    /// until all were looked at.
    pub(super) async fn seek<T, E>(&self, find: impl Fn(&Served) -> Result<T, E>) -> Result<T, E> {
        match find(&self.now()) {
            Ok(found) => Ok(found),
            Err(_) => {
                let fresh = self.fresh().await;
                find(&fresh)
            }
        }
    }

    /// The skills for one page of a list: as they are for the first, and for the others as they were last seen.
    pub(super) async fn page(&self, cursor: Option<&str>) -> Arc<Served> {
        match cursor {
            None => self.fresh().await,
            Some(_) => self.now(),
        }
    }

    /// Has a proposal kept.
    ///
    /// # Errors
    /// As for [`propose_in`](crate::ops::proposals::propose_in).
    pub(super) async fn propose(&self, proposed: Proposed) -> Result<Stored> {
        let (done, told) = oneshot::channel();
        self.ask(Ask::Propose(Box::new(proposed), done));
        told.await.unwrap_or_else(|_| Err(Error::internal("the server is ending")))
    }

    fn ask(&self, ask: Ask) {
        if self.asks.as_ref().is_some_and(|asks| asks.send(ask).is_ok()) {
            self.bell.stop();
        }
    }

    /// Word of every change from now on.
    pub(super) fn changes(&self) -> watch::Receiver<Arc<Served>> {
        self.board.subscribe()
    }

    /// The active skills of a conversation that a client gave this name.
    pub(super) fn conversation(&self, name: &str) -> Arc<Mutex<Active>> {
        let mut all = lock(&self.conversations);
        if all.len() >= CONVERSATIONS_MAX && !all.contains_key(name) {
            let oldest = all.iter().min_by_key(|(_, active)| lock(active).touched()).map(|(name, _)| name.clone());
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        Arc::clone(all.entry(name.to_owned()).or_default())
    }
}

impl Drop for Desk {
    /// Has the keeper hear that nobody will ask any more.
    fn drop(&mut self) {
        self.asks = None;
        self.bell.stop();
    }
}

/// What a mutex holds, also where somebody panicked over it.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
