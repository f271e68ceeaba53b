//! For whoever keeps a registry: to begin one, and to hold every change of it to what it promises.

pub mod advise;
pub mod check;
pub mod new;
pub mod renew;
