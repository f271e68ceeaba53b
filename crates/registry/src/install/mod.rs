//! Installation: a plan from the wanted and the installed skills, then one transaction.
//!
//! | file | contents |
//! |---|---|
//! | [`state_dir`] | the directory of state, journal and undo entries, and the proof that this user wrote them |
//! | [`state`] | the record of installed skills, with their checksums |
//! | [`plan`] | wanted − installed = actions; refuses to change files that are not skillpm's (pure) |
//! | [`target`] | the agents and their directories |
//! | [`transaction`] | applies a plan, all or nothing, and recovers after a killed command |
//! | [`undo`] | the entries that `skillpm undo` reverts |

pub mod plan;
pub mod state;
pub mod state_dir;
pub mod target;
pub mod transaction;
pub mod undo;
