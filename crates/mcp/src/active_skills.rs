//! Which skills a conversation has enabled.

use std::time::Instant;

use skillpm_ops::serve::ServedCatalog;

/// The skills that a conversation has enabled, in the order in which it did.
#[derive(Debug)]
pub(super) struct ActiveSkills {
    ids: Vec<String>,
    last_used: Instant,
}

impl Default for ActiveSkills {
    fn default() -> Self {
        ActiveSkills {
            ids: Vec::new(),
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
    pub(super) fn enable(&mut self, id: &str) -> bool {
        self.last_used = Instant::now();

        let is_new = !self.contains(id);
        if is_new {
            // In order, since the answer lists them in the order in which a model enabled them.
            self.ids.push(id.to_owned());
        }

        is_new
    }

    /// Disables a skill; `false` if it was not enabled.
    pub(super) fn disable(&mut self, id: &str) -> bool {
        self.last_used = Instant::now();
        let before = self.ids.len();

        self.ids.retain(|known| known != id);
        self.ids.len() < before
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.ids.iter().any(|known| known == id)
    }

    /// The ids of enabled skills that are still served, in the order in which they were enabled.
    pub(super) fn ids(&mut self, served: &ServedCatalog) -> Vec<String> {
        // A skill that is gone is dropped for good: if it comes back, its text may be another.
        self.ids.retain(|id| served.with_id(id).is_some());
        self.ids.clone()
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
        assert_eq!(active.ids, ["b", "a"]);
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
