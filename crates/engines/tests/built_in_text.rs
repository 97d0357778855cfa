//! The built-in text stages on labeled conversations, on a real call, and on unusual text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use auris_domain::step::TextStage;
use auris_domain::step::spec::{EntitiesSpec, Granularity, SentimentSpec, SummarySpec, SummaryType};
use auris_domain::transcript::{TextTranscript, TextUtterance};
use auris_engine_testing::asset;
use auris_engines::{
    CallContext, Catalog, EngineError, EngineSettings, Engines, Ignore, TextAnswer, TextRequest, TextSink,
    TextWork,
};
use serde_json::{Value, json};
use tempfile::TempDir;

const CALL: &str = "f861f3004927e1c4429199f9695bfd252def75d7d5e4bdf735d3d85fd4a667f7";

static ENGINES: LazyLock<(TempDir, Engines)> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let engines = engines(folder.path(), &["minilm-l6-v2"]);
    (folder, engines)
});

fn engines(folder: &Path, nets: &[&str]) -> Engines {
    let catalog = Catalog::built_in().unwrap();
    for net in nets.iter().map(|id| catalog.find(id).unwrap()) {
        let target = folder.join(&net.model.id);
        std::fs::create_dir_all(&target).unwrap();
        for file in &net.files {
            std::os::unix::fs::symlink(asset(&file.sha256), target.join(&file.name)).unwrap();
        }
    }
    let settings = EngineSettings { models_dir: folder.to_owned(), max_audio_seconds: 36_000.0 };
    Engines::new(catalog, settings)
}

fn stages() -> Vec<(&'static str, TextStage)> {
    vec![
        ("chapters-en", TextStage::Chapters),
        ("entities-en", TextStage::Entities(EntitiesSpec { types: vec![] })),
        ("formatting-en", TextStage::Formatting),
        ("key-phrases-en", TextStage::KeyPhrases),
        ("sentiment-en", TextStage::Sentiment(SentimentSpec { granularity: Granularity::Utterance })),
        ("summary-en", TextStage::Summary(SummarySpec { kind: SummaryType::Brief })),
        ("summary-en", TextStage::Summary(SummarySpec { kind: SummaryType::Bullets })),
        ("summary-en", TextStage::Summary(SummarySpec { kind: SummaryType::Detailed })),
        ("topics-en", TextStage::Topics),
    ]
}

fn request(stage: TextStage, transcript: TextTranscript) -> TextRequest {
    TextRequest { work: TextWork::Stage(stage), transcript: Arc::new(transcript) }
}

fn ask(model: &str, request: &TextRequest) -> Result<TextAnswer, EngineError> {
    ENGINES.1.text(model).unwrap().run(request, &mut Ignore, &CallContext::alone())
}

fn run(model: &str, stage: TextStage, transcript: &TextTranscript) -> Value {
    let answer = ask(model, &request(stage, transcript.clone())).unwrap();
    serde_json::to_value(answer.output).unwrap()
}

fn plain(text: &str) -> TextTranscript {
    TextTranscript { text: text.into(), ..TextTranscript::default() }
}

fn spoken(utterances: Vec<TextUtterance>) -> TextTranscript {
    let text = utterances.iter().map(|utterance| utterance.text.as_str()).collect::<Vec<_>>().join(" ");
    TextTranscript { text, language: Some("en".into()), utterances }
}

struct Conversation {
    transcript: TextTranscript,
    gold: Value,
}

fn conversations() -> Vec<Conversation> {
    let all: Vec<Value> = serde_json::from_str(include_str!("data/conversations.json")).unwrap();
    let read = |gold: Value| {
        let utterances = gold["utterances"].as_array().unwrap().iter();
        let utterances = utterances.map(|utterance| TextUtterance {
            text: utterance["text"].as_str().unwrap().into(),
            speaker: utterance["speaker"].as_str().map(str::to_owned),
            ..TextUtterance::default()
        });
        Conversation { transcript: spoken(utterances.collect()), gold }
    };
    all.into_iter().map(read).collect()
}

/// The two-speaker telephone call, from its reference transcript.
fn call() -> TextTranscript {
    let stm = std::fs::read_to_string(asset(CALL)).unwrap();
    let utterances = stm.lines().map(|line| {
        let fields: Vec<&str> = line.splitn(6, ' ').collect();
        let text = fields[5].trim().into();
        TextUtterance {
            text,
            speaker: Some(fields[2].into()),
            start: fields[3].parse().ok(),
            end: fields[4].parse().ok(),
        }
    });
    spoken(utterances.collect())
}

