//! Binding arguments to a query.

/// A query with its arguments bound, for either driver.
macro_rules! bound {
    ($text:expr, $arguments:expr) => {{
        let text = sqlx::SqlSafeStr::into_sql_str($text);
        let arguments = $arguments;
        $crate::sql::recording::note(|| $crate::sql::recording::Recorded::Statement {
            text: text.as_str().to_owned(),
            arguments: arguments.clone(),
        });
        let mut query = sqlx::query(text);
        for argument in arguments {
            query = match argument {
                $crate::sql::arguments::Argument::Text(text) => query.bind(text),
                $crate::sql::arguments::Argument::Integer(integer) => query.bind(integer),
            };
        }
        query
    }};
}
pub(crate) use bound;
