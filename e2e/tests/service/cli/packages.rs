//! Model packages: their archives are downloaded, and no code of them is run.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use auris_e2e::settings::CATALOG;
use auris_e2e::{DatabaseKind, ServerOptions};

/// A source package that brings its own build code and needs nothing else, so that `pip` would run it at once.
const PROJECT: &str = "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n";

#[tokio::test]
async fn a_source_package_is_refused_and_its_code_is_not_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let marker = folder.path().join("the-code-ran");
    let index = PackageIndex::start(source_package(folder.path(), &marker));
    let server = with_source(folder.path(), "pypi:speech-weights==1.0/speech_weights/net.onnx")
        .with("PIP_INDEX_URL", format!("http://127.0.0.1:{}/simple/", index.port))
        // Nothing else may be asked, whatever this machine's own settings are.
        .with("PIP_CONFIG_FILE", "/dev/null")
        .with("PIP_EXTRA_INDEX_URL", "")
        .with("PIP_FIND_LINKS", "")
        .with("NO_PROXY", "127.0.0.1")
        .with("no_proxy", "127.0.0.1")
        .prepare();
    let pulled = server.try_auris(&["models", "pull", "m"]);
    let message = String::from_utf8_lossy(&pulled.stderr);
    assert!(!marker.exists(), "code of the package was run: {message}");
    assert_eq!(pulled.status.code(), Some(1), "{message}");
    for part in ["`pip`", "speech-weights==1.0", "source packages are not used", "models.mirror"] {
        assert!(message.contains(part), "`{part}` in: {message}");
    }
    let paths = index.paths.lock().expect("no holder panics").clone();
    assert!(paths.contains(&"/simple/speech-weights/".to_owned()), "the index was asked: {paths:?}");
}

#[tokio::test]
async fn a_missing_package_client_is_named_with_what_to_use_instead() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (source, client) in [("npm:weights@1.0.0/net.onnx", "npm"), ("pypi:weights==1.0/net.onnx", "pip")] {
        let server = with_source(folder.path(), source).with("PATH", folder.path().display()).prepare();
        let pulled = server.try_auris(&["models", "pull", "m"]);
        let message = String::from_utf8_lossy(&pulled.stderr);
        assert_eq!(pulled.status.code(), Some(1), "{message}");
        let missing = format!("`{client}` is not installed");
        for part in [missing.as_str(), "`models.mirror`", "`hf:`"] {
            assert!(message.contains(part), "`{part}` in: {message}");
        }
    }
}

/// A catalogue with a model of one file from this source.
fn with_source(folder: &Path, source: &str) -> ServerOptions {
    let text = format!(
        "plans = [\"free\", \"pro\"]\n\
         [[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\n\
         [[models.files]]\nname = \"net.onnx\"\nsha256 = \"{}\"\nbytes = 9\nsources = [{source:?}]\n",
        "0".repeat(64)
    );
    let path = folder.join("catalog.toml");
    fs::write(&path, text).expect("the catalogue is written");
    ServerOptions::new(DatabaseKind::Sqlite).with(CATALOG, path.display())
}

/// The archive of a source package whose code creates `marker`.
fn source_package(folder: &Path, marker: &Path) -> Vec<u8> {
    let package = folder.join("speech_weights-1.0");
    fs::create_dir(&package).expect("a folder");
    let metadata = "Metadata-Version: 2.1\nName: speech-weights\nVersion: 1.0\n";
    let code = format!("open({:?}, \"w\").close()\n", marker.display().to_string());
    for (name, text) in [("pyproject.toml", PROJECT), ("PKG-INFO", metadata), ("backend.py", code.as_str())] {
        fs::write(package.join(name), text).expect("a file of the package");
    }
    let archive = folder.join("speech_weights-1.0.tar.gz");
    let mut tar = Command::new("tar");
    let tar = tar.arg("-C").arg(folder).arg("-czf").arg(&archive).arg("speech_weights-1.0").status();
    assert!(tar.expect("`tar` starts").success());
    fs::read(archive).expect("the archive")
}

/// A package index on loopback that has one source package. It runs until the test's process ends.
struct PackageIndex {
    port: u16,
    /// The paths that were requested.
    paths: Arc<Mutex<Vec<String>>>,
}

impl PackageIndex {
    fn start(archive: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let paths: Arc<Mutex<Vec<String>>> = Arc::default();
        let requested = Arc::clone(&paths);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(path) = answer(stream, &archive) {
                    requested.lock().expect("no holder panics").push(path);
                }
            }
        });
        Self { port, paths }
    }
}

/// Answers one request and returns its path; `None` if the client went away.
fn answer(mut stream: TcpStream, archive: &[u8]) -> Option<String> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
    let page = b"<!DOCTYPE html><a href=\"/speech_weights-1.0.tar.gz\">speech_weights-1.0.tar.gz</a>";
    let (status, content_type, body) = match path.as_str() {
        "/simple/speech-weights/" => ("200 OK", "text/html", &page[..]),
        "/speech_weights-1.0.tar.gz" => ("200 OK", "application/gzip", archive),
        _ => ("404 Not Found", "text/plain", &[][..]),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).ok()?;
    Some(path)
}
