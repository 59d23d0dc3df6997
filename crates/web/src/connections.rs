//! Connections, up to the number that descriptors allow, without those that stay quiet for long.
//!
//! A process has a limit on descriptors, and an idle connection uses one. So there are seats: a connection that comes
//! when all are taken gets the seat of the connection that has been quiet for the longest, and a connection that
//! neither sends nor receives anything for [`QUIET`] loses its seat too. Bytes that have arrived already are always
//! read first, so a request that was sent is answered.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::serve::Listener;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep};

/// The time that a connection may be quiet.
const QUIET: Duration = Duration::from_secs(30);

/// The time without new connections after the system refused one.
const PAUSE: Duration = Duration::from_millis(20);

/// The most connections, if the system would allow more.
const MOST: u64 = 512;

/// The listener that assigns the seats.
pub(crate) struct Connections {
    listener: TcpListener,
    seats: Seats,
    limit: usize,
    next: u64,
}

/// The seats of connections, by number.
#[derive(Clone, Default)]
struct Seats(Arc<Mutex<BTreeMap<u64, Seat>>>);

struct Seat {
    since: Instant,
    is_lost: bool,
    waker: Option<Waker>,
}

impl Seats {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Seat>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees the seat of the connection that has been quiet for the longest; that connection ends when it looks next.
    fn free_one(&self) {
        let mut seats = self.all();
        let quietest = seats
            .values_mut()
            .filter(|seat| !seat.is_lost)
            .min_by_key(|seat| seat.since);
        if let Some(seat) = quietest {
            seat.is_lost = true;
            if let Some(waker) = seat.waker.take() {
                waker.wake();
            }
        }
    }
}

impl Connections {
    /// Half of the descriptors of this process are for connections.
    pub(crate) fn new(listener: TcpListener) -> Self {
        let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let limit = (descriptors / 2).clamp(4, MOST);
        Connections {
            listener,
            seats: Seats::default(),
            limit: usize::try_from(limit).expect("it is small"),
            next: 0,
        }
    }
}

impl Listener for Connections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, address) = loop {
            if let Ok(accepted) = self.listener.accept().await {
                break accepted;
            }
            // Out of descriptors, most likely: one is freed, and used again a little later.
            self.seats.free_one();
            sleep(PAUSE).await;
        };
        self.next += 1;
        let seat = Seat {
            since: Instant::now(),
            is_lost: false,
            waker: None,
        };
        self.seats.all().insert(self.next, seat);
        let connection = Connection {
            stream,
            number: self.next,
            seats: self.seats.clone(),
            quiet: Box::pin(sleep(QUIET)),
        };
        if self.seats.all().len() > self.limit {
            self.seats.free_one();
            // A connection that lost its seat ends before the next one comes.
            yield_now().await;
        }
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection with a seat.
pub(crate) struct Connection {
    stream: TcpStream,
    number: u64,
    seats: Seats,
    quiet: Pin<Box<Sleep>>,
}

impl Connection {
    /// Returns the result of the stream, unless it is pending and the seat is lost.
    fn looked<T>(
        &mut self,
        context: &mut Context<'_>,
        said: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut seats = self.seats.all();
        let Some(seat) = seats.get_mut(&self.number) else {
            return said;
        };
        if said.is_ready() {
            seat.since = Instant::now();
            self.quiet.as_mut().reset(seat.since + QUIET);
            return said;
        }
        seat.waker = Some(context.waker().clone());
        if seat.is_lost || self.quiet.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.seats.all().remove(&self.number);
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let said = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.looked(context, said)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let said = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.looked(context, said)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
