//! Keeps the served catalog true: the one part that touches the tiers, on the thread that has their context.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Instant;

use super::desk::{Ask, Board, Desk, replace};
use crate::error::{Error, Result};
use crate::ops::Context;
use crate::ops::catalog::CatalogOptions;
use crate::ops::live::{Attention, Live};
use crate::ops::proposals::propose_in;
use crate::ops::serve::Served;
use crate::report::Event;

/// Keeps a [`Board`] true.
pub(super) struct Keeper<'c> {
    live: Live<'c>,
    context: &'c Context<'c>,
    board: Board,
    asks: Receiver<Ask>,
    started: Instant,
}

impl<'c> Keeper<'c> {
    /// Reads the catalog, and gives the desk where it is asked for.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub(super) fn open(context: &'c Context<'c>, options: CatalogOptions, proposals: bool) -> Result<(Self, Desk)> {
        let started = Instant::now();
        let live = Live::open(context, options, Attention::Events)?;
        let board = Board::new(Arc::new(Served::new(live.catalog())));
        let (sender, asks) = channel();
        let desk = Desk::new(board.clone(), sender, live.stopper(), proposals);
        Ok((Keeper { live, context, board, asks, started }, desk))
    }

    /// Works until nobody can ask any more: waits for changes, and whoever asks ends the wait.
    pub(super) fn work(mut self) {
        loop {
            match self.live.wait(None) {
                Ok(Some(_)) => self.publish(),
                // Somebody asks.
                Ok(None) => {}
                Err(error) => self.tell(&error),
            }
            loop {
                match self.asks.try_recv() {
                    Ok(first) => self.answer(first),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
        }
    }

    /// Answers all who ask now with one look.
    fn answer(&mut self, first: Ask) {
        let asked: Vec<Ask> = std::iter::once(first).chain(self.asks.try_iter()).collect();
        match self.live.refresh() {
            Ok(_) => self.publish(),
            Err(error) => self.tell(&error),
        }
        for ask in asked {
            // Whoever asked may have gone meanwhile.
            match ask {
                Ask::Look(done) => drop(done.send(())),
                Ask::Propose(proposed, done) => {
                    let context = self.context.later(self.started.elapsed());
                    drop(done.send(propose_in(&context, &self.live.catalog(), &proposed)));
                }
            }
        }
    }

    /// Serves what was seen last.
    fn publish(&self) {
        replace(&self.board, Served::new(self.live.catalog()));
    }

    fn tell(&self, error: &Error) {
        let message = format!("the catalog stays as it was: {}", error.message());
        self.context.reporter.report(Event::Warning { message, help: error.helps().first().cloned() });
    }
}
