//! The files of the pages: addresses, caching, compression and size.

use auris_e2e::{Console, DatabaseKind, Server};

const FIRST_LOAD_BYTES: usize = 150 * 1024;
const FIRST_LOAD_REQUESTS: usize = 10;

#[tokio::test]
async fn every_page_is_an_address_and_unknown_paths_stay_json() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let stranger = Console::stranger(&server);
    let job = "/jobs/job_00000000000000000000";
    for path in ["/", "/sign-in", "/jobs", job, "/models", "/webhooks", "/usage", "/projects", "/system"] {
        let page = stranger.download(path, None).await.expect_status(200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!(page.header("cache-control"), "no-cache", "{path}");
    }
    for path in ["/nothing", "/jobs/a/b", "/favicon.ico"] {
        let reply = stranger.download(path, None).await;
        assert_eq!(reply.status, 404, "{reply}");
        assert_eq!(reply.error().code, "unknown_path");
    }
}

#[tokio::test]
async fn the_first_load_is_small_and_kept_by_browsers() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client().with_key(None);
    let page = client.get_outside_api("/", &[("Accept-Encoding", "gzip")]).await.expect_status(200);
    assert_eq!(page.header("content-encoding"), "gzip");
    let plain = client.get_outside_api("/", &[]).await.expect_status(200).text();
    let files = files(&plain);
    assert!(files.len() < FIRST_LOAD_REQUESTS && files.len() >= 2, "{files:?}");
    let mut bytes = page.body.len();
    for file in files {
        let reply =
            client.get_outside_api(&file, &[("Accept-Encoding", "gzip, br")]).await.expect_status(200);
        assert_eq!(reply.header("content-encoding"), "gzip", "{file}");
        assert!(reply.header("cache-control").contains("immutable"), "{file}");
        bytes += reply.body.len();
    }
    assert!(bytes <= FIRST_LOAD_BYTES, "{bytes} bytes");
}

/// The files that the document refers to.
fn files(document: &str) -> Vec<String> {
    let references = document.split('"').filter(|text| text.starts_with("/assets/"));
    references.map(str::to_owned).collect()
}
