//! The memory of the built-in text stages, beyond their loaded model: limited, whatever the text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod support;

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use auris_domain::step::spec::{EntitiesSpec, Granularity, SentimentSpec, SummarySpec, SummaryType};
use auris_domain::step::{StageOutput, StepOutput, TextStage};
use auris_domain::transcript::{SourceTranscript, TextTranscript, TextUtterance};
use auris_domain::wire::JsonText;
use auris_engines::{CallContext, Engines, Ignore, TextRequest, TextWork};
use tempfile::TempDir;

const MEBIBYTE: usize = 1 << 20;
/// The promise: this, and eight times the text.
const FIXED: usize = 256 * MEBIBYTE;
/// The same for texts of about one mebibyte, which are too short to need all of it.
const FIXED_OF_SHORT_TEXTS: usize = 96 * MEBIBYTE;

const EMOJI: (&str, &str) = ("emoji", "👍");
/// Texts that are difficult in one way each, as the piece that they repeat.
const PIECES: [(&str, &str); 10] = [
    ("digits", "1 "),
    ("newlines", "\n"),
    ("letters in paragraphs", "A.\n\n"),
    ("stops", "? "),
    ("one word", "word "),
    ("capitals", "ANNA "),
    EMOJI,
    ("one endless token", "a"),
    ("one endless number", "1"),
    ("English", "The invoice for Anna in Berlin was paid on Monday. "),
];
/// The same for the stages with a network. Their sentences have few tokens, because the network reads 2,048 of them.
const SHORT_PIECES: [(&str, &str); 9] = [
    ("digits", "1.\n"),
    ("newlines", "\n"),
    ("letters in paragraphs", "A.\n\n"),
    ("stops", "? "),
    ("one word", "Word.\n"),
    ("capitals", "ANNA.\n"),
    EMOJI,
    ("one endless token", "a"),
    ("English", "The invoice for Anna was paid on Monday. "),
];

static ENGINES: LazyLock<(TempDir, Engines)> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let engines = support::engines(folder.path());
    (folder, engines)
});

/// Measures this process. Only one test at a time can do that.
struct Meter {
    before: usize,
    _alone: MutexGuard<'static, ()>,
}

impl Meter {
    fn start() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        // Lets the peak start again from the current size.
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        Self { before: memory("VmRSS"), _alone: alone }
    }

    /// The largest size of the process since the start, beyond its size then.
    fn needed(&self) -> usize {
        memory("VmHWM").saturating_sub(self.before)
    }
}

