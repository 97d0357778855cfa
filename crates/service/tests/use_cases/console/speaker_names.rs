//! Names of speakers.

use std::collections::BTreeMap;

use auris_domain::error::ErrorCode;
use serde_json::json;

use super::{SECOND, code, value};
use crate::test_service::TestService;

fn names(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(label, name)| ((*label).to_owned(), (*name).to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_replaced_as_a_whole_and_deleted_with_the_content() {
    let test = TestService::new().await;
    let (service, caller) = (&test.service, test.project_caller().await);
    let job = test.transcription(&[0.5; SECOND]).await;
    let none = json!({"object": "speaker_names", "names": {}});
    assert_eq!(value(&service.speaker_names(&caller, &job).await.unwrap()), none);
    for pairs in [&[("SPEAKER_1", "Anna"), ("SPEAKER_2", "\"Bo\" 🎧")][..], &[("SPEAKER_2", "Bo")]] {
        let answer = service.set_speaker_names(&caller, &job, names(pairs)).await.unwrap();
        assert_eq!(value(&answer)["names"], json!(names(pairs)));
        assert_eq!(service.speaker_names(&caller, &job).await.unwrap(), answer);
    }
    test.run_to_end(&job).await;
    service.delete_content(&caller, &job).await.unwrap();
    assert_eq!(value(&service.speaker_names(&caller, &job).await.unwrap()), none);
    let late = service.set_speaker_names(&caller, &job, names(&[("SPEAKER_1", "Anna")])).await;
    assert_eq!(code(late), ErrorCode::ContentUnavailable);
    assert_eq!(test.count("speaker_names"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_project_can_neither_read_nor_set_names() {
    let test = TestService::new().await;
    let stranger = test.stranger().await;
    let job = test.transcription(&[0.5; SECOND]).await;
    assert_eq!(code(test.service.speaker_names(&stranger, &job).await), ErrorCode::JobNotFound);
    let set = test.service.set_speaker_names(&stranger, &job, names(&[("SPEAKER_1", "Eve")])).await;
    assert_eq!(code(set), ErrorCode::JobNotFound);
    assert_eq!(test.count("speaker_names"), 0);
}
