//! Statements: each written once, or twice where the databases differ, and known to a test that prepares them all.

/// One statement as each database is given it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// Declares the statements of a file. The second text, where there is one, is PostgreSQL's.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $text:expr $(, postgres = $postgres:expr)?;)*) => {
        $(
            $(#[$doc])*
            const $name: $crate::statements::Statement = $crate::statements::Statement {
                sqlite: $text,
                postgres: $crate::statements::second!($text $(, $postgres)?),
            };
        )*

        #[cfg(test)]
        pub(crate) const STATEMENTS: &[(&str, $crate::statements::Statement)] =
            &[$((concat!(module_path!(), "::", stringify!($name)), $name),)*];
    };
}

macro_rules! second {
    ($text:expr) => {
        $text
    };
    ($text:expr, $postgres:expr) => {
        $postgres
    };
}

pub(crate) use {second, statements};

/// Every statement of the crate, by name.
#[cfg(test)]
pub(crate) fn all() -> Vec<(&'static str, Statement)> {
    [
        crate::agreements::STATEMENTS,
        crate::api_keys::STATEMENTS,
        crate::artifacts::STATEMENTS,
        crate::balances::STATEMENTS,
        crate::chores::STATEMENTS,
        crate::claim::STATEMENTS,
        crate::commit::STATEMENTS,
        crate::content::STATEMENTS,
        crate::create::STATEMENTS,
        crate::deliveries::STATEMENTS,
        crate::delivery_claims::STATEMENTS,
        crate::delivery_records::STATEMENTS,
        crate::endpoints::STATEMENTS,
        crate::events::STATEMENTS,
        crate::holds::STATEMENTS,
        crate::idempotency::STATEMENTS,
        crate::inspect::STATEMENTS,
        crate::jobs::STATEMENTS,
        crate::ledger::STATEMENTS,
        crate::movement::STATEMENTS,
        crate::projects::STATEMENTS,
        crate::reseal::STATEMENTS,
        crate::secrets::STATEMENTS,
        crate::shared_read::STATEMENTS,
        crate::steps::STATEMENTS,
        crate::store::STATEMENTS,
        crate::transfer::STATEMENTS,
        crate::turns::STATEMENTS,
        crate::usage::STATEMENTS,
    ]
    .concat()
}
