//! Settings as text: the defaults, overlaid by a file and by the environment. Every key must have a default.
//!
//! Written by hand, because an error must name the key and where it was set, and because an environment variable has the
//! type of its default, which general loaders guess from the text.

use anyhow::{Context, bail};
use toml::{Table, Value};

const DEFAULTS: &str = include_str!("../../../../config.default.toml");
const PREFIX: &str = "AURIS_";

/// The merged settings, before their values are checked.
pub(super) fn load(
    file: Option<&str>,
    environment: impl Iterator<Item = (String, String)>,
) -> anyhow::Result<Table> {
    let mut settings: Table = DEFAULTS.parse().context("config.default.toml does not parse")?;
    if let Some(text) = file {
        let table: Table = text.parse().context("the configuration file is not valid TOML")?;
        overlay(&mut settings, table, "")?;
    }
    for (name, value) in environment {
        if let Some((section, key)) = setting_name(&name) {
            set(&mut settings, &section, &key, &value)
                .with_context(|| format!("the environment variable `{name}`"))?;
        }
    }
    Ok(settings)
}

/// `AURIS_JOBS__LEASE_SECONDS` is `jobs` and `lease_seconds`; names without `__` are not settings.
fn setting_name(variable: &str) -> Option<(String, String)> {
    let (section, key) = variable.strip_prefix(PREFIX)?.split_once("__")?;
    Some((section.to_lowercase(), key.to_lowercase()))
}

/// Whether a variable sets the setting with this full name.
pub(super) fn names(variable: &str, setting: &str) -> bool {
    setting_name(variable).is_some_and(|(section, key)| format!("{section}.{key}") == setting)
}

fn overlay(settings: &mut Table, given: Table, section: &str) -> anyhow::Result<()> {
    for (key, value) in given {
        let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        match (settings.get_mut(&key), value) {
            (None, _) => bail!("unknown setting `{name}`; config.default.toml lists all settings"),
            (Some(Value::Table(known)), Value::Table(inner)) => overlay(known, inner, &name)?,
            (Some(known), value) if known.same_type(&value) => *known = value,
            (Some(known), value) => {
                bail!("the setting `{name}` must be {}, not {}", kind(known), kind(&value))
            }
        }
    }
    Ok(())
}

fn set(settings: &mut Table, section: &str, key: &str, text: &str) -> anyhow::Result<()> {
    let known = settings.get_mut(section).and_then(Value::as_table_mut).and_then(|table| table.get_mut(key));
    let Some(known) = known else { bail!("unknown setting `{section}.{key}`") };
    *known = match known {
        Value::String(_) => Value::String(text.to_owned()),
        Value::Integer(_) => {
            Value::Integer(text.trim().parse().with_context(|| format!("`{text}` is not an integer"))?)
        }
        Value::Float(_) => {
            Value::Float(text.trim().parse().with_context(|| format!("`{text}` is not a number"))?)
        }
        Value::Boolean(_) => Value::Boolean(boolean(text)?),
        Value::Array(_) => Value::Array(items(text)),
        Value::Datetime(_) | Value::Table(_) => bail!("`{section}.{key}` cannot be set in the environment"),
    };
    Ok(())
}

fn items(text: &str) -> Vec<Value> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(|item| Value::String(item.to_owned())).collect()
}

fn boolean(text: &str) -> anyhow::Result<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => bail!("`{text}` is neither true nor false"),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "an integer",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(file: &str, environment: &[(&str, &str)]) -> anyhow::Result<Table> {
        let pairs = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        load(Some(file), pairs)
    }

    #[test]
    fn the_environment_wins_over_the_file_and_the_file_over_the_defaults() {
        let settings =
            with("[jobs]\npoll_ms = 5\nlease_seconds = 6", &[("AURIS_JOBS__POLL_MS", "7")]).unwrap();
        assert_eq!(settings["jobs"]["poll_ms"].as_integer(), Some(7));
        assert_eq!(settings["jobs"]["lease_seconds"].as_integer(), Some(6));
        assert_eq!(settings["jobs"]["retention_days"].as_integer(), Some(30));
    }

    #[test]
    fn an_unknown_key_names_itself() {
        let from_file = with("[jobs]\npol_ms = 5", &[]).unwrap_err().to_string();
        assert!(from_file.contains("`jobs.pol_ms`"), "{from_file}");
        let from_environment = format!("{:#}", with("", &[("AURIS_JOBS__POL", "1")]).unwrap_err());
        assert!(from_environment.contains("AURIS_JOBS__POL"), "{from_environment}");
    }

    #[test]
    fn a_value_of_the_wrong_type_names_itself() {
        let error = with("[jobs]\npoll_ms = \"5\"", &[]).unwrap_err().to_string();
        assert!(error.contains("`jobs.poll_ms` must be an integer"), "{error}");
        assert!(with("", &[("AURIS_MODELS__FAKE", "perhaps")]).is_err());
    }

    #[test]
    fn variables_without_a_section_are_ignored() {
        assert!(with("", &[("AURIS_DATA", "/x"), ("HOME", "/y")]).is_ok());
    }

    #[test]
    fn a_number_for_a_text_setting_stays_text() {
        let settings = with("", &[("AURIS_SECURITY__MASTER_KEY", "123")]).unwrap();
        assert_eq!(settings["security"]["master_key"].as_str(), Some("123"));
    }
}
