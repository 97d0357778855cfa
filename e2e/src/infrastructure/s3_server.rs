//! An S3 server (seaweedfs) that a test can kill and restart on the same data.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::process::{Process, free_ports};
use crate::server::ObjectStore;
use crate::waiting::eventually_within;

const START: Duration = Duration::from_secs(120);
const IDENTITY: &str = r#"{"identities": [{"name": "auris", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    "credentials": [{"accessKey": "own", "secretKey": "own-secret"}]}]}"#;

pub struct S3Server {
    home: TempDir,
    ports: Vec<u16>,
    process: Option<Process>,
}

impl S3Server {
    pub async fn start() -> Self {
        let home = tempfile::Builder::new().prefix("auris-s3-").tempdir().expect("a temporary folder");
        fs::create_dir(home.path().join("data")).expect("the temporary folder is writable");
        fs::write(home.path().join("identity.json"), IDENTITY).expect("the temporary folder is writable");
        let mut server = Self { home, ports: free_ports(8), process: None };
        server.restart().await;
        server
    }

    pub fn kill(&mut self) {
        self.process = None;
        self.remove_sockets();
    }

    pub async fn restart(&mut self) {
        self.kill();
        self.process = Some(self.spawn());
        let store = self.store();
        eventually_within(START, "the S3 server to accept an object", || async {
            // The bucket may already exist from before the restart.
            store.put("");
            store.put("/ready").then_some(())
        })
        .await;
    }

    pub fn store(&self) -> ObjectStore {
        ObjectStore::parse(&format!("http://own:own-secret@{}/auris", self.address()))
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.ports[0])
    }

    fn spawn(&self) -> Process {
        let weed = std::env::var_os("AURIS_TEST_WEED").map(PathBuf::from);
        let weed = weed.unwrap_or_else(|| {
            panic!("AURIS_TEST_WEED is not set: run the tests with `scripts/test`, or under `scripts/with-postgres`")
        });
        let log = fs::OpenOptions::new().create(true).append(true).open(self.home.path().join("log"));
        let mut command = Command::new(weed);
        command.args(["server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3", "-s3.iam=false"]);
        command.args([
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-master.volumeSizeLimitMB=256",
            "-volume.max=30",
        ]);
        command.arg(format!("-dir={}", self.home.path().join("data").display()));
        command.arg(format!("-s3.config={}", self.home.path().join("identity.json").display()));
        let names = ["s3", "s3", "master", "master", "volume", "volume", "filer", "filer"];
        for (index, (name, port)) in names.iter().zip(&self.ports).enumerate() {
            let kind = if index % 2 == 0 { "port" } else { "port.grpc" };
            command.arg(format!("-{name}.{kind}={port}"));
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.expect("the temporary folder is writable"));
        Process::start(&mut command)
    }

    /// Removes the sockets of the killed process. Not all of their paths can be set; their names end in its ports.
    fn remove_sockets(&self) {
        let names: Vec<String> = self.ports.iter().map(|port| format!("-{port}.sock")).collect();
        for entry in fs::read_dir("/tmp").into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("seaweedfs-") && names.iter().any(|end| name.ends_with(end)) {
                // A file that cannot be removed harms nobody.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.kill();
    }
}
