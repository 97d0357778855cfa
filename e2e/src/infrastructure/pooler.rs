//! A PgBouncer of a test's own before a PostgreSQL: a server connection belongs to a client for one transaction only.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;

use super::PostgresServer;
use super::process::{Process, as_user, free_ports};
use crate::waiting::eventually_within;

const START: Duration = Duration::from_secs(30);

pub struct Pooler {
    _home: TempDir,
    port: u16,
    _process: Process,
}

impl Pooler {
    /// Starts PgBouncer with few connections to the database, so that clients really share them.
    pub async fn before(postgres: &PostgresServer, connections: u32) -> Self {
        let home = tempfile::Builder::new().prefix("auris-pooler-").tempdir().expect("a temporary folder");
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755))
            .expect("the temporary folder is writable");
        let port = free_ports(1)[0];
        let (host, database_port) = postgres.address().rsplit_once(':').map(owned).expect("HOST:PORT");
        let settings = home.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host={host} port={database_port} user=auris\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = {connections}\nignore_startup_parameters = extra_float_digits\n"
        );
        fs::write(&settings, text).expect("the temporary folder is writable");
        let mut command = as_user("pgbouncer");
        command.arg("-q").arg(&settings).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Process::start(&mut command);
        eventually_within(START, "PgBouncer to listen", || async {
            TcpStream::connect(("127.0.0.1", port)).ok().map(drop)
        })
        .await;
        Self { _home: home, port, _process: process }
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

fn owned((host, port): (&str, &str)) -> (String, String) {
    (host.to_owned(), port.to_owned())
}
