//! Keeps the served catalog true: the one part that touches the tiers, on the thread that has their context.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::desk::{Ask, Board, Desk};
use crate::error::Result;
use crate::ops::Context;
use crate::ops::catalog::{CatalogOptions, catalog};
use crate::ops::serve::Served;
use crate::report::Event;

/// How often the disk is looked at when nobody asks.
const PERIOD: Duration = Duration::from_millis(500);

/// Keeps a [`Board`] true.
pub(super) struct Keeper<'c> {
    context: &'c Context<'c>,
    options: CatalogOptions,
    board: Arc<Board>,
    asks: Receiver<Ask>,
}

impl<'c> Keeper<'c> {
    /// Reads the catalog, and gives the desk where it is asked for.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub(super) fn open(context: &'c Context<'c>, options: CatalogOptions) -> Result<(Self, Desk)> {
        let options = CatalogOptions { contents: true, ..options };
        let board = Arc::new(Board::new(Served::new(catalog(context, &options)?)));
        let (sender, asks) = channel();
        let desk = Desk::new(Arc::clone(&board), sender);
        Ok((Keeper { context, options, board, asks }, desk))
    }

    /// Works until nobody can ask any more.
    pub(super) fn work(self) {
        let mut trouble = None;
        loop {
            let asked = match self.asks.recv_timeout(PERIOD) {
                Ok(ask) => std::iter::once(ask).chain(self.asks.try_iter()).collect(),
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            self.look(&mut trouble);
            for Ask::Look(done) in asked {
                // Whoever asked may have gone meanwhile.
                let _ = done.send(());
            }
        }
    }

    /// Looks at the disk. A catalog that cannot be read leaves the last one in its place, and is told of once.
    fn look(&self, trouble: &mut Option<String>) {
        match catalog(self.context, &self.options) {
            Ok(catalog) => {
                *trouble = None;
                if self.board.now().catalog() != &catalog {
                    self.board.replace(Served::new(catalog));
                }
            }
            Err(error) => {
                let message = format!("the catalog stays as it was: {}", error.message());
                if trouble.as_deref() != Some(&message) {
                    self.context.reporter.report(Event::warning(message.clone()));
                    *trouble = Some(message);
                }
            }
        }
    }
}
