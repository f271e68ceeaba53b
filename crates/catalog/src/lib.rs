//! Internal to skillpm: the skills that an agent sees, and the formats they are rendered in.
//!
//! | module | what it does |
//! |---|---|
//! | [`tiers`] | finds the skills in the directories of workspace, user and program |
//! | [`loaders`] | finds the skills as one agent does |
//! | [`catalog`] | selects the skills that an agent sees, and renders them; pure |
//! | [`site`] | the files of a static web site of skills |

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests make files, and look at what was made"
    )
)]

pub mod catalog;
pub mod loaders;
pub mod site;
pub mod tiers;
