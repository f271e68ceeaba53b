//! Judging what a package holds: values in, findings out. Nothing here touches the disk, so a tree from a directory, an
//! archive or a commit is judged alike.
//!
//! | room | asks |
//! |---|---|
//! | [`package`] | can this be published: does it say what it is, is it of a sane size, does it leak or litter |

pub mod package;
