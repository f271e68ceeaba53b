//! HTTP connections: their limit, and how long one may be silent.
//!
//! Any user of this machine can open one, and any page in a browser. So a connection without an accepted request ranks
//! below one that has had one: at the limit, the oldest of the former is closed. If all are in use, the new one is one too
//! many: it gets an answer that says so, and for each such one a connection in use is closed after its next answer, so that
//! all clients come to turn. hyper has a timeout for the head of a request as well, but `axum::serve` gives it no clock.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Maximum number of connections, and how long each may be silent.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionLimits {
    /// Most at once.
    pub most: usize,
    /// Time until the head of the first request is complete.
    pub head: Duration,
    /// Maximum time without a byte in either direction. Event streams send one every fifteen seconds.
    pub idle: Duration,
}

/// Most connections that wait for the answer that there are too many.
const EXCESS_MAX: usize = 32;

/// Most connections, if no setting says so.
// Half of the open files that macOS gives to a process; Linux gives four times as many.
pub(super) const CONNECTIONS_MAX: usize = if cfg!(target_os = "macos") { 128 } else { 256 };

impl Default for ConnectionLimits {
    fn default() -> Self {
        ConnectionLimits {
            most: CONNECTIONS_MAX,
            head: Duration::from_secs(10),
            idle: Duration::from_mins(1),
        }
    }
}

/// A listening socket with limits on its connections.
pub(super) struct LimitedListener {
    listener: TcpListener,
    open: Arc<OpenConnections>,
}

/// The connections that are open.
pub(super) struct OpenConnections {
    limits: ConnectionLimits,
    open: Mutex<BTreeMap<u64, Arc<ConnectionState>>>,
    next: AtomicU64,
    /// How many clients were turned away for which no connection was given back yet.
    waiting: AtomicUsize,
}

/// State of one connection.
#[derive(Debug)]
struct ConnectionState {
    opened: Instant,
    /// When the last byte was read or written, in milliseconds after it was opened.
    last_active: AtomicU64,
    /// Whether a request of this connection has passed the guard.
    is_trusted: AtomicBool,
    /// Whether it is one too many.
    is_excess: bool,
    closing: CancellationToken,
}

/// The connection of a request.
#[derive(Debug, Clone)]
pub(super) struct PeerConnection(Arc<ConnectionState>);

/// The two directions of a connection, until it is closed.
pub(super) struct LimitedStream {
    stream: TcpStream,
    number: u64,
    connection: Arc<ConnectionState>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    open: Arc<OpenConnections>,
}

impl LimitedListener {
    pub(super) fn new(listener: TcpListener, limits: ConnectionLimits) -> Self {
        let open = OpenConnections {
            limits,
            open: Mutex::default(),
            next: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
        };
        LimitedListener {
            listener,
            open: Arc::new(open),
        }
    }

    pub(super) fn connections(&self) -> Arc<OpenConnections> {
        Arc::clone(&self.open)
    }
}

