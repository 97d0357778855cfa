//! What it takes to check one place of an answer: how deep jsonschema calls itself there, and how often.
//! A few dozen references that each lead twice to the next double every time.

use serde_json::Value;

use super::references::{self, Node};

/// Schemas that lead from one to the next at the same place.
const CHAIN: usize = 128;
/// Far above what any honest schema asks of one place in an answer.
const VISITS: u64 = 20_000;
/// What all the `unevaluated…` of a schema may ask together; jsonschema copies all of it when it compiles.
const ASKED_BACK: u64 = 100_000;

/// Why the schema takes too much, or `None` when it does not.
pub(super) fn reason(schema: &Value) -> Option<String> {
    match references::nodes(schema) {
        Ok(nodes) => Ledger::of(&nodes).fault(),
        Err(error) => Some(error.to_string()),
    }
}

/// What one schema takes at one place.
#[derive(Clone, Copy)]
struct Effort {
    chain: usize,
    visits: u64,
    /// Visits to find out which fields and items were looked at.
    asked_back: u64,
}

impl Effort {
    /// The effort of so many schemas that are visited once each, with all that they lead to.
    fn of(own: usize, asks_back: bool, parts: impl Iterator<Item = Self>) -> Self {
        let none = Self { chain: 0, visits: 0, asked_back: 0 };
        let sum = parts.fold(none, |sum, part| Self {
            chain: sum.chain.max(part.chain),
            visits: sum.visits.saturating_add(part.visits),
            asked_back: sum.asked_back.saturating_add(part.visits).saturating_add(part.asked_back),
        });
        let asked_back = sum.asked_back.saturating_add(own as u64);
        let again = if asks_back { asked_back } else { 0 };
        Self {
            chain: sum.chain + own,
            visits: sum.visits.saturating_add(own as u64).saturating_add(again),
            asked_back,
        }
    }
}

/// The efforts of all schemas, counted from those that lead nowhere back to those that lead to them.
struct Ledger<'a> {
    nodes: &'a [Node],
    known: Vec<Option<Effort>>,
}

impl<'a> Ledger<'a> {
    fn of(nodes: &'a [Node]) -> Self {
        let mut ledger = Self { nodes, known: vec![None; nodes.len()] };
        let mut waiting: Vec<usize> = nodes.iter().map(|node| node.parts.len()).collect();
        let users = users(nodes);
        let mut ready: Vec<usize> = (0..nodes.len()).filter(|number| waiting[*number] == 0).collect();
        while let Some(number) = ready.pop() {
            ledger.known[number] = Some(ledger.effort(&[number]));
            for user in &users[number] {
                waiting[*user] -= 1;
                if waiting[*user] == 0 {
                    ready.push(*user);
                }
            }
        }
        ledger
    }

    fn effort(&self, numbers: &[usize]) -> Effort {
        let nodes = || numbers.iter().map(|number| &self.nodes[*number]);
        let parts = nodes().flat_map(|node| &node.parts).filter_map(|part| self.known[*part]);
        Effort::of(numbers.len(), nodes().any(|node| node.asks_back), parts)
    }

    fn fault(&self) -> Option<String> {
        let looped: Vec<usize> =
            (0..self.nodes.len()).filter(|number| self.known[*number].is_none()).collect();
        if self.multiplies(&looped) {
            return Some("its references lead around in more than one loop".into());
        }
        // A single loop is gone through once and then left.
        let all = || self.known.iter().flatten().copied().chain([self.effort(&looped)]);
        if all().any(|effort| effort.chain > CHAIN) {
            return Some(format!("its references form a chain of more than {CHAIN} schemas"));
        }
        if all().any(|effort| effort.visits > VISITS) || self.asked_back() > ASKED_BACK {
            return Some(format!(
                "checking one place against it would visit more than {VISITS} schemas; its references multiply"
            ));
        }
        None
    }

    /// Whether there is more than one way to go on within the loops: then the ways multiply.
    fn multiplies(&self, looped: &[usize]) -> bool {
        looped.iter().map(|number| &self.nodes[*number]).any(|node| {
            let ways = node.parts.iter().filter(|part| self.known[**part].is_none()).count();
            ways > 1 || node.asks_back
        })
    }

    fn asked_back(&self) -> u64 {
        let asking = self.nodes.iter().zip(&self.known).filter(|(node, _)| node.asks_back);
        asking.filter_map(|(_, effort)| *effort).fold(0, |sum, effort| sum.saturating_add(effort.asked_back))
    }
}

/// Who leads to each schema.
fn users(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        node.parts.iter().for_each(|part| users[*part].push(number));
    }
    users
}
