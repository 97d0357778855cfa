//! Every SQL statement of this crate by name, for tests that prepare and explain them, and for the benchmark that runs
//! them without the store.

use crate::sql::Argument;
use crate::sql::batch::Batch;
use crate::sql::statements::{
    BatchedWrite, ConditionalWrite, Kind, ListedStatement, ReturningWrite, Statement,
};
use crate::{
    access, cluster, held_keys, idempotency, jobs, money, operator, secrets, sql, store, wakeups, webhooks,
};

/// A statement as each database receives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedStatement {
    /// The path of its constant, such as `auris_store::jobs::read::PAGE`.
    pub name: &'static str,
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

/// All statements.
pub fn all() -> Vec<NamedStatement> {
    let named = |listed: &ListedStatement| NamedStatement {
        name: listed.name,
        sqlite: listed.statement.sqlite,
        postgres: listed.statement.postgres,
    };
    listed().map(named).collect()
}

/// Statements that PostgreSQL receives as batches: all batched writes together, and every pair of writes, alone and after
/// them.
pub fn batches() -> Vec<String> {
    let writes = || {
        let mut batch = Batch::default();
        for write in of_kind(Kind::BatchedWrite) {
            batch.add(&BatchedWrite::new(write.sqlite, write.postgres), placeholders(write));
        }
        batch
    };
    let mut texts: Vec<String> = writes().into_write().map(|(text, _)| text).into_iter().collect();
    for first in of_kind(Kind::ReturningWrite) {
        for second in of_kind(Kind::ConditionalWrite) {
            let returning = ReturningWrite::new(first.sqlite, first.postgres);
            let conditional = ConditionalWrite::new(second.sqlite, second.postgres);
            for batch in [Batch::default(), writes()] {
                let first = (&returning, placeholders(first));
                let second = (&conditional, placeholders(second));
                texts.push(batch.into_query(first, second).0);
            }
        }
    }
    texts
}

fn of_kind(kind: Kind) -> impl Iterator<Item = Statement> {
    listed().filter(move |listed| listed.kind == kind).map(|listed| listed.statement)
}

/// One argument for each parameter of the statement.
fn placeholders(statement: Statement) -> Vec<Argument> {
    let parameters = (1..).take_while(|number| statement.postgres.contains(&format!("${number}")));
    parameters.map(|_| Argument::Text(None)).collect()
}

fn listed() -> impl Iterator<Item = &'static ListedStatement> {
    let lists = [
        access::api_keys::STATEMENTS,
        access::operator_keys::STATEMENTS,
        access::projects::STATEMENTS,
        access::sessions::STATEMENTS,
        cluster::model_tasks::STATEMENTS,
        cluster::nodes::STATEMENTS,
        cluster::orphan_blobs::STATEMENTS,
        cluster::shared_values::STATEMENTS,
        cluster::tasks::STATEMENTS,
        held_keys::STATEMENTS,
        idempotency::STATEMENTS,
        jobs::annotations::STATEMENTS,
        jobs::artifacts::STATEMENTS,
        jobs::claim::STATEMENTS,
        jobs::commit::STATEMENTS,
        jobs::create::STATEMENTS,
        jobs::delete_content::STATEMENTS,
        jobs::events::STATEMENTS,
        jobs::fair_order::STATEMENTS,
        jobs::read::STATEMENTS,
        jobs::steps::STATEMENTS,
        jobs::transition::STATEMENTS,
        money::balances::STATEMENTS,
        money::holds::STATEMENTS,
        money::ledger::STATEMENTS,
        money::usage::STATEMENTS,
        operator::inspect::STATEMENTS,
        operator::overview::STATEMENTS,
        operator::transfer::STATEMENTS,
        secrets::keep::STATEMENTS,
        secrets::reseal::STATEMENTS,
        sql::migrations::STATEMENTS,
        store::STATEMENTS,
        wakeups::STATEMENTS,
        webhooks::attempts::STATEMENTS,
        webhooks::claim::STATEMENTS,
        webhooks::deliveries::STATEMENTS,
        webhooks::endpoints::STATEMENTS,
    ];
    lists.into_iter().flatten()
}
