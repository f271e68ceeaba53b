//! Names of files that are no part of a skill by what they are: what tools, desktops and agents leave in its directory,
//! and files of secrets.
//!
//! `package` refuses them, and in an installed skill they are not an edit.

/// Directories that tools make, by name, with what they are.
const DIRECTORIES: [(&str, &str); 22] = [
    ("node_modules", "a directory of npm packages"),
    ("__pycache__", "compiled Python"),
    (".pytest_cache", "a pytest cache"),
    (".mypy_cache", "a mypy cache"),
    (".ruff_cache", "a ruff cache"),
    (".hypothesis", "a Hypothesis cache"),
    (".tox", "a directory of tox environments"),
    (".nox", "a directory of nox environments"),
    (".venv", "a Python environment"),
    ("venv", "a Python environment"),
    (".ipynb_checkpoints", "a directory of Jupyter checkpoints"),
    (".gradle", "a Gradle cache"),
    (".terraform", "a Terraform cache"),
    (".parcel-cache", "a Parcel cache"),
    (".npm", "an npm cache"),
    (".idea", "a directory of editor settings"),
    (".vs", "a directory of editor settings"),
    (".vscode", "a directory of editor settings"),
    (".cache", "a cache"),
    (".nyc_output", "a test report"),
    (".playwright-mcp", "output of an agent's browser"),
    ("__MACOSX", "macOS archive metadata"),
];

/// The file that marks a Python environment, whatever the name of its directory.
pub const ENVIRONMENT_MARK: &str = "pyvenv.cfg";

/// What a tool uses a directory of this name for; `None` if it is an ordinary one.
#[must_use]
pub fn leftover_directory(name: &str) -> Option<&'static str> {
    if name.ends_with(".egg-info") || name.ends_with(".dist-info") {
        return Some("build output");
    }
    let mut known = DIRECTORIES.iter();
    known
        .find(|(known, _)| *known == name)
        .map(|(_, what)| *what)
}

/// What a tool, an editor or a desktop uses a file of this name for; `None` if it is an ordinary one.
#[must_use]
pub fn leftover_file(name: &str) -> Option<&'static str> {
    let ends = |ends: &[&str]| {
        ends.iter()
            // A file named just `.o` is not the output of a compiler.
            .any(|end| name.ends_with(end) && name.len() > end.len())
    };
    if ends(&[".pyc", ".pyo", ".class", ".o", ".obj"]) {
        return Some("compiler output");
    }

    // Without the dot in front `.swp` may be an extension of something else.
    let is_vim = name.starts_with('.') && ends(&[".swp", ".swo", ".swn"]);
    if is_vim
        || name.ends_with('~')
        || name.starts_with(".#")
        || (name.starts_with('#') && name.ends_with('#'))
    {
        return Some("an editor backup file");
    }

    if ends(&[".orig", ".rej"]) {
        return Some("a leftover of a merge");
    }

    if name.starts_with("._")
        || matches!(
            name,
            ".DS_Store" | "Thumbs.db" | "desktop.ini" | ".directory" | ".localized" | "ehthumbs.db"
        )
    {
        return Some("desktop metadata");
    }

    let is_log = ["npm-debug.log", "yarn-error.log", "yarn-debug.log"]
        .iter()
        .any(|log| name.starts_with(log));
    (is_log || matches!(name, ".coverage" | ".eslintcache" | "core.dump"))
        .then_some("output of a tool")
}

/// Whether a file or directory of this name beside the files of an installed package is output: a log, a temporary file.
/// In a package such a name may be that of an example.
#[must_use]
pub fn is_output_name(name: &str, is_dir: bool) -> bool {
    if is_dir {
        return matches!(name, "logs" | ".logs" | "tmp" | ".tmp" | "cache");
    }
    [".log", ".tmp", ".temp", ".pid"]
        .iter()
        .any(|end| name.ends_with(end) && name.len() > end.len())
        || name.starts_with(".aider.")
}

/// Whether a file is compiled Python, which Python rewrites whenever it runs the source.
#[must_use]
pub fn is_bytecode(path: &str) -> bool {
    path.split('/').any(|part| part == "__pycache__")
        || [".pyc", ".pyo"].iter().any(|end| path.ends_with(end))
}

/// Names of files that contain little else than secrets.
const SECRET_FILES: [&str; 18] = [
    ".env",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials.json",
    "credentials.toml",
    "client_secret.json",
    "service-account.json",
    ".vault-token",
    ".dockercfg",
];

/// Whether a file with this path usually contains secrets; templates, such as `.env.example`, do not.
#[must_use]
pub fn is_secret_file(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    // `.env.example` is published on purpose.
    let is_template = ["example", "sample", "template", "dist", "schema"]
        .iter()
        .any(|word| name.contains(word));
    let is_environment = (name.starts_with(".env.") || name.starts_with(".envrc")) && !is_template;
    let is_key = [".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx"]
        .iter()
        .any(|end| name.ends_with(end));

    is_environment
        || is_key
        || SECRET_FILES.contains(&name)
        || path.ends_with(".aws/credentials")
        || path.ends_with(".docker/config.json")
}

/// Whether a file of this name beside the files of an installed package usually has a secret: a login that a program saved,
/// or a list of keys. In a package such a name may be that of an example.
#[must_use]
pub fn may_be_login(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let (stem, ending) = name
        .trim_start_matches('.')
        .split_once('.')
        .unwrap_or((name, ""));
    matches!(
        stem.trim_start_matches('.'),
        "token" | "tokens" | "secret" | "secrets" | "cookies" | "auth" | "apikey" | "api_key"
    ) && matches!(
        ending,
        "" | "json" | "yaml" | "yml" | "toml" | "txt" | "env" | "pickle"
    )
}

/// Whether a file may have a key by its extension; a certificate often has the same, so that the content decides.
#[must_use]
pub fn may_be_key(path: &str) -> bool {
    [".pem", ".key"].iter().any(|end| path.ends_with(end))
}
