//! A skill that is compiled into the program.

use super::Tree;

/// A skill compiled into the program: the name of its directory and its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundledSkill {
    /// The directory's name.
    pub name: &'static str,
    /// Path below the directory, bytes, and whether it is executable; sorted by the bytes of the path.
    pub files: &'static [(&'static str, &'static [u8], bool)],
}

impl BundledSkill {
    /// Its files as a package.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::builder();
        for (path, bytes, executable) in self.files {
            tree.add(path, bytes.to_vec(), *executable)
                .expect("bundled skills are valid packages; a test reads them");
        }

        tree.finish()
    }

    /// One file's content; `None` if there is no such file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&'static [u8]> {
        self.files
            .iter()
            .find(|(name, ..)| *name == path)
            .map(|(_, bytes, _)| *bytes)
    }
}
