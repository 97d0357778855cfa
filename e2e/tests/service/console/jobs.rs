//! Jobs in the console: recordings with ranges, files, drawn shapes, names of speakers, and an analysis that follows.

use auris_e2e::requests::{analysis, post_analysis, submit_transcription};
use auris_e2e::{Console, DatabaseKind, Form, Server, both_databases, eventually, wav};
use serde_json::{Value, json};

const BASE: &str = "/console/v1/projects/default";

both_databases! {
    /// The second database has its blobs in a bucket, and the browser still talks to this service only.
    async fn a_recording_is_streamed_with_ranges(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let job = submit_transcription(&client).await;
        let finished = server.finished(&client, &job).await;
        let user = Console::user(&server, client.key()).await;
        let audio = wav(400);
        let path = format!("{BASE}/jobs/{job}/recording");
        assert_eq!(user.download(&path, None).await.expect_status(200).body, audio);
        let part = user.download(&path, Some("bytes=10-19")).await.expect_status(206);
        assert_eq!(part.body, audio[10..20]);
        assert_eq!(part.header("content-range"), format!("bytes 10-19/{}", audio.len()));
        assert_eq!(part.header("content-type"), "audio/wav");
        user.download(&path, Some("bytes=9999999-")).await.expect_status(416);
        let artifacts = finished["result"]["artifacts"].as_array().expect("artifacts of a result").clone();
        let id = artifacts[0]["id"].as_str().expect("an id").to_owned();
        let content = user.download(&format!("{BASE}/artifacts/{id}/content"), None).await.expect_status(200);
        assert_eq!(content.header("content-type"), "application/octet-stream");
        assert!(content.header("content-disposition").starts_with("attachment"), "{content}");
        let other = Console::user(&server, server.client_of_new_project("other").key()).await;
        let foreign = format!("/console/v1/projects/other/jobs/{job}/recording");
        assert_eq!(other.download(&foreign, None).await.status, 404);
    }

    async fn the_files_of_a_job_are_listed_at_once(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let job = submit_transcription(&client).await;
        let finished = server.finished(&client, &job).await;
        let user = Console::user(&server, client.key()).await;
        let path = format!("{BASE}/jobs/{job}/artifacts");
        let list = user.get(&path).send().await.expect_status(200).json();
        let files = list["data"].as_array().expect("a list");
        let ids = |files: &[Value]| files.iter().map(|file| file["id"].clone()).collect::<Vec<_>>();
        let of_result = finished["result"]["artifacts"].as_array().expect("artifacts of a result");
        assert_eq!(ids(files), ids(of_result));
        for file in files {
            let id = file["id"].as_str().expect("an id");
            let mut alone = user.get(&format!("{BASE}/artifacts/{id}")).send().await.expect_status(200).json();
            alone["job_id"] = json!(job);
            assert_eq!(*file, alone);
        }
        // One answer has the files of the analyses, too.
        let body = json!({"job_id": job, "processing": {"summary": {}}});
        let analysis = post_analysis(&client, &body).await.expect_status(202).id();
        let analyzed = server.finished(&client, &analysis).await;
        let all = user.get(&path).send().await.expect_status(200).json();
        let (own, of_analysis) = all["data"].as_array().expect("a list").split_at(files.len());
        assert_eq!(own, files.as_slice());
        assert_eq!(ids(of_analysis), ids(analyzed["result"]["artifacts"].as_array().expect("artifacts of a result")));
        assert!(of_analysis.iter().all(|file| file["job_id"] == analysis.as_str()), "{all}");
        user.call("DELETE", &format!("{BASE}/jobs/{job}/content")).send().await.expect_status(200);
        let deleted = user.get(&path).send().await.expect_status(200).json();
        let own = &deleted["data"].as_array().expect("a list")[..files.len()];
        assert!(own.iter().all(|file| file["status"] == "deleted"), "{deleted}");
        let other = Console::user(&server, server.client_of_new_project("other").key()).await;
        let foreign = other.get(&format!("/console/v1/projects/other/jobs/{job}/artifacts")).send().await;
        assert_eq!((foreign.status, foreign.error().param.as_deref()), (404, Some("jobId")), "{foreign}");
    }

    async fn a_job_has_a_drawn_shape_and_names_of_speakers(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let job = submit_transcription(&client).await;
        server.finished(&client, &job).await;
        let user = Console::user(&server, client.key()).await;
        let peaks = format!("{BASE}/jobs/{job}/peaks");
        let first = user.get(&peaks).send().await.expect_status(200).json();
        assert!(!first["points"].as_array().expect("a list").is_empty(), "{first}");
        assert_eq!(user.get(&peaks).send().await.expect_status(200).json(), first);
        let speakers = format!("{BASE}/jobs/{job}/speakers");
        assert_eq!(user.get(&speakers).send().await.expect_status(200).json()["names"], json!({}));
        let names = json!({"names": {"A": "<b>Anna</b>"}});
        let set = user.call("PUT", &speakers).json(&names).send().await.expect_status(200).json();
        assert_eq!(set["names"], names["names"]);
        let wrong = user.call("PUT", &speakers).json(&json!({"names": {"A": ""}})).send().await;
        assert_eq!(wrong.status, 400, "{wrong}");
        user.call("DELETE", &format!("{BASE}/jobs/{job}/content")).send().await.expect_status(200);
        assert_eq!(user.get(&peaks).send().await.status, 404);
        assert_eq!(user.get(&speakers).send().await.expect_status(200).json()["names"], json!({}));
    }

    /// A page cannot see whether an analysis has a recording, so asking for its shape is no mistake.
    async fn an_analysis_of_a_text_has_an_empty_shape_and_no_recording(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let job = post_analysis(&client, &analysis()).await.expect_status(202).id();
        let user = Console::user(&server, client.key()).await;
        let peaks = user.get(&format!("{BASE}/jobs/{job}/peaks")).send().await.expect_status(200).json();
        assert_eq!((&peaks["duration_seconds"], &peaks["points"]), (&json!("0"), &json!([])));
        let recording = user.download(&format!("{BASE}/jobs/{job}/recording"), None).await;
        assert_eq!(recording.error().code, "not_found", "{recording}");
    }

    async fn a_transcription_keeps_the_metadata_of_the_page(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let user = Console::user(&server, client.key()).await;
        let form = |metadata: &str| {
            Form::new().file(wav(400)).text("model", "fake-speech").text("async", "true").text("metadata", metadata)
        };
        let path = format!("{BASE}/audio/transcriptions");
        let sent = form(r#"{"file": "<b>call</b>.mp3"}"#);
        let job = user.post(&path).form(&sent).send().await.expect_status(202).json();
        assert_eq!(job["metadata"], json!({"file": "<b>call</b>.mp3"}));
        for (wrong, param) in [
            ("{", "metadata"),
            ("[]", "metadata"),
            (r#"{"file": 1}"#, "metadata.file"),
            (&json!({"file": "x".repeat(513)}).to_string(), "metadata.file"),
        ] {
            let refused = user.post(&path).form(&form(wrong)).send().await;
            assert_eq!((refused.status, refused.error().param.as_deref()), (400, Some(param)), "{wrong}: {refused}");
        }
        let synchronous = user.post(&path).form(&sent.clone().without("async")).send().await;
        assert_eq!(synchronous.error().code, "invalid_combination", "{synchronous}");
        // The public form does not have the field, and ignores it like every unknown one.
        let public = client.post("/v1/audio/transcriptions").form(&sent).send().await.expect_status(202).json();
        assert_eq!(public["metadata"], json!({}));
    }

    async fn an_analysis_follows_a_transcription_without_the_page(database: DatabaseKind) {
        let mut server = Server::start(database).await;
        let client = server.client();
        let user = Console::user(&server, client.key()).await;
        let path = format!("{BASE}/audio/transcriptions");
        let form = |analysis: &str| {
            Form::new().file(wav(400)).text("model", "fake-speech").text("async", "true").text("analysis", analysis)
        };
        let wrong = user.post(&path).form(&form(r#"{"processing": {"colour": {}}}"#)).send().await;
        assert_eq!(wrong.error().param.as_deref(), Some("analysis.processing.colour"), "{wrong}");
        let sent = form(r#"{"processing": {"summary": {}}}"#);
        let job = user.post(&path).form(&sent).send().await.expect_status(202).id();
        server.kill();
        server.restart().await;
        let user = user.at(&server);
        let analysis = eventually("the analysis to be submitted", || async {
            let list = user.get(&format!("{BASE}/jobs/{job}/analyses")).send().await.expect_status(200).json();
            let list = list["analyses"]["data"].as_array().expect("a list").clone();
            list.iter().find_map(|one| one["job_id"].as_str().map(str::to_owned))
        })
        .await;
        let client = server.reconnect(&client);
        let finished = server.finished(&client, &analysis).await;
        assert_eq!(finished["status"], "completed", "{finished}");
        let listed = user.get(&format!("{BASE}/jobs/{job}/analyses")).send().await.expect_status(200).json();
        assert_eq!(listed["analyses"]["data"][0]["job"], finished);
        let steps = user.get(&format!("{BASE}/jobs/{job}/analysis_steps")).send().await.expect_status(200).json();
        assert_eq!(listed["attempts"], steps["attempts"]);
        let own = user.get(&format!("{BASE}/jobs/{analysis}/steps")).send().await.expect_status(200).json();
        let (shown, own) = (&steps["steps"]["data"], &own["data"]);
        assert_eq!((&shown[0]["id"], &shown[0]["job_id"]), (&own[0]["id"], &json!(analysis)));
        assert_eq!((&shown[0]["status"], &shown[0]["output"]), (&own[0]["status"], &Value::Null));
        let attempts = steps["attempts"]["data"].as_array().expect("a list").clone();
        // The step of the transcription and that of its analysis.
        assert_eq!(attempts.len(), 2, "{attempts:?}");
        assert!(attempts.iter().all(|one| one["attempts"].as_i64() >= Some(1)), "{attempts:?}");
        let jobs = client.get("/v1/jobs").send().await.expect_status(200).json();
        assert_eq!(jobs["data"].as_array().expect("a list").len(), 2, "{jobs}");
        // The public form does not have the field, and ignores it like every unknown one.
        let public = client.post("/v1/audio/transcriptions").form(&sent).send().await.expect_status(202).id();
        let list = user.get(&format!("{BASE}/jobs/{public}/analyses")).send().await.expect_status(200).json();
        assert_eq!(list["analyses"]["data"], json!([]));
    }
}
