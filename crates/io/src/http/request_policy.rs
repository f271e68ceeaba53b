//! The rules of retries and redirects: one for downloads, git hosts and object stores.
//!
//! It decides, and sends nothing: each client asks it before another attempt, and before it follows a `Location`.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use reqwest::StatusCode;
use reqwest::header::{self, HeaderMap, HeaderName};
use url::Url;

use super::address_scope::AddressScope;

/// Most redirects of one request.
pub(crate) const REDIRECTS_MAX: usize = 5;

/// When a failed request is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts after the first.
    pub retries: usize,
    /// Before the second attempt; doubled for each further one, and jittered.
    pub delay: Duration,
    /// Longest delay, and longest `Retry-After` that is honored.
    pub longest_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy {
            retries: 3,
            delay: Duration::from_millis(250),
            longest_delay: Duration::from_secs(10),
        }
    }
}

impl RetryPolicy {
    /// The delays before the further attempts, as the `backon` crate takes them.
    pub(super) fn backoff(&self) -> ExponentialBuilder {
        // With jitter, so that many clients of one failed server do not return at once.
        ExponentialBuilder::default()
            .with_min_delay(self.delay)
            .with_max_delay(self.longest_delay)
            .with_max_times(self.retries)
            .with_jitter()
    }

    /// The delays before the further attempts, one by one.
    pub(crate) fn delays(&self) -> ExponentialBackoff {
        self.backoff().build()
    }

    /// Whether, and after what delay, the server takes the same request again.
    pub(crate) fn hint(&self, status: StatusCode, headers: &HeaderMap) -> RetryHint {
        // The same request would get the same response.
        if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
            return RetryHint::Never;
        }

        match retry_after(headers) {
            Some(wait) if wait > self.longest_delay => RetryHint::TooLate(wait),
            Some(wait) => RetryHint::After(wait),
            None => RetryHint::Soon,
        }
    }
}

/// Whether a request is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryHint {
    Never,
    /// The server asks for a longer delay than anyone waits for.
    TooLate(Duration),
    Soon,
    /// After the `Retry-After` of the server.
    After(Duration),
}

impl RetryHint {
    pub(crate) fn allows_retry(self) -> bool {
        matches!(self, RetryHint::Soon | RetryHint::After(_))
    }

    /// A delay of the policy, and never sooner than the server asks.
    pub(crate) fn adjust(self, delay: Duration) -> Duration {
        match self {
            RetryHint::After(asked) => delay.max(asked),
            _ => delay,
        }
    }
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RedirectError {
    /// The response has no `Location`.
    NoLocation,
    /// The rules do not allow this target.
    Refused {
        target: String,
        fault: RedirectFault,
    },
}

/// What is wrong with the target of a redirect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectFault {
    Invalid(url::ParseError),
    /// The scheme is not `https` or `http`.
    Scheme,
    /// It leads from `https` to `http`.
    Unencrypted,
    /// It contains a user name or a password.
    Credentials,
    /// It leads to an address outside of the scope.
    Address,
}

pub(crate) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The target of a redirect from a URL.
///
/// # Errors
/// If there is none, or the rules do not allow it.
pub(crate) fn redirect_target(
    from: &Url,
    headers: &HeaderMap,
    scope: AddressScope,
) -> Result<Url, RedirectError> {
    let location = header_text(headers, &header::LOCATION).ok_or(RedirectError::NoLocation)?;
    // A relative `Location` is relative to the URL that responded.
    let to = from
        .join(&location)
        .map_err(|cause| RedirectError::Refused {
            target: location,
            fault: RedirectFault::Invalid(cause),
        })?;

    match redirect_fault(from, &to, scope) {
        Some(fault) => Err(RedirectError::Refused {
            target: to.into(),
            fault,
        }),
        None => Ok(to),
    }
}

fn redirect_fault(from: &Url, to: &Url, scope: AddressScope) -> Option<RedirectFault> {
    if !matches!(to.scheme(), "https" | "http") {
        return Some(RedirectFault::Scheme);
    }
    // Even with `net.allow-http`: who asks for `https` must not get less.
    if from.scheme() == "https" && to.scheme() == "http" {
        return Some(RedirectFault::Unencrypted);
    }
    if !to.username().is_empty() || to.password().is_some() {
        return Some(RedirectFault::Credentials);
    }
    // By its spelling only; the addresses of a name are checked at lookup.
    (!scope.allows_host(to)).then_some(RedirectFault::Address)
}

/// The delay of `Retry-After`. A date counts from the response's own `Date`, independent of our clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = header_text(headers, &header::RETRY_AFTER)?;
    // Seconds or a date: both forms are in use.
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }

    let time = |text: &str| {
        jiff::fmt::rfc2822::parse(text)
            .ok()
            .map(|time| time.timestamp())
    };
    let wait = time(&value)?.duration_since(time(&header_text(headers, &header::DATE)?)?);
    // A time in the past means at once.
    Some(Duration::try_from(wait).unwrap_or_default())
}

/// A header's value; `None` if it is missing, or not text.
pub(super) fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn hint(status: u16, retry_after: Option<&'static str>) -> RetryHint {
        let headers = retry_after
            .map(|value| (header::RETRY_AFTER, HeaderValue::from_static(value)))
            .into_iter()
            .collect();
        RetryPolicy::default().hint(StatusCode::from_u16(status).unwrap(), &headers)
    }

    #[test]
    fn busy_server_is_retried_unless_it_asks_for_hours() {
        assert_eq!(hint(503, None), RetryHint::Soon);
        assert_eq!(
            hint(429, Some("2")),
            RetryHint::After(Duration::from_secs(2))
        );
        let wait = Duration::from_hours(24);
        assert_eq!(hint(503, Some("86400")), RetryHint::TooLate(wait));
        assert_eq!(hint(404, Some("2")), RetryHint::Never);
    }

    #[test]
    fn there_are_three_retries_with_a_delay_each() {
        let delays: Vec<Duration> = RetryPolicy::default().delays().collect();
        assert_eq!(delays.len(), 3);
        let least = delays.iter().zip([250, 500, 1000]);
        for (delay, millis) in least {
            assert!(*delay >= Duration::from_millis(millis), "{delay:?}");
        }
    }
}
