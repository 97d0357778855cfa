//! Sequences that continue others, on small nets with random weights.

use std::sync::Arc;

use super::batches::{encode, moonshine, scores_after, segment, step, whisper};
use crate::net::{Feed, Net, StepOutput};
use crate::nets::decoder::Sequence;
use crate::nets::encoder_decoder::{EncoderDecoder, FrontEnd, Workspace};

fn bits(output: &StepOutput) -> Vec<u32> {
    output.scores.iter().map(|score| score.to_bits()).collect()
}

fn forked<F: FrontEnd>(net: &EncoderDecoder<F>) {
    let audio = Arc::new(encode(net, &segment(9, 9_000)));
    let (mut work, mut output) = (Workspace::default(), StepOutput::default());
    // The memories of these are used again by the forks.
    let mut ended: Vec<Sequence> = (0..3).map(|_| net.begin(audio.clone())).collect();
    ended.iter_mut().for_each(|one| step(net, one, &[40; 60], &mut work, &mut output));
    drop(ended);
    for length in [1, 2, 7, 31, 32, 33] {
        let begin: Vec<u32> = (0..length).map(|nth| 1 + nth * 5 % 40).collect();
        let mut parent = net.begin(audio.clone());
        step(net, &mut parent, &begin, &mut work, &mut output);
        let mut fork = net.fork(&parent);
        let mut feeds = [
            Feed { sequence: &mut fork, tokens: &[5], with_attention: false },
            Feed { sequence: &mut parent, tokens: &[9], with_attention: false },
        ];
        net.step(&mut feeds, &mut work, &mut output);
        let both = bits(&output);
        let (of_fork, of_parent) = both.split_at(output.vocabulary);
        assert_eq!(of_fork, scores_after(net, &audio, &[&begin, &[5]]), "{length}");
        assert_eq!(of_parent, scores_after(net, &audio, &[&begin, &[9]]), "{length}");
        drop(parent);
        step(net, &mut fork, &[6], &mut work, &mut output);
        assert_eq!(bits(&output), scores_after(net, &audio, &[&begin, &[5], &[6]]), "{length}");
    }
}

#[test]
fn a_fork_continues_the_text_and_does_not_disturb_its_parent() {
    forked(&moonshine());
    forked(&whisper());
}

fn forks_of_forks<F: FrontEnd>(net: &EncoderDecoder<F>) {
    let audio = Arc::new(encode(net, &segment(10, 6_000)));
    let (mut work, mut output) = (Workspace::default(), StepOutput::default());
    let mut sequence = net.begin(audio.clone());
    step(net, &mut sequence, &[1], &mut work, &mut output);
    for token in 2..20 {
        sequence = net.fork(&sequence);
        step(net, &mut sequence, &[token], &mut work, &mut output);
    }
    let tokens: Vec<u32> = (1..20).collect();
    assert_eq!(bits(&output), scores_after(net, &audio, &[&tokens]));
}

#[test]
fn a_text_is_the_same_after_many_forks() {
    forks_of_forks(&moonshine());
    forks_of_forks(&whisper());
}
