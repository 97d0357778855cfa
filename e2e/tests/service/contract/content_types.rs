//! Bodies that would be misread: compressed ones, and text in another character set.

use auris_e2e::requests::{analysis, transcription_form};
use auris_e2e::{DatabaseKind, Server};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encoded_body_and_another_character_set_are_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let endpoint = json!({"url": "https://127.0.0.1:9/hook"});
    for (path, body) in [("/v1/audio/analyses", analysis()), ("/v1/webhook_endpoints", endpoint)] {
        let call = || client.post(path).idempotency_key("one");
        let encoded = call().json(&body).header("Content-Encoding", "gzip").send().await;
        let error = encoded.expect_error(400, "invalid_content_type");
        assert_eq!(error.param.as_deref(), Some("Content-Encoding"));
        let utf16 = "application/json; charset=utf-16";
        let error = call().bytes(utf16, body.to_string().into_bytes()).send().await;
        let error = error.expect_error(400, "invalid_content_type");
        assert_eq!(error.param.as_deref(), Some("Content-Type"));
        let plain = call().bytes("application/json; charset=UTF-8", body.to_string().into_bytes());
        let plain = plain.header("Content-Encoding", "identity").send().await;
        assert!((200..300).contains(&plain.status), "{plain}");
    }
    let form = transcription_form(&client).await;
    let encoded = client.post("/v1/audio/transcriptions").form(&form).header("Content-Encoding", "gzip");
    encoded.send().await.expect_error(400, "invalid_content_type");
}
