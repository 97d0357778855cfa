//! Moonshine's rules: greedy decoding, which ends at a loop and at more tokens than anybody can speak. A segment without
//! words is divided.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use auris_audio::voice::VoiceSegment;
use auris_engine_core::speech::Word;

use crate::alignment::{Attention, FrameGrid, token_frames, word_times};
use crate::repetition_guards::{has_words, loop_start};
use crate::speech_evidence::{SpeechLength, is_spoken};
use crate::speech_model::{LanguageDoubt, Prompt, Recognised};
use crate::task::{Next, SegmentTask, Window};
use crate::token_choice::best_with_bias;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::BiasState;
use crate::words::{ChosenToken, TokenWord, estimate_times, group_tokens, into_segments, with_times};

/// The only language of these models.
pub(crate) const LANGUAGE: &str = "en";
const BEGIN: u32 = 1;
const END: u32 = 2;
/// Maximum tokens per second of audio. Nobody speaks faster, so more tokens are hallucinated.
const TOKENS_PER_SECOND: f64 = 6.5;
/// The duration of a frame of the encoder: 384 samples.
const FRAME_SECONDS: f64 = 0.024;

/// A segment of up to this many frames of the voice detector is too short to say a word twice: 0.6 seconds with the
/// margins.
const ECHO_FRAMES: usize = 20;

/// The transcription of one segment.
pub(crate) struct MoonshineTask {
    tokenizer: Arc<Tokenizer>,
    prompt: Arc<Prompt>,
    /// The mean probability of tokens below which a second opinion is wanted.
    sure_from: f32,
    /// What is still to be decoded: the segment, or parts of it, in order.
    remaining: VecDeque<VoiceSegment>,
    /// What is being decoded.
    current: VoiceSegment,
    /// The whole segment, if it is decoded in parts.
    whole: Option<VoiceSegment>,
    decoded: Decoded,
    result: Recognised,
}

/// What was decoded of the current segment.
struct Decoded {
    tokens: Vec<ChosenToken>,
    ids: Vec<u32>,
    attention: Attention,
    bias: Option<BiasState>,
}

impl Decoded {
    fn new(prompt: &Prompt) -> Self {
        Self { tokens: Vec::new(), ids: Vec::new(), attention: Attention::default(), bias: prompt.bias() }
    }

    fn push(&mut self, token: ChosenToken, attention: &[Vec<f32>]) {
        if self.tokens.is_empty() {
            self.attention = Attention::new(attention.first().map_or(0, Vec::len));
        }
        self.attention.push(attention);
        if let Some(bias) = &mut self.bias {
            bias.accept(token.id);
        }
        self.ids.push(token.id);
        self.tokens.push(token);
    }

    /// The mean probability of the tokens; one if there are none.
    fn mean_probability(&self) -> f32 {
        let sum: f32 = self.tokens.iter().map(|token| token.probability).sum();
        if self.tokens.is_empty() { 1.0 } else { sum / self.tokens.len() as f32 }
    }

    fn truncate(&mut self, tokens: usize) {
        self.tokens.truncate(tokens);
        self.attention.truncate(tokens);
    }
}

impl MoonshineTask {
    pub(crate) fn new(tokenizer: Arc<Tokenizer>, segment: VoiceSegment, prompt: &Arc<Prompt>) -> Self {
        let end = segment.start + segment.seconds();
        Self {
            tokenizer,
            prompt: prompt.clone(),
            sure_from: 0.0,
            remaining: VecDeque::from([segment]),
            current: VoiceSegment { start: 0.0, samples: Vec::new(), voice: Vec::new() },
            whole: None,
            decoded: Decoded::new(prompt),
            result: Recognised { end, ..Recognised::default() },
        }
    }

    /// The same task, which reports a doubt about a text whose tokens have a lower mean probability, and about a segment of
    /// which it does not know what was said.
    pub(crate) fn sure_from(self, probability: f32) -> Self {
        Self { sure_from: probability, ..self }
    }

    fn token_limit(&self) -> usize {
        (self.current.seconds() * TOKENS_PER_SECOND).ceil() as usize
    }

