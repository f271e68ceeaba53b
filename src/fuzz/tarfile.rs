//! Compares our tar reader with Python's `tarfile`: an accepted archive has the same files for both, so that an archive
//! inspected with another program is installed with the same content.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::archive::{gzip, tar_archive, with_header_sums};
use crate::io::archive::{ArchiveFormat, unpack};
use crate::package::{EXCLUDED_NAMES, Sha256Digest, Tree};

/// Number of mutations of each archive.
const MUTATIONS: u64 = 150;

const SECOND_READER: &str = r#"
import hashlib, io, json, sys, tarfile
def files(raw):
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as archive:
        for entry in archive:
            if not entry.isdir():
                assert entry.isreg(), entry
                content = archive.extractfile(entry).read()
                yield [entry.name, bool(entry.mode & 0o111), hashlib.sha256(content).hexdigest()]
for line in sys.stdin:
    try:
        print(json.dumps(list(files(bytes.fromhex(line)))))
    except Exception as error:
        print(json.dumps(repr(error)))
"#;

#[test]
#[expect(
    clippy::print_stdout,
    reason = "a test says what it did not do, and how much it did"
)]
fn python_reads_the_same_files_from_accepted_archives() {
    let mut seeds =
        read_archives(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/tar_archive"));

    let made = tempfile::tempdir().unwrap();
    match run_python(
        &[
            generator_path().as_str(),
            made.path().to_str().unwrap(),
            "--only",
            "tar",
        ],
        "",
    ) {
        Some(_) => {
            let raw = read_archives(&made.path().join("tar"));
            seeds.extend(raw.into_iter().map(|raw| mask_directory(raw, made.path())));
        }
        None => println!("skipped: the archives of ../shared/adversarial, which are not there"),
    }

    let accepted: Vec<(Vec<u8>, Tree)> = seeds
        .iter()
        .flat_map(|seed| accepted_mutations(seed))
        .collect();
    assert!(
        accepted.len() > seeds.len(),
        "{} of changes of {} are accepted",
        accepted.len(),
        seeds.len()
    );

    let input: String = accepted
        .iter()
        .map(|(raw, _)| format!("{}\n", hex::encode(raw)))
        .collect();

    let Some(answer) = run_python(&["-c", SECOND_READER], &input) else {
        return println!("skipped: there is no python3 to read archives a second time");
    };

    for ((raw, tree), line) in accepted.iter().zip(answer.lines()) {
        let python_files = package_files(serde_json::from_str(line).unwrap());
        assert_eq!(python_files, Ok(tree_listing(tree)), "{}", hex::encode(raw));
    }

    assert_eq!(
        answer.lines().count(),
        accepted.len(),
        "there is an answer for each"
    );

    println!(
        "{} archives, accepted of {} and their changes, have the same files for both",
        accepted.len(),
        seeds.len()
    );
}

fn generator_path() -> String {
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../shared/adversarial/make_cases.py"
    )
    .to_owned()
}

/// The output of a Python program; `None` if Python is missing or fails.
fn run_python(arguments: &[&str], input: &str) -> Option<String> {
    let mut command = Command::new("python3");

    let child = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());

    let mut child = child.spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    // Written from a thread of its own: a full pipe in both directions would block both sides.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || std::io::Write::write_all(&mut stdin, input.as_bytes()));
        child.wait_with_output()
    });

    let output = output.ok()?;
    (output.status.success() || !output.stdout.is_empty())
        .then(|| String::from_utf8(output.stdout).unwrap())
}

/// The archives of a folder without their gzip, where they are not large.
fn read_archives(dir: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();

    let mut archives = Vec::new();
    for path in paths {
        let bytes = fs::read(path).unwrap();
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            archives.push(bytes);
        } else if let Ok(raw) = crate::io::archive::gunzip(&bytes, 1 << 16) {
            archives.push(raw);
        }
    }

    archives.retain(|raw| raw.len() <= 1 << 14);
    archives
}

/// An archive as if it were made in a directory that is called the same in each run: some have links to their own.
fn mask_directory(mut raw: Vec<u8>, dir: &Path) -> Vec<u8> {
    let dir = dir.as_os_str().as_encoded_bytes();

    let places: Vec<usize> = memchr::memmem::find_iter(&raw, dir).collect();
    places
        .into_iter()
        .for_each(|at| raw[at + 1..at + dir.len()].fill(b'x'));
    raw
}

/// The archive and its mutations, as far as they are accepted, each once.
fn accepted_mutations(seed: &[u8]) -> Vec<(Vec<u8>, Tree)> {
    let mut made: Vec<Vec<u8>> = (0..MUTATIONS)
        .map(|number| with_header_sums(&mutate(seed, number)))
        .collect();
    made.push(with_header_sums(seed));

    made.sort();
    made.dedup();

    let read = |raw: Vec<u8>| {
        tar_archive(&raw);
        unpack(&gzip(&raw), ArchiveFormat::TarGz)
            .ok()
            .map(|tree| (raw, tree))
    };

    made.into_iter().filter_map(read).collect()
}

/// One mutation of an archive: bytes of a header, or whole blocks, are changed, duplicated or removed.
fn mutate(seed: &[u8], number: u64) -> Vec<u8> {
    let mut raw = seed.to_vec();

    let digest = Sha256Digest::hash_bytes(&[&number.to_le_bytes(), seed].concat());
    // The digest is the random source, so that a number always makes the same archive.
    let mut dice = digest
        .as_bytes()
        .iter()
        .map(|byte| usize::from(*byte))
        .cycle();

    let mut roll =
        |most: usize| (dice.next().unwrap_or(0) << 8 | dice.next().unwrap_or(0)) % most.max(1);

    let blocks = raw.len() / 512;
    for _ in 0..=roll(3) {
        let block = roll(blocks) * 512;
        match roll(8) {
            0 if block + 512 <= raw.len() => drop(raw.drain(block..block + 512)),
            1 if block + 512 <= raw.len() => {
                let twice = raw[block..block + 512].to_vec();
                raw.splice(block..block, twice);
            }
            2 => {
                // The fields that say what an entry is, how long, and whose prefix its name has.
                let at = block + [124, 156, 257, 263, 345, 100][roll(6)] + roll(3);
                let to = *b"0123 \0xgLSu/.".get(roll(13)).unwrap_or(&0);
                raw.get_mut(at).into_iter().for_each(|byte| *byte = to);
            }
            _ => {
                let (at, to) = (block + roll(512), u8::try_from(roll(256)).unwrap());
                raw.get_mut(at).into_iter().for_each(|byte| *byte = to);
            }
        }
    }

    raw
}

/// The files of a tree, in the form of the second reader's output.
fn tree_listing(tree: &Tree) -> Vec<Value> {
    tree.files()
        .map(|(path, file)| json!([path, file.executable, Sha256Digest::hash_bytes(&file.bytes)]))
        .collect()
}

/// The second reader's files without those that packages leave out, sorted as in a tree; else its error.
fn package_files(answer: Value) -> Result<Vec<Value>, Value> {
    let Value::Array(files) = answer else {
        return Err(answer);
    };

    let mut named = Vec::new();
    for mut file in files {
        let path = file[0].as_str().unwrap();
        let name = path.trim_start_matches("./").to_owned();
        file[0] = Value::from(name.clone());
        if !name.split('/').any(|part| EXCLUDED_NAMES.contains(&part)) {
            named.push((name, file));
        }
    }

    named.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(named.into_iter().map(|(_, file)| file).collect())
}
