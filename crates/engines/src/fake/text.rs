//! Fake text model: short answers taken from the transcript, with correct offsets.

use auris_domain::step::output::{
    Chapter, Chapters, Entities, Entity, Formatting, KeyPhrase, KeyPhrases, Paragraph, Sentiment,
    SentimentLabel, SentimentScore, Summary, TaskOutput, Topic, Topics, UtteranceSentiment,
};
use auris_domain::step::spec::{Granularity, SummaryType, TextFormat};
use auris_domain::step::{StageOutput, StepOutput, TextStage};
use auris_engine_core::text::{TaskRequest, TextAnswer, TextRequest, TextTranscript, TextWork};
use auris_engine_core::{CallContext, EngineError, TextModel, TextSink};
use serde::Serialize;
use serde_json::Value;

use super::{directives, schema};

/// Answers every stage and echoes every task.
pub(crate) struct FakeText {
    model: String,
}

/// The `response` of a fake answer.
#[derive(Serialize)]
struct Response<'a> {
    text: &'a str,
    finish_reason: &'a str,
    model: &'a str,
}

impl FakeText {
    pub(crate) fn new(model: &str) -> Self {
        Self { model: model.to_owned() }
    }

    fn stage(&self, stage: &TextStage, transcript: &TextTranscript) -> Result<TextAnswer, EngineError> {
        let output = output(stage, transcript);
        let text = serde_json::to_string(&output).map_err(EngineError::internal)?;
        Ok(TextAnswer {
            response: self.response(&text, false)?,
            output: StepOutput::Stage(output),
            truncated: false,
            resolved_model: self.model.clone(),
            input_tokens: 0,
            output_tokens: 0,
            characters: transcript.text.chars().count() as u64,
        })
    }

    fn task(
        &self,
        task: &TaskRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        let instructions = task.spec.instructions.as_deref().unwrap_or_default();
        directives::obey(instructions, "task", context)?;
        let prompt = prompt(task);
        let wanted = answer(task, instructions, &prompt)?;
        let (text, truncated) = limited(&wanted, task.spec.max_output_tokens);
        for piece in text.split_inclusive(' ') {
            context.check()?;
            sink.delta(piece);
        }
        let json = match &task.spec.answer.format {
            TextFormat::Text => Value::Null,
            TextFormat::JsonSchema(_) => serde_json::from_str(&text).unwrap_or(Value::Null),
        };
        Ok(TextAnswer {
            response: self.response(&text, truncated)?,
            truncated,
            resolved_model: self.model.clone(),
            input_tokens: tokens(&prompt),
            output_tokens: tokens(&text),
            characters: 0,
            output: StepOutput::Task(TaskOutput { text, json }),
        })
    }

    fn response(&self, text: &str, truncated: bool) -> Result<Value, EngineError> {
        let finish_reason = if truncated { "length" } else { "stop" };
        let response = Response { text, finish_reason, model: &self.model };
        serde_json::to_value(response).map_err(EngineError::internal)
    }
}

impl TextModel for FakeText {
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        match &request.work {
            TextWork::Task(task) => self.task(task, sink, context),
            TextWork::Stage(stage) => {
                directives::obey(&request.transcript.text, request.work.name(), context)?;
                self.stage(stage, &request.transcript)
            }
        }
    }
}

fn output(stage: &TextStage, transcript: &TextTranscript) -> StageOutput {
    match stage {
        TextStage::Chapters => StageOutput::Chapters(chapters(transcript)),
        TextStage::Entities(spec) => StageOutput::Entities(entities(transcript, &spec.types)),
        TextStage::Formatting => StageOutput::Formatting(formatting(transcript)),
        TextStage::KeyPhrases => StageOutput::KeyPhrases(key_phrases(transcript)),
        TextStage::Sentiment(spec) => StageOutput::Sentiment(sentiment(transcript, spec.granularity)),
        TextStage::Summary(spec) => StageOutput::Summary(summary(transcript, spec.kind)),
        TextStage::Topics => StageOutput::Topics(topics(transcript)),
    }
}

