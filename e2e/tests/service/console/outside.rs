//! The machines around the server, on this one: `e2e/browser/outside.mjs`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use auris_e2e::settings::{CA_FILE, CATALOG, DELIVER};
use auris_e2e::{Certificates, DatabaseKind, ServerOptions, repository};
use serde_json::Value;

/// A mirror with a model, a model server that refuses, and a receiver of webhooks. They end when this is dropped.
pub(super) struct Outside {
    child: Child,
    addresses: Value,
    certificates: Certificates,
}

impl Outside {
    pub(super) fn start() -> Self {
        let certificates = Certificates::make();
        let mut command = Command::new("node");
        command.arg(repository().join("e2e/browser/outside.mjs"));
        command.arg(certificates.server()).arg(certificates.server_key());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("a piped output");
        BufReader::new(output).read_line(&mut line).expect("the program prints its addresses");
        let addresses = serde_json::from_str(&line).expect("the addresses are JSON");
        Self { child, addresses, certificates }
    }

    /// A server that knows these machines and delivers to the receiver.
    pub(super) fn options(&self) -> ServerOptions {
        ServerOptions::new(DatabaseKind::Sqlite)
            .with(DELIVER, true)
            .with(CA_FILE, self.certificates.authority().display())
            .with(CATALOG, self.catalogue().display())
            .with("AURIS_MODELS__MIRROR", format!("{}/mirror", self.text("address")))
    }

    /// What the script of the browser needs to know.
    pub(super) fn settings(&self) -> [(&'static str, String); 2] {
        [("AURIS_OUTSIDE", self.text("address")), ("AURIS_RECEIVER", self.text("receiver"))]
    }

    fn text(&self, name: &str) -> String {
        self.addresses[name].as_str().expect("a text").to_owned()
    }

    /// A model whose only file is in the mirror, and one that runs on the model server.
    fn catalogue(&self) -> PathBuf {
        let model = &self.addresses["model"];
        let rate = |capability: &str, unit: &str| {
            format!(
                "{{ capability = \"{capability}\", native_unit = \"{unit}\", price_per_unit_usd = \"0\" }}"
            )
        };
        let text = format!(
            "plans = [\"free\", \"pro\"]\n\
             [[models]]\nid = \"small\"\ndisplay_name = {}\nengine = \"moonshine\"\nlanguages = [\"en\"]\n\
             capabilities = [{}]\n\
             [[models.files]]\nname = \"encoder_model.onnx\"\nsha256 = {}\nbytes = {}\nsources = [\"file:/nowhere\"]\n\
             [[models]]\nid = \"refusing\"\ndisplay_name = \"Refusing\"\nengine = \"remote\"\n\
             capabilities = [{}, {}]\n\
             remote = {{ base_url = \"{}/model\", model = \"any\" }}\n",
            model["name"],
            rate("transcription", "audio_second"),
            model["sha256"],
            model["bytes"],
            rate("task", "input_token"),
            rate("task", "output_token"),
            self.text("address"),
        );
        let path = self.certificates.folder().join("catalog.toml");
        fs::write(&path, text).expect("the temporary folder is writable");
        path
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
