//! The default registry's index, inside the binary: `registry-index/` as it was when the program was built.

/// Its files: path, bytes, executable; sorted by path.
pub(super) static FILES: &[(&str, &[u8], bool)] = include!(concat!(env!("OUT_DIR"), "/registry_index.rs"));

/// One file's bytes; `None` if it has no such file.
pub(super) fn read(path: &str) -> Option<&'static [u8]> {
    let at = FILES.binary_search_by_key(&path, |(path, ..)| path).ok()?;
    Some(FILES[at].1)
}
