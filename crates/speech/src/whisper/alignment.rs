//! When each token was spoken, from where the decoder attended to the audio when it chose the token.

/// The duration of one encoder frame.
pub(super) const FRAME_SECONDS: f64 = 0.02;
/// Frames of the median filter.
const MEDIAN: usize = 7;

/// Where the decoder attended, for each token: head × audio frame.
pub(super) struct Attention {
    pub(super) frames: usize,
    pub(super) rows: Vec<Vec<Vec<f32>>>,
}

/// The frame in which each token begins and, as the last element, the frame in which the last token ends.
pub(super) fn token_frames(attention: &Attention) -> Vec<usize> {
    let tokens = attention.rows.len();
    if tokens == 0 || attention.frames == 0 {
        return vec![0; tokens + 1];
    }
    let mut begins = vec![usize::MAX; tokens];
    for (token, frame) in cheapest_path(&focus(attention), attention.frames) {
        begins[token] = begins[token].min(frame);
    }
    begins.push(attention.frames);
    for token in (0..tokens).rev() {
        begins[token] = begins[token].min(begins[token + 1]);
    }
    begins
}

/// The mean of all heads: how much a token stands out in a frame against the other tokens, smoothed over time.
fn focus(attention: &Attention) -> Vec<Vec<f32>> {
    let heads = attention.rows.first().map_or(0, Vec::len);
    let mut focus = vec![vec![0.0; attention.frames]; attention.rows.len()];
    for head in 0..heads {
        let (mean, deviation) = moments(attention, head);
        for (row, token) in focus.iter_mut().zip(&attention.rows) {
            let standing_out: Vec<f32> = (0..attention.frames)
                .map(|frame| (token[head][frame] - mean[frame]) / deviation[frame])
                .collect();
            for (sum, value) in row.iter_mut().zip(median_filter(&standing_out)) {
                *sum += value / heads as f32;
            }
        }
    }
    focus
}

fn moments(attention: &Attention, head: usize) -> (Vec<f32>, Vec<f32>) {
    let count = attention.rows.len() as f32;
    let column = |frame: usize| attention.rows.iter().map(move |token| token[head][frame]);
    let mean: Vec<f32> = (0..attention.frames).map(|frame| column(frame).sum::<f32>() / count).collect();
    let variance =
        |frame: usize| column(frame).map(|value| (value - mean[frame]).powi(2)).sum::<f32>() / count;
    let deviation = (0..attention.frames).map(|frame| variance(frame).sqrt().max(1e-6)).collect();
    (mean, deviation)
}

fn median_filter(values: &[f32]) -> Vec<f32> {
    let last = values.len() as isize - 1;
    let half = (MEDIAN / 2) as isize;
    let around = |at: isize| {
        let mut window: [f32; MEDIAN] = [0.0; MEDIAN];
        for (slot, offset) in window.iter_mut().zip(-half..=half) {
            *slot = values[(at + offset).clamp(0, last) as usize];
        }
        window.sort_by(f32::total_cmp);
        window[MEDIAN / 2]
    };
    (0..=last).map(around).collect()
}

/// Dynamic time warping: the path through tokens and frames with the most attention.
fn cheapest_path(focus: &[Vec<f32>], frames: usize) -> Vec<(usize, usize)> {
    let tokens = focus.len();
    let mut cost = vec![vec![f32::INFINITY; frames + 1]; tokens + 1];
    cost[0][0] = 0.0;
    for token in 1..=tokens {
        for frame in 1..=frames {
            let before = cost[token - 1][frame - 1].min(cost[token - 1][frame]).min(cost[token][frame - 1]);
            cost[token][frame] = before - focus[token - 1][frame - 1];
        }
    }
    let (mut token, mut frame) = (tokens, frames);
    let mut path = Vec::new();
    while token > 0 && frame > 0 {
        path.push((token - 1, frame - 1));
        let (both, up, left) = (cost[token - 1][frame - 1], cost[token - 1][frame], cost[token][frame - 1]);
        if both <= up && both <= left {
            (token, frame) = (token - 1, frame - 1);
        } else if up <= left {
            token -= 1;
        } else {
            frame -= 1;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_begin_where_the_decoder_attended() {
        let row = |from: usize, to: usize| {
            vec![
                (0..60)
                    .map(|frame| if (from..to).contains(&frame) { 1.0 } else { 0.0 })
                    .collect::<Vec<f32>>(),
            ]
        };
        let attention = Attention { frames: 60, rows: vec![row(0, 20), row(20, 45), row(45, 60)] };
        assert_eq!(token_frames(&attention), [0, 20, 45, 60]);
    }

    #[test]
    fn no_tokens_take_no_time() {
        assert_eq!(token_frames(&Attention { frames: 10, rows: vec![] }), [0]);
    }
}
