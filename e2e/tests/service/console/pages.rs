//! The files of the pages: addresses, caching, compression and size.

use auris_e2e::{Console, DatabaseKind, Server};

const FIRST_LOAD_BYTES: usize = 150 * 1024;
const FIRST_LOAD_REQUESTS: usize = 10;
const PAGES: [&str; 9] = [
    "/",
    "/sign-in",
    "/jobs",
    "/jobs/job_00000000000000000000",
    "/models",
    "/webhooks",
    "/usage",
    "/projects",
    "/system",
];

#[tokio::test]
async fn every_page_is_an_address_and_unknown_paths_stay_json() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let stranger = Console::stranger(&server);
    for path in PAGES {
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

/// `e2e/browser/pages/first_load.mjs` also counts the requests for data, in a browser.
#[tokio::test]
async fn the_first_load_of_every_page_is_small_and_kept_by_browsers() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client().with_key(None);
    for path in PAGES {
        let page = client.get_outside_api(path, &[("Accept-Encoding", "gzip")]).await.expect_status(200);
        assert_eq!(page.header("content-encoding"), "gzip");
        let plain = client.get_outside_api(path, &[]).await.expect_status(200).text();
        let mut files = files_of_document(&plain);
        assert!(files.len() >= 2, "{path}: {files:?}");
        let mut bytes = page.body.len();
        let mut next = 0;
        while let Some(file) = files.get(next).cloned() {
            let reply = client.get_outside_api(&file, &[("Accept-Encoding", "gzip, br")]).await;
            let reply = reply.expect_status(200);
            assert_eq!(reply.header("content-encoding"), "gzip", "{file}");
            assert!(reply.header("cache-control").contains("immutable"), "{file}");
            bytes += reply.body.len();
            let code = client.get_outside_api(&file, &[]).await.expect_status(200).text();
            files.extend(
                imported_files(&code)
                    .into_iter()
                    .filter(|import| !files.contains(import))
                    .collect::<Vec<_>>(),
            );
            next += 1;
        }
        assert!(files.len() < FIRST_LOAD_REQUESTS, "{path}: {files:?}");
        assert!(bytes <= FIRST_LOAD_BYTES, "{path}: {bytes} bytes");
    }
}

/// The files that the document refers to.
fn files_of_document(document: &str) -> Vec<String> {
    let references = document.split('"').filter(|text| text.starts_with("/assets/"));
    references.map(str::to_owned).collect()
}

/// The files that a script imports, at once or later.
fn imported_files(code: &str) -> Vec<String> {
    let words = code.split('"').filter(|text| text.starts_with("./") && text.ends_with(".js"));
    words.map(|name| format!("/assets/{}", &name[2..])).collect()
}
