//! Runs the same work on several items in parallel.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs `work` on every item, at most `jobs` at once, and returns the results in the order of the items.
///
/// With one item or one job, no thread is started.
pub fn run_parallel<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if items.len() < 2 || jobs < 2 {
        return items.iter().map(work).collect();
    }

    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| work_on_items(items, &next, &results, &work));
        }
    });

    let taken = results.into_iter().map(|slot| {
        slot.into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    });
    taken
        .map(|result| {
            result.expect("every item was worked on, or its panic has come through the scope")
        })
        .collect()
}

/// Works on items until none is left; `next` is the first that no thread has taken.
fn work_on_items<T, R>(
    items: &[T],
    next: &AtomicUsize,
    results: &[Mutex<Option<R>>],
    work: &impl Fn(&T) -> R,
) {
    loop {
        // Each thread takes the next item when it is free, as items differ in cost.
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(at) else { return };
        let result = work(item);
        *results[at]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(result);
    }
}

/// As [`run_parallel`], with one job per processor.
pub fn run_on_all_processors<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    run_parallel(
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        items,
        work,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(
            run_parallel(8, &items, |n| n * 2),
            items.iter().map(|n| n * 2).collect::<Vec<_>>()
        );
        assert_eq!(run_parallel(1, &items[..3], |n| n + 1), [1, 2, 3]);
    }
}
