//! The names of downloads, and what another person's file name cannot do with them.

use auris_e2e::{Console, DatabaseKind, Form, Server, both_databases, wav};
use serde_json::{Value, json};

const BASE: &str = "/console/v1/projects/default";

/// Transcribes a recording that was uploaded under this name; returns the job with its result.
async fn transcribed(server: &Server, user: &Console, file: &str) -> Value {
    let form = Form::new().file(wav(400)).text("model", "fake-speech").text("async", "true");
    let form = form.text("metadata", json!({"file": file}).to_string());
    let job =
        user.post(&format!("{BASE}/audio/transcriptions")).form(&form).send().await.expect_status(202).id();
    server.finished(&server.client(), &job).await
}

fn id(value: &Value) -> &str {
    value["id"].as_str().expect("an id")
}

fn artifact<'a>(job: &'a Value, purpose: &str) -> &'a str {
    let mut artifacts = job["result"]["artifacts"].as_array().expect("artifacts").iter();
    id(artifacts.find(|artifact| artifact["purpose"] == purpose).expect("an artifact of this purpose"))
}

async fn disposition(user: &Console, path: &str) -> String {
    let reply = user.download(&format!("{BASE}/{path}"), None).await.expect_status(200);
    reply.header("content-disposition").to_owned()
}

both_databases! {
    async fn a_download_has_the_name_of_the_uploaded_file(database: DatabaseKind) {
        let server = Server::start(database).await;
        let user = Console::user(&server, server.client().key()).await;
        let job = transcribed(&server, &user, "Anruf Zoë.wav").await;
        for (purpose, ending) in [("transcript.srt", "srt"), ("transcript.json", "json"), ("input.audio", "wav")] {
            assert_eq!(
                disposition(&user, &format!("artifacts/{}/content", artifact(&job, purpose))).await,
                format!("attachment; filename=\"Anruf Zo_.{ending}\"; filename*=UTF-8''Anruf%20Zo%C3%AB.{ending}"),
            );
        }
        let recording = disposition(&user, &format!("jobs/{}/recording", id(&job))).await;
        assert!(recording.starts_with("inline; filename=\"Anruf Zo_.wav\";"), "{recording}");
        // An analysis that was requested without the name has that of its recording.
        let body = json!({"job_id": id(&job), "processing": {"summary": {"model": "fake-text"}}});
        let analysis = user.post(&format!("{BASE}/audio/analyses")).idempotency_key("one").json(&body);
        let analysis = analysis.send().await.expect_status(202).id();
        let analysis = server.finished(&server.client(), &analysis).await;
        let name = disposition(&user, &format!("artifacts/{}/content", artifact(&analysis, "analysis.json"))).await;
        assert!(name.contains("Anruf Zo_.analysis.json"), "{name}");
    }
}

#[tokio::test]
async fn a_malicious_file_name_stays_one_harmless_name() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let user = Console::user(&server, server.client().key()).await;
    for (file, expected) in [
        ("\"; filename=\"evil.exe", "_; filename=_evil.srt"),
        (
            "a\r\nSet-Cookie: auris_session=cs-1\r\n\r\n<html>.wav",
            "a__Set-Cookie_ auris_session=cs-1_____html_.srt",
        ),
        ("../../etc/cron.d/evil", "evil.srt"),
        ("C:\\Windows\\System32\\evil.wav", "evil.srt"),
        ("<script>alert(1)</script>.wav", "script_.srt"),
        ("invoice\u{202E}fdp.exe", "invoice_fdp.srt"),
    ] {
        let job = transcribed(&server, &user, file).await;
        let path = format!("{BASE}/artifacts/{}/content", artifact(&job, "transcript.srt"));
        let reply = user.download(&path, None).await.expect_status(200);
        let header = reply.header("content-disposition");
        assert!(
            header.starts_with(&format!("attachment; filename=\"{expected}\"; filename*=UTF-8''")),
            "{header}"
        );
        assert_eq!(header.matches('"').count(), 2, "{header}");
        assert!(reply.headers.get("set-cookie").is_none(), "{file}");
        assert_eq!(reply.header("content-type"), "application/octet-stream");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
    }
    // Nothing usable is left of this name.
    let job = transcribed(&server, &user, "../..").await;
    let id = artifact(&job, "transcript.srt");
    let header = disposition(&user, &format!("artifacts/{id}/content")).await;
    assert!(header.starts_with(&format!("attachment; filename=\"{id}.srt\"")), "{header}");
}
