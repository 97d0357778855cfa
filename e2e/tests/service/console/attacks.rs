//! What another site, a thief or a curious user might try.

use auris_e2e::requests::submit_transcription;
use auris_e2e::{Console, DatabaseKind, Form, Server, ServerOptions, wav};
use serde_json::json;

use super::sign_in::fail_until_limited;

/// A session that begins with a cookie of the attacker's choice gets a new one.
#[tokio::test]
async fn a_cookie_from_elsewhere_does_not_become_a_session() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let fixed = "auris_session=cs-000000000000000000000000000000000000000000aaaaaa";
    let stranger = Console::stranger(&server);
    let reply = stranger.call("GET", "/console/v1/session").header("Cookie", fixed).send().await;
    reply.expect_error(401, "expired_session");
    let client = server.client();
    let body = json!({"key": client.key()});
    let reply = stranger.post("/console/v1/session").header("Cookie", fixed).json(&body).send().await;
    let cookie = reply.expect_status(201).header("set-cookie").to_owned();
    assert!(!cookie.contains("000000aaaaaa"), "{cookie}");
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");
}

#[tokio::test]
async fn behind_tls_the_cookie_is_secure() {
    let options = ServerOptions::new(DatabaseKind::Sqlite);
    let server = options.with("AURIS_CONSOLE__PUBLIC_URL", "https://auris.example.com").start().await;
    let client = server.client();
    let mut user = Console::stranger(&server);
    let reply = user.sign_in(&json!({"key": client.key()})).await.expect_status(201);
    let cookie = reply.header("set-cookie").to_owned();
    assert!(cookie.starts_with("__Host-auris_session=") && cookie.ends_with("; Secure"), "{reply}");
    assert!(server.auris(&["console"]).starts_with("https://auris.example.com/sign-in#link="));
}

/// A sibling of the host can set cookies for the domain of both, but none whose name begins with `__Host-`.
#[tokio::test]
async fn behind_tls_a_session_of_a_sibling_host_is_ignored() {
    let options = ServerOptions::new(DatabaseKind::Sqlite);
    let server = options.with("AURIS_CONSOLE__PUBLIC_URL", "https://auris.example.com").start().await;
    let own = Console::user(&server, server.client().key()).await;
    let attackers = Console::user(&server, server.client_of_new_project("evil").key()).await;
    let (_, secret) = attackers.cookie().split_once('=').expect("a cookie");
    let planted = format!("auris_session={secret}");
    let visitor = Console::stranger(&server);
    let read = |cookies: String| visitor.call("GET", "/console/v1/session").header("Cookie", cookies).send();
    read(planted.clone()).await.expect_error(401, "missing_session");
    let session = read(format!("{planted}; {}", own.cookie())).await.expect_status(200).json();
    assert_eq!(session["project"], "default");
}

/// Also without `console.public_url`, if a proxy says that it was reached by https.
#[tokio::test]
async fn a_proxy_with_tls_gets_the_cookie_of_https() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let call = Console::stranger(&server).post("/console/v1/session").header("X-Forwarded-Proto", "https");
    let reply = call.json(&json!({"key": server.client().key()})).send().await.expect_status(201);
    let cookie = reply.header("set-cookie").split(';').next().expect("a cookie").to_owned();
    assert!(cookie.starts_with("__Host-auris_session="), "{cookie}");
    let session = || Console::stranger(&server).get("/console/v1/session").header("Cookie", &cookie);
    session().header("X-Forwarded-Proto", "https").send().await.expect_status(200);
    session().send().await.expect_error(401, "missing_session");
}

#[tokio::test]
async fn nothing_behind_the_sign_in_stays_in_a_cache() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let job = submit_transcription(&client).await;
    server.finished(&client, &job).await;
    let operator = Console::operator(&server).await;
    let base = "/console/v1/projects/default";
    for path in [
        "/console/v1/session",
        "/console/v1/projects",
        "/operator/v1/overview",
        "/operator/v1/usage.csv",
        &format!("{base}/jobs"),
        &format!("{base}/jobs/{job}"),
        &format!("{base}/jobs/{job}/steps"),
        &format!("{base}/jobs/{job}/analyses"),
        &format!("{base}/jobs/{job}/peaks"),
        &format!("{base}/jobs/{job}/recording"),
        &format!("{base}/jobs/job_00000000000000000000"),
    ] {
        for visitor in [&operator, &Console::stranger(&server)] {
            let reply = visitor.download(path, None).await;
            assert_eq!(reply.header("cache-control"), "private, no-store", "{path}: {reply}");
            assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}: {reply}");
        }
    }
    let events = operator.download(&format!("{base}/jobs/{job}/events"), None).await.expect_status(200);
    assert_eq!(events.header("cache-control"), "no-cache, no-transform");
    let asset = operator.download("/", None).await.text();
    let (_, asset) = asset.split_once("/assets/").expect("an asset");
    let name = asset.split('"').next().expect("a name");
    let asset = operator.download(&format!("/assets/{name}"), None).await.expect_status(200);
    assert!(asset.header("cache-control").contains("immutable"), "{name}");
}

