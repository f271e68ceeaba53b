//! Why a skill is hidden.

/// Why a skill is hidden from an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenReason {
    /// Another skill of its name shadows it.
    Shadowed,
    /// It would shadow a skill that must not be shadowed.
    ShadowingDenied,
    /// Only others were requested.
    NotAskedFor,
    /// Skills are switched off.
    Disabled,
    /// A deny list names it.
    Denied,
    /// There is an allow list that does not name it.
    NotAllowed,
    /// The agent reads another format.
    OtherFormat,
    /// The agent finds it and does not load it.
    Dropped,
    /// A requirement is not met.
    Ineligible,
    /// It says that a model may not choose it by itself.
    NotModelInvocable,
    /// The agent's list has no more room.
    OverBudget,
}

impl HiddenReason {
    /// Every reason, in the order in which they are checked.
    pub const ALL: [HiddenReason; 11] = [
        HiddenReason::Shadowed,
        HiddenReason::ShadowingDenied,
        HiddenReason::NotAskedFor,
        HiddenReason::Disabled,
        HiddenReason::Denied,
        HiddenReason::NotAllowed,
        HiddenReason::OtherFormat,
        HiddenReason::Dropped,
        HiddenReason::Ineligible,
        HiddenReason::NotModelInvocable,
        HiddenReason::OverBudget,
    ];

    /// The reason's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            HiddenReason::Shadowed => "shadowed",
            HiddenReason::ShadowingDenied => "shadowing-denied",
            HiddenReason::NotAskedFor => "not-asked-for",
            HiddenReason::Disabled => "disabled",
            HiddenReason::Denied => "denied",
            HiddenReason::NotAllowed => "not-allowed",
            HiddenReason::OtherFormat => "other-format",
            HiddenReason::Dropped => "dropped",
            HiddenReason::Ineligible => "ineligible",
            HiddenReason::NotModelInvocable => "not-model-invocable",
            HiddenReason::OverBudget => "over-budget",
        }
    }

    /// Whether the skill is out of this catalog altogether, rather than only out of what a model is shown.
    #[must_use]
    pub fn is_outside(self) -> bool {
        !matches!(
            self,
            HiddenReason::Ineligible | HiddenReason::NotModelInvocable | HiddenReason::OverBudget
        )
    }
}