impl Listener for LimitedListener {
    type Io = LimitedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (LimitedStream, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;

        // Answers are small and come in parts: without this each waits for the other side to confirm the one before,
        // which takes it 40 ms.
        let _ = stream.set_nodelay(true);
        let (number, connection) = self.open.admit();
        let closing = Box::pin(connection.closing.clone().cancelled_owned());
        let open = Arc::clone(&self.open);
        (
            LimitedStream {
                stream,
                number,
                connection,
                closing,
                open,
            },
            address,
        )
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl OpenConnections {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<ConnectionState>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection: as one too many, if all others are in use.
    fn admit(&self) -> (u64, Arc<ConnectionState>) {
        let mut open = self.open();
        let is_excess = self.make_room(&mut open);

        let connection = Arc::new(ConnectionState {
            opened: Instant::now(),
            last_active: AtomicU64::new(0),
            is_trusted: AtomicBool::new(false),
            is_excess,
            closing: CancellationToken::new(),
        });
        // Numbers grow, so that the first in the map is the oldest.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        open.insert(number, Arc::clone(&connection));
        (number, connection)
    }

    /// Closes a connection if there are too many; whether all of them are in use.
    fn make_room(&self, open: &mut BTreeMap<u64, Arc<ConnectionState>>) -> bool {
        let (excess, regular): (Vec<_>, Vec<_>) = open
            .iter()
            .partition(|(_, connection)| connection.is_excess);
        if regular.len() < self.limits.most {
            return false;
        }

        // The oldest connection without an accepted request is closed first.
        let unused = regular
            .iter()
            .find(|(_, connection)| !connection.is_trusted());

        // Between two requests, longer than any stream of events is silent.
        let rested = || {
            let longest = regular
                .iter()
                .max_by_key(|(_, connection)| connection.idle_time());
            longest.filter(|(_, connection)| connection.idle_time() > self.limits.idle / 2)
        };

        // Only idle connections are closed: if all are in use, the new one is one too many.
        let closed = unused.or_else(rested);
        let is_excess = closed.is_none();
        // Of those that ask nothing, and so get no answer, the oldest are closed.
        let closed = closed.or_else(|| excess.first().filter(|_| excess.len() >= EXCESS_MAX));
        if let Some(number) = closed.map(|(number, _)| **number) {
            open.remove(&number)
                .inspect(|connection| connection.closing.cancel());
        }
        is_excess
    }

    /// Notes that a client was turned away.
    pub(super) fn turn_away(&self) {
        let add = |waiting: usize| Some((waiting + 1).min(self.limits.most));
        // The number is a hint: what it was before does not matter.
        let _ = self
            .waiting
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Whether a connection has to be given back after its answer: one for each client that was turned away.
    pub(super) fn takes_back(&self) -> bool {
        let take = |waiting: usize| waiting.checked_sub(1);
        self.waiting
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }

    /// Most connections at once.
    pub(super) fn most(&self) -> usize {
        self.limits.most
    }

    /// Closes connections that were silent for too long.
    fn close_idle(&self) {
        let is_over = |connection: &ConnectionState| {
            let is_late =
                !connection.is_trusted() && connection.opened.elapsed() > self.limits.head;
            is_late || connection.idle_time() > self.limits.idle
        };

        self.open().retain(|_, connection| {
            let is_over = is_over(connection);
            if is_over {
                connection.closing.cancel();
            }
            !is_over
        });
    }

    /// Closes silent connections periodically, until `ending` is cancelled.
    pub(super) async fn close_idle_until(self: Arc<Self>, ending: CancellationToken) {
        let pause = (self.limits.head.min(self.limits.idle) / 4).max(Duration::from_millis(10));
        // Often enough that a connection is closed at most a quarter later than it should.
        while !ending.is_cancelled() {
            tokio::select! {
                () = tokio::time::sleep(pause) => self.close_idle(),
                () = ending.cancelled() => {}
            }
        }
    }
}

impl ConnectionState {
    fn is_trusted(&self) -> bool {
        self.is_trusted.load(Ordering::Relaxed)
    }

    fn idle_time(&self) -> Duration {
        self.opened.elapsed().saturating_sub(Duration::from_millis(
            // Relaxed is enough here and below: a moment's delay only shifts a timeout by as much.
            self.last_active.load(Ordering::Relaxed),
        ))
    }

    fn touch(&self) {
        let moved = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_active.store(moved, Ordering::Relaxed);
    }
}

impl PeerConnection {
    /// Whether the connection is one too many.
    pub(super) fn is_excess(&self) -> bool {
        self.0.is_excess
    }

    /// Records that a request has passed the guard.
    pub(super) fn mark_trusted(&self) {
        self.0.is_trusted.store(true, Ordering::Relaxed);
    }
}

impl Connected<IncomingStream<'_, LimitedListener>> for PeerConnection {
    fn connect_info(stream: IncomingStream<'_, LimitedListener>) -> Self {
        PeerConnection(Arc::clone(&stream.io().connection))
    }
}

impl LimitedStream {
    /// Fails once the connection is to be closed, and wakes the polling task then.
    fn check_open(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.closing.as_mut().poll(cx).is_ready() {
            return Err(io::Error::new(
                ErrorKind::ConnectionAborted,
                "the client was idle for too long",
            ));
        }
        Ok(())
    }
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_open(cx)?;

        let before = buffer.filled().len();
        let polled = Pin::new(&mut this.stream).poll_read(cx, buffer);
        // A read of nothing is the end of the stream and no sign of life.
        if buffer.filled().len() > before {
            this.connection.touch();
        }
        polled
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();

        this.check_open(cx)?;
        let polled = Pin::new(&mut this.stream).poll_write(cx, bytes);

        if matches!(polled, Poll::Ready(Ok(1..))) {
            this.connection.touch();
        }
        polled
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.check_open(cx)?;
        let polled = Pin::new(&mut this.stream).poll_write_vectored(cx, parts);

        if matches!(polled, Poll::Ready(Ok(1..))) {
            this.connection.touch();
        }
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

impl Drop for LimitedStream {
    fn drop(&mut self) {
        // Also for one that was closed from here: then it is no longer in the map.
        self.open.open().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const SOON: Duration = Duration::from_millis(100);
    const NEVER: Duration = Duration::from_hours(1);

    fn limits(most: usize, head: Duration, idle: Duration) -> ConnectionLimits {
        ConnectionLimits { most, head, idle }
    }

    /// Runs a test with a listener and a way to connect to it.
    fn with<F: Future<Output = ()>>(
        limits: ConnectionLimits,
        test: impl FnOnce(LimitedListener, SocketAddr) -> F,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            test(LimitedListener::new(listener, limits), address).await;
        });
    }

    async fn connected(
        listener: &mut LimitedListener,
        address: SocketAddr,
    ) -> (TcpStream, LimitedStream) {
        let (client, (stream, _)) = tokio::join!(TcpStream::connect(address), listener.accept());
        (client.unwrap(), stream)
    }

    #[test]
    fn answers_are_sent_at_once() {
        with(
            ConnectionLimits::default(),
            |mut listener, address| async move {
                let (_client, stream) = connected(&mut listener, address).await;
                assert!(stream.stream.nodelay().unwrap());
            },
        );
    }

    #[test]
    fn connections_that_asked_nothing_make_room_for_new_ones() {
        with(
            limits(2, NEVER, NEVER),
            |mut listener, address| async move {
                let (_one, used) = connected(&mut listener, address).await;
                PeerConnection(Arc::clone(&used.connection)).mark_trusted();
                let (_two, mut unused) = connected(&mut listener, address).await;
                let (_three, third) = connected(&mut listener, address).await;
                assert!(unused.read_u8().await.is_err());
                assert!(
                    !used.connection.closing.is_cancelled()
                        && !third.connection.closing.is_cancelled()
                );
                assert_eq!(listener.connections().open().len(), 2);

                // No idle connection is left.
                PeerConnection(Arc::clone(&third.connection)).mark_trusted();
                let (_four, fourth) = connected(&mut listener, address).await;
                assert!(PeerConnection(Arc::clone(&fourth.connection)).is_excess());
                assert!(!used.connection.closing.is_cancelled());
                drop(third);
                assert!(!listener.connections().admit().1.is_excess);

                // Each client that was turned away gets a connection back.
                assert!(!listener.connections().takes_back());
                listener.connections().turn_away();
                assert!(listener.connections().takes_back());
                assert!(!listener.connections().takes_back());
            },
        );
    }

    #[test]
    fn connections_that_are_too_many_are_bounded() {
        with(
            limits(1, NEVER, NEVER),
            |mut listener, address| async move {
                let (_one, used) = connected(&mut listener, address).await;
                PeerConnection(Arc::clone(&used.connection)).mark_trusted();
                let mut excess = Vec::new();
                for _ in 0..EXCESS_MAX + 8 {
                    excess.push(connected(&mut listener, address).await);
                }
                let closed = |(_, stream): &&(TcpStream, LimitedStream)| {
                    stream.connection.closing.is_cancelled()
                };
                assert_eq!(excess.iter().filter(closed).count(), 8);
                assert!(excess.iter().take(8).all(|pair| closed(&pair)));
                assert!(!used.connection.closing.is_cancelled());
            },
        );
    }

    #[test]
    fn half_a_request_and_a_silent_connection_are_closed() {
        with(limits(8, SOON, NEVER), |mut listener, address| async move {
            let ending = CancellationToken::new();
            tokio::spawn(listener.connections().close_idle_until(ending.clone()));
            let (mut client, mut stream) = connected(&mut listener, address).await;
            client.write_all(b"GET / HT").await.unwrap();
            let mut bytes = Vec::new();
            assert_eq!(
                stream.read_to_end(&mut bytes).await.unwrap_err().kind(),
                ErrorKind::ConnectionAborted
            );
            assert_eq!(bytes, b"GET / HT");
            ending.cancel();
        });
        with(limits(8, NEVER, SOON), |mut listener, address| async move {
            tokio::spawn(
                listener
                    .connections()
                    .close_idle_until(CancellationToken::new()),
            );
            let (_client, mut stream) = connected(&mut listener, address).await;
            PeerConnection(Arc::clone(&stream.connection)).mark_trusted();
            assert_eq!(
                stream.read_u8().await.unwrap_err().kind(),
                ErrorKind::ConnectionAborted
            );
            assert_eq!(listener.connections().open().len(), 0);
        });
    }
}