fn prompt(task: &TaskRequest) -> String {
    let mut parts: Vec<String> = task.spec.instructions.iter().cloned().collect();
    parts.extend(task.sources.iter().map(|source| source.text.clone()));
    parts.join("\n")
}

fn answer(task: &TaskRequest, instructions: &str, prompt: &str) -> Result<String, EngineError> {
    match &task.spec.answer.format {
        TextFormat::Text => Ok(prompt.to_owned()),
        TextFormat::JsonSchema(_) if instructions.contains("fake:invalid") => Ok("no JSON at all".into()),
        TextFormat::JsonSchema(wanted) => {
            let schema = wanted.schema.read().map_err(EngineError::internal)?;
            Ok(schema::instance(&schema)?.to_string())
        }
    }
}

fn tokens(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// The first words of an answer, and whether words are missing.
fn limited(text: &str, max_output_tokens: u32) -> (String, bool) {
    let most = max_output_tokens as usize;
    if text.split_whitespace().count() <= most {
        return (text.to_owned(), false);
    }
    (text.split_whitespace().take(most).collect::<Vec<_>>().join(" "), true)
}

/// A word and its position in Unicode scalar values.
struct Word {
    text: String,
    start_char: usize,
    end_char: usize,
}

/// The first words of a text.
fn first_words(text: &str, count: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start_char = 0;
    for piece in text.split(char::is_whitespace) {
        let end_char = start_char + piece.chars().count();
        if end_char > start_char && words.len() < count {
            words.push(Word { text: piece.to_owned(), start_char, end_char });
        }
        start_char = end_char + 1;
    }
    words
}

fn opening(text: &str) -> String {
    text.split_whitespace().take(8).collect::<Vec<_>>().join(" ")
}

/// The start of the first utterance; 0 if it has no times.
fn start(transcript: &TextTranscript) -> f64 {
    transcript.utterances.first().and_then(|utterance| utterance.start).unwrap_or(0.0)
}

fn chapters(transcript: &TextTranscript) -> Chapters {
    if transcript.text.is_empty() {
        return Chapters::default();
    }
    let start = start(transcript);
    let end = transcript.utterances.last().and_then(|utterance| utterance.end).unwrap_or(start);
    let everything = Chapter {
        title: "Everything".into(),
        summary: opening(&transcript.text),
        start: Some(start),
        end: Some(end),
        start_char: 0,
        end_char: transcript.text.chars().count(),
    };
    Chapters { chapters: vec![everything] }
}

fn entities(transcript: &TextTranscript, types: &[String]) -> Entities {
    let kind = types.first().map_or("person", String::as_str);
    let start = start(transcript);
    let entity = |word: Word| Entity {
        text: word.text,
        kind: kind.to_owned(),
        start_char: word.start_char,
        end_char: word.end_char,
        confidence: Some(0.9),
        start: Some(start),
    };
    Entities { entities: first_words(&transcript.text, 3).into_iter().map(entity).collect() }
}

fn formatting(transcript: &TextTranscript) -> Formatting {
    let text = transcript.text.clone();
    let whole = Paragraph { text: text.clone(), start_char: 0, end_char: text.chars().count() };
    let paragraphs = if text.is_empty() { vec![] } else { vec![whole] };
    Formatting { text, paragraphs }
}

fn key_phrases(transcript: &TextTranscript) -> KeyPhrases {
    let words: Vec<&str> = transcript.text.split_whitespace().collect();
    let phrase = |phrase: &&str| {
        let count = words.iter().filter(|word| *word == phrase).count();
        KeyPhrase { text: (*phrase).to_owned(), score: 0.5, count }
    };
    KeyPhrases { key_phrases: words.iter().take(3).map(phrase).collect() }
}

fn sentiment(transcript: &TextTranscript, granularity: Granularity) -> Sentiment {
    let neutral = SentimentScore { label: SentimentLabel::Neutral, score: 0.0 };
    let utterance =
        |index| UtteranceSentiment { index, score: neutral.clone(), start_char: None, end_char: None };
    let utterances = match granularity {
        Granularity::Document => vec![],
        Granularity::Utterance => (0..transcript.utterances.len()).map(utterance).collect(),
    };
    Sentiment { granularity, document: neutral, utterances }
}

fn summary(transcript: &TextTranscript, kind: SummaryType) -> Summary {
    let text = opening(&transcript.text);
    let bullets = match kind {
        SummaryType::Bullets if !text.is_empty() => vec![text.clone()],
        SummaryType::Bullets | SummaryType::Brief | SummaryType::Detailed => vec![],
    };
    Summary { kind, text, bullets }
}

fn topics(transcript: &TextTranscript) -> Topics {
    let topic = |word: Word| Topic { label: word.text, score: 0.8 };
    Topics { topics: first_words(&transcript.text, 2).into_iter().map(topic).collect() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use auris_domain::step::SchemaText;
    use auris_domain::step::spec::{EntitiesSpec, JsonSchema, TaskSpec, TaskText};
    use auris_engine_core::Ignore;
    use auris_engine_core::text::TaskSource;
    use serde_json::json;

    use super::*;

    fn run(work: TextWork, text: &str) -> TextAnswer {
        let transcript = Arc::new(TextTranscript { text: text.into(), ..TextTranscript::default() });
        let request = TextRequest { work, transcript };
        FakeText::new("fake-text").run(&request, &mut Ignore, &CallContext::alone()).unwrap()
    }

    fn task(instructions: &str, max_output_tokens: u32) -> TaskRequest {
        let instructions = Some(instructions.to_owned());
        let spec = TaskSpec { instructions, max_output_tokens, ..TaskSpec::default() };
        TaskRequest { spec, ..TaskRequest::default() }
    }

    #[test]
    fn character_offsets_count_unicode_scalar_values() {
        let text = "Да ну 👍 konec";
        let stage = TextStage::Entities(EntitiesSpec { types: vec!["word".into()] });
        let answer = run(TextWork::Stage(stage), text);
        let letters: Vec<char> = text.chars().collect();
        let StepOutput::Stage(StageOutput::Entities(found)) = answer.output else { panic!("not entities") };
        assert_eq!(found.entities.len(), 3);
        for entity in found.entities {
            let word = &letters[entity.start_char..entity.end_char];
            assert_eq!(entity.text, word.iter().collect::<String>());
        }
        assert_eq!(answer.characters, letters.len() as u64);
    }

    #[test]
    fn a_task_echoes_its_instructions_and_sources() {
        let source = TaskSource { pointer: "#/transcript/text".into(), text: "hello there".into() };
        let task = TaskRequest { sources: vec![source], ..task("Repeat", 100) };
        let answer = run(TextWork::Task(Box::new(task)), "");
        let expected = TaskOutput { text: "Repeat\nhello there".into(), json: Value::Null };
        assert_eq!(answer.output, StepOutput::Task(expected));
        assert_eq!((answer.input_tokens, answer.output_tokens), (3, 3));
    }

    #[test]
    fn a_schema_is_answered_with_an_instance() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
        let format = TextFormat::JsonSchema(JsonSchema {
            name: "n".into(),
            schema: SchemaText::of(&schema),
            description: None,
            strict: true,
        });
        let mut task = task("", 100);
        task.spec.answer = TaskText { format };
        let StepOutput::Task(output) = run(TextWork::Task(Box::new(task)), "").output else {
            panic!("not a task")
        };
        assert_eq!(output.json, json!({"n": 0}));
    }

    #[test]
    fn an_answer_ends_at_the_token_limit() {
        let answer = run(TextWork::Task(Box::new(task("a b c", 2))), "");
        let expected = TaskOutput { text: "a b".into(), json: Value::Null };
        assert_eq!(answer.output, StepOutput::Task(expected));
        assert!(answer.truncated);
        assert_eq!(answer.response["finish_reason"], "length");
    }
}
