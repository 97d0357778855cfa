//! When each token and each word was spoken: where in the audio the decoder's attention was when it chose the tokens.

use std::ops::Range;

use auris_audio::SAMPLE_RATE;
use auris_audio::voice::FRAME;

/// Frames of the median filter over the attention of a token.
const MEDIAN: usize = 7;
/// A frame of the voice detector with this probability of speech counts as speech.
const VOICED: f32 = 0.35;
/// The duration of a frame of the voice detector.
const VOICE_SECONDS: f64 = FRAME as f64 / SAMPLE_RATE as f64;
/// Minimum frames of the voice detector in a pause between two words; a closed consonant is shorter.
const MIN_PAUSE: usize = 3;
/// Maximum seconds between a boundary of two words and the pause that it belongs to.
const SNAP_SECONDS: f64 = 0.25;
/// The shortest word, in seconds.
const MIN_WORD_SECONDS: f64 = 0.02;

/// Where the decoder attended: for each token the mean of the alignment heads, a value for each encoder frame.
///
/// One row per token is kept, not one per head: a window of 30 seconds with 224 tokens takes 1.3 MB whatever the model.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attention {
    frames: usize,
    rows: Vec<f32>,
}

impl Attention {
    /// For audio of `frames` encoder frames. Frames beyond them are padding, and what heads attend to there is ignored.
    pub(crate) fn new(frames: usize) -> Self {
        Self { frames, rows: Vec::new() }
    }

    /// The number of tokens.
    pub(crate) fn tokens(&self) -> usize {
        self.rows.len().checked_div(self.frames).unwrap_or(0)
    }

    /// Adds a token: the weights of each alignment head in the step that chose it.
    pub(crate) fn push(&mut self, heads: &[Vec<f32>]) {
        let begin = self.rows.len();
        self.rows.resize(begin + self.frames, 0.0);
        let row = &mut self.rows[begin..];
        let share = 1.0 / heads.len().max(1) as f32;
        for head in heads {
            for (sum, weight) in row.iter_mut().zip(head) {
                *sum += weight * share;
            }
        }
    }

    /// Adds the tokens of another text on the same audio.
    pub(crate) fn append(&mut self, other: &Self) {
        self.rows.extend_from_slice(&other.rows);
    }

    /// Keeps the first `tokens` tokens.
    pub(crate) fn truncate(&mut self, tokens: usize) {
        self.rows.truncate(tokens * self.frames);
    }

    fn row(&self, token: usize) -> &[f32] {
        &self.rows[token * self.frames..(token + 1) * self.frames]
    }
}

/// The frame in which each token begins and, as the last element, the frame in which the last token ends.
///
/// Each token gets a range of frames, in the order of the tokens. The ranges are chosen so that, summed over all frames, the
/// tokens stand out most in their own frames. Frames before the first token and after the last one may belong to no token.
pub(crate) fn token_frames(attention: &Attention) -> Vec<usize> {
    let tokens = attention.tokens();
    let frames = attention.frames;
    if tokens < 2 || frames < tokens {
        // A single token cannot be compared with others, and there must be a frame for each token. Divide evenly.
        return (0..=tokens).map(|token| token * frames / tokens.max(1)).collect();
    }
    best_division(&prominence(attention), tokens, frames)
}

/// How much each token stands out in a frame against the other tokens, in standard deviations, smoothed over time.
fn prominence(attention: &Attention) -> Vec<f32> {
    let frames = attention.frames;
    let (mean, scale) = moments(attention);
    let half = MEDIAN / 2;
    let mut padded = vec![0.0; frames + 2 * half];
    let mut smooth = vec![0.0; attention.rows.len()];
    for (token, out) in smooth.chunks_exact_mut(frames).enumerate() {
        let row = attention.row(token).iter().zip(mean.iter().zip(&scale));
        for (value, (weight, (mean, scale))) in padded[half..].iter_mut().zip(row) {
            *value = (weight - mean) * scale;
        }
        let first = padded[half];
        let last = padded[half + frames - 1];
        padded[..half].fill(first);
        padded[half + frames..].fill(last);
        for (out, window) in out.iter_mut().zip(padded.windows(MEDIAN)) {
            *out = median(window);
        }
    }
    smooth
}

