//! Which skills a conversation has enabled.

use std::time::Instant;

use skillpm_ops::serve::ServedCatalog;

/// The skills that a conversation has enabled, in the order in which it did.
#[derive(Debug)]
pub(super) struct ActiveSkills {
    names: Vec<String>,
    last_used: Instant,
}

impl Default for ActiveSkills {
    fn default() -> Self {
        ActiveSkills {
            names: Vec::new(),
            last_used: Instant::now(),
        }
    }
}

impl ActiveSkills {
    /// When something was last enabled or disabled.
    pub(super) fn last_used(&self) -> Instant {
        self.last_used
    }

    /// Enables a skill; `false` if it was enabled already.
    pub(super) fn enable(&mut self, name: &str) -> bool {
        self.last_used = Instant::now();

        let is_new = !self.contains(name);
        if is_new {
            // In order, since the answer lists them in the order in which a model enabled them.
            self.names.push(name.to_owned());
        }

        is_new
    }

    /// Disables a skill; `false` if it was not enabled.
    pub(super) fn disable(&mut self, name: &str) -> bool {
        self.last_used = Instant::now();
        let before = self.names.len();

        self.names.retain(|known| known != name);
        self.names.len() < before
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The ids of enabled skills that are still served, in the order in which they were enabled.
    pub(super) fn ids(&mut self, served: &ServedCatalog) -> Vec<String> {
        // A skill that is gone is dropped for good: if it comes back, its text may be another.
        self.names.retain(|name| served.get(name).is_some());

        let entries = self.names.iter().filter_map(|name| served.get(name));
        entries
            .map(|entry| served.id_of(entry).to_owned())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enabled_skills_are_listed_in_order_while_they_are_served() {
        let mut active = ActiveSkills::default();
        assert_eq!(
            (active.enable("b"), active.enable("a"), active.enable("b")),
            (true, true, false)
        );
        assert_eq!(active.names, ["b", "a"]);
        assert_eq!(
            (
                active.disable("b"),
                active.disable("b"),
                active.contains("a")
            ),
            (true, false, true)
        );
        assert_eq!(
            active.ids(&ServedCatalog::default()),
            [""; 0],
            "nothing is served"
        );
    }
}