/// A size from `/proc/self/status`, in bytes.
fn memory(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

fn transcript(text: String) -> Arc<TextTranscript> {
    Arc::new(TextTranscript { text, language: Some("en".into()), utterances: vec![] })
}

/// A text of this many characters, as the limit of a transcript counts them. An emoji has four bytes.
fn repeated(piece: &str, characters: usize) -> Arc<TextTranscript> {
    transcript(piece.repeat(characters / piece.chars().count()))
}

fn run(stage: &TextStage, transcript: &Arc<TextTranscript>) -> StageOutput {
    let model = format!("{}-en", stage.capability().as_str().replace('_', "-"));
    let request = TextRequest { work: TextWork::Stage(stage.clone()), transcript: transcript.clone() };
    let answer = ENGINES.1.text(&model).unwrap().run(&request, &mut Ignore, &CallContext::alone()).unwrap();
    let StepOutput::Stage(output) = answer.output else { panic!("not the output of a stage") };
    output
}

/// Runs a stage on each text and writes its output as JSON, as it is stored.
fn check(stages: &[TextStage], pieces: &[(&str, &str)], characters: usize, fixed: usize) {
    // Loads the model and fills what all calls share.
    let short = transcript("Anna met Bob in Berlin. They talked about the invoice.".into());
    stages.iter().for_each(|stage| drop(run(stage, &short)));
    let meter = Meter::start();
    for (name, piece) in pieces {
        let transcript = repeated(piece, characters);
        let size = transcript.text.len();
        for stage in stages {
            drop(JsonText::of(&run(stage, &transcript)));
            let needed = meter.needed().saturating_sub(size);
            let stage = stage.capability().as_str();
            eprintln!("{stage}, {name}, {} KiB: {} KiB", size >> 10, needed >> 10);
            assert!(needed < fixed + 8 * size, "{stage} of {name} needed {} KiB", needed >> 10);
        }
    }
}

fn entities() -> TextStage {
    TextStage::Entities(EntitiesSpec { types: vec![] })
}

fn sentiment() -> TextStage {
    TextStage::Sentiment(SentimentSpec { granularity: Granularity::Utterance })
}

/// One after the other on the same text, because they share what the network made of it.
fn stages_with_a_network() -> [TextStage; 4] {
    let summary = TextStage::Summary(SummarySpec { kind: SummaryType::Detailed });
    [TextStage::Chapters, TextStage::KeyPhrases, summary, TextStage::Topics]
}

#[test]
fn entities_need_little_memory_whatever_the_text() {
    check(&[entities()], &PIECES, MEBIBYTE / 4, FIXED_OF_SHORT_TEXTS);
}

#[test]
fn formatting_needs_little_memory_whatever_the_text() {
    check(&[TextStage::Formatting], &PIECES, MEBIBYTE, FIXED_OF_SHORT_TEXTS);
}

#[test]
fn sentiment_needs_little_memory_whatever_the_text() {
    check(&[sentiment()], &PIECES, MEBIBYTE / 8, FIXED_OF_SHORT_TEXTS);
}

#[test]
fn stages_with_a_network_need_little_memory_whatever_the_text() {
    check(&stages_with_a_network(), &SHORT_PIECES, MEBIBYTE / 8, FIXED_OF_SHORT_TEXTS);
}

#[test]
fn the_longest_text_of_digits_keeps_the_promise() {
    check(&[entities()], &[("digits", "1 ")], 10_000_000, FIXED);
}

#[test]
fn the_longest_text_of_paragraphs_keeps_the_promise() {
    check(&[TextStage::Formatting], &[("letters in paragraphs", "A.\n\n")], 10_000_000, FIXED);
}

#[test]
fn the_longest_text_of_stops_keeps_the_promise() {
    check(&[sentiment()], &[("stops", "? ")], 10_000_000, FIXED);
}

/// The characters of the texts in a soak.
fn soak_characters() -> usize {
    std::env::var("AURIS_SOAK_TEXT").map_or(MEBIBYTE / 16, |count| count.parse().unwrap())
}

/// Every stage on every text. With the longest texts (`AURIS_SOAK_TEXT=10000000`) it takes about a quarter of an hour.
/// A stage may use again what an earlier one has freed, so only a test of one stage in a new process measures it exactly.
#[test]
fn soak_every_stage_keeps_the_promise_whatever_the_text() {
    let characters = soak_characters();
    check(&[entities()], &PIECES, characters, FIXED);
    check(&[TextStage::Formatting], &PIECES, characters, FIXED);
    check(&[sentiment()], &PIECES, characters, FIXED);
    check(&stages_with_a_network(), &PIECES, characters, FIXED);
}

/// Emoji make the text with the most bytes: four for each character.
#[test]
fn soak_entities_keep_the_promise_for_emoji() {
    check(&[entities()], &[EMOJI], soak_characters(), FIXED);
}

#[test]
fn soak_formatting_keeps_the_promise_for_emoji() {
    check(&[TextStage::Formatting], &[EMOJI], soak_characters(), FIXED);
}

#[test]
fn soak_sentiment_keeps_the_promise_for_emoji() {
    check(&[sentiment()], &[EMOJI], soak_characters(), FIXED);
}

#[test]
fn soak_stages_with_a_network_keep_the_promise_for_emoji() {
    check(&stages_with_a_network(), &[EMOJI], soak_characters(), FIXED);
}

#[test]
fn a_transcript_has_at_most_200_000_entities_the_first_ones() {
    let text: String = (0..200_010).map(|nth| format!("m{nth}@a.co\n")).collect();
    let only_mail = TextStage::Entities(EntitiesSpec { types: vec!["email".into()] });
    let StageOutput::Entities(found) = run(&only_mail, &transcript(text)) else { panic!("not entities") };
    assert_eq!(found.entities.len(), 200_000);
    assert_eq!(found.entities[0].text, "m0@a.co");
    assert_eq!(found.entities[199_999].text, "m199999@a.co");
}

#[test]
fn an_utterance_that_is_not_in_the_text_needs_little_memory() {
    const BYTES: usize = 4 * MEBIBYTE;
    let said = TextUtterance { text: "1 ".repeat(BYTES / 2), ..TextUtterance::default() };
    let transcript =
        TextTranscript { text: "Hi.".into(), language: Some("en".into()), utterances: vec![said] };
    let transcript = Arc::new(transcript);
    let meter = Meter::start();
    drop(run(&sentiment(), &transcript));
    let needed = meter.needed();
    assert!(needed < FIXED_OF_SHORT_TEXTS + 8 * BYTES, "it needed {} KiB", needed >> 10);
}

/// As a tree of values, the speaker would take forty times as much memory as its text.
#[test]
fn utterances_with_large_fields_of_other_types_are_read_in_little_memory() {
    const BYTES: usize = 4 * MEBIBYTE;
    let items = "[0],".repeat(BYTES / 4);
    let json = format!(
        r#"{{"text":"Hi","utterances":[{{"text":"Hi","start":1,"speaker":[{}]}}]}}"#,
        items.trim_end_matches(',')
    );
    let source = SourceTranscript::from_json(&json).unwrap();
    let meter = Meter::start();
    let read = TextTranscript::from(&source);
    let needed = meter.needed();
    assert_eq!((read.utterances[0].speaker.as_deref(), read.utterances[0].start), (None, Some(1.0)));
    assert!(needed < 2 * BYTES, "it needed {} KiB", needed >> 10);
}

#[test]
fn ten_hours_of_speech_lose_nothing() {
    let sentence = "The invoice for Anna in Berlin was paid on Monday. ";
    let count = 600_000 / sentence.len();
    let transcript = transcript(sentence.repeat(count));
    let StageOutput::Entities(found) = run(&entities(), &transcript) else { panic!("not entities") };
    // Anna, Berlin and Monday.
    assert_eq!(found.entities.len(), 3 * count);
    let StageOutput::Sentiment(judged) = run(&sentiment(), &transcript) else { panic!("not sentiment") };
    assert_eq!(judged.utterances.len(), count);
}
