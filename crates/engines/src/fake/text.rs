//! Fake text model: short answers taken from the transcript, with correct offsets.

use auris_engine_core::text::{
    Granularity, SummaryKind, TaskFormat, TaskRequest, TextAnswer, TextOperation, TextRequest, TextTranscript,
};
use auris_engine_core::{CallContext, EngineError, TextModel, TextSink};
use serde_json::{Value, json};

use super::{directives, schema};

/// Answers every stage and echoes every task.
pub(crate) struct FakeText {
    model: String,
}

impl FakeText {
    pub(crate) fn new(model: &str) -> Self {
        Self { model: model.to_owned() }
    }

    fn stage(&self, output: Value, transcript: &TextTranscript) -> TextAnswer {
        TextAnswer {
            response: json!({"text": output.to_string(), "finish_reason": "stop", "model": self.model}),
            output,
            resolved_model: self.model.clone(),
            input_tokens: 0,
            output_tokens: 0,
            characters: transcript.text.chars().count() as u64,
        }
    }

    fn task(
        &self,
        task: &TaskRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        let instructions = task.instructions.as_deref().unwrap_or_default();
        directives::obey(instructions, "task", context)?;
        let prompt = prompt(task);
        let wanted = answer(task, instructions, &prompt);
        let (text, finish_reason) = limited(&wanted, task.max_output_tokens);
        for piece in text.split_inclusive(' ') {
            context.check()?;
            sink.delta(piece);
        }
        let json = match &task.format {
            TaskFormat::Text => Value::Null,
            TaskFormat::JsonSchema { .. } => serde_json::from_str(&text).unwrap_or(Value::Null),
        };
        Ok(TextAnswer {
            output: json!({"text": text, "json": json}),
            response: json!({"text": text, "finish_reason": finish_reason, "model": self.model}),
            resolved_model: self.model.clone(),
            input_tokens: tokens(&prompt),
            output_tokens: tokens(&text),
            characters: 0,
        })
    }
}

impl TextModel for FakeText {
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        let transcript = request.transcript.as_ref();
        if !matches!(request.operation, TextOperation::Task(_)) {
            directives::obey(&transcript.text, request.operation.name(), context)?;
        }
        let output = match &request.operation {
            TextOperation::Task(task) => return self.task(task, sink, context),
            TextOperation::Chapters => chapters(transcript),
            TextOperation::Entities { types } => entities(transcript, types),
            TextOperation::Formatting => formatting(transcript),
            TextOperation::KeyPhrases => key_phrases(transcript),
            TextOperation::Sentiment { granularity } => sentiment(transcript, *granularity),
            TextOperation::Summary { kind } => summary(transcript, *kind),
            TextOperation::Topics => topics(transcript),
        };
        Ok(self.stage(output, transcript))
    }
}

fn prompt(task: &TaskRequest) -> String {
    let mut parts: Vec<String> = task.instructions.iter().cloned().collect();
    parts.extend(task.sources.iter().map(|source| match &source.value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }));
    parts.join("\n")
}

fn answer(task: &TaskRequest, instructions: &str, prompt: &str) -> String {
    match &task.format {
        TaskFormat::Text => prompt.to_owned(),
        TaskFormat::JsonSchema { .. } if instructions.contains("fake:invalid") => "no JSON at all".into(),
        TaskFormat::JsonSchema { schema, .. } => schema::instance(schema).to_string(),
    }
}

