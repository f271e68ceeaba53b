//! Which skills a conversation has enabled.

use std::time::Instant;

use crate::ops::serve::Served;

/// The skills that a conversation has enabled, in the order in which it did.
#[derive(Debug)]
pub(super) struct Active {
    names: Vec<String>,
    touched: Instant,
}

impl Default for Active {
    fn default() -> Self {
        Active { names: Vec::new(), touched: Instant::now() }
    }
}

impl Active {
    /// When something was last enabled or disabled.
    pub(super) fn touched(&self) -> Instant {
        self.touched
    }

    /// Enables a skill; `false` if it was enabled already.
    pub(super) fn enable(&mut self, name: &str) -> bool {
        self.touched = Instant::now();
        let is_new = !self.holds(name);
        if is_new {
            self.names.push(name.to_owned());
        }
        is_new
    }

    /// Disables a skill; `false` if it was not enabled.
    pub(super) fn disable(&mut self, name: &str) -> bool {
        self.touched = Instant::now();
        let before = self.names.len();
        self.names.retain(|known| known != name);
        self.names.len() < before
    }

    pub(super) fn holds(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Those that are still served, in the order in which they were enabled.
    pub(super) fn names(&mut self, served: &Served) -> Vec<String> {
        self.names.retain(|name| served.get(name).is_some());
        self.names.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_enabled_is_told_in_order_while_it_is_served() {
        let mut active = Active::default();
        assert_eq!((active.enable("b"), active.enable("a"), active.enable("b")), (true, true, false));
        assert_eq!(active.names, ["b", "a"]);
        assert_eq!((active.disable("b"), active.disable("b"), active.holds("a")), (true, false, true));
        assert_eq!(active.names(&Served::default()), [""; 0], "nothing is served");
    }
}
