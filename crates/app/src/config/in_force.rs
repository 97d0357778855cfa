//! The settings in force as text, for the console. Secrets are masked.

use toml::{Table, Value};

use super::overlay;

const MASK: &str = "••••";
/// Settings that are secrets as a whole.
const SECRETS: [&str; 2] = ["security.master_key", "security.previous_master_keys"];

/// One setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingInForce {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Where it was set: `default`, `file`, `environment` or `flag`.
    pub(crate) source: &'static str,
}

/// Every setting with its value, ordered by name. `file` is the configuration file, and `variables` are the names of all
/// environment variables.
pub(super) fn list(settings: &Table, file: &Table, variables: &[String]) -> Vec<SettingInForce> {
    let mut listed: Vec<SettingInForce> = leaves(settings, "")
        .map(|(name, value)| {
            let source = if variables.iter().any(|variable| overlay::names(variable, &name)) {
                "environment"
            } else if leaves(file, "").any(|(set, _)| set == name) {
                "file"
            } else {
                "default"
            };
            SettingInForce { value: shown(&name, value), name, source }
        })
        .collect();
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    listed
}

/// The values of a table with their full names.
fn leaves<'a>(table: &'a Table, section: &str) -> Box<dyn Iterator<Item = (String, &'a Value)> + 'a> {
    let section = section.to_owned();
    Box::new(table.iter().flat_map(move |(key, value)| {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        match value {
            Value::Table(inner) => leaves(inner, &name),
            _ => Box::new(std::iter::once((name, value))),
        }
    }))
}

fn shown(name: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Table(_) => {
            value.to_string()
        }
    };
    if SECRETS.contains(&name) && !text.is_empty() { MASK.to_owned() } else { without_password(&text) }
}

/// A text without its quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Masks the password of a URL such as `postgres://user:password@host/name`.
fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else { return text.to_owned() };
    let name = user.split(':').next().unwrap_or_default();
    let after = &rest[user.len() + 1..];
    match user.contains(':') {
        true => format!("{scheme}://{name}:{MASK}@{after}"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_passwords_are_masked() {
        let text = "[security]\nmaster_key = \"abc\"\nprevious_master_keys = [\"d\", \"e\"]\n\
                    [database]\nurl = \"postgres://auris:se@cret@db/auris?x=1\"\nmax_connections = 16\n";
        let listed = list(&text.parse().unwrap(), &Table::new(), &[]);
        let value = |name: &str| listed.iter().find(|one| one.name == name).unwrap().value.clone();
        assert_eq!(value("security.master_key"), MASK);
        assert_eq!(value("security.previous_master_keys"), MASK);
        assert_eq!(value("database.url"), "postgres://auris:••••@db/auris?x=1");
        assert_eq!(value("database.max_connections"), "16");
        assert!(!format!("{listed:?}").contains("cret"));
    }

    #[test]
    fn a_setting_says_where_it_was_set() {
        let settings = "[jobs]\npoll_ms = 1\nlease_seconds = 2\n[logs]\nlevel = \"info\"\n".parse().unwrap();
        let file = "[jobs]\npoll_ms = 1\nlease_seconds = 2\n".parse().unwrap();
        let listed = list(&settings, &file, &["AURIS_JOBS__POLL_MS".into(), "HOME".into()]);
        let sources: Vec<_> = listed.iter().map(|one| (one.name.as_str(), one.source)).collect();
        let expected =
            [("jobs.lease_seconds", "file"), ("jobs.poll_ms", "environment"), ("logs.level", "default")];
        assert_eq!(sources, expected);
    }

    #[test]
    fn values_without_a_secret_stay() {
        for text in ["", "s3://bucket/prefix", "postgres://auris@db/auris", "https://a/b@c:d"] {
            assert_eq!(without_password(text), text);
        }
    }
}
