//! Revoking a key ends its open event streams.

use auris_e2e::requests::{post_transcription, transcription_form};
use auris_e2e::{DatabaseKind, Server, both_databases, wav};
use serde_json::Value;

both_databases! {
    async fn a_revoked_key_ends_its_open_streams_and_no_other(database: DatabaseKind) {
        let server = Server::start(database).await;
        let owner = server.client();
        let client = server.client_with(&["--name", "to be revoked"]);
        // A job that sends events for many minutes.
        let form = transcription_form(&owner).await.without("file").file(wav(600_000));
        let form = form.text("async", "true").text("prompt", "fake:delay=1000");
        let id = post_transcription(&owner, &form).await.expect_status(202).id();
        let path = format!("/v1/jobs/{id}/events");
        let mut kept = owner.get(&path).stream().await;
        let mut ended = client.get(&path).stream().await;
        assert!(kept.next().await.is_some() && ended.next().await.is_some());
        let keys: Value = serde_json::from_str(&server.auris(&["keys", "list", "--json"])).expect("JSON");
        let key = keys.as_array().into_iter().flatten().find(|key| key["name"] == "to be revoked");
        server.auris(&["keys", "revoke", key.expect("the key")["id"].as_str().expect("an id")]);
        let last = ended.rest().await.pop().map(|event| event.kind);
        assert!(last.is_none_or(|kind| !["job.completed", "job.failed", "job.cancelled"].contains(&kind.as_str())));
        assert!(kept.next().await.is_some(), "the stream of the other key continues");
        owner.post(&format!("/v1/jobs/{id}/cancel")).send().await.expect_status(200);
    }
}
