//! The verifier of a build without the feature `openpgp`: no signature of OpenPGP counts.

use skillpm_core::provenance::{DetachedSignature, OpenpgpError, OpenpgpVerifier, VerifyError};

/// Verifies nothing.
#[derive(Debug, Clone, Copy)]
pub struct GpgvVerifier;

impl OpenpgpVerifier for GpgvVerifier {
    fn status(&self, _: &DetachedSignature<'_>) -> Result<String, VerifyError> {
        let why = "this skillpm was built without the feature `openpgp`";
        Err(VerifyError::Openpgp(OpenpgpError::Unverified(why.into())))
    }
}
