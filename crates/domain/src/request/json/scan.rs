//! Checks a whole body: its syntax, duplicate keys and the number of values. It builds nothing: of an open object it
//! keeps a hash of each name.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::check::shown;
use super::invalid_json;
use crate::error::{ApiError, Checked, ErrorCode};

/// Maximum number of JSON values in a body. No transcript of words such as `{"word":"a","start":0,"end":1}` needs more:
/// 256 MiB, the largest body, have room for 8,700,000 of these, with four values each. A word with five fields has fewer
/// values for its size.
pub(in crate::request) const MAX_VALUES: usize = 36_000_000;
/// Maximum number of fields in one object.
const MAX_FIELDS: usize = 1_000_000;
/// Names of one object that are compared with each other; beyond it, they are sorted first.
const FEW_NAMES: usize = 16;

/// What a scan found in a valid body.
pub(super) struct Found {
    pub(super) has_nul: bool,
}

/// Reads the whole body and refuses it if it is invalid.
pub(super) fn scan(text: &str) -> Checked<Found> {
    let state = State::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Scan(&state).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    match read {
        Ok(()) => Ok(Found { has_nul: state.has_nul.get() }),
        Err(_) if state.has_too_many.get() => Err(too_many()),
        Err(error) => Err(invalid_json(&error)),
    }
}

fn too_many() -> ApiError {
    let message = format!(
        "The body has more than {MAX_VALUES} JSON values, or an object in it has more than {MAX_FIELDS} fields."
    );
    ApiError::new(ErrorCode::TooManyItems, message)
}

#[derive(Default)]
struct State {
    /// Keyed, so that a caller cannot choose names with equal hashes.
    hasher: RandomState,
    /// The names of all open objects, the innermost last.
    names: RefCell<Vec<Name>>,
    values: Cell<usize>,
    has_nul: Cell<bool>,
    has_too_many: Cell<bool>,
}

/// A name as two hashes: 128 bits, so that different names never look equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name(u64, u64);

impl State {
    fn count_value<E: serde::de::Error>(&self) -> Result<(), E> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > MAX_VALUES { Err(self.too_many()) } else { Ok(()) }
    }

    fn too_many<E: serde::de::Error>(&self) -> E {
        self.has_too_many.set(true);
        E::custom("too many values")
    }

    fn note_text(&self, text: &str) {
        if text.contains('\0') {
            self.has_nul.set(true);
        }
    }

    /// Adds a name to the innermost object, which began at `start`. Fails if it is a duplicate of one of the few.
    fn add_name<E: serde::de::Error>(&self, start: usize, text: &str) -> Result<(), E> {
        self.note_text(text);
        let name = Name(self.hasher.hash_one(text), self.hasher.hash_one((text, 1_u8)));
        let mut names = self.names.borrow_mut();
        let own = &names[start..];
        if own.len() < FEW_NAMES && own.contains(&name) {
            return Err(E::custom(format_args!("the key `{}` appears twice", shown(text))));
        }
        if own.len() == MAX_FIELDS {
            return Err(self.too_many());
        }
        names.push(name);
        Ok(())
    }

    fn end_object<E: serde::de::Error>(&self, start: usize) -> Result<(), E> {
        let mut names = self.names.borrow_mut();
        let own = &mut names[start..];
        if own.len() > FEW_NAMES {
            own.sort_unstable();
            if own.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(E::custom("a key appears twice in the object that ends here"));
            }
        }
        names.truncate(start);
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Scan<'a>(&'a State);

impl<'de> DeserializeSeed<'de> for Scan<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.count_value()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scan<'_> {
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

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.note_text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let start = self.0.names.borrow().len();
        while fields.next_key_seed(FieldName { state: self.0, start })?.is_some() {
            fields.next_value_seed(self)?;
        }
        self.0.end_object(start)
    }
}

struct FieldName<'a> {
    state: &'a State,
    start: usize,
}

impl<'de> DeserializeSeed<'de> for FieldName<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldName<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.state.add_name(self.start, text)
    }
}
