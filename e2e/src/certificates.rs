//! Certificates for one test: an authority of its own, and a server of this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Gone when it is dropped.
pub struct Certificates {
    folder: TempDir,
}

impl Certificates {
    /// Makes them with the `openssl` command.
    pub fn make() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let new = |name: &str, words: &[&str]| {
            let mut command = Command::new("openssl");
            command
                .current_dir(folder.path())
                .args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]);
            command.args(["-pkeyopt", "ec_paramgen_curve:prime256v1"]).args(words);
            command.args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")]);
            let output = command.output().expect("openssl is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        new("authority", &["-subj", "/CN=Auris test authority"]);
        let names = "subjectAltName=IP:127.0.0.1,DNS:localhost";
        let leaf =
            ["-subj", "/CN=localhost", "-addext", names, "-addext", "basicConstraints=critical,CA:FALSE"];
        new("server", &[&leaf[..], &["-CA", "authority.pem", "-CAkey", "authority.key"]].concat());
        Self { folder }
    }

    /// What a client has to trust.
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    pub fn server(&self) -> PathBuf {
        self.folder.path().join("server.pem")
    }

    pub fn server_key(&self) -> PathBuf {
        self.folder.path().join("server.key")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
