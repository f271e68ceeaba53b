//! The default registry's index, embedded in the binary: `registry-index/` at build time.

/// Its files: path, bytes, executable; sorted by path.
pub(super) static FILES: &[(&str, &[u8], bool)] =
    include!(concat!(env!("OUT_DIR"), "/registry_index.rs"));

/// Reads one file; `None` if there is no such file.
pub(super) fn read(path: &str) -> Option<&'static [u8]> {
    // Sorted by `build.rs` when the table is written.
    let at = FILES.binary_search_by_key(&path, |(path, ..)| path).ok()?;
    Some(FILES[at].1)
}