    /// Adds what was decoded to the result. If there are no words, the parts of the segment are decoded one by one.
    fn end_segment(&mut self) -> Next {
        let mut token_words = group_tokens(&self.decoded.tokens, &self.tokenizer, LANGUAGE);
        if self.current.voice.len() <= ECHO_FRAMES {
            drop_echo(&mut token_words);
            self.decoded.truncate(token_words.last().map_or(0, |word| word.tokens.end));
        }
        if !token_words.iter().any(|word| has_words(&word.text)) {
            self.divide();
            return Next::Done;
        }
        let is_spoken = is_spoken(self.decoded.tokens.iter().copied(), &self.current.voice);
        let mut segments = into_segments(&token_words, self.words(&token_words));
        // The first word of a decoding has no space before it.
        for segment in segments.iter_mut().filter(|segment| !segment.text.starts_with(' ')) {
            segment.text.insert(0, ' ');
        }
        self.result.language = Some(LANGUAGE.into());
        let found = if is_spoken { &mut self.result.segments } else { &mut self.result.unproven };
        found.extend(segments);
        Next::Done
    }

    /// Decodes the parts of the current segment next, if it has any.
    fn divide(&mut self) {
        let parts = self.current.parts();
        if !parts.is_empty() && self.whole.is_none() {
            self.whole = Some(self.current.clone());
        }
        parts.into_iter().rev().for_each(|part| self.remaining.push_front(part));
    }

    /// Whether a second opinion is wanted: of an unsure text, and if there is a voice but no text that was surely spoken.
    /// Not of the text of a part: the other text would replace that of all parts.
    fn is_doubtful(&self) -> bool {
        let Recognised { segments, unproven, .. } = &self.result;
        let has_words = !segments.is_empty() || !unproven.is_empty();
        let is_unsure = self.decoded.mean_probability() < self.sure_from;
        let segment = self.whole.as_ref().unwrap_or(&self.current);
        let is_missing = segments.is_empty() && SpeechLength::of(&segment.voice) != SpeechLength::Click;
        (has_words && self.whole.is_none() && is_unsure) || (is_missing && self.sure_from > 0.0)
    }

    /// The words with their times: from the attention, or estimated if the net returned none.
    fn words(&self, token_words: &[TokenWord]) -> Vec<Word> {
        if self.decoded.attention.tokens() != self.decoded.tokens.len() {
            return estimate_times(token_words, &self.current);
        }
        let frames = token_frames(&self.decoded.attention);
        let ranges: Vec<_> = token_words.iter().map(|word| word.tokens.clone()).collect();
        let grid = FrameGrid { start: 0.0, frame_seconds: FRAME_SECONDS };
        let times = word_times(&frames, &ranges, grid, &self.current.voice);
        let start = self.current.start;
        let word = |(word, time): (&TokenWord, Range<f64>)| {
            // The margin of a word may begin before the recording.
            with_times(word, (start + time.start).max(0.0), (start + time.end).max(0.0), 1.0)
        };
        token_words.iter().zip(times).map(word).collect()
    }
}

/// Drops the repetitions of the first word: the model repeats a word that is very short.
fn drop_echo(words: &mut Vec<TokenWord>) {
    let plain = |word: &TokenWord| {
        word.text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase()
    };
    let first = words.first().map(plain);
    let echo = words.iter().skip(1).position(|word| Some(plain(word)) == first);
    words.truncate(echo.map_or(words.len(), |nth| nth + 1));
}

impl SegmentTask for MoonshineTask {
    type Output = Recognised;

    fn window(&mut self) -> Option<Window> {
        self.current = self.remaining.pop_front()?.with_word_margins();
        Some(Window::of(0..self.current.samples.len()))
    }

    fn samples(&self) -> &[f32] {
        &self.current.samples
    }

    fn start(&mut self) -> Vec<u32> {
        self.decoded = Decoded::new(&self.prompt);
        vec![BEGIN]
    }

    /// Decodes greedily until the end token, the token limit or a loop.
    fn next(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        let token = best_with_bias(scores, self.decoded.bias.as_ref());
        if token.id == END || self.token_limit() == 0 {
            return self.end_segment();
        }
        self.decoded.push(token, attention);
        if let Some(keep) = loop_start(&self.decoded.ids) {
            self.decoded.truncate(keep);
            return self.end_segment();
        }
        if self.decoded.tokens.len() >= self.token_limit() {
            return self.end_segment();
        }
        Next::Feed(vec![token.id])
    }

