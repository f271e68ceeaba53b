#![no_main]

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use skillpm::io::archive::{ArchiveFormat, unpack};
use skillpm::package::EXCLUDED_NAMES;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    skillpm::fuzz::check("zip_archive", input);
    let repaired = skillpm::fuzz::with_crcs(input);
    if let Ok(tree) = unpack(&repaired, ArchiveFormat::Zip) {
        let files: BTreeMap<String, Vec<u8>> =
            tree.files().map(|(path, file)| (path.to_string(), file.bytes.clone())).collect();
        assert_eq!(second(&repaired), files);
    }
});

/// What the `zip` crate sees in an archive.
fn second(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a second reader opens it");
    let mut files = BTreeMap::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).expect("a second reader goes on");
        let name = file.name().expect("a second reader takes the name").to_string();
        let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
        let is_left_out = name.split('/').any(|part| EXCLUDED_NAMES.contains(&part)) || name.starts_with("__MACOSX/");
        if file.is_dir() || is_left_out {
            continue;
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content).expect("a second reader reads it");
        assert!(files.insert(name, content).is_none(), "one name, two files");
    }
    files
}