/// Counts of found, expected and correct items.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    found: usize,
    wanted: usize,
    right: usize,
}

impl Score {
    fn precision(self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }

    fn recall(self) -> f64 {
        self.right as f64 / self.wanted.max(1) as f64
    }

    fn reaches(self, what: &str, precision: f64, recall: f64) {
        eprintln!("{what}: precision {:.3}, recall {:.3} ({self:?})", self.precision(), self.recall());
        assert!(self.precision() >= precision && self.recall() >= recall, "{what}: {self:?}");
    }
}

/// The labels that a model gives to the utterances of the conversations, compared with those of the file.
fn sentiment_scores(engines: &Engines) -> BTreeMap<String, Score> {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for conversation in conversations() {
        let output = sentiment_of(engines, &conversation.transcript).1;
        let utterances = conversation.gold["utterances"].as_array().unwrap();
        for (gold, judged) in utterances.iter().zip(output["utterances"].as_array().unwrap()) {
            let (wanted, found) = (gold["sentiment"].as_str().unwrap(), judged["label"].as_str().unwrap());
            if wanted != found {
                eprintln!("{wanted}, not {found} ({}): {}", judged["score"], gold["text"]);
            }
            scores.entry(wanted.into()).or_default().wanted += 1;
            scores.entry(found.into()).or_default().found += 1;
            scores.entry(found.into()).or_default().right += usize::from(wanted == found);
        }
    }
    scores
}

/// The resolved model and the output of the sentiment of each utterance.
fn sentiment_of(engines: &Engines, transcript: &TextTranscript) -> (String, Value) {
    let work = TextWork::Stage(TextStage::Sentiment(SentimentSpec { granularity: Granularity::Utterance }));
    let request = TextRequest { work, transcript: Arc::new(transcript.clone()) };
    let model = engines.text("sentiment-en").unwrap();
    let answer = model.run(&request, &mut Ignore, &CallContext::alone()).unwrap();
    (answer.resolved_model, serde_json::to_value(&answer.output).unwrap())
}

#[test]
fn the_lexicon_alone_judges_labelled_utterances() {
    let folder = TempDir::new().unwrap();
    let scores = sentiment_scores(&engines(folder.path(), &[]));
    scores["positive"].reaches("positive", 0.9, 0.95);
    scores["negative"].reaches("negative", 0.9, 0.95);
    scores["neutral"].reaches("neutral", 0.95, 0.9);
}

/// The network never saw these utterances, and the lexicon was adapted to them.
#[test]
fn the_network_and_the_lexicon_judge_labelled_utterances() {
    let scores = sentiment_scores(&ENGINES.1);
    scores["positive"].reaches("positive", 0.5, 0.8);
    scores["negative"].reaches("negative", 0.7, 0.8);
    scores["neutral"].reaches("neutral", 0.85, 0.8);
}

#[test]
fn the_resolved_model_says_whether_the_network_judged() {
    let folder = TempDir::new().unwrap();
    let transcript = plain("We waited two hours and nobody came.");
    let (model, output) = sentiment_of(&engines(folder.path(), &[]), &transcript);
    assert_eq!((model.as_str(), &output["document"]["label"]), ("sentiment-en", &json!("neutral")));
    let (model, output) = sentiment_of(&ENGINES.1, &transcript);
    assert_eq!((model.as_str(), &output["document"]["label"]), ("sentiment-net-en", &json!("negative")));
}

#[test]
fn entities_of_labelled_utterances() {
    let mut score = Score::default();
    for conversation in conversations() {
        let output =
            run("entities-en", TextStage::Entities(EntitiesSpec { types: vec![] }), &conversation.transcript);
        let letters: Vec<char> = conversation.transcript.text.chars().collect();
        let mut found: Vec<(String, String)> = Vec::new();
        for entity in output["entities"].as_array().unwrap() {
            let offset = |name: &str| entity[name].as_u64().unwrap() as usize;
            let at: String = letters[offset("start_char")..offset("end_char")].iter().collect();
            assert_eq!(entity["text"], at, "the text at the entity's position");
            found.push((at, entity["type"].as_str().unwrap().into()));
        }
        let utterances = conversation.gold["utterances"].as_array().unwrap().iter();
        let wanted = utterances.flat_map(|utterance| utterance["entities"].as_array().unwrap());
        score.found += found.len();
        for gold in wanted {
            score.wanted += 1;
            let wanted =
                (gold["text"].as_str().unwrap().to_owned(), gold["type"].as_str().unwrap().to_owned());
            match found.iter().position(|found| *found == wanted) {
                Some(index) => {
                    found.remove(index);
                    score.right += 1;
                }
                None => eprintln!("missing: {wanted:?}"),
            }
        }
        found.iter().for_each(|found| eprintln!("not wanted: {found:?}"));
    }
    score.reaches("entities", 0.97, 0.98);
}