    fn finish(self: Box<Self>) -> Recognised {
        let is_doubtful = self.is_doubtful();
        let Self { current, whole, result, .. } = *self;
        if !is_doubtful {
            return result;
        }
        let segment = whole.unwrap_or(current);
        let doubt = Some(Box::new(LanguageDoubt { segment, other: None, likelihood: None }));
        // Without words too, so that the second model expects the language.
        Recognised { language: Some(LANGUAGE.into()), doubt, ..result }
    }
}

#[cfg(test)]
mod tests {
    use auris_audio::SAMPLE_RATE;
    use auris_audio::voice::FRAME;

    use super::*;
    use crate::vocabulary::Vocabulary;

    const ONE: u32 = 300;
    const TWO: u32 = 301;
    const VOCABULARY: usize = 400;

    /// A vocabulary of single bytes and two words. The bytes 1 and 2 are the markers of the beginning and the end.
    fn tokenizer() -> Arc<Tokenizer> {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        tokens.resize(ONE as usize, Vec::new());
        tokens.extend([b" one".to_vec(), b" two.".to_vec()]);
        Arc::new(Tokenizer::from_tokens(tokens))
    }

    fn segment(pattern: &[(usize, f32)]) -> VoiceSegment {
        let voice: Vec<f32> =
            pattern.iter().flat_map(|(frames, voice)| std::iter::repeat_n(*voice, *frames)).collect();
        VoiceSegment { start: 50.0, samples: vec![0.0; voice.len() * FRAME], voice }
    }

    fn scores(best: u32) -> Vec<f32> {
        let mut scores = vec![-30.0; VOCABULARY];
        scores[best as usize] = 20.0;
        scores
    }

    /// Runs a task and returns its result and the number of tokens fed for each window. `texts` are the tokens of each
    /// window.
    fn run(segment: VoiceSegment, texts: &[&[u32]], heads: usize) -> (Recognised, Vec<usize>) {
        run_task(MoonshineTask::new(tokenizer(), segment, &Arc::default()), texts, heads)
    }

    fn run_task(mut task: MoonshineTask, texts: &[&[u32]], heads: usize) -> (Recognised, Vec<usize>) {
        let mut fed = Vec::new();
        while task.window().is_some() {
            let text = texts[fed.len().min(texts.len() - 1)];
            let mut tokens = task.start();
            loop {
                let best = text.get(tokens.len() - 1).copied().unwrap_or(END);
                // Each token attends to the second after that of the token before it.
                let frames = 0..task.samples().len() / 384;
                let row: Vec<f32> =
                    frames.map(|frame| if frame / 40 + 1 == tokens.len() { 1.0 } else { 0.0 }).collect();
                match task.next(&mut scores(best), &vec![row; heads]) {
                    Next::Feed(next) => tokens.extend(next),
                    Next::Rows(_) | Next::Restart => unreachable!("Moonshine decodes one row, once"),
                    Next::Done => break,
                }
            }
            fed.push(tokens.len());
        }
        (Box::new(task).finish(), fed)
    }

    #[test]
    fn words_get_the_times_of_the_attention() {
        let (recognised, fed) = run(segment(&[(250, 0.9)]), &[&[ONE, TWO]], 2);
        assert_eq!(fed, [3]);
        assert_eq!((recognised.language.as_deref(), recognised.segments.len()), (Some("en"), 1));
        let words = &recognised.segments[0].words;
        assert_eq!(recognised.segments[0].text, " one two.");
        let near = |time: f64, expected: f64| (time - expected).abs() < 0.1;
        assert!(near(words[0].start, 50.0) && near(words[1].start, 50.96), "{words:?}");
        assert_eq!(words[0].confidence, 1.0);
    }

    #[test]
    fn without_attention_the_times_are_estimated() {
        let (recognised, _) = run(segment(&[(100, 0.9)]), &[&[ONE, TWO]], 0);
        let words = &recognised.segments[0].words;
        assert_eq!((words.len(), words[0].confidence), (2, 0.9));
        assert!(words[1].start > 51.0, "{words:?}");
    }

    #[test]
    fn decoding_ends_at_a_loop_and_at_the_token_limit() {
        let (looped, fed) = run(segment(&[(600, 0.9)]), &[&[ONE; 100]], 1);
        assert_eq!((looped.segments[0].text.as_str(), fed), (" one", vec![12]));
        let letters: Vec<u32> = (0..200).map(|nth| 97 + nth * nth % 23).collect();
        let short = segment(&[(63, 0.9)]);
        let limit = (short.samples.len() as f64 / f64::from(SAMPLE_RATE) * TOKENS_PER_SECOND).ceil();
        let (_, fed) = run(short, &[&letters], 1);
        assert_eq!(fed, [limit as usize]);
    }

