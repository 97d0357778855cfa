//! Model files from every kind of source that needs no package registry: whole, verified, resumed, or not at all.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use auris_engine_testing::file_server::{FileServer, Manner};
use auris_models::install::{InstallError, PullSink, is_installed};
use auris_models::{Catalog, Installer};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const BYTES: usize = 700_000;

/// A file that no other place has.
fn content() -> Vec<u8> {
    (0..BYTES as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// An installer and a catalogue with one model of one file.
struct Bench {
    folder: TempDir,
    catalog: Catalog,
    installer: Installer,
}

#[derive(Default)]
struct RecordedPull {
    progress: Vec<u64>,
    warnings: Vec<String>,
    /// The pull is cancelled when this many bytes of the file are on disk.
    cancel_at: Option<u64>,
    /// The pull is cancelled when it has asked this often.
    cancel_after_checks: Option<usize>,
    checks: Cell<usize>,
}

impl PullSink for RecordedPull {
    fn file(&mut self, _: &str, _: &str, _: u64) {}

    fn progress(&mut self, bytes_done: u64) {
        self.progress.push(bytes_done);
    }

    fn warning(&mut self, message: &str) {
        self.warnings.push(message.to_owned());
    }

    fn trial(&mut self, _: &str) {}

    fn is_cancelled(&self) -> bool {
        self.checks.update(|checks| checks + 1);
        if self.cancel_after_checks.is_some_and(|limit| self.checks.get() >= limit) {
            return true;
        }
        self.cancel_at.is_some_and(|bytes| self.progress.last().is_some_and(|last| *last >= bytes))
    }
}

impl Bench {
    fn new(sources: &[String], mirror: Option<String>) -> Self {
        let folder = TempDir::new().unwrap();
        let text = format!(
            "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\n\
             [[models.files]]\nname = \"net.onnx\"\nsha256 = \"{}\"\nbytes = {BYTES}\nsources = {sources:?}\n",
            sha256(&content())
        );
        let installer = Installer::new(folder.path().join("models"), mirror);
        Self { catalog: Catalog::parse(&text).unwrap(), installer, folder }
    }

    fn pull(&self) -> (Result<(), InstallError>, RecordedPull) {
        let mut recorded = RecordedPull::default();
        (self.installer.pull(&self.catalog, "m", &mut recorded), recorded)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("models/m/net.onnx")
    }

    fn part(&self) -> PathBuf {
        self.path().with_file_name(format!(".{}.part", sha256(&content())))
    }

    /// Leaves the beginning of a download behind, as an interrupted pull does.
    fn interrupted(&self, bytes: &[u8]) {
        fs::create_dir_all(self.part().parent().unwrap()).unwrap();
        fs::write(self.part(), bytes).unwrap();
    }

    fn is_installed_whole(&self) {
        assert!(is_installed(&self.installer.models_dir, self.catalog.find("m").unwrap()));
        assert_eq!(fs::read(self.path()).unwrap(), content());
        assert!(!self.part().exists());
    }

    fn is_not_installed(&self) {
        assert!(!is_installed(&self.installer.models_dir, self.catalog.find("m").unwrap()));
        assert!(!self.path().exists());
    }
}

fn served(manner: Manner) -> (FileServer, Bench) {
    let server = FileServer::start(&content(), manner);
    let bench = Bench::new(&[format!("url:{}", server.url("net.onnx"))], None);
    (server, bench)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    format!("file:{}", path.display())
}

#[test]
fn an_address_is_downloaded_and_its_progress_reported() {
    let (server, bench) = served(Manner::default());
    let (pulled, recorded) = bench.pull();
    pulled.unwrap();
    bench.is_installed_whole();
    assert_eq!(server.ranges(), [None]);
    assert!(recorded.progress.is_sorted() && recorded.progress.last() == Some(&(BYTES as u64)));
}

#[test]
fn an_interrupted_pull_goes_on_where_it_stopped() {
    let (server, bench) = served(Manner::default());
    bench.interrupted(&content()[..300_000]);
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    assert_eq!(server.ranges(), [Some("bytes=300000-".to_owned())]);
}

#[test]
fn a_connection_that_breaks_is_taken_up_again_in_the_same_pull() {
    let (server, bench) = served(Manner { breaks_after: vec![100_000, 250_000], ..Manner::default() });
    let (pulled, recorded) = bench.pull();
    pulled.unwrap();
    bench.is_installed_whole();
    let ranges = server.ranges();
    assert_eq!(ranges.len(), 3, "{ranges:?}");
    assert!(ranges[1..].iter().all(Option::is_some), "{ranges:?}");
    assert_eq!(recorded.warnings.len(), 2, "{:?}", recorded.warnings);
}

#[test]
fn a_server_without_ranges_sends_the_whole_again() {
    let (server, bench) = served(Manner { knows_no_ranges: true, ..Manner::default() });
    bench.interrupted(&content()[..300_000]);
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    assert_eq!(server.ranges().len(), 1);
}

#[test]
fn a_whole_part_that_was_never_moved_is_used_without_asking() {
    let (server, bench) = served(Manner::default());
    bench.interrupted(&content());
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    assert!(server.paths().is_empty());
}

#[test]
fn a_wrong_beginning_is_thrown_away_and_fetched_anew() {
    let (server, bench) = served(Manner::default());
    bench.interrupted(&[7; 300_000]);
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    assert_eq!(server.ranges(), [Some("bytes=300000-".to_owned()), None]);
}

#[test]
fn a_file_with_another_hash_is_never_installed() {
    let mut other = content();
    other[BYTES / 2] ^= 1;
    let server = FileServer::start(&other, Manner::default());
    let bench = Bench::new(&[format!("url:{}", server.url("net.onnx"))], None);
    let error = bench.pull().0.unwrap_err().to_string();
    assert!(error.contains(&sha256(&other)) && error.contains("models.mirror"), "{error}");
    bench.is_not_installed();
    assert!(!bench.part().exists(), "the next try must not go on with these bytes");
}

#[test]
fn a_file_that_is_too_large_is_given_up_at_once() {
    let server = FileServer::start(&[content(), content()].concat(), Manner::default());
    let bench = Bench::new(&[format!("url:{}", server.url("net.onnx"))], None);
    let error = bench.pull().0.unwrap_err().to_string();
    assert!(error.contains("larger than the catalogue says"), "{error}");
    bench.is_not_installed();
    assert_eq!(server.ranges(), [None]);
}

#[test]
fn parts_are_joined_in_order_from_files_and_addresses() {
    let content = content();
    let folder = TempDir::new().unwrap();
    let first = write(folder.path(), "1", &content[..200_000]);
    let breaks = Manner { breaks_after: vec![50_000], ..Manner::default() };
    let second = FileServer::start(&content[200_000..500_000], breaks);
    let third = write(folder.path(), "3", &content[500_000..]);
    let bench = Bench::new(&[format!("concat:{first} url:{} {third}", second.url("2"))], None);
    // What an earlier try left is of no use here.
    bench.interrupted(&content[..123]);
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    assert_eq!(second.ranges().len(), 2);
}

#[test]
fn a_mirror_folder_and_a_mirror_address_are_asked_by_hash() {
    let hash = sha256(&content());
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(&hash), content()).unwrap();
    let bench = Bench::new(&[], Some(folder.path().display().to_string()));
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    let server = FileServer::start(&content(), Manner::default());
    let bench = Bench::new(&[], Some(server.url("models/")));
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    assert_eq!(server.paths(), [format!("/models/{hash}")]);
}

#[test]
fn a_mirror_that_fails_is_followed_by_the_sources() {
    let folder = TempDir::new().unwrap();
    let source = write(folder.path(), "net", &content());
    let bench = Bench::new(&[source], Some(folder.path().join("nowhere").display().to_string()));
    let (pulled, recorded) = bench.pull();
    pulled.unwrap();
    bench.is_installed_whole();
    assert_eq!(recorded.warnings.len(), 1, "{:?}", recorded.warnings);
}

#[test]
fn a_pull_that_fails_leaves_an_installed_model_as_it_was() {
    let (_server, bench) = served(Manner::default());
    bench.pull().0.unwrap();
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    // A second file whose source is gone: the first stays whole, the model is not installed.
    let text = format!(
        "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\n\
         [[models.files]]\nname = \"net.onnx\"\nsha256 = \"{}\"\nbytes = {BYTES}\nsources = []\n\
         [[models.files]]\nname = \"more.onnx\"\nsha256 = \"{}\"\nbytes = 3\nsources = [\"file:/nowhere\"]\n",
        sha256(&content()),
        "0".repeat(64)
    );
    let larger = Catalog::parse(&text).unwrap();
    assert!(bench.installer.pull(&larger, "m", &mut RecordedPull::default()).is_err());
    assert!(!is_installed(&bench.installer.models_dir, larger.find("m").unwrap()));
    bench.is_installed_whole();
}

#[test]
fn two_pulls_at_once_fetch_the_file_once() {
    let (server, bench) = served(Manner::default());
    std::thread::scope(|scope| {
        let pulls: Vec<_> = (0..4).map(|_| scope.spawn(|| bench.pull().0)).collect();
        pulls.into_iter().for_each(|pull| pull.join().unwrap().unwrap());
    });
    bench.is_installed_whole();
    assert_eq!(server.ranges(), [None]);
}

#[test]
fn a_cancelled_pull_stops_without_asking_another_source_and_the_next_one_resumes() {
    let server = FileServer::start(&content(), Manner::default());
    let source = format!("url:{}", server.url("net.onnx"));
    let bench = Bench::new(&[source.clone(), source], None);
    let mut recorded = RecordedPull { cancel_at: Some(1), ..RecordedPull::default() };
    let error = bench.installer.pull(&bench.catalog, "m", &mut recorded).unwrap_err();
    assert!(error.to_string().contains("was cancelled"), "{error}");
    assert_eq!((recorded.warnings.len(), server.ranges().len()), (0, 1));
    bench.is_not_installed();
    let have = fs::metadata(bench.part()).unwrap().len();
    assert!(have > 0 && have < BYTES as u64, "{have}");
    bench.pull().0.unwrap();
    bench.is_installed_whole();
    assert_eq!(server.ranges()[1], Some(format!("bytes={have}-")));
}

#[test]
fn a_pull_is_cancelled_while_the_server_sends_nothing() {
    // Before the head of the response, within it, and within the file.
    for stalls_after in [0, 20, 5_000] {
        let (server, bench) = served(Manner { stalls_after: Some(stalls_after), ..Manner::default() });
        let mut recorded = RecordedPull { cancel_after_checks: Some(4), ..RecordedPull::default() };
        let error = bench.installer.pull(&bench.catalog, "m", &mut recorded).unwrap_err();
        assert!(error.to_string().contains("was cancelled"), "{stalls_after}: {error}");
        assert_eq!(server.ranges().len(), 1);
        bench.is_not_installed();
    }
}
