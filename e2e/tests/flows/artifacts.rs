//! Downloads: the signed address, its ranges, and what it refuses.

use auris_e2e::requests::submit_transcription;
use auris_e2e::settings::SIGNED_URL_SECONDS;
use auris_e2e::{
    Client, DatabaseKind, ObjectStore, Reply, Server, ServerOptions, both_databases, eventually, wav,
};

both_databases! {
    async fn an_artifact_is_downloaded_whole_and_in_ranges(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let audio = wav(400);
        let address = signed_address(&server, &client).await;
        let whole = client.outside(&address, &[]).await.expect_status(200);
        assert_eq!(whole.body, audio);
        assert_eq!(whole.header("content-type"), "application/octet-stream");
        // What an object store gives by its own address has its own headers.
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
            let reply = client.outside(&address, &[("Range", &range)]).await.expect_status(206);
            assert_eq!(reply.body, audio[part.clone()], "{range}");
            let told = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            assert_eq!(reply.header("content-range"), told);
        }
        let beyond = format!("bytes={length}-");
        client.outside(&address, &[("Range", &beyond)]).await.expect_status(416);
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
    // Every digit and letter of the query counts.
    for (place, letter) in query.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        let mut changed = query.to_owned();
        let digit = if letter == '1' { "2" } else { "1" };
        changed.replace_range(place..=place, digit);
        tampered.push(format!("{path}?{changed}"));
    }
    for address in tampered {
        let reply = client.outside(&address, &[]).await;
        assert_eq!(reply.status, 403, "{reply}");
        assert!(["signature_invalid", "signature_expired"].contains(&reply.error().code.as_str()), "{reply}");
    }
    client.outside(&address, &[]).await.expect_status(200);
}

#[tokio::test]
async fn an_address_past_its_time_is_refused() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with(SIGNED_URL_SECONDS, 1).start().await;
    let client = server.client();
    let address = signed_address(&server, &client).await;
    let reply: Reply = eventually("the address to expire", || async {
        let reply = client.outside(&address, &[]).await;
        (reply.status != 200).then_some(reply)
    })
    .await;
    reply.expect_error(403, "signature_expired");
}

#[tokio::test]
async fn the_object_store_gives_a_blob_by_its_own_address_until_that_expires() {
    let server = ServerOptions::new(DatabaseKind::Postgres).with(SIGNED_URL_SECONDS, 2).start().await;
    let client = server.client();
    let address = signed_address(&server, &client).await;
    let store = ObjectStore::of_this_run().endpoint;
    assert!(address.starts_with(&store) && address.contains("X-Amz-Signature="), "{address}");
    client.outside(&address, &[]).await.expect_status(200);
    client.outside(&address.replace("attachment", "inline"), &[]).await.expect_status(403);
    eventually("the address to expire", || async {
        let reply = client.outside(&address, &[]).await;
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
    assert!(!location.contains(client.key()), "no key is in the address");
    location
}
