use super::*;
use crate::nets::SpecialTokens;
use crate::speech_model::Prompt;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;

pub(super) const MULTILINGUAL: usize = 51_865;
const ENGLISH: usize = 51_864;
pub(super) const ONE: u32 = 300;
pub(super) const TWO: u32 = 301;

/// Rules with a vocabulary of single bytes and two words.
pub(super) fn rules(vocabulary: usize) -> Arc<WhisperRules> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.resize(ONE as usize, Vec::new());
    tokens.extend([b" one".to_vec(), b" two".to_vec()]);
    let special = SpecialTokens::of_vocabulary(vocabulary).unwrap();
    Arc::new(WhisperRules::new(special, Tokenizer::from_tokens(tokens)).unwrap())
}

/// A segment that begins a hundred seconds after the recording, all of it speech.
pub(super) fn segment(seconds: usize) -> VoiceSegment {
    let samples = vec![0.0; seconds * SAMPLE_RATE as usize];
    let voice = vec![0.9; samples.len() / FRAME];
    VoiceSegment { start: 100.0, samples, voice }
}

pub(super) fn hints(language: Option<&str>, context: &[u32]) -> Hints {
    let prompt = Prompt { context: context.to_vec(), ..Prompt::default() };
    Hints { language: language.map(str::to_owned), prompt: Arc::new(prompt), ..Hints::default() }
}

/// Scores in which these tokens are the most probable, in this order.
fn scores(vocabulary: usize, best: &[u32]) -> Vec<f32> {
    let mut scores = vec![-30.0; vocabulary];
    for (nth, token) in best.iter().enumerate() {
        scores[*token as usize] = 20.0 - 4.0 * nth as f32;
    }
    scores
}

/// What a task asked for.
#[derive(Default)]
pub(super) struct Record {
    /// First sample and end of each.
    windows: Vec<(usize, usize)>,
    /// The tokens of the context of each.
    prompts: Vec<usize>,
    /// Silence after each window, and its rows at most.
    pub(super) plans: Vec<(Margin, usize)>,
    /// All tokens fed in each decoding, of each row at its end.
    pub(super) decodings: Vec<Vec<u32>>,
    pub(super) most_rows: usize,
}

/// Every token looks at the frames that follow those of the token before it.
fn attention(fed: usize) -> Vec<Vec<f32>> {
    vec![(0..1_500).map(|frame| if frame / 10 == fed { 1.0 } else { 0.0 }).collect()]
}

/// Runs a task. `model` returns the scores after the tokens that were fed to a row in this decoding.
pub(super) fn run<T: SegmentTask>(
    mut task: T,
    mut model: impl FnMut(&[u32]) -> Vec<f32>,
) -> (T::Output, Record) {
    let mut record = Record::default();
    while let Some(window) = task.window() {
        record.windows.push((window.samples.start, window.samples.end));
        record.prompts.push(window.prompt);
        record.plans.push((window.margin, window.rows));
        let mut rows = vec![task.start()];
        loop {
            record.most_rows = record.most_rows.max(rows.len());
            let mut results: Vec<_> = rows.iter().map(|fed| (model(fed), attention(fed.len()))).collect();
            let scored = results.iter_mut().map(|(scores, attention)| ScoredRow { scores, attention });
            rows = match task.next_rows(&mut scored.collect::<Vec<_>>()) {
                Next::Feed(tokens) => vec![[rows.remove(0), tokens].concat()],
                Next::Rows(next) => {
                    next.iter().map(|row| [rows[row.parent].as_slice(), &[row.token]].concat()).collect()
                }
                Next::Restart => {
                    record.decodings.append(&mut rows);
                    vec![task.start()]
                }
                Next::Done => break,
            };
        }
        record.decodings.append(&mut rows);
    }
    (Box::new(task).finish(), record)
}

/// A model that continues each beginning with the next of these tokens.
fn speaking(vocabulary: usize, text: &[u32]) -> impl Fn(&[u32]) -> Vec<f32> {
    let special = SpecialTokens::of_vocabulary(vocabulary).unwrap();
    let german = special.first_language + 2;
    let begin = move |fed: &[u32]| {
        let start = fed.iter().position(|token| *token == special.start).unwrap();
        let after_start = if special.languages == 0 { 1 } else { 3 };
        fed.len() - start >= after_start
    };
    let text = text.to_vec();
    move |fed| {
        if !begin(fed) {
            return scores(vocabulary, &[german]);
        }
        let start = fed.iter().position(|token| *token == special.start).unwrap();
        let spoken = fed.len() - start - if special.languages == 0 { 1 } else { 3 };
        scores(vocabulary, &[text.get(spoken).copied().unwrap_or(special.end), special.end])
    }
}

pub(super) fn texts(recognised: &Recognised) -> Vec<&str> {
    recognised.segments.iter().map(|segment| segment.text.as_str()).collect()
}

