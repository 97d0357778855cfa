//! A webhook receiver over TLS that responds with 204 and counts the requests.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

pub(super) struct TlsReceiver {
    pub(super) count: Arc<AtomicU64>,
    address: SocketAddr,
    authority: PathBuf,
}

impl TlsReceiver {
    /// Creates its certificates in the folder with the `openssl` command, and listens until the bench ends.
    pub(super) async fn start(folder: &Path) -> anyhow::Result<Self> {
        make_certificates(folder)?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let acceptor = acceptor(folder)?;
        let count = Arc::new(AtomicU64::new(0));
        let router = Router::new().route("/hook", post(receive)).with_state(Arc::clone(&count));
        let (sender, accepted) = mpsc::channel(64);
        tokio::spawn(accept(listener, acceptor, sender));
        tokio::spawn(async move { axum::serve(Secure { accepted, address }, router).await });
        Ok(Self { count, address, authority: folder.join("authority.pem") })
    }

    pub(super) fn url(&self) -> String {
        format!("https://{}/hook", self.address)
    }

    pub(super) fn authority(&self) -> &Path {
        &self.authority
    }

    /// Waits until the count is reached.
    pub(super) async fn reaches(&self, count: u64, deadline: Duration) -> anyhow::Result<()> {
        let started = Instant::now();
        while self.count.load(Ordering::SeqCst) < count {
            ensure!(
                started.elapsed() < deadline,
                "only {} of {count} requests arrived",
                self.count.load(Ordering::SeqCst)
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }
}

async fn receive(State(count): State<Arc<AtomicU64>>, _body: Bytes) -> StatusCode {
    count.fetch_add(1, Ordering::SeqCst);
    StatusCode::NO_CONTENT
}

/// Handshakes run concurrently, so that a slow one does not delay the others.
async fn accept(listener: TcpListener, acceptor: TlsAcceptor, sender: mpsc::Sender<TlsStream<TcpStream>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        let sender = sender.clone();
        // Responses are small and must not wait for more data.
        let _ = stream.set_nodelay(true);
        tokio::spawn(async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                let _ = sender.send(stream).await;
            }
        });
    }
}

struct Secure {
    accepted: mpsc::Receiver<TlsStream<TcpStream>>,
    address: SocketAddr,
}

impl axum::serve::Listener for Secure {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.accepted.recv().await {
            Some(stream) => (stream, self.address),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok(self.address)
    }
}

fn acceptor(folder: &Path) -> anyhow::Result<TlsAcceptor> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(folder.join("server.pem"))?.collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key"))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain?, key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn make_certificates(folder: &Path) -> anyhow::Result<()> {
    make(folder, "authority", &["-subj", "/CN=Auris bench authority"])?;
    let names = "subjectAltName=IP:127.0.0.1";
    let leaf = ["-subj", "/CN=localhost", "-addext", names, "-addext", "basicConstraints=critical,CA:FALSE"];
    make(folder, "server", &[&leaf[..], &["-CA", "authority.pem", "-CAkey", "authority.key"]].concat())
}

fn make(folder: &Path, name: &str, words: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new("openssl");
    command.current_dir(folder).args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]);
    command.args(["-pkeyopt", "ec_paramgen_curve:prime256v1"]).args(words);
    command.args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")]);
    let output = command.output().context("the `openssl` command is needed to create certificates")?;
    ensure!(output.status.success(), "openssl: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
