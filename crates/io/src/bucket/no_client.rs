//! The client of a build without the feature `object-store`: no bucket can be opened.

use super::{BucketOptions, BucketUrl, ObjectResponse, PutOutcome, SizeLimits, WriteCondition};
use skillpm_core::error::{Error, Result};
use skillpm_core::report::EventReporter;

/// A bucket that cannot be opened, so that none of its methods is ever called.
pub enum ObjectBucket {}

impl ObjectBucket {
    /// Opens nothing.
    ///
    /// # Errors
    /// Always.
    pub fn open(url: &str, _: &BucketOptions) -> Result<ObjectBucket> {
        let address: BucketUrl = url.parse()?;
        Err(Error::usage(format!("unsupported index `{address}`"))
            .cause("this skillpm was built without the feature `object-store`")
            .help(concat!(
                "install a program with it: `cargo install --locked --git ",
                env!("CARGO_PKG_REPOSITORY"),
                " --features object-store`"
            )))
    }

    /// Its URL.
    #[must_use]
    pub fn address(&self) -> &BucketUrl {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn get(
        &self,
        _: &str,
        _: Option<&str>,
        _: u64,
        _: &dyn EventReporter,
    ) -> Result<ObjectResponse> {
        match *self {}
    }

    /// Never called.
    #[must_use]
    pub fn get_all(
        &self,
        _: &[(&str, Option<&str>)],
        _: SizeLimits<'_>,
        _: &dyn EventReporter,
    ) -> Vec<Result<ObjectResponse>> {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn put(&self, _: &str, _: &[u8], _: WriteCondition<'_>) -> Result<PutOutcome> {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn check_conditions(&self) -> Result<()> {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn list(&self, _: &[String], _: usize) -> Result<Option<Vec<String>>> {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn folders(&self) -> Result<Vec<String>> {
        match *self {}
    }
}