#[test]
fn the_language_is_detected_on_the_way() {
    let rules = rules(MULTILINGUAL);
    let (start, zero) = (rules.tokens.start, rules.tokens.first_timestamp);
    let task = WhisperTask::new(rules.clone(), segment(2), &hints(None, &[]));
    let text = [zero, ONE, TWO, zero + 100];
    let (recognised, record) = run(task, speaking(MULTILINGUAL, &text));
    assert_eq!(recognised.language.as_deref(), Some("de"));
    assert_eq!(texts(&recognised), [" one two"]);
    assert_eq!((recognised.end, record.windows.as_slice()), (102.0, &[(0, 32_000)][..]));
    let opening = [start, rules.tokens.first_language + 2, rules.tokens.transcribe];
    assert_eq!(record.decodings, [[&opening[..], &text[..]].concat()]);
    let words = &recognised.segments[0].words;
    assert!(words[0].start >= 100.0 && words[0].end <= words[1].start && words[1].end <= 102.0, "{words:?}");
}

#[test]
fn a_known_language_is_fed() {
    let rules = rules(MULTILINGUAL);
    let task = WhisperTask::new(rules.clone(), segment(2), &hints(Some("fr"), &[]));
    let (recognised, record) = run(task, speaking(MULTILINGUAL, &[rules.tokens.first_timestamp, ONE]));
    assert_eq!(record.decodings[0][1], rules.tokens.first_language + 6);
    assert_eq!(recognised.language.as_deref(), Some("fr"));
}

#[test]
fn the_prompt_is_context_but_not_for_the_language() {
    let rules = rules(MULTILINGUAL);
    let SpecialTokens { start, previous, transcribe, first_language, first_timestamp, .. } = rules.tokens;
    let task = WhisperTask::new(rules.clone(), segment(2), &hints(None, &[TWO]));
    let text = [first_timestamp, ONE, first_timestamp + 50];
    let (recognised, record) = run(task, speaking(MULTILINGUAL, &text));
    assert_eq!(record.decodings[0], [start]);
    let opening = [previous, TWO, start, first_language + 2, transcribe];
    assert_eq!(record.decodings[1], [&opening[..], &text[..]].concat());
    assert_eq!((recognised.language.as_deref(), texts(&recognised)), (Some("de"), vec![" one"]));
    assert_eq!(record.prompts, [1], "memory is planned for it");
}

#[test]
fn an_english_model_gets_no_language_and_no_task() {
    let rules = rules(ENGLISH);
    let SpecialTokens { start, first_timestamp, .. } = rules.tokens;
    let task = WhisperTask::new(rules.clone(), segment(2), &hints(None, &[]));
    let text = [first_timestamp, ONE, first_timestamp + 50];
    let (recognised, record) = run(task, speaking(ENGLISH, &text));
    assert_eq!(record.decodings, [[&[start][..], &text[..]].concat()]);
    assert_eq!((recognised.language.as_deref(), texts(&recognised)), (Some("en"), vec![" one"]));
}

#[test]
fn a_window_without_speech_has_no_text_unless_the_model_is_sure_of_it() {
    let rules = rules(MULTILINGUAL);
    let no_speech = rules.tokens.no_speech;
    let zero = rules.tokens.first_timestamp;
    for (is_sure, expected) in [(false, vec![]), (true, vec![" one"])] {
        let model = |fed: &[u32]| match fed.len() {
            1 => scores(MULTILINGUAL, &[no_speech]),
            3 => scores(MULTILINGUAL, &[zero]),
            // The best of many tokens that are almost as probable.
            4 if !is_sure => {
                let mut even = vec![0.0; MULTILINGUAL];
                even[ONE as usize] = 1.0;
                even[zero as usize..].fill(-30.0);
                even
            }
            4 => scores(MULTILINGUAL, &[ONE]),
            _ => scores(MULTILINGUAL, &[rules.tokens.end]),
        };
        let task = WhisperTask::new(rules.clone(), segment(3), &hints(Some("en"), &[]));
        let (recognised, _) = run(task, model);
        assert_eq!(texts(&recognised), expected);
    }
}

#[test]
fn a_loop_is_decoded_again_and_dropped_if_it_stays() {
    let rules = rules(MULTILINGUAL);
    let task = WhisperTask::new(rules.clone(), segment(20), &hints(Some("en"), &[]));
    let text = [&[rules.tokens.first_timestamp][..], &[ONE; 100]].concat();
    let (recognised, record) = run(task, speaking(MULTILINGUAL, &text));
    assert_eq!((record.decodings.len(), texts(&recognised)), (3, vec![]));
}