/// The mean over all tokens of each frame, and the reciprocal of its standard deviation.
fn moments(attention: &Attention) -> (Vec<f32>, Vec<f32>) {
    let count = attention.tokens() as f32;
    let mut mean = vec![0.0f32; attention.frames];
    let mut squares = vec![0.0f32; attention.frames];
    for token in 0..attention.tokens() {
        for (sum, weight) in mean.iter_mut().zip(attention.row(token)) {
            *sum += weight;
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= count);
    for token in 0..attention.tokens() {
        for ((sum, mean), weight) in squares.iter_mut().zip(&mean).zip(attention.row(token)) {
            *sum += (weight - mean) * (weight - mean);
        }
    }
    let scale = squares.iter().zip(&mean).map(|(sum, mean)| {
        // If all tokens attend to a frame equally, their differences are rounding errors.
        let deviation = (sum / count).sqrt();
        if deviation > 1e-4 * mean { 1.0 / deviation } else { 0.0 }
    });
    let scale = scale.collect();
    (mean, scale)
}

/// The median of seven values, by a fixed sequence of exchanges, which the compiler turns into vector instructions.
fn median(window: &[f32]) -> f32 {
    const EXCHANGES: [(usize, usize); 13] = [
        (0, 5),
        (0, 3),
        (1, 6),
        (2, 4),
        (0, 1),
        (3, 5),
        (2, 6),
        (2, 3),
        (3, 6),
        (4, 5),
        (1, 4),
        (1, 3),
        (3, 4),
    ];
    let mut sorted = [0.0; MEDIAN];
    sorted.copy_from_slice(window);
    for (low, high) in EXCHANGES {
        let one = sorted[low];
        let other = sorted[high];
        sorted[low] = if one < other { one } else { other };
        sorted[high] = if one < other { other } else { one };
    }
    sorted[MEDIAN / 2]
}

/// Divides the frames among the tokens, each of which gets one or more, so that the sum of `values` (token × frame) is
/// the largest.
fn best_division(values: &[f32], tokens: usize, frames: usize) -> Vec<usize> {
    // The best sum of a division in which the current token has the frame.
    let mut best = vec![f32::NEG_INFINITY; frames];
    // Whether the token has the frame before, too.
    let mut stays = vec![false; tokens * frames];
    for (token, row) in values.chunks_exact(frames).enumerate() {
        let stays = &mut stays[token * frames..(token + 1) * frames];
        // Frames before the first token count nothing.
        let mut entering = if token == 0 { 0.0 } else { f32::NEG_INFINITY };
        let mut staying = f32::NEG_INFINITY;
        for ((value, best), stays) in row.iter().zip(&mut best).zip(stays) {
            *stays = staying > entering;
            let before = if staying > entering { staying } else { entering };
            if token > 0 {
                entering = *best;
            }
            staying = before + value;
            *best = staying;
        }
    }
    // Frames after the last token count nothing; of two ends that are equally good, the earlier one is taken.
    let ends = best.iter().enumerate().skip(tokens - 1).rev();
    let last = ends.max_by(|one, other| one.1.total_cmp(other.1));
    let end = last.map_or(frames, |(frame, _)| frame + 1);
    begins(&stays, tokens, end)
}

/// Follows the best division back from its end.
fn begins(stays: &[bool], tokens: usize, end: usize) -> Vec<usize> {
    let frames = stays.len() / tokens;
    let mut begins = vec![end; tokens + 1];
    let mut frame = end;
    for token in (0..tokens).rev() {
        frame -= 1;
        while frame > 0 && stays[token * frames + frame] {
            frame -= 1;
        }
        begins[token] = frame;
    }
    begins
}

/// How the frames of an attention lie in the audio of a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameGrid {
    /// Where the first frame begins, in seconds from the beginning of the segment.
    pub(crate) start: f64,
    /// The duration of a frame: 0.02 s for Whisper, 0.024 s for Moonshine.
    pub(crate) frame_seconds: f64,
}

/// When each word was spoken, in seconds from the beginning of the segment.
///
/// `frames` is the result of `token_frames`, `words` the range of tokens of each word, and `voice` the probability of
/// speech in the segment. Words neither begin nor end in a pause: where the voice pauses close to the boundary of two
/// words, the first ends with the voice before the pause and the second begins with the voice after it.
pub(crate) fn word_times(
    frames: &[usize],
    words: &[Range<usize>],
    grid: FrameGrid,
    voice: &[f32],
) -> Vec<Range<f64>> {
    let time = |token: usize| {
        let frame = frames.get(token).or(frames.last()).copied().unwrap_or(0);
        grid.start + frame as f64 * grid.frame_seconds
    };
    let mut times: Vec<Range<f64>> = words.iter().map(|word| time(word.start)..time(word.end)).collect();
    // The boundary before each word and the one after the last.
    let starts = times.iter().map(|time| time.start);
    let boundaries: Vec<f64> = starts.chain(times.last().map(|time| time.end)).collect();
    for pause in pauses(voice) {
        let Some(nearest) = nearest(&boundaries, &pause) else { continue };
        if let Some(before) = nearest.checked_sub(1).and_then(|nth| times.get_mut(nth)) {
            before.end = pause.start.max(before.start);
        }
        if let Some(after) = times.get_mut(nearest) {
            // A word that lies in the pause keeps its end, so that it does not overlap the next one.
            after.start = pause.end.min(after.end - MIN_WORD_SECONDS).max(after.start);
        }
    }
    times.iter_mut().for_each(|time| time.end = time.end.max(time.start + MIN_WORD_SECONDS));
    times
}

