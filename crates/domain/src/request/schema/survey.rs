//! Measures a schema from its text: counts everything that makes it slow or large to compile, without building a tree of
//! its values.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use jsonschema::Draft;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_json::value::RawValue;

use super::bounds::{PATH_BYTES, PATTERNS, SchemaSize, size_fault};
use super::pattern_cost;
use crate::raw_json::RawJson;

/// The length that an index adds to a path.
const INDEX_BYTES: usize = 6;

/// Measures a schema without compiling anything. Fails with the reason if it is too large.
pub(super) fn measure(text: &str) -> Result<SchemaSize, String> {
    if let Some(fault) = size_fault(text) {
        return Err(fault);
    }
    let draft = draft_of(text);
    if draft == Draft::Unknown {
        return Err("its `$schema` is not a known draft".into());
    }
    let mut survey = Survey { draft, size: SchemaSize::default(), patterns: HashSet::new(), fault: None };
    let root = Node { survey: &mut survey, path: 0, role: Role::Root };
    let walked = root.deserialize(&mut serde_json::Deserializer::from_str(text));
    match (survey.fault.take(), walked) {
        (Some(fault), _) => Err(fault),
        // The text is JSON, so only its depth can be the reason.
        (None, Err(_)) => Err("it is nested too deeply".into()),
        (None, Ok(())) => survey.size(text.len()),
    }
}

/// The draft that the root names; 2020-12 if it names none.
fn draft_of(text: &str) -> Draft {
    #[derive(Deserialize)]
    struct Root<'a> {
        #[serde(rename = "$schema", borrow)]
        dialect: Option<&'a RawValue>,
    }

    let root = serde_json::from_str::<Root<'_>>(text).ok();
    let dialect = root.and_then(|root| RawJson::from(root.dialect?).string());
    dialect.map_or_else(Draft::default, |uri| Draft::default().detect(&json!({"$schema": uri})))
}

/// What was counted so far.
struct Survey {
    draft: Draft,
    size: SchemaSize,
    patterns: HashSet<String>,
    fault: Option<String>,
}

/// What a value means in the object around it, as far as the survey needs it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Pattern,
    /// An object whose names are patterns.
    PatternNames,
    /// The `$schema` of an object that is not the root.
    Dialect,
    /// The id of an object that is not the root.
    Id,
    Other,
}

impl Survey {
    fn size(self, bytes: usize) -> Result<SchemaSize, String> {
        if self.patterns.len() > PATTERNS {
            return Err(format!("it has more than {PATTERNS} patterns"));
        }
        let size = SchemaSize { bytes, patterns: self.patterns.len(), ..self.size };
        let costs = self.patterns.iter().map(|pattern| pattern_cost::cost(pattern));
        Ok(costs.fold(size, |size, cost| SchemaSize {
            pattern_bytes: size.pattern_bytes.saturating_add(cost.bytes),
            pattern_characters: size.pattern_characters.saturating_add(cost.characters),
            ..size
        }))
    }

    fn id_name(&self) -> &'static str {
        if self.draft == Draft::Draft4 { "id" } else { "$id" }
    }

    /// The role of a field of an object with this role.
    fn role_of(&self, parent: Role, name: &str) -> Role {
        match name {
            "pattern" => Role::Pattern,
            "patternProperties" => Role::PatternNames,
            "$schema" if parent != Role::Root => Role::Dialect,
            _ if name == self.id_name() && parent != Role::Root => Role::Id,
            _ => Role::Other,
        }
    }

    fn add_value(&mut self, path: usize) {
        self.size.values += 1;
        self.size.path_bytes += path;
        if self.size.path_bytes > PATH_BYTES {
            let fault = "the paths of its fields are too long in total; use shorter names or fewer fields";
            self.fault = Some(fault.into());
        }
    }

    /// Keeps one pattern more than are allowed, which is enough to refuse the schema.
    fn add_pattern(&mut self, pattern: &str) {
        if self.patterns.len() <= PATTERNS {
            self.patterns.insert(pattern.to_owned());
        }
    }

    /// Counts a string. Refuses documents embedded in the document. With twelve that refer to each other, jsonschema
    /// practically never finishes, because it compiles each again for every path to it.
    fn add_text(&mut self, role: Role, text: &str) {
        match role {
            Role::Pattern => self.add_pattern(text),
            Role::Dialect => self.fault = Some("only its root may have a `$schema`".into()),
            Role::Id if !self.is_anchor(text) => {
                let id = self.id_name();
                self.fault = Some(format!(
                    "only its root may have an `{id}`; put parts into `$defs` and refer to `#/$defs/…`"
                ));
            }
            Role::Root | Role::PatternNames | Role::Id | Role::Other => {}
        }
    }

    /// Up to draft 7, an id that starts with `#` is an anchor.
    fn is_anchor(&self, id: &str) -> bool {
        matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7) && id.starts_with('#')
    }

    /// Stops the walk at the first fault.
    fn check<E: serde::de::Error>(&self) -> Result<(), E> {
        self.fault.as_ref().map_or(Ok(()), |fault| Err(E::custom(fault)))
    }
}

/// A value that is visited.
struct Node<'a> {
    survey: &'a mut Survey,
    /// The length of its path.
    path: usize,
    role: Role,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.survey.add_value(self.path);
        self.survey.check()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.survey.add_text(self.role, text);
        self.survey.check()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { survey, path, .. } = self;
        let path = path + INDEX_BYTES;
        while items.next_element_seed(Node { survey: &mut *survey, path, role: Role::Other })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let Self { survey, path, role } = self;
        survey.size.objects += 1;
        while let Some(name) = fields.next_key::<Cow<'_, str>>()? {
            if role == Role::PatternNames {
                survey.add_pattern(&name);
            }
            let (path, role) = (path + name.len() + 1, survey.role_of(role, &name));
            fields.next_value_seed(Node { survey: &mut *survey, path, role })?;
        }
        Ok(())
    }
}
