//! What several nodes on one database share.

mod leases;
mod model_tasks;
mod nodes;
mod orphan_blobs;
pub(crate) mod shared_values;
mod tasks;

pub(crate) use self::leases::latest_end;
use crate::sql::ListedStatement;

pub(crate) const STATEMENTS: &[&[ListedStatement]] = &[
    model_tasks::STATEMENTS,
    nodes::STATEMENTS,
    orphan_blobs::STATEMENTS,
    shared_values::STATEMENTS,
    tasks::STATEMENTS,
];
