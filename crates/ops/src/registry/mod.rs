//! Commands for registry maintainers: create an index, check every change of it, pack its
//! advisories, renew it.

pub mod advise;
pub mod check;
pub mod new;
pub mod renew;
