//! The most tokens that a stage can use, counted before it runs: every window is asked about, and an invalid answer is
//! asked for once more.

use auris_domain::step::TextStage;
use auris_domain::step::spec::SummaryType;
use auris_domain::usage::TokenBound;
use auris_engine_core::EngineError;

use super::stage::{OWN_TOKENS, Stage};
use super::{chapters, entities, formatting, key_phrases, sentiment, summary, topics};
use crate::chat::{AnswerFormat, ChatModel, ChatRequest};
use crate::conversation::{FLAW_BYTES, repaired, room, system};
use crate::prepared_transcript::PreparedTranscript;

/// Tokens of the number and the line break of a line that is made of a summary.
const NUMBER_TOKENS: u64 = 12;

/// The bound of a stage; `None` if its tokens cannot be counted.
pub(crate) fn bound(
    model: &dyn ChatModel,
    stage: &TextStage,
    transcript: &PreparedTranscript<'_>,
) -> Result<Option<TokenBound>, EngineError> {
    match stage {
        TextStage::Chapters => of_windows(model, transcript, &chapters::STAGE, chapters::PROMPT),
        TextStage::Entities(spec) => {
            of_windows(model, transcript, &entities::STAGE, &entities::question(&spec.types))
        }
        TextStage::Formatting => of_windows(model, transcript, &formatting::STAGE, formatting::PROMPT),
        TextStage::KeyPhrases => of_windows(model, transcript, &key_phrases::STAGE, &key_phrases::question()),
        TextStage::Sentiment(spec) => {
            let (stage, prompt) = sentiment::asked(sentiment::grades_lines(transcript, spec.granularity));
            of_windows(model, transcript, stage, prompt)
        }
        TextStage::Summary(spec) => of_summary(model, transcript, spec.kind),
        TextStage::Topics => of_windows(model, transcript, &topics::STAGE, topics::PROMPT),
    }
}

/// One question for each window. Formatting leaves the speakers out, which only shortens the text.
fn of_windows(
    model: &dyn ChatModel,
    transcript: &PreparedTranscript<'_>,
    stage: &Stage,
    question: &str,
) -> Result<Option<TokenBound>, EngineError> {
    let mut sum = TokenBound::default();
    for window in stage.windows_of(model, transcript)? {
        match question_bound(model, stage, &window.text, question)? {
            Some(asked) => sum = sum + asked,
            None => return Ok(None),
        }
    }
    Ok(Some(sum))
}

/// A long text is summarized window by window, and these summaries together. `None` if they could be too long again.
fn of_summary(
    model: &dyn ChatModel,
    transcript: &PreparedTranscript<'_>,
    kind: SummaryType,
) -> Result<Option<TokenBound>, EngineError> {
    let stage = &summary::STAGE;
    let windows = stage.windows_of(model, transcript)?.len() as u64;
    if windows <= 1 {
        return of_windows(model, transcript, stage, summary::prompt(kind));
    }
    let summaries = windows * (u64::from(stage.answer_tokens) + NUMBER_TOKENS);
    if summaries > room(model, stage.answer_tokens, OWN_TOKENS)? as u64 {
        return Ok(None);
    }
    let parts = of_windows(model, transcript, stage, summary::DETAILED)?;
    let last = question_bound(model, stage, "", summary::prompt(kind))?;
    let both = parts.zip(last).map(|(parts, last)| parts + last);
    Ok(both.map(|both| both + TokenBound { input: 2 * summaries, output: 0 }))
}

/// A question and its second attempt.
fn question_bound(
    model: &dyn ChatModel,
    stage: &Stage,
    text: &str,
    question: &str,
) -> Result<Option<TokenBound>, EngineError> {
    let shared = format!("{text}\n");
    let question = question.trim();
    let prompt = |question: String| model.prompt_tokens(&request(stage, &shared, question));
    let first = prompt(question.to_owned())?;
    let second = prompt(repaired(question, ""))?;
    Ok(first.zip(second).map(|(first, second)| TokenBound {
        input: first + second + FLAW_BYTES as u64,
        output: 2 * u64::from(stage.answer_tokens),
    }))
}

/// The schema of the answer is not part of a prompt whose tokens can be counted.
fn request<'a>(stage: &Stage, shared: &'a str, question: String) -> ChatRequest<'a> {
    ChatRequest {
        system: system(),
        shared,
        question,
        format: AnswerFormat::Text,
        max_output_tokens: stage.answer_tokens,
        temperature: 0.0,
        reasoning_effort: None,
    }
}
