//! Only the user of the service can read its files, even in a folder that everybody can read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use auris_e2e::requests::submit_transcription;
use auris_e2e::{DatabaseKind, ServerOptions};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_files_are_private_in_a_folder_that_others_can_read() {
    let mut server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    let data = server.data();
    let folders = ["", "spool", "blobs"].map(|name| data.join(name));
    for folder in &folders {
        fs::create_dir_all(folder).expect("the temporary folder is writable");
        open_to_all(folder);
    }
    server.restart().await;
    let client = server.client();
    let job = submit_transcription(&client).await;
    server.finished(&client, &job).await;
    server.terminate().await;
    // As older versions left them.
    for name in ["auris.db", "master.key"] {
        open_to_all(&data.join(name));
    }
    server.restart().await;
    for folder in &folders[1..] {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    let export = data.join("export.tar");
    server.auris(&["export", "--live", export.to_str().expect("a path in UTF-8")]);
    let files = server.files();
    for name in ["auris.db", "auris.db-wal", "auris.db-shm", "master.key", "export.tar", "installation"] {
        assert!(files.iter().any(|file| file.ends_with(name)), "{name}: {files:?}");
    }
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

fn open_to_all(path: &Path) {
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the path is ours");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("the path exists").permissions().mode() & 0o777
}