fn tokens(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

fn limited(text: &str, max_output_tokens: Option<u32>) -> (String, &'static str) {
    let most = max_output_tokens.unwrap_or(u32::MAX) as usize;
    if text.split_whitespace().count() <= most {
        return (text.to_owned(), "stop");
    }
    (text.split_whitespace().take(most).collect::<Vec<_>>().join(" "), "length")
}

/// The first words of a text and their positions in Unicode scalar values.
fn first_words(text: &str, count: usize) -> Vec<(String, usize, usize)> {
    let mut words = Vec::new();
    let mut at = 0;
    for piece in text.split(char::is_whitespace) {
        let length = piece.chars().count();
        if length > 0 && words.len() < count {
            words.push((piece.to_owned(), at, at + length));
        }
        at += length + 1;
    }
    words
}

fn opening(text: &str) -> String {
    text.split_whitespace().take(8).collect::<Vec<_>>().join(" ")
}

fn chapters(transcript: &TextTranscript) -> Value {
    if transcript.text.is_empty() {
        return json!({"chapters": []});
    }
    let start = transcript.utterances.first().and_then(|utterance| utterance.start).unwrap_or(0.0);
    let end = transcript.utterances.last().and_then(|utterance| utterance.end).unwrap_or(start);
    json!({"chapters": [{
        "title": "Everything", "summary": opening(&transcript.text), "start": start, "end": end,
        "start_char": 0, "end_char": transcript.text.chars().count(),
    }]})
}

fn entities(transcript: &TextTranscript, types: &[String]) -> Value {
    let kind = types.first().map_or("person", String::as_str);
    let start = transcript.utterances.first().and_then(|utterance| utterance.start).unwrap_or(0.0);
    let found = first_words(&transcript.text, 3).into_iter().map(|(text, start_char, end_char)| {
        json!({"text": text, "type": kind, "start_char": start_char, "end_char": end_char, "confidence": 0.9, "start": start})
    });
    json!({"entities": found.collect::<Vec<_>>()})
}

fn formatting(transcript: &TextTranscript) -> Value {
    let text = &transcript.text;
    let whole = json!({"text": text, "start_char": 0, "end_char": text.chars().count()});
    let paragraphs = if text.is_empty() { vec![] } else { vec![whole] };
    json!({"text": text, "paragraphs": paragraphs})
}

fn key_phrases(transcript: &TextTranscript) -> Value {
    let words: Vec<&str> = transcript.text.split_whitespace().collect();
    let phrases = words.iter().take(3).map(|phrase| {
        let count = words.iter().filter(|word| *word == phrase).count();
        json!({"text": phrase, "score": 0.5, "count": count})
    });
    json!({"key_phrases": phrases.collect::<Vec<_>>()})
}

fn sentiment(transcript: &TextTranscript, granularity: Granularity) -> Value {
    let utterances: Vec<Value> = match granularity {
        Granularity::Document => vec![],
        Granularity::Utterance => {
            let indices = 0..transcript.utterances.len();
            indices.map(|index| json!({"index": index, "label": "neutral", "score": 0.0})).collect()
        }
    };
    json!({"granularity": granularity, "document": {"label": "neutral", "score": 0.0}, "utterances": utterances})
}

fn summary(transcript: &TextTranscript, kind: SummaryKind) -> Value {
    let text = opening(&transcript.text);
    let bullets = match kind {
        SummaryKind::Bullets if !text.is_empty() => vec![text.clone()],
        SummaryKind::Bullets | SummaryKind::Brief | SummaryKind::Detailed => vec![],
    };
    json!({"type": kind, "text": text, "bullets": bullets})
}

fn topics(transcript: &TextTranscript) -> Value {
    let found = first_words(&transcript.text, 2)
        .into_iter()
        .map(|(label, _, _)| json!({"label": label, "score": 0.8}));
    json!({"topics": found.collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use auris_engine_core::Ignore;
    use auris_engine_core::text::TaskSource;

    fn run(operation: TextOperation, text: &str) -> TextAnswer {
        let transcript = Arc::new(TextTranscript { text: text.into(), ..TextTranscript::default() });
        let request = TextRequest { operation, transcript };
        FakeText::new("fake-text").run(&request, &mut Ignore, &CallContext::alone()).unwrap()
    }

    #[test]
    fn character_offsets_count_unicode_scalar_values() {
        let text = "Да ну 👍 konec";
        let answer = run(TextOperation::Entities { types: vec!["word".into()] }, text);
        let letters: Vec<char> = text.chars().collect();
        for entity in answer.output["entities"].as_array().unwrap() {
            let range = entity["start_char"].as_u64().unwrap() as usize
                ..entity["end_char"].as_u64().unwrap() as usize;
            assert_eq!(entity["text"], letters[range].iter().collect::<String>());
        }
        assert_eq!(answer.characters, letters.len() as u64);
    }

    #[test]
    fn a_task_echoes_its_instructions_and_sources() {
        let source = TaskSource { pointer: "#/transcript/text".into(), value: json!("hello there") };
        let task = TaskRequest {
            instructions: Some("Repeat".into()),
            sources: vec![source],
            ..TaskRequest::default()
        };
        let answer = run(TextOperation::Task(Box::new(task)), "");
        assert_eq!(answer.output, json!({"text": "Repeat\nhello there", "json": null}));
        assert_eq!((answer.input_tokens, answer.output_tokens), (3, 3));
    }

    #[test]
    fn a_schema_is_answered_by_an_instance_and_a_short_limit_cuts() {
        let format = TaskFormat::JsonSchema {
            name: "n".into(),
            description: None,
            schema: json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}),
            strict: true,
        };
        let task = TaskRequest { format, ..TaskRequest::default() };
        assert_eq!(run(TextOperation::Task(Box::new(task)), "").output["json"], json!({"n": 0}));
        let short = TaskRequest {
            instructions: Some("a b c".into()),
            max_output_tokens: Some(2),
            ..TaskRequest::default()
        };
        let answer = run(TextOperation::Task(Box::new(short)), "");
        assert_eq!(
            (answer.output["text"].as_str(), answer.response["finish_reason"].as_str()),
            (Some("a b"), Some("length"))
        );
    }
}
