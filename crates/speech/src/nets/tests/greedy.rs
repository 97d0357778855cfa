//! Decodes segments greedily, some together, with refilling: a queue without anything around it.

use std::sync::Arc;

use crate::net::{Feed, Net, StepOutput};

/// How a net is decoded.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) start: Vec<u32>,
    pub(super) end: u32,
    /// Only tokens below this number are chosen.
    pub(super) candidates: usize,
    pub(super) max_tokens: usize,
}

/// A chosen token and the bits of its score, so that a comparison sees the smallest difference.
pub(super) type Chosen = (u32, u32);

struct Decoding<N: Net> {
    nth: usize,
    sequence: N::Sequence,
    next: Vec<u32>,
}

/// The tokens of each segment, decoded `together` at a time. Where one ends, the next takes its place.
pub(super) fn decode<N: Net>(
    net: &N,
    segments: &[Vec<f32>],
    rules: &Rules,
    together: usize,
) -> Vec<Vec<Chosen>> {
    let (mut work, mut output) = (N::Workspace::default(), StepOutput::default());
    let mut chosen = vec![Vec::new(); segments.len()];
    let mut waiting = segments.iter().enumerate();
    let mut open: Vec<Decoding<N>> = Vec::new();
    loop {
        while open.len() < together {
            let Some((nth, samples)) = waiting.next() else { break };
            let audio = net.encode(samples.as_slice().into(), &mut work, &|| Ok(())).unwrap();
            let sequence = net.begin(Arc::new(audio));
            open.push(Decoding { nth, sequence, next: rules.start.clone() });
        }
        if open.is_empty() {
            return chosen;
        }
        let feeds = open.iter_mut().map(|Decoding { sequence, next, .. }| Feed {
            sequence,
            tokens: next,
            with_attention: false,
        });
        net.step(&mut feeds.collect::<Vec<_>>(), &mut work, &mut output);
        let mut rows = output.scores.chunks_exact(output.vocabulary);
        open.retain_mut(|one| choose(rows.next().unwrap(), rules, one, &mut chosen));
    }
}

/// Takes the best token; whether the decoding goes on.
fn choose<N: Net>(scores: &[f32], rules: &Rules, one: &mut Decoding<N>, chosen: &mut [Vec<Chosen>]) -> bool {
    let token = auris_kernels::argmax(&scores[..rules.candidates]);
    let tokens = &mut chosen[one.nth];
    tokens.push((token as u32, scores[token].to_bits()));
    one.next = vec![token as u32];
    token as u32 != rules.end && tokens.len() < rules.max_tokens
}