    #[test]
    fn a_very_short_word_is_not_repeated() {
        let (short, _) = run(segment(&[(18, 0.9)]), &[&[ONE, ONE, TWO]], 1);
        assert_eq!(short.segments[0].text, " one");
        let (longer, _) = run(segment(&[(40, 0.9)]), &[&[ONE, ONE, TWO]], 1);
        assert_eq!(longer.segments[0].text, " one one two.");
    }

    #[test]
    fn a_segment_without_words_is_decoded_in_parts() {
        let pattern = [(40, 0.9), (40, 0.1), (60, 0.9)];
        let (recognised, fed) = run(segment(&pattern), &[&[], &[ONE], &[TWO]], 1);
        assert_eq!(fed.len(), 3);
        let texts: Vec<&str> = recognised.segments.iter().map(|segment| segment.text.as_str()).collect();
        assert_eq!(texts, [" one", " two."]);
        assert!(recognised.segments[1].start > recognised.segments[0].end);
        assert_eq!(recognised.end, 50.0 + (140 * FRAME) as f64 / f64::from(SAMPLE_RATE));
        let (silent, _) = run(segment(&pattern), &[&[]], 1);
        assert_eq!((silent.segments.len(), silent.language), (0, None));
    }

    #[test]
    fn a_segment_of_improbable_words_may_be_in_another_language() {
        let doubt = |probable: bool, sure_from: f32| {
            let segment = segment(&[(100, 0.9)]);
            let mut task =
                MoonshineTask::new(tokenizer(), segment.clone(), &Arc::default()).sure_from(sure_from);
            task.window();
            task.start();
            let mut scores = scores(ONE);
            scores[TWO as usize] = if probable { -30.0 } else { 19.8 };
            task.next(&mut scores, &[]);
            task.end_segment();
            let doubt = Box::new(task).finish().doubt;
            assert!(doubt.iter().all(|doubt| doubt.segment == segment && doubt.other.is_none()));
            doubt.is_some()
        };
        assert!(doubt(false, 0.85) && !doubt(true, 0.85) && !doubt(false, 0.0));
    }

    #[test]
    fn a_voice_without_words_and_words_without_a_clear_voice_are_left_to_a_second_model() {
        let doubted = |pattern: &[(usize, f32)], texts: &[&[u32]], sure_from: f32| {
            let task = MoonshineTask::new(tokenizer(), segment(pattern), &Arc::default());
            let recognised = run_task(task.sure_from(sure_from), texts, 1).0;
            assert!(recognised.doubt.is_none() || recognised.language.is_some(), "a language is expected");
            recognised.doubt.map(|doubt| doubt.segment)
        };
        let parts = [(40, 0.9), (40, 0.1), (60, 0.9)];
        assert_eq!(doubted(&parts, &[&[]], 0.9), Some(segment(&parts)), "the whole segment");
        assert_eq!(doubted(&parts, &[&[]], 0.0), None, "there is no second model");
        assert_eq!(
            doubted(&parts, &[&[], &[ONE], &[]], 0.9),
            None,
            "its text would replace that of the part"
        );
        let weak = [(20, 0.4), (40, 0.1)];
        assert_eq!(doubted(&weak, &[&[ONE]], 0.9), Some(segment(&weak)));
        assert_eq!(doubted(&[(6, 0.9), (40, 0.1)], &[&[]], 0.9), None, "a click");
    }

    #[test]
    fn the_terms_of_the_prompt_are_preferred() {
        let tokenizer = tokenizer();
        let vocabulary = Arc::new(Vocabulary::from_prompt("Qorvax", &tokenizer));
        let prompt = Arc::new(Prompt { context: Vec::new(), vocabulary });
        for (prompt, expected) in [(Arc::default(), u32::from(b'x')), (prompt, u32::from(b' '))] {
            let mut task = MoonshineTask::new(tokenizer.clone(), segment(&[(100, 0.9)]), &prompt);
            task.window();
            task.start();
            let mut scores = scores(u32::from(b'x'));
            scores[usize::from(b' ')] = 19.5;
            assert_eq!(task.next(&mut scores, &[]), Next::Feed(vec![expected]));
        }
    }
}