#[tokio::test]
async fn wrong_operator_keys_count_as_failed_sign_ins() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let right = server.auris(&["operator", "keys", "create", "--name", "a"]).trim().to_owned();
    let with = |key: &str| server.client().with_key(Some(key)).get("/operator/v1/projects");
    let wrong = format!("ok-{}", "0".repeat(right.len() - 3));
    for key in [wrong.as_str(), "ok-short", server.client().key()].iter().cycle().take(10) {
        with(key).send().await.expect_error(401, "invalid_operator_key");
    }
    // Both ways to guess share one limit.
    fail_until_limited(&mut Console::stranger(&server), &json!({"key": wrong})).await;
    with(&wrong).send().await.expect_error(401, "invalid_operator_key");
    with(&right).send().await.expect_status(200);
}

#[tokio::test]
async fn a_page_of_another_site_cannot_change_anything() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let operator = Console::operator(&server).await;
    let path = "/operator/v1/projects";
    let body = json!({"name": "stolen"});
    let bare = operator.bare_call("POST", path).json(&body).send().await;
    bare.expect_error(403, "missing_console_header");
    let foreign = operator.post(path).header("Origin", "https://evil.example").json(&body).send().await;
    foreign.expect_error(403, "foreign_origin");
    let site = operator.post(path).header("Sec-Fetch-Site", "cross-site").json(&body).send().await;
    site.expect_error(403, "foreign_origin");
    // A form of another site can send these types, but not the header.
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
    {
        let reply = operator.bare_call("POST", path).bytes(content_type, b"{}".to_vec()).send().await;
        reply.expect_error(403, "missing_console_header");
    }
    let preflight = operator.bare_call("OPTIONS", path).header("Origin", "https://evil.example");
    let preflight = preflight.header("Access-Control-Request-Method", "POST").send().await;
    assert_eq!(preflight.header("access-control-allow-origin"), "", "{preflight}");
    let projects = operator.get(path).send().await.expect_status(200).json();
    assert_eq!(projects["data"].as_array().expect("a list").len(), 1, "{projects}");
}

#[tokio::test]
async fn keys_of_one_kind_do_not_open_the_other_api() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let operator_key = server.auris(&["operator", "keys", "create", "--name", "a"]).trim().to_owned();
    let operator = client.with_key(Some(&operator_key));
    operator.get("/v1/jobs").send().await.expect_error(401, "invalid_api_key");
    operator.get("/operator/v1/overview").send().await.expect_status(200);
    operator.get("/console/v1/projects/default/jobs").send().await.expect_status(200);
    client.get("/operator/v1/overview").send().await.expect_error(401, "invalid_operator_key");
    client.get("/console/v1/projects/default/jobs").send().await.expect_error(401, "invalid_operator_key");
    let session = Console::operator(&server).await;
    session.bare_call("GET", "/v1/jobs").send().await.expect_error(401, "missing_api_key");
}

#[tokio::test]
async fn pages_run_nothing_foreign_and_cannot_be_framed() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let page = Console::stranger(&server).download("/", None).await.expect_status(200);
    let policy = page.header("content-security-policy");
    for rule in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-frame-options"), "DENY");
    let over_https = server.client().get_outside_api("/", &[("X-Forwarded-Proto", "https")]).await;
    assert_eq!(over_https.header("cross-origin-opener-policy"), "same-origin");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    let text = page.text();
    assert!(!text.contains("style=") && !text.contains("onload"), "{text}");
}

#[tokio::test]
async fn no_path_leads_out_of_the_embedded_files() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let stranger = Console::stranger(&server);
    for path in [
        "/assets/../../etc/passwd",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/Cargo.toml",
        "/assets//etc/passwd",
        "/assets/files.rs",
        "/assets/",
        "/assets",
    ] {
        let reply = stranger.download(path, None).await;
        assert_eq!(reply.status, 404, "{path}: {reply}");
    }
}

/// A recording is played with an audio type, everything else is a download, and nothing is taken for a page.
#[tokio::test]
async fn content_of_users_is_never_a_page() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let job = submit_transcription(&client).await;
    server.finished(&client, &job).await;
    let operator = Console::operator(&server).await;
    let base = format!("/console/v1/projects/default/jobs/{job}");
    let recording = operator.download(&format!("{base}/recording"), None).await.expect_status(200);
    assert_eq!(recording.header("content-type"), "audio/wav");
    assert_eq!(recording.header("x-content-type-options"), "nosniff");
    assert_eq!(recording.body, wav(400));

    let script = "<script>alert(1)</script>";
    let named =
        Form::new().part("file", Some(&format!("{script}.wav")), wav(400)).text("model", "fake-speech");
    let path = "/console/v1/projects/default/audio/transcriptions";
    let reply = operator.post(path).form(&named.text("async", "true")).send().await;
    assert!(!reply.header("content-type").contains("html"), "{reply}");
}
