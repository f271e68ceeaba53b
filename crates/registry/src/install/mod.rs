//! From what is wanted and what is there to what is done: plan, then one transaction.
//!
//! | file | does |
//! |---|---|
//! | [`state_dir`] | where state, journal and undo entries are, and the proof that this user wrote them |
//! | [`state`] | remembers what was installed where, from which checksum |
//! | [`plan`] | wanted − present = what to do; refuses to touch what is not skillpm's (pure) |
//! | [`target`] | the agents and their directories |
//! | [`transaction`] | does it, all or nothing, and finishes or undoes what a killed command began |

pub mod plan;
pub mod state;
pub mod state_dir;
pub mod target;
pub mod transaction;
pub mod undo;
