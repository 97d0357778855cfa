//! The statements of the crate by name, and the batches that can be made of them, for tests that prepare and explain every
//! one.

use super::arguments::Argument;
use super::batch::{Batch, WritePair};
use super::statements::{BatchedWrite, ConditionalWrite, Kind, ListedStatement, ReturningWrite, Statement};

/// A statement as each database receives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedStatement {
    /// The path of its constant, such as `auris_store::jobs::read::PAGE`.
    pub name: &'static str,
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

impl From<&ListedStatement> for NamedStatement {
    fn from(listed: &ListedStatement) -> Self {
        Self { name: listed.name, sqlite: listed.statement.sqlite, postgres: listed.statement.postgres }
    }
}

/// Statements that PostgreSQL receives as batches: all batched writes together, and every pair of writes, alone and after
/// them.
pub(crate) fn batches(listed: &[&ListedStatement]) -> Vec<String> {
    let writes = || {
        let mut batch = Batch::default();
        for write in of_kind(listed, Kind::BatchedWrite) {
            batch.add(&BatchedWrite::new(write.sqlite, write.postgres), placeholders(write));
        }
        batch
    };
    let mut texts: Vec<String> = writes().into_write().map(|(text, _)| text).into_iter().collect();
    for first in of_kind(listed, Kind::ReturningWrite) {
        for second in of_kind(listed, Kind::ConditionalWrite) {
            let returning = ReturningWrite::new(first.sqlite, first.postgres);
            let conditional = ConditionalWrite::new(second.sqlite, second.postgres);
            for batch in [Batch::default(), writes()] {
                let pair = WritePair {
                    first: &returning,
                    first_arguments: placeholders(first),
                    second: &conditional,
                    second_arguments: placeholders(second),
                };
                texts.push(batch.into_query(pair).0);
            }
        }
    }
    texts
}

fn of_kind(listed: &[&ListedStatement], kind: Kind) -> impl Iterator<Item = Statement> {
    listed.iter().filter(move |listed| listed.kind == kind).map(|listed| listed.statement)
}

/// One argument for each parameter of the statement.
fn placeholders(statement: Statement) -> Vec<Argument> {
    let parameters = (1..).take_while(|number| statement.postgres.contains(&format!("${number}")));
    parameters.map(|_| Argument::Text(None)).collect()
}