#[test]
fn key_phrases_of_labelled_conversations() {
    let mut score = Score::default();
    for conversation in conversations() {
        let output = run("key-phrases-en", TextStage::KeyPhrases, &conversation.transcript);
        let found: Vec<String> = output["key_phrases"]
            .as_array()
            .unwrap()
            .iter()
            .map(|phrase| phrase["text"].as_str().unwrap().to_lowercase())
            .collect();
        let wanted: Vec<String> = conversation.gold["key_phrases"]
            .as_array()
            .unwrap()
            .iter()
            .map(|phrase| phrase.as_str().unwrap().to_lowercase())
            .collect();
        // A found phrase is correct if it contains all words of an expected phrase, or the other way round.
        let agree = |one: &str, other: &str| {
            let plain = |text: &str| {
                text.split(' ').map(|word| word.trim_end_matches('s').to_owned()).collect::<Vec<_>>()
            };
            let (one, other) = (plain(one), plain(other));
            one.iter().all(|word| other.contains(word)) || other.iter().all(|word| one.contains(word))
        };
        eprintln!("{}: {found:?}", conversation.gold["name"]);
        score.found += found.len();
        score.wanted += wanted.len();
        score.right += wanted.iter().filter(|wanted| found.iter().any(|found| agree(found, wanted))).count();
    }
    score.reaches("key phrases", 0.55, 0.65);
}

#[test]
fn every_stage_processes_a_real_call() {
    let call = call();
    for (model, stage) in stages() {
        let name = stage.capability().as_str();
        let output = run(model, stage, &call);
        eprintln!("{name}: {}", serde_json::to_string_pretty(&output).unwrap());
        let keys: Vec<&str> = output.as_object().unwrap().keys().map(String::as_str).collect();
        let wanted: &[&str] = match name {
            "formatting" => &["text", "paragraphs"],
            "sentiment" => &["granularity", "document", "utterances"],
            "summary" => &["type", "text", "bullets"],
            name => &[name],
        };
        assert_eq!(keys, wanted);
    }
    let found = run("entities-en", TextStage::Entities(EntitiesSpec { types: vec!["person".into()] }), &call);
    let names: Vec<&str> =
        found["entities"].as_array().unwrap().iter().map(|entity| entity["text"].as_str().unwrap()).collect();
    assert_eq!(names, ["Diane", "Sheila"]);
    let start = found["entities"][0]["start"].as_f64().unwrap();
    assert!((12.5..14.2).contains(&start), "Diane says her name at {start}");
}

#[test]
fn chapters_follow_the_change_of_subject() {
    let subjects = [
        "The rocket launch was delayed by a fuel leak. Engineers checked the engine and the astronauts waited in the capsule. The space station needs new solar panels.",
        "My grandmother makes a wonderful apple pie. You need butter, flour and sugar for the dough. Bake the cake in the oven for an hour.",
        "The football team lost the final match. The goalkeeper was injured in the first half. The coach will train the young players next season.",
    ];
    let text: String = subjects.iter().map(|subject| format!("{subject} ").repeat(16)).collect();
    let output = run("chapters-en", TextStage::Chapters, &plain(&text));
    let chapters = output["chapters"].as_array().unwrap();
    eprintln!("{}", serde_json::to_string_pretty(&output).unwrap());
    assert_eq!(chapters.len(), 3, "{output}");
    let length = subjects[0].len() + 1;
    assert!(chapters[1]["start_char"].as_u64().unwrap().abs_diff(16 * length as u64) < 400, "{output}");
    assert_eq!(chapters[2]["end_char"].as_u64().unwrap() as usize, text.trim_end().chars().count());
    assert!(chapters.iter().all(|chapter| chapter["start"].is_null() && chapter["title"] != ""));
}

