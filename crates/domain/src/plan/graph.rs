//! The order of steps: each comes after those it needs, then in request order. Cycles are refused.

use super::draft::{Draft, Read};
use crate::error::{ApiError, Checked, ErrorCode};

/// The drafts in running order, with the indices of their needs updated.
pub(super) fn sorted(drafts: Vec<Draft>) -> Checked<Vec<Draft>> {
    let order = running_order(&drafts);
    if order.len() < drafts.len() {
        return Err(cycle(&drafts, &order));
    }
    let place = |step: usize| order.iter().position(|index| *index == step).unwrap_or(step);
    let mut drafts: Vec<(usize, Draft)> =
        drafts.into_iter().enumerate().map(|(index, draft)| (place(index), draft)).collect();
    for (_, draft) in &mut drafts {
        renumber(draft, place);
    }
    drafts.sort_by_key(|(place, _)| *place);
    Ok(drafts.into_iter().map(|(_, draft)| draft).collect())
}

fn running_order(drafts: &[Draft]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(drafts.len());
    loop {
        let round: Vec<usize> = (0..drafts.len())
            .filter(|index| !order.contains(index))
            .filter(|index| drafts[*index].needs.iter().all(|need| order.contains(&need.step)))
            .collect();
        if round.is_empty() {
            return order;
        }
        order.extend(round);
    }
}

fn renumber(draft: &mut Draft, place: impl Fn(usize) -> usize) {
    for need in &mut draft.needs {
        need.step = place(need.step);
    }
    draft.needs.sort_by_key(|need| need.step);
    for read in &mut draft.reads {
        if let Read::Output(step) = read {
            *step = place(*step);
        }
    }
}

/// Each remaining step waits for another remaining one, so following them leads into a cycle.
fn cycle(drafts: &[Draft], order: &[usize]) -> ApiError {
    let waits_for = |step: usize| drafts[step].needs.iter().find(|need| !order.contains(&need.step));
    let mut step = (0..drafts.len()).find(|index| !order.contains(index)).unwrap_or_default();
    for _ in 0..drafts.len() {
        step = waits_for(step).map_or(step, |need| need.step);
    }
    let need = waits_for(step);
    let other = need.map_or_else(String::new, |need| drafts[need.step].spec.key());
    let message =
        format!("The step `{}` reads from `{other}`, which in turn waits for it.", drafts[step].spec.key());
    ApiError::new(ErrorCode::SourceCycle, message)
        .at(need.map_or_else(String::new, |need| need.param.clone()))
}
