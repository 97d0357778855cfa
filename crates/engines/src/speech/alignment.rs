//! When each token was said, from where the decoder looked in the audio while it wrote it.

/// One frame of the encoder.
pub(crate) const FRAME_SECONDS: f64 = 0.02;
const MEDIAN: usize = 7;

/// Where the decoder looked, for each token: head × audio frame.
pub(crate) struct Looks {
    pub(crate) frames: usize,
    pub(crate) rows: Vec<Vec<Vec<f32>>>,
}

/// The frame in which each token begins, and at the end the one in which the last ends.
pub(crate) fn token_frames(looks: &Looks) -> Vec<usize> {
    let tokens = looks.rows.len();
    if tokens == 0 || looks.frames == 0 {
        return vec![0; tokens + 1];
    }
    let mut begins = vec![usize::MAX; tokens];
    for (token, frame) in cheapest_path(&focus(looks), looks.frames) {
        begins[token] = begins[token].min(frame);
    }
    begins.push(looks.frames);
    for token in (0..tokens).rev() {
        begins[token] = begins[token].min(begins[token + 1]);
    }
    begins
}

/// One matrix of all heads: what stands out in a frame against the other tokens, smoothed over time.
fn focus(looks: &Looks) -> Vec<Vec<f32>> {
    let heads = looks.rows.first().map_or(0, Vec::len);
    let mut focus = vec![vec![0.0; looks.frames]; looks.rows.len()];
    for head in 0..heads {
        let (mean, deviation) = moments(looks, head);
        for (row, token) in focus.iter_mut().zip(&looks.rows) {
            let standing: Vec<f32> = (0..looks.frames)
                .map(|frame| (token[head][frame] - mean[frame]) / deviation[frame])
                .collect();
            for (sum, value) in row.iter_mut().zip(median_filter(&standing)) {
                *sum += value / heads as f32;
            }
        }
    }
    focus
}

fn moments(looks: &Looks, head: usize) -> (Vec<f32>, Vec<f32>) {
    let count = looks.rows.len() as f32;
    let column = |frame: usize| looks.rows.iter().map(move |token| token[head][frame]);
    let mean: Vec<f32> = (0..looks.frames).map(|frame| column(frame).sum::<f32>() / count).collect();
    let variance =
        |frame: usize| column(frame).map(|value| (value - mean[frame]).powi(2)).sum::<f32>() / count;
    let deviation = (0..looks.frames).map(|frame| variance(frame).sqrt().max(1e-6)).collect();
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

/// Dynamic time warping: the path through tokens and frames along which the decoder looked most.
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
    fn tokens_begin_where_the_decoder_looked() {
        let look = |from: usize, to: usize| {
            vec![
                (0..60)
                    .map(|frame| if (from..to).contains(&frame) { 1.0 } else { 0.0 })
                    .collect::<Vec<f32>>(),
            ]
        };
        let looks = Looks { frames: 60, rows: vec![look(0, 20), look(20, 45), look(45, 60)] };
        assert_eq!(token_frames(&looks), [0, 20, 45, 60]);
    }

    #[test]
    fn nothing_said_takes_no_time() {
        assert_eq!(token_frames(&Looks { frames: 10, rows: vec![] }), [0]);
    }
}
