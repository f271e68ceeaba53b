//! The causes of a failed request, as reqwest nests them.

use std::error::Error as StdError;
use std::io;

/// The first cause of type `T`. An [`io::Error`] does not return the error it wraps as its source, so it is unwrapped.
pub(super) fn find_cause<'a, T: StdError + 'static>(
    error: &'a (dyn StdError + 'static),
) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = inner_cause(error);
    }
    None
}

/// The innermost cause, which is the one that says something.
pub(crate) fn root_cause<'a>(
    mut error: &'a (dyn StdError + 'static),
) -> &'a (dyn StdError + 'static) {
    while let Some(next) = inner_cause(error) {
        error = next;
    }
    error
}

fn inner_cause<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    match error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
