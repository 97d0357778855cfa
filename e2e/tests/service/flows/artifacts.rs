//! Downloads: the signed address, ranges, and refusals.

use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::SIGNED_URL_SECONDS;
use auris_e2e::{
    Client, DatabaseKind, ObjectStore, Reply, Server, ServerOptions, both_databases, eventually, wav,
};

both_databases! {
    async fn an_artifact_is_downloaded_completely_and_in_ranges(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let audio = wav(400);
        let address = signed_address(&server, &client).await;
        let whole = client.get_outside_api(&address, &[]).await.expect_status(200);
        assert_eq!(whole.body, audio);
        assert_eq!(whole.header("content-type"), "application/octet-stream");
        // A download directly from the object store has the headers of the object store.
        if address.starts_with('/') {
            assert_eq!(whole.header("x-content-type-options"), "nosniff");
        }
        assert!(whole.header("content-disposition").starts_with("attachment"), "{:?}", whole.headers);
        let length = audio.len();
        let ranges = [
            ("bytes=0-9".to_owned(), 0..10),
            ("bytes=10-".to_owned(), 10..length),
            ("bytes=-5".to_owned(), length - 5..length),
            (format!("bytes=0-{}", length * 2), 0..length),
            (format!("bytes={0}-{0}", length - 1), length - 1..length),
        ];
        for (range, part) in ranges {
            let reply = client.get_outside_api(&address, &[("Range", &range)]).await.expect_status(206);
            assert_eq!(reply.body, audio[part.clone()], "{range}");
            let range_sent = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            assert_eq!(reply.header("content-range"), range_sent);
        }
        let beyond = format!("bytes={length}-");
        client.get_outside_api(&address, &[("Range", &beyond)]).await.expect_status(416);
    }
}

#[tokio::test]
async fn a_tampered_address_is_refused() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let client = server.client();
    let address = signed_address(&server, &client).await;
    let other = signed_address(&server, &client).await;
    let (path, query) = address.split_once('?').expect("a signature in the query");
    let (other_path, _) = other.split_once('?').expect("a signature in the query");
    let mut tampered = vec![path.to_owned(), format!("{other_path}?{query}")];
    // Every digit of the query is covered by the signature.
    for (place, letter) in query.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        let mut changed = query.to_owned();
        let digit = if letter == '1' { "2" } else { "1" };
        changed.replace_range(place..=place, digit);
        tampered.push(format!("{path}?{changed}"));
    }
    for address in tampered {
        let reply = client.get_outside_api(&address, &[]).await;
        assert_eq!(reply.status, 403, "{reply}");
        assert!(["signature_invalid", "signature_expired"].contains(&reply.error().code.as_str()), "{reply}");
    }
    client.get_outside_api(&address, &[]).await.expect_status(200);
}

#[tokio::test]
async fn an_expired_address_is_refused() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(SIGNED_URL_SECONDS, 1).start().await;
    let client = server.client();
    let address = signed_address(&server, &client).await;
    let reply: Reply = eventually("the address to expire", || async {
        let reply = client.get_outside_api(&address, &[]).await;
        (reply.status != 200).then_some(reply)
    })
    .await;
    reply.expect_error(403, "signature_expired");
}

#[tokio::test]
async fn a_bucket_serves_a_blob_by_a_presigned_address_until_it_expires() {
    let server = ServerOptions::new(DatabaseKind::Postgres).with(SIGNED_URL_SECONDS, 2).start().await;
    let client = server.client();
    let address = signed_address(&server, &client).await;
    let store = ObjectStore::of_this_run().endpoint;
    assert!(address.starts_with(&store) && address.contains("X-Amz-Signature="), "{address}");
    client.get_outside_api(&address, &[]).await.expect_status(200);
    client.get_outside_api(&address.replace("attachment", "inline"), &[]).await.expect_status(403);
    eventually("the address to expire", || async {
        let reply = client.get_outside_api(&address, &[]).await;
        (reply.status == 403).then_some(())
    })
    .await;
}

async fn signed_address(server: &Server, client: &Client) -> String {
    let id = submit_transcription(client).await;
    let job = server.finished(client, &id).await;
    let artifacts = job["result"]["artifacts"].as_array().expect("a list");
    let audio = artifacts.iter().find(|artifact| artifact["purpose"] == "input.audio");
    let audio = audio.and_then(|audio| audio["id"].as_str()).expect("the audio");
    let reply = client.get(&format!("/v1/artifacts/{audio}/content")).send().await;
    let reply = reply.expect_status(302);
    let location = reply.header("location").to_owned();
    assert!(!location.contains("/v1/"), "{location}");
    assert!(!location.contains(client.key()), "the address does not contain the key");
    location
}
