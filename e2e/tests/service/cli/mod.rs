//! The command line on the data of a service.

mod evaluate;
mod money;
mod own_language_models;
mod own_models;
mod packages;

use auris_e2e::{DatabaseKind, Server, ServerOptions, assets, both_databases, wav};
use serde_json::Value;

both_databases! {
    async fn creating_a_key_prints_only_the_key_which_works_at_once(database: DatabaseKind) {
        let server = Server::start(database).await;
        let output = server.try_auris(&["keys", "create", "--name", "laptop"]);
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        let key = printed.strip_suffix('\n').unwrap_or(&printed);
        assert!(key.starts_with("sk-") && key.len() == 51, "`{printed}`");
        assert!(key[3..].chars().all(|letter| letter.is_ascii_alphanumeric()), "`{printed}`");
        let client = server.client().with_key(Some(key));
        client.get("/v1/models").send().await.expect_status(200);
        let listed = server.auris(&["keys", "list"]);
        assert!(listed.contains("laptop") && !listed.contains(key), "{listed}");
    }

    async fn projects_are_created_and_listed_with_the_server_running_or_not(database: DatabaseKind) {
        let mut server = Server::start(database).await;
        server.auris(&["projects", "create", "calls"]);
        server.terminate().await;
        server.auris(&["projects", "create", "meetings"]);
        let listed: Value = serde_json::from_str(&server.auris(&["projects", "list", "--json"])).expect("JSON");
        let text = listed.to_string();
        for name in ["default", "calls", "meetings"] {
            assert!(text.contains(name), "{text}");
        }
        let again = server.try_auris(&["projects", "create", "calls"]);
        assert_eq!(again.status.code(), Some(1), "a name can be used once");
        assert!(again.stdout.is_empty());
    }
}

#[tokio::test]
async fn wrong_arguments_exit_with_2_and_failures_with_1() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    assert_eq!(server.try_auris(&["keys", "explode"]).status.code(), Some(2));
    assert_eq!(server.try_auris(&["nonsense"]).status.code(), Some(2));
    let failed = server.try_auris(&["keys", "create", "--project", "nowhere"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(failed.stdout.is_empty());
    let message = String::from_utf8_lossy(&failed.stderr);
    assert!(message.contains("nowhere"), "{message}");
}

#[tokio::test]
async fn an_unknown_or_invalid_setting_stops_the_start_and_is_named() {
    for (variable, value, named) in [
        ("AURIS_JOBS__NO_SUCH_SETTING", "1", "no_such_setting"),
        ("AURIS_RATE_LIMITS__REQUESTS_PER_MINUTE", "many", "requests_per_minute"),
    ] {
        let mut server = ServerOptions::new(DatabaseKind::Sqlite).with(variable, value).prepare();
        server.spawn();
        assert!(!server.listening().await, "the server started with {variable}={value}");
        assert!(server.log().to_lowercase().contains(named), "{}", server.log());
    }
}

#[tokio::test]
async fn speakers_are_printed_in_every_format_without_a_server() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_real_models().prepare();
    let file = call();
    let transcribe = |words: &[&str]| {
        let all = ["transcribe", "--model", "fake-speech", "--diarize", &file]
            .into_iter()
            .chain(words.iter().copied());
        server.auris(&all.collect::<Vec<_>>())
    };
    assert!(transcribe(&[]).starts_with("A: word1 "));
    assert!(transcribe(&["--format", "srt"]).contains("\nB: word"));
    assert!(transcribe(&["--format", "vtt"]).contains("\n<v B>word"));
    let json: Value =
        serde_json::from_str(&transcribe(&["--format", "json", "--max-speakers", "1"])).expect("JSON");
    assert_eq!(json["diarization"]["speakers"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(json["utterances"][0]["speaker"], "A");
    for words in
        [["--min-speakers", "3", "--max-speakers", "2"], ["--min-speakers", "0", "--max-speakers", "2"]]
    {
        let all: Vec<&str> = ["transcribe", "--diarize", &file].into_iter().chain(words).collect();
        assert_eq!(server.try_auris(&all).status.code(), Some(2), "{words:?}");
    }
}

#[tokio::test]
async fn several_files_are_printed_in_the_order_of_their_names_in_the_command() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    std::fs::create_dir_all(server.data()).expect("a folder");
    let files = [("long.wav", 90_000), ("short.wav", 1_000), ("middle.wav", 9_000)].map(|(name, length)| {
        let file = server.data().join(name);
        std::fs::write(&file, wav(length)).expect("a file");
        file.to_string_lossy().into_owned()
    });
    let names = files.iter().map(String::as_str);
    let text =
        server.auris(&["transcribe", "--model", "fake-speech"].into_iter().chain(names).collect::<Vec<_>>());
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("==> ")).collect();
    assert_eq!(headings, files.each_ref().map(|file| format!("==> {file} <==")));
    let words = text.split("==> ").skip(1).map(|part| part.matches("word").count());
    let words: Vec<usize> = words.collect();
    assert!(words[0] > words[2] && words[2] > words[1], "each text is below its own heading: {text}");
}

#[tokio::test]
async fn a_file_without_audio_is_refused_in_one_sentence() {
    let server = ServerOptions::new(DatabaseKind::Sqlite).prepare();
    std::fs::create_dir_all(server.data()).expect("a folder");
    let file = server.data().join("notes.txt");
    std::fs::write(&file, "Not a recording.").expect("a file");
    for command in ["transcribe", "analyze"] {
        let refused = server.try_auris(&[command, "--model", "fake-speech", &file.to_string_lossy()]);
        assert_eq!(refused.status.code(), Some(1));
        let message = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(message.matches("not a recording in a known format").count(), 1, "{message}");
    }
}

/// Two people on the telephone, thirty seconds.
fn call() -> String {
    let call = assets().join("c319b4abca767b124e41432d364fd7df006cb26bb79d09326c487d606a134e6e");
    call.to_string_lossy().into_owned()
}
