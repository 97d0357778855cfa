//! The statement types. Each statement is written once, or twice where the databases differ, and is listed by
//! `all_statements` in `lib.rs`, so that a test can prepare every one of them.
//!
//! The types `BatchedWrite`, `ReturningWrite` and `ConditionalWrite` mark statements that become part of a larger
//! statement on PostgreSQL (see `batch`). Their constructors run at compile time, so a text that does not fit does not
//! compile.

/// One statement as each database receives it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// Which of the types below a statement has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Statement,
    BatchedWrite,
    ReturningWrite,
    ConditionalWrite,
}

/// A statement with the path of its constant, such as `auris_store::jobs::read::PAGE`.
pub(crate) struct ListedStatement {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) statement: Statement,
}

impl Statement {
    pub(crate) const KIND: Kind = Kind::Statement;

    pub(crate) const fn new(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    pub(crate) const fn statement(&self) -> Self {
        *self
    }
}

/// A write that can be sent together with other writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchedWrite(Statement);

impl BatchedWrite {
    pub(crate) const KIND: Kind = Kind::BatchedWrite;

    pub(crate) const fn new(sqlite: &'static str, postgres: &'static str) -> Self {
        assert_fits_into_with(postgres);
        Self(Statement { sqlite, postgres })
    }

    pub(crate) const fn statement(&self) -> Statement {
        self.0
    }
}

/// A write whose `RETURNING` row is the result of a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReturningWrite(Statement);

impl ReturningWrite {
    pub(crate) const KIND: Kind = Kind::ReturningWrite;

    pub(crate) const fn new(sqlite: &'static str, postgres: &'static str) -> Self {
        assert_fits_into_with(postgres);
        assert!(contains(postgres, " RETURNING "), "the first write of a pair must return its row");
        Self(Statement { sqlite, postgres })
    }

    pub(crate) const fn statement(&self) -> Statement {
        self.0
    }
}

/// A write that ends in a condition, to which a batch appends `AND …`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConditionalWrite(Statement);

impl ConditionalWrite {
    pub(crate) const KIND: Kind = Kind::ConditionalWrite;

    pub(crate) const fn new(sqlite: &'static str, postgres: &'static str) -> Self {
        assert_fits_into_with(postgres);
        assert!(contains(postgres, "WHERE "), "the second write of a pair must end in a condition");
        // `AND` binds more tightly than `OR`, so it would join only the last alternative.
        assert!(!contains(postgres, " OR "), "the condition of the second write must not contain OR");
        assert!(
            !contains(postgres, "RETURNING") && !contains(postgres, "ON CONFLICT"),
            "the second write of a pair must end in its condition"
        );
        Self(Statement { sqlite, postgres })
    }

    pub(crate) const fn statement(&self) -> Statement {
        self.0
    }
}

/// Panics unless the text can be put into `WITH part AS (…)` with its parameters renumbered.
const fn assert_fits_into_with(text: &str) {
    let is_write =
        starts_with(text, "INSERT ") || starts_with(text, "UPDATE ") || starts_with(text, "DELETE ");
    assert!(is_write, "a batched statement must begin with INSERT, UPDATE or DELETE");
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'$' {
            let is_parameter = at + 1 < bytes.len() && bytes[at + 1].is_ascii_digit();
            assert!(is_parameter, "every `$` in a batched statement must begin a parameter");
        }
        at += 1;
    }
}

const fn starts_with(text: &str, prefix: &str) -> bool {
    is_at(text.as_bytes(), 0, prefix.as_bytes())
}

const fn contains(text: &str, word: &str) -> bool {
    let mut at = 0;
    while at < text.len() {
        if is_at(text.as_bytes(), at, word.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_at(text: &[u8], at: usize, word: &[u8]) -> bool {
    let mut index = 0;
    while index < word.len() {
        if at + index >= text.len() || text[at + index] != word[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Declares the statements of a file, and their list as `STATEMENTS`. The second text, if there is one, is for
/// PostgreSQL. A statement without a type is a `Statement`.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident $(: $kind:ident)? = $text:expr $(, postgres = $postgres:expr)?;)*) => {
        $(
            $(#[$doc])*
            const $name: $crate::sql::statements::kind!($($kind)?) =
                <$crate::sql::statements::kind!($($kind)?)>::new(
                    $text,
                    $crate::sql::statements::second!($text $(, $postgres)?),
                );
        )*

        pub(crate) const STATEMENTS: &[$crate::sql::statements::ListedStatement] = &[$(
            $crate::sql::statements::ListedStatement {
                name: concat!(module_path!(), "::", stringify!($name)),
                kind: <$crate::sql::statements::kind!($($kind)?)>::KIND,
                statement: $name.statement(),
            },
        )*];
    };
}

macro_rules! kind {
    () => {
        $crate::sql::statements::Statement
    };
    ($kind:ident) => {
        $crate::sql::statements::$kind
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

pub(crate) use {kind, second, statements};

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn is_refused(new: impl FnOnce() + std::panic::UnwindSafe) -> bool {
        catch_unwind(new).is_err()
    }

    #[test]
    fn a_statement_that_does_not_fit_into_a_batch_is_refused() {
        let texts = [
            "WITH due AS (SELECT 1) UPDATE a SET x = $1",
            "SELECT 1",
            "UPDATE a SET x = '$'",
            "UPDATE a SET x = $name WHERE y = $1",
        ];
        for text in texts {
            assert!(is_refused(move || _ = BatchedWrite::new(text, text)), "{text}");
            assert!(is_refused(move || _ = ReturningWrite::new(text, text)), "{text}");
            assert!(is_refused(move || _ = ConditionalWrite::new(text, text)), "{text}");
        }
        BatchedWrite::new("", "DELETE FROM a WHERE x = $1");
    }

    #[test]
    fn the_first_write_of_a_pair_must_return_its_row() {
        assert!(is_refused(|| _ = ReturningWrite::new("", "UPDATE a SET x = $1 WHERE y = $2")));
        ReturningWrite::new("", "UPDATE a SET x = $1 WHERE y = $2 RETURNING x");
    }

    #[test]
    fn the_second_write_of_a_pair_must_end_in_a_condition() {
        let texts = [
            "UPDATE a SET x = $1",
            "UPDATE a SET x = $1 WHERE y = $2 RETURNING x",
            "UPDATE a SET x = $1 WHERE y = $2 OR y = $3",
            "INSERT INTO a SELECT x FROM b WHERE y = $1 ON CONFLICT DO NOTHING",
        ];
        for text in texts {
            assert!(is_refused(move || _ = ConditionalWrite::new(text, text)), "{text}");
        }
        ConditionalWrite::new("", "UPDATE a SET x = $1 WHERE y = $2");
    }
}
