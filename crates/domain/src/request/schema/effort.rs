//! The work to check one value of an answer: how deeply jsonschema recurses, and how many schemas it visits.
//! In a chain of schemas that each refer twice to the next, every schema doubles the visits.

use serde_json::Value;

use super::references::{self, Node};

/// Maximum schemas in a chain of references that applies to one value.
const CHAIN: usize = 128;
/// Maximum schemas that are visited for one value of an answer. Real schemas need far fewer.
const VISITS: u64 = 20_000;
/// Maximum visits for all `unevaluated…` keywords of a schema together. jsonschema copies all these schemas when it
/// compiles.
const UNEVALUATED_VISITS: u64 = 100_000;

/// Why checking the schema is too much work, or `None` if it is not.
pub(super) fn reason(schema: &Value) -> Option<String> {
    match references::nodes(schema) {
        Ok(nodes) => Efforts::of(&nodes).fault(),
        Err(error) => Some(error.to_string()),
    }
}

/// The work of one schema for one value.
#[derive(Clone, Copy)]
struct Effort {
    chain: usize,
    visits: u64,
    /// Visits to find the fields and items that no other schema has evaluated.
    unevaluated_visits: u64,
}

impl Effort {
    /// The effort of `own` schemas that are visited once each, and of all schemas that they refer to.
    fn of(own: usize, finds_unevaluated: bool, parts: impl Iterator<Item = Self>) -> Self {
        let none = Self { chain: 0, visits: 0, unevaluated_visits: 0 };
        let sum = parts.fold(none, |sum, part| Self {
            chain: sum.chain.max(part.chain),
            visits: sum.visits.saturating_add(part.visits),
            unevaluated_visits: sum
                .unevaluated_visits
                .saturating_add(part.visits)
                .saturating_add(part.unevaluated_visits),
        });
        let unevaluated_visits = sum.unevaluated_visits.saturating_add(own as u64);
        let again = if finds_unevaluated { unevaluated_visits } else { 0 };
        Self {
            chain: sum.chain + own,
            visits: sum.visits.saturating_add(own as u64).saturating_add(again),
            unevaluated_visits,
        }
    }
}

/// The efforts of all schemas. A schema is counted after those that it refers to.
struct Efforts<'a> {
    nodes: &'a [Node],
    known: Vec<Option<Effort>>,
}

impl<'a> Efforts<'a> {
    fn of(nodes: &'a [Node]) -> Self {
        let mut efforts = Self { nodes, known: vec![None; nodes.len()] };
        let mut waiting: Vec<usize> = nodes.iter().map(|node| node.parts.len()).collect();
        let users = users(nodes);
        let mut ready: Vec<usize> = (0..nodes.len()).filter(|number| waiting[*number] == 0).collect();
        while let Some(number) = ready.pop() {
            efforts.known[number] = Some(efforts.effort(&[number]));
            for user in &users[number] {
                waiting[*user] -= 1;
                if waiting[*user] == 0 {
                    ready.push(*user);
                }
            }
        }
        efforts
    }

    fn effort(&self, numbers: &[usize]) -> Effort {
        let nodes = || numbers.iter().map(|number| &self.nodes[*number]);
        let parts = nodes().flat_map(|node| &node.parts).filter_map(|part| self.known[*part]);
        Effort::of(numbers.len(), nodes().any(|node| node.finds_unevaluated), parts)
    }

    fn fault(&self) -> Option<String> {
        let looped: Vec<usize> =
            (0..self.nodes.len()).filter(|number| self.known[*number].is_none()).collect();
        if self.multiplies(&looped) {
            return Some("its references form more than one loop".into());
        }
        // A single loop is followed once.
        let all = || self.known.iter().flatten().copied().chain([self.effort(&looped)]);
        if all().any(|effort| effort.chain > CHAIN) {
            return Some(format!("its references form a chain of more than {CHAIN} schemas"));
        }
        if all().any(|effort| effort.visits > VISITS) || self.unevaluated_visits() > UNEVALUATED_VISITS {
            return Some(format!(
                "checking one value would visit more than {VISITS} schemas, because its references multiply"
            ));
        }
        None
    }

    /// Whether a schema in a loop refers to more than one schema in a loop, so that the paths multiply.
    fn multiplies(&self, looped: &[usize]) -> bool {
        looped.iter().map(|number| &self.nodes[*number]).any(|node| {
            let branches = node.parts.iter().filter(|part| self.known[**part].is_none()).count();
            branches > 1 || node.finds_unevaluated
        })
    }

    fn unevaluated_visits(&self) -> u64 {
        let asking = self.nodes.iter().zip(&self.known).filter(|(node, _)| node.finds_unevaluated);
        asking
            .filter_map(|(_, effort)| *effort)
            .fold(0, |sum, effort| sum.saturating_add(effort.unevaluated_visits))
    }
}

/// For each schema, the schemas that refer to it.
fn users(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        node.parts.iter().for_each(|part| users[*part].push(number));
    }
    users
}
