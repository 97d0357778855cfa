//! Rotary positions.

use crate::lanes::{Lanes, lanes_dispatch};
use crate::usable_level;

/// Rotates pairs of neighbors of each head of a row, by the angles of its position. `head` is the width of a head.
/// `cosines` has each cosine twice, `sines` each sine twice, the first of them negative. They may be shorter than a head,
/// whose rest stays as it is.
pub fn rotate(row: &mut [f32], head: usize, cosines: &[f32], sines: &[f32]) {
    assert_eq!(cosines.len(), sines.len(), "a sine for each cosine");
    assert!(cosines.len() <= head && cosines.len().is_multiple_of(2), "whole pairs within a head");
    rotate_at(usable_level(), row, head, cosines, sines);
}

lanes_dispatch! {
    pub(crate) fn rotate_at(row: &mut [f32], head: usize, cosines: &[f32], sines: &[f32]) = rotate_all
}

#[inline(always)]
unsafe fn rotate_all<L: Lanes>(row: &mut [f32], head: usize, cosines: &[f32], sines: &[f32]) {
    for head in row.chunks_exact_mut(head) {
        if L::WIDTH == 1 {
            rotate_pairs(head, cosines, sines);
            continue;
        }
        for at in (0..cosines.len()).step_by(L::WIDTH) {
            // SAFETY: the angles are no longer than a head. Registers have an even width, so that pairs stay together.
            unsafe {
                let left = cosines.len() - at;
                let floats = head.as_mut_ptr().add(at);
                let x = L::load_some(floats, left);
                let cosine = L::load_some(cosines.as_ptr().add(at), left);
                let sine = L::load_some(sines.as_ptr().add(at), left);
                x.mul_add(cosine, x.swap_neighbors().mul(sine)).store_some(floats, left);
            }
        }
    }
}

fn rotate_pairs(head: &mut [f32], cosines: &[f32], sines: &[f32]) {
    let pairs = head.chunks_exact_mut(2).zip(cosines.chunks_exact(2).zip(sines.chunks_exact(2)));
    for (pair, (cosine, sine)) in pairs {
        let first = pair[0];
        let second = pair[1];
        pair[0] = first * cosine[0] + second * sine[0];
        pair[1] = second * cosine[1] + first * sine[1];
    }
}