/// Texts about nothing.
const NOISE: [&str; 7] = [
    "Hello everyone. Good morning. Hi, how are you? I'm fine, thank you. Nice to meet you. Have a nice day. Goodbye.",
    "szyc dpyopu zgdpamnt wo xzhsdk nxaqh prhlhvhyo. anrudf dxkxwq qvgjjspq sbphxzmn lrwy covqdyf lpxapbjw.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.",
    "1 2 3 4 5. 555 0199 4711. One two three. Seven, eight, nine.",
    "Um. Uh, yeah. Mm-hmm. Right. Okay. Well, you know, I mean. True. Uh-huh.",
    "Anna Smith, Peter Brown, John Miller, Maria Garcia, David Johnson.",
    "Привет как дела сегодня. 你好，今天天气很好。",
];

#[test]
fn noise_has_no_topics_no_key_phrases_and_no_title() {
    for text in NOISE {
        let noise = TextTranscript { language: Some("en".into()), ..plain(text) };
        assert_eq!(run("topics-en", TextStage::Topics, &noise), json!({"topics": []}), "{text}");
        assert_eq!(
            run("key-phrases-en", TextStage::KeyPhrases, &noise),
            json!({"key_phrases": []}),
            "{text}"
        );
        let chapters = run("chapters-en", TextStage::Chapters, &noise);
        assert_eq!(chapters["chapters"][0]["title"], "Part 1", "{text}");
    }
}

#[test]
fn noise_beside_a_subject_is_passed_over() {
    let said = "The budget for the new office must be approved by Friday. We agreed to spend 5,000 dollars on furniture.";
    for noise in NOISE.into_iter().filter(|noise| !noise.contains("555")) {
        let text =
            TextTranscript { language: Some("en".into()), ..plain(&format!("{noise} {said} {noise}")) };
        let kind = SummaryType::Brief;
        let summary = run("summary-en", TextStage::Summary(SummarySpec { kind }), &text);
        assert_eq!(summary["text"], said, "{noise}");
        let title = run("chapters-en", TextStage::Chapters, &text)["chapters"][0]["title"].clone();
        assert!(["Budget", "Office", "Furniture"].contains(&title.as_str().unwrap()), "{title} of {noise}");
    }
}

#[test]
fn other_languages_are_refused() {
    let german = plain(
        "Ich habe ihnen gesagt, dass die Bestellung nicht das ist, was wir wollten, und sie ist auf dem Weg.",
    );
    let french = TextTranscript { language: Some("fr".into()), ..plain("Bonjour.") };
    for (model, stage) in stages() {
        for transcript in [&german, &french] {
            let refused = ask(model, &request(stage.clone(), transcript.clone()));
            assert!(matches!(refused, Err(EngineError::UnsupportedLanguage { .. })), "{model}");
        }
    }
}

#[test]
fn unusual_text_causes_no_errors_and_offsets_stay_correct() {
    let texts = [
        "",
        " \n\n ",
        ".",
        "?!?!",
        "a",
        "👍",
        "👍👍 👍",
        "I",
        "$",
        "$5",
        "@",
        "a@",
        "www.",
        "+1",
        "(",
        "o'clock",
        "twenty",
        "hundred million billion thousand",
        "\u{feff}Hello.",
        "é e\u{301} ǅ ß İstanbul’s İ",
        "\u{0}\u{1}",
        "((((((((",
        "1,1,1,1,1",
        "9999999999999999999999999",
        "one two three four five six seven eight nine",
        "A.B.C.D. Mr. Mr. Mr.",
        "am pm a.m. p.m.",
        "Anna's Anna’s ANNA anna",
        "in in in In In",
        "至少 mixed русский text",
        "\r\n\r\nline\rline",
        "-----",
        "...",
        "n't 's 'll",
    ];
    for text in texts {
        let whole = TextTranscript { language: Some("en".into()), ..plain(text) };
        for (model, stage) in stages() {
            let output = run(model, stage, &whole);
            check_offsets(text, &output);
        }
    }
    let mut seed = 42_u64;
    let pieces: Vec<&str> = texts
        .iter()
        .copied()
        .chain(["Anna ", "twenty ", "June ", "fifth ", "dollars ", ". ", " at ", "3:30", " "])
        .collect();
    for _ in 0..40 {
        let mut text = String::new();
        for _ in 0..60 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        let whole = TextTranscript { language: Some("en".into()), ..plain(&text) };
        for (model, stage) in stages()
            .into_iter()
            .filter(|(model, _)| !matches!(*model, "summary-en" | "topics-en" | "chapters-en"))
        {
            check_offsets(&text, &run(model, stage, &whole));
        }
    }
}