#[test]
fn the_words_before_a_loop_are_kept() {
    let rules = rules(MULTILINGUAL);
    let task = WhisperTask::new(rules.clone(), segment(1), &hints(Some("en"), &[]));
    let text = [&[rules.tokens.first_timestamp, TWO, ONE, TWO][..], &[ONE; 100]].concat();
    let (recognised, _) = run(task, speaking(MULTILINGUAL, &text));
    assert_eq!(texts(&recognised), [" two one two"]);
}

#[test]
fn timestamps_do_not_hide_a_loop() {
    let rules = rules(MULTILINGUAL);
    let mut quiet = segment(20);
    quiet.voice.iter_mut().skip(5).for_each(|voice| *voice = 0.0);
    let task = WhisperTask::new(rules.clone(), quiet, &hints(Some("en"), &[]));
    let zero = rules.tokens.first_timestamp;
    let segments = (0..40).flat_map(|nth| [ONE, zero + nth + 1, zero + nth + 1]);
    let text: Vec<u32> = std::iter::once(zero).chain(segments).collect();
    let (recognised, record) = run(task, speaking(MULTILINGUAL, &text));
    assert_eq!((record.decodings.len(), texts(&recognised)), (3, vec![]));
}

#[test]
fn a_text_that_ends_clearly_before_the_speech_is_continued_in_another_window() {
    let rules = rules(MULTILINGUAL);
    let (zero, end) = (rules.tokens.first_timestamp, rules.tokens.end);
    let mut window = 0;
    let model = |fed: &[u32]| {
        window += usize::from(fed.len() == 1);
        // The model ends without a word about the rest, once with a timestamp and once without.
        let texts = [vec![zero, ONE, ONE, ONE, zero + 150, end], vec![zero, TWO, TWO, TWO, TWO, TWO]];
        let text = &texts[(window - 1).min(1)];
        let spoken = fed.len().checked_sub(3);
        scores(MULTILINGUAL, &[spoken.and_then(|at| text.get(at).copied()).unwrap_or(end)])
    };
    let task = WhisperTask::new(rules.clone(), segment(10), &hints(Some("en"), &[]));
    let (recognised, record) = run(task, model);
    assert!(record.windows.len() >= 2, "{:?}", record.windows);
    assert!(texts(&recognised).concat().starts_with(" one one one two two"));
}

#[test]
fn a_text_of_too_few_words_is_decoded_again() {
    let rules = rules(MULTILINGUAL);
    let task = WhisperTask::new(rules.clone(), segment(10), &hints(Some("en"), &[]));
    let (recognised, record) = run(task, speaking(MULTILINGUAL, &[rules.tokens.first_timestamp, ONE]));
    assert!(record.decodings.len() >= 3);
    assert_eq!(texts(&recognised)[0], " one");
}

/// A doubtful text in which a term is slightly less probable than another one.
#[test]
fn further_attempts_prefer_the_terms_of_the_prompt_too() {
    let rules = rules(MULTILINGUAL);
    let zero = rules.tokens.first_timestamp;
    let term = [TWO, 97, 98];
    let model = |fed: &[u32]| {
        let spoken = fed.get(3..).unwrap_or_default();
        let next = match spoken {
            [] => return scores(MULTILINGUAL, &[zero]),
            [_, words @ ..] => term.get(words.len()).copied(),
        };
        let Some(next) = next else { return scores(MULTILINGUAL, &[rules.tokens.end]) };
        let mut even = vec![-30.0; MULTILINGUAL];
        (even[next as usize], even[ONE as usize]) = (9.8, 10.0);
        even
    };
    let vocabulary = Arc::new(Vocabulary::of_tokens(&[&term], &[]));
    let prompt = Arc::new(Prompt { vocabulary, ..Prompt::default() });
    let hints = Hints { prompt, ..hints(Some("en"), &[]) };
    let (_, record) = run(WhisperTask::new(rules.clone(), segment(20), &hints), model);
    assert!(record.decodings.len() >= 2, "too few words for twenty seconds");
    assert_eq!(record.decodings[0][4..], term);
    assert_eq!(record.decodings[1][4..], term);
}

#[test]
fn speech_after_the_last_timestamp_is_decoded_in_another_window() {
    let rules = rules(MULTILINGUAL);
    let zero = rules.tokens.first_timestamp;
    let end = rules.tokens.end;
    let mut window = 0;
    let model = |fed: &[u32]| {
        window += usize::from(fed.len() == 1);
        let texts = [[zero, ONE, zero + 90, zero + 90], [zero, TWO, zero + 100, end]];
        let text = &texts[(window - 1).min(1)];
        let spoken = fed.len().checked_sub(3);
        scores(MULTILINGUAL, &[spoken.and_then(|at| text.get(at).copied()).unwrap_or(end)])
    };
    let task = WhisperTask::new(rules.clone(), segment(5), &hints(Some("en"), &[]));
    let (recognised, record) = run(task, model);
    assert_eq!(record.windows, [(0, 80_000), (28_800, 80_000)]);
    assert_eq!(texts(&recognised), [" one", " two"]);
    assert!(recognised.segments[0].end <= 101.8 && recognised.segments[1].start >= 101.8);
}

