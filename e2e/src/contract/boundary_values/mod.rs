//! Boundary values, generated from a request's schema: for each rule, values that just keep it and just break it.

mod case_list;
mod object;
mod sample;
mod scalar;
mod walk;

use serde_json::Value;

pub use sample::sample;
pub use walk::{cases_of_body, cases_of_value};

use super::{put, remove};

/// The keyword of the schema whose limit a value tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    Type,
    Required,
    UnknownField,
    Enum,
    Pattern,
    Format,
    MinLength,
    MaxLength,
    Minimum,
    Maximum,
    MinItems,
    MaxItems,
    MaxProperties,
    PropertyName,
}

/// How the document is changed.
#[derive(Clone, Debug)]
pub enum Change {
    Put(Value),
    Remove,
}

/// One request that keeps or breaks one rule for one value.
#[derive(Clone, Debug)]
pub struct BoundaryCase {
    /// The path of the value, in the notation of an error's `param`.
    pub param: String,
    pub rule: Rule,
    /// Whether the value keeps the rule.
    pub keeps: bool,
    pub change: Change,
    /// A valid document that contains the value.
    pub document: Value,
}

impl BoundaryCase {
    /// The document with the change.
    pub fn body(&self) -> Value {
        let mut body = self.document.clone();
        match &self.change {
            Change::Put(value) => put(&mut body, &self.param, value.clone()),
            Change::Remove => remove(&mut body, &self.param),
        }
        body
    }

    /// The new value, unless the field is removed.
    pub fn value(&self) -> Option<&Value> {
        match &self.change {
            Change::Put(value) => Some(value),
            Change::Remove => None,
        }
    }

    /// The case in one short line.
    pub fn describe(&self) -> String {
        let verb = if self.keeps { "keeps" } else { "breaks" };
        let value = match &self.change {
            Change::Put(value) => shortened(&value.to_string()),
            Change::Remove => "absent".to_owned(),
        };
        format!("`{}` = {value} {verb} {:?}", self.param, self.rule)
    }
}

fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= 60 {
        return text.to_owned();
    }
    let start: String = text.chars().take(40).collect();
    format!("{start}… ({length} characters)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::contract;
    use crate::http::requests;

    #[test]
    fn cases_are_generated_for_the_deepest_values_of_an_analysis() {
        let schema = json!({"$ref": "#/components/schemas/AnalysisRequest"});
        let cases = cases_of_body(&schema, &requests::analysis());
        let has = |param: &str, rule: Rule, keeps: bool| {
            let found =
                cases.iter().any(|case| case.param == param && case.rule == rule && case.keeps == keeps);
            assert!(found, "no case for {rule:?} of `{param}` with keeps = {keeps}");
        };
        for keeps in [true, false] {
            has("processing.tasks[0].sources[0]", Rule::MaxLength, keeps);
            has("processing.tasks[0].sources[0]", Rule::Pattern, keeps);
            has("processing.tasks", Rule::MaxItems, keeps);
            has("processing.entities.types[0]", Rule::MinLength, keeps);
            has("transcript.text", Rule::MaxLength, keeps);
            has("metadata", Rule::MaxProperties, keeps);
            has("metadata.key", Rule::MaxLength, keeps);
            has("processing.max_cost_usd", Rule::Pattern, keeps);
        }
        has("processing.tasks[0].text.format.name", Rule::Required, false);
        has("processing.tasks[0].text.format.type", Rule::Enum, false);
        has("processing.no_such_field", Rule::UnknownField, false);
    }

    #[test]
    fn a_case_keeps_or_breaks_the_whole_schema_as_it_says() {
        let schema = json!({"$ref": "#/components/schemas/AnalysisRequest"});
        for case in cases_of_body(&schema, &requests::analysis()) {
            let errors = contract().schema_errors(&schema, &case.body());
            assert_eq!(errors.is_empty(), case.keeps, "{}: {errors:?}", case.describe());
        }
    }
}