/// Checks that every position in the output is valid and contains the reported text.
fn check_offsets(text: &str, output: &Value) {
    let letters: Vec<char> = text.chars().collect();
    for entity in output["entities"].as_array().into_iter().flatten() {
        let offset = |name: &str| entity[name].as_u64().unwrap() as usize;
        let at: String = letters[offset("start_char")..offset("end_char")].iter().collect();
        assert!(!at.is_empty() && entity["text"] == at, "{entity} in {text:?}");
    }
    for name in ["paragraphs", "chapters", "utterances"] {
        for part in output[name].as_array().into_iter().flatten().filter(|part| part["end_char"].is_u64()) {
            let offset = |name: &str| part[name].as_u64().unwrap() as usize;
            let (start, end) = (offset("start_char"), offset("end_char"));
            assert!(start <= end && end <= letters.len(), "{part}");
        }
    }
}

/// Words that formatting replaces by digits and signs, as in `twenty five dollars` and `three thirty p m`.
const REPLACED: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million \
    billion first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth \
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth and point oh o percent per cent cents half past \
    dollar dollars euro euros am pm a p m";

fn words(text: &str) -> Vec<String> {
    let plain = |word: &str| {
        let letters = word.chars().filter(|letter| letter.is_alphanumeric() || "'$€%".contains(*letter));
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    text.split(|letter: char| letter.is_whitespace() || letter == '-' || letter == '—')
        .map(plain)
        .filter(|word| !word.is_empty())
        .collect()
}

/// The words that only one of the texts has when both are aligned with the most words in common.
fn differences(before: &[String], after: &[String]) -> (Vec<String>, Vec<String>) {
    let mut common = vec![vec![0usize; after.len() + 1]; before.len() + 1];
    for row in (0..before.len()).rev() {
        for column in (0..after.len()).rev() {
            let paired = common[row + 1][column + 1] + usize::from(before[row] == after[column]);
            common[row][column] = paired.max(common[row + 1][column]).max(common[row][column + 1]);
        }
    }
    let (mut row, mut column) = (0, 0);
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    while row < before.len() || column < after.len() {
        let here = common[row][column];
        if row < before.len() && column < after.len() && before[row] == after[column] {
            (row, column) = (row + 1, column + 1);
        } else if row < before.len() && common[row + 1][column] == here {
            removed.push(before[row].clone());
            row += 1;
        } else {
            added.push(after[column].clone());
            column += 1;
        }
    }
    (removed, added)
}

#[test]
fn formatting_keeps_every_word() {
    let folder = TempDir::new().unwrap();
    let model = engines(folder.path(), &[]).text("formatting-en").unwrap();
    let replaced: Vec<&str> = REPLACED.split_whitespace().collect();
    let mut numbers = 0;
    for conversation in conversations() {
        let transcript = Arc::new(conversation.transcript);
        let request =
            TextRequest { work: TextWork::Stage(TextStage::Formatting), transcript: transcript.clone() };
        let answer = model.run(&request, &mut Ignore, &CallContext::alone()).unwrap();
        let output = serde_json::to_value(answer.output).unwrap();
        let formatted = output["text"].as_str().unwrap();
        let (removed, added) = differences(&words(&transcript.text), &words(formatted));
        let lost: Vec<&String> = removed.iter().filter(|word| !replaced.contains(&word.as_str())).collect();
        assert!(lost.is_empty(), "{lost:?} are missing in {formatted}");
        let is_number = |word: &String| word.chars().any(|letter| letter.is_ascii_digit());
        let is_written = |word: &&String| is_number(word) || ["am", "pm"].contains(&word.as_str());
        let invented: Vec<&String> = added.iter().filter(|word| !is_written(word)).collect();
        assert!(invented.is_empty(), "{invented:?} are new in {formatted}");
        numbers += added.iter().filter(|word| is_number(word)).count();
        assert!(output["paragraphs"].as_array().unwrap().len() >= 5);
    }
    assert!(numbers > 5, "the conversations contain numbers, of which {numbers} were formatted");
}

#[test]
fn a_missing_or_added_word_is_a_difference() {
    let (removed, added) = differences(&words("we had two more days"), &words("we had 2 days left"));
    assert_eq!((removed, added), (vec!["two".into(), "more".into()], vec!["2".into(), "left".into()]));
}

#[test]
fn every_stage_processes_a_long_transcript() {
    let sentences: Vec<String> =
        conversations().iter().map(|conversation| conversation.transcript.text.clone()).collect();
    let text = sentences.join(" ").repeat(12);
    assert!(text.len() > 50_000);
    for (model, stage) in stages() {
        let answer = ask(model, &request(stage, plain(&text))).unwrap();
        assert_eq!(answer.characters, text.chars().count() as u64);
        check_offsets(&text, &serde_json::to_value(answer.output).unwrap());
    }
    let unbroken = "word ".repeat(4_000);
    for (model, stage) in stages() {
        run(model, stage, &TextTranscript { language: Some("en".into()), ..plain(&unbroken) });
    }
}

/// Cancels at the first progress report.
struct CancelOnProgress(CallContext);

impl TextSink for CancelOnProgress {
    fn delta(&mut self, _: &str) {}

    fn progress(&mut self, _: f64) {
        self.0.cancel.cancel();
    }
}

#[test]
fn a_cancelled_stage_stops() {
    let text = "The invoice for Anna in Berlin was paid on Monday. ".repeat(1_500);
    for (model, stage) in stages() {
        let context = CallContext::alone();
        let mut sink = CancelOnProgress(context.clone());
        let model_of_stage = ENGINES.1.text(model).unwrap();
        let ended = model_of_stage.run(&request(stage, plain(&text)), &mut sink, &context);
        assert!(matches!(ended, Err(EngineError::Cancelled)), "{model}");
    }
}

#[test]
fn stages_without_a_model_need_no_files() {
    let folder = TempDir::new().unwrap();
    let engines = engines(folder.path(), &[]);
    let usable: Vec<String> = engines
        .models()
        .models
        .iter()
        .map(|model| model.id.clone())
        .filter(|id| id.ends_with("-en"))
        .collect();
    assert_eq!(usable, ["entities-en", "formatting-en", "sentiment-en"]);
    let with_net = ENGINES.1.models();
    assert!(with_net.find("summary-en").is_some() && with_net.find("minilm-l6-v2").is_none());
    assert_eq!(json!(with_net.find("summary-en").unwrap().capabilities[0].capability), "summary");
}

/// The texts and types of the entities that a model finds, and the model that found them.
fn entities_of(engines: &Engines, model: &str, text: &str) -> (String, Vec<(String, String)>) {
    let work = TextWork::Stage(TextStage::Entities(EntitiesSpec { types: vec![] }));
    let request = TextRequest { work, transcript: Arc::new(plain(text)) };
    let answer = engines.text(model).unwrap().run(&request, &mut Ignore, &CallContext::alone()).unwrap();
    let output = serde_json::to_value(&answer.output).unwrap();
    let found = output["entities"].as_array().unwrap().iter();
    let field = |entity: &Value, name: &str| entity[name].as_str().unwrap().to_owned();
    (answer.resolved_model, found.map(|entity| (field(entity, "text"), field(entity, "type"))).collect())
}

#[test]
fn the_net_answers_where_it_is_installed_and_the_rules_elsewhere() {
    let folder = TempDir::new().unwrap();
    let engines = engines(folder.path(), &["entities-net-en"]);
    let text = "Satya Nadella spoke at Microsoft in Redmond on Tuesday. Call 212-555-0199.";
    for model in ["entities-en", "entities-net-en"] {
        let (resolved, found) = entities_of(&engines, model, text);
        assert_eq!(resolved, "entities-net-en");
        for (text, kind) in [
            ("Satya Nadella", "person"),
            ("Microsoft", "organization"),
            ("Redmond", "location"),
            ("Tuesday", "date"),
            ("212-555-0199", "phone"),
        ] {
            assert!(found.contains(&(text.into(), kind.into())), "{model}: {found:?}");
        }
    }
    assert!(engines.is_complete("entities-en"));
    assert_eq!(entities_of(&ENGINES.1, "entities-en", text).0, "entities-en");
    assert!(!ENGINES.1.is_complete("entities-en") && ENGINES.1.text("entities-net-en").is_none());
}

#[test]
fn a_damaged_net_is_an_error_that_names_the_file() {
    let folder = TempDir::new().unwrap();
    let engines = engines(folder.path(), &["entities-net-en"]);
    let file = folder.path().join("entities-net-en/ner-model");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[0] = 0xc1;
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let work = TextWork::Stage(TextStage::Entities(EntitiesSpec { types: vec![] }));
    let request = TextRequest { work, transcript: Arc::new(plain("Anna is here.")) };
    let model = engines.text("entities-en").unwrap();
    let error = model.run(&request, &mut Ignore, &CallContext::alone()).unwrap_err().to_string();
    assert!(error.contains("ner-model"), "{error}");
}