#[test]
fn a_segment_has_windows_of_thirty_seconds_and_silence_after_a_timestamp_none() {
    let rules = rules(MULTILINGUAL);
    let zero = rules.tokens.first_timestamp;
    let mut quiet = segment(40);
    quiet.voice.iter_mut().skip(62).for_each(|voice| *voice = 0.0);
    let task = WhisperTask::new(rules.clone(), quiet, &hints(Some("en"), &[]));
    let (_, record) = run(task, speaking(MULTILINGUAL, &[zero, ONE, zero + 100, zero + 100]));
    assert_eq!(record.windows, [(0, 480_000)]);
}

#[test]
fn a_window_ends_at_the_token_limit() {
    let rules = rules(MULTILINGUAL);
    let zero = rules.tokens.first_timestamp;
    // Pseudo-random single letters, so that there is no loop.
    let letters = (0..300u32).map(|nth| 97 + nth.wrapping_mul(nth).wrapping_mul(2_654_435_761) % 7_919 % 26);
    let text: Vec<u32> = std::iter::once(zero).chain(letters).collect();
    let task = WhisperTask::new(rules.clone(), segment(29), &hints(Some("en"), &[]));
    let (_, record) = run(task, speaking(MULTILINGUAL, &text));
    // The last token is not fed.
    assert_eq!(record.decodings.last().unwrap().len(), 3 + MAX_TOKENS - 1);
}

#[test]
fn detection_returns_the_language_of_the_first_window() {
    let rules = rules(MULTILINGUAL);
    let task = DetectTask::new(rules.clone(), segment(40));
    let (language, record) = run(task, speaking(MULTILINGUAL, &[]));
    assert_eq!(language.choice().map(|choice| choice.language).as_deref(), Some("de"));
    assert_eq!((record.windows, record.decodings), (vec![(0, 480_000)], vec![vec![rules.tokens.start]]));
}

/// Which tokens may follow. Words are more probable than any timestamp, so that only the rules decide.
fn allowed(chosen: &[u32]) -> impl Fn(u32) -> bool + use<> {
    let rules = rules(MULTILINGUAL);
    let mut scores = vec![0.0; MULTILINGUAL];
    scores[..rules.tokens.first_timestamp as usize].fill(50.0);
    constrain(&mut scores, chosen, f64::INFINITY, &rules);
    move |token| scores[token as usize] > f32::NEG_INFINITY
}

pub(super) const END: u32 = 50_257;
pub(super) const ZERO: u32 = 50_364;

#[test]
fn a_window_begins_with_an_early_timestamp() {
    let allowed = allowed(&[]);
    assert!(allowed(ZERO) && allowed(ZERO + 50) && !allowed(ZERO + 51) && !allowed(1_000) && !allowed(END));
}

#[test]
fn words_follow_an_opening_timestamp_and_only_a_later_one_follows_them() {
    assert!(allowed(&[ZERO])(1_000) && !allowed(&[ZERO])(ZERO + 1));
    let after_words = allowed(&[ZERO + 10, 1_000]);
    assert!(after_words(1_001) && after_words(ZERO + 11) && !after_words(ZERO + 10));
}

#[test]
fn a_closing_timestamp_is_followed_by_an_opening_one_or_the_end() {
    let closed = allowed(&[ZERO, 1_000, ZERO + 40]);
    assert!(closed(ZERO + 40) && closed(END) && !closed(1_000) && !closed(ZERO + 39));
    assert!(allowed(&[ZERO, 1_000, ZERO + 40, ZERO + 40])(1_000));
}

#[test]
fn nothing_follows_a_segment_that_reaches_the_end_of_the_speech() {
    let rules = rules(MULTILINGUAL);
    let may_continue = |speech_end: f64| {
        let mut scores = vec![1.0; MULTILINGUAL];
        constrain(&mut scores, &[ZERO, 1_000, ZERO + 40, ZERO + 40], speech_end, &rules);
        assert!(scores[END as usize] > f32::NEG_INFINITY);
        scores[1_000] > f32::NEG_INFINITY
    };
    assert!(may_continue(1.0) && !may_continue(0.8) && !may_continue(0.5));
}

#[test]
fn a_timestamp_that_outweighs_all_words_is_the_only_choice() {
    let rules = rules(MULTILINGUAL);
    let mut scores = scores(MULTILINGUAL, &[ONE]);
    scores[ZERO as usize + 20..].fill(19.0);
    constrain(&mut scores, &[ZERO, TWO], f64::INFINITY, &rules);
    assert_eq!((scores[ONE as usize], scores[ZERO as usize + 20]), (f32::NEG_INFINITY, 19.0));
}
