//! A TCP proxy to PostgreSQL that counts statements and cuts all connections at a chosen one.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::frontend_messages::{FrontendMessage, FrontendMessages};

/// Maximum time for the answer that is withheld. The statement has long run then, or waits for a lock.
const ANSWER: Duration = Duration::from_secs(2);
/// The last message of an answer, without its last byte: the server is ready for the next statement.
const READY: [u8; 5] = [b'Z', 0, 0, 0, 5];

/// When the connections are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The statement does not reach the server.
    BeforeStatement,
    /// The server runs the statement, but its answer is never delivered.
    BeforeAnswer,
}

/// Forwards connections until it is dropped. They must not be encrypted.
pub struct StatementProxy {
    address: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    plan: Mutex<Plan>,
    /// How often the connections were cut. A connection ends when the number changes.
    cuts: watch::Sender<u64>,
}

#[derive(Default)]
struct Plan {
    statements: usize,
    /// The cut, and the number of its statement; `None` once it has happened.
    cut: Option<(Cut, usize)>,
}

impl StatementProxy {
    pub async fn to(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket").to_string();
        let shared = Arc::new(Shared { plan: Mutex::default(), cuts: watch::Sender::new(0) });
        let accepting = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connect(stream, target.clone(), Arc::clone(&accepting)));
            }
        });
        Self { address, shared, task }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Counts statements from 1 again, and cuts all connections once, at the given statement. Later connections work.
    pub fn count_from_here(&self, cut: Option<(Cut, usize)>) {
        *self.shared.plan() = Plan { statements: 0, cut };
    }

    /// The number of statements since the count began.
    pub fn statements(&self) -> usize {
        self.shared.plan().statements
    }

    /// How often the connections were cut.
    pub fn cuts(&self) -> u64 {
        *self.shared.cuts.borrow()
    }
}

impl Drop for StatementProxy {
    fn drop(&mut self) {
        self.task.abort();
        self.shared.cut_all();
    }
}

impl Shared {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().expect("no holder panics")
    }

    fn cut_all(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Counts the message if it is a statement; returns the cut that happens at it.
    fn count(&self, message: &FrontendMessage) -> Option<Cut> {
        if !message.is_statement() {
            return None;
        }
        let mut plan = self.plan();
        plan.statements += 1;
        let (cut, statement) = plan.cut?;
        if plan.statements != statement {
            return None;
        }
        plan.cut = None;
        Some(cut)
    }
}

async fn connect(stream: TcpStream, target: String, shared: Arc<Shared>) {
    let mut cuts = shared.cuts.subscribe();
    // If the server does not accept the connection, the proxy closes its side too.
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (from_client, to_client) = stream.into_split();
    let (from_server, to_server) = server.into_split();
    let messages = FrontendMessages::of(from_client);
    let connection = Connection { messages, to_client, from_server, to_server, shared: &shared };
    tokio::select! {
        () = connection.carry() => {}
        _ = cuts.changed() => {}
    }
}

struct Connection<'a> {
    messages: FrontendMessages<OwnedReadHalf>,
    to_client: OwnedWriteHalf,
    from_server: OwnedReadHalf,
    to_server: OwnedWriteHalf,
    shared: &'a Shared,
}

impl Connection<'_> {
    async fn carry(mut self) {
        let mut answer = vec![0; 16 * 1024];
        loop {
            tokio::select! {
                message = self.messages.next() => {
                    let Some(message) = message else { return };
                    if !self.forward(&message).await {
                        return;
                    }
                }
                count = self.from_server.read(&mut answer) => {
                    let Ok(count @ 1..) = count else { return };
                    if self.to_client.write_all(&answer[..count]).await.is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// False if the connection is to be closed.
    async fn forward(&mut self, message: &FrontendMessage) -> bool {
        let cut = self.shared.count(message);
        if cut != Some(Cut::BeforeStatement) && self.to_server.write_all(&message.bytes).await.is_err() {
            return false;
        }
        if cut == Some(Cut::BeforeAnswer) {
            self.finish_statement(message).await;
        }
        if cut.is_some() {
            self.shared.cut_all();
        }
        cut.is_none()
    }

    /// Forwards the rest of the statement and waits until the server has answered it.
    async fn finish_statement(&mut self, message: &FrontendMessage) {
        let mut is_sent = message.expects_answer();
        while !is_sent {
            let Some(next) = self.messages.next().await else { return };
            is_sent = next.expects_answer();
            if self.to_server.write_all(&next.bytes).await.is_err() {
                return;
            }
        }
        let mut answer = Vec::new();
        let answered = async {
            while let Ok(1..) = self.from_server.read_buf(&mut answer).await {
                if answer.len() > READY.len() && answer[..answer.len() - 1].ends_with(&READY) {
                    return;
                }
            }
        };
        // If it waits for a lock for longer, the connection is cut while it waits.
        let _ = tokio::time::timeout(ANSWER, answered).await;
    }
}