/// The pauses of the voice, in seconds.
fn pauses(voice: &[f32]) -> Vec<Range<f64>> {
    let mut pauses = Vec::new();
    let mut begin = 0;
    for run in voice.chunk_by(|one, next| (*one < VOICED) == (*next < VOICED)) {
        let end = begin + run.len();
        let at_edge = begin == 0 || end == voice.len();
        if run[0] < VOICED && (at_edge || run.len() >= MIN_PAUSE) {
            pauses.push(begin as f64 * VOICE_SECONDS..end as f64 * VOICE_SECONDS);
        }
        begin = end;
    }
    pauses
}

/// The boundary that is closest to a pause, if it is within reach.
fn nearest(boundaries: &[f64], pause: &Range<f64>) -> Option<usize> {
    let distance = |boundary: f64| (pause.start - boundary).max(boundary - pause.end).max(0.0);
    let distances = boundaries.iter().map(|boundary| distance(*boundary)).enumerate();
    let nearest = distances.min_by(|one, other| one.1.total_cmp(&other.1));
    nearest.filter(|(_, distance)| *distance <= SNAP_SECONDS).map(|(nth, _)| nth)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOONSHINE: FrameGrid = FrameGrid { start: 0.0, frame_seconds: 0.024 };

    /// A token that attends to these frames of sixty, and a little to all others.
    fn row(frames: Range<usize>) -> Vec<Vec<f32>> {
        vec![(0..60).map(|frame| if frames.contains(&frame) { 1.0 } else { 0.01 }).collect()]
    }

    fn attention(tokens: &[Range<usize>]) -> Attention {
        let mut attention = Attention::new(60);
        tokens.iter().for_each(|frames| attention.push(&row(frames.clone())));
        attention
    }

    #[test]
    fn tokens_begin_where_the_decoder_attended() {
        assert_eq!(token_frames(&attention(&[0..20, 20..45, 45..60])), [0, 20, 45, 60]);
    }

    #[test]
    fn frames_before_the_first_token_belong_to_none() {
        assert_eq!(token_frames(&attention(&[10..20, 20..45, 45..52])), [10, 20, 45, 52]);
    }

    #[test]
    fn a_head_that_follows_nothing_is_outvoted() {
        let mut mixed = Attention::new(60);
        for frames in [0..20, 20..45, 45..60] {
            let useless = vec![1.0 / 60.0; 60];
            mixed.push(&[row(frames).remove(0), useless]);
        }
        assert_eq!(token_frames(&mixed), [0, 20, 45, 60]);
    }

    #[test]
    fn padding_after_the_audio_is_ignored() {
        let mut padded = Attention::new(40);
        [0..15, 15..60].map(row).iter().for_each(|heads| padded.push(heads));
        assert_eq!((padded.tokens(), token_frames(&padded)), (2, vec![0, 15, 40]));
        padded.truncate(1);
        assert_eq!(padded.tokens(), 1);
    }

    #[test]
    fn no_tokens_take_no_time() {
        assert_eq!(token_frames(&Attention::new(10)), [0]);
        assert_eq!(token_frames(&Attention::default()), [0]);
    }

    #[test]
    fn more_tokens_than_frames_share_them() {
        let mut crowded = Attention::new(2);
        (0..4).for_each(|_| crowded.push(&[vec![0.5, 0.5]]));
        assert_eq!(token_frames(&crowded), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn words_take_the_times_of_their_tokens() {
        let times = word_times(&[0, 10, 20, 50], &[0..2, 2..3], MOONSHINE, &[1.0; 40]);
        assert_eq!(times, [0.0..20.0 * 0.024, 20.0 * 0.024..50.0 * 0.024]);
    }

    #[test]
    fn words_end_before_a_pause_and_begin_after_it() {
        let voice: Vec<f32> =
            (0..40).map(|frame| if (14..18).contains(&frame) { 0.0 } else { 1.0 }).collect();
        let times = word_times(&[0, 20, 50], &[0..1, 1..2], MOONSHINE, &voice);
        assert_eq!(times, [0.0..14.0 * VOICE_SECONDS, 18.0 * VOICE_SECONDS..50.0 * 0.024]);
    }

    #[test]
    fn a_word_inside_a_pause_does_not_overlap_the_next_one() {
        let voice: Vec<f32> =
            (0..60).map(|frame| if (10..30).contains(&frame) { 0.0 } else { 1.0 }).collect();
        let times = word_times(&[0, 15, 25, 60], &[0..1, 1..2, 2..3], MOONSHINE, &voice);
        assert!(times.iter().all(|time| time.start < time.end), "{times:?}");
        assert!(times.windows(2).all(|pair| pair[0].end < pair[1].start + 1e-6), "{times:?}");
    }

    #[test]
    fn the_median_is_the_fourth_of_seven() {
        assert_eq!(median(&[3.0, 9.0, 1.0, 7.0, 5.0, 2.0, 8.0]), 5.0);
        assert_eq!(median(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]), 1.0);
    }
}
