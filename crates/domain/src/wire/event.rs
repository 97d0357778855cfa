//! Events in the API, and the content that is added when an event is read.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::JsonText;
use crate::event::Event;
use crate::id::{EventId, JobId};
use crate::time::Timestamp;

/// Upper bound of the bytes of an event without its data.
const ENVELOPE_BYTES: usize = 256;

/// An event in the event stream.
#[derive(Serialize)]
struct Envelope<'a> {
    id: &'a EventId,
    object: &'static str,
    sequence: i64,
    #[serde(rename = "type")]
    kind: &'static str,
    job_id: &'a JobId,
    created_at: Timestamp,
    data: &'a JsonText,
}

/// The `data` of a `job.task.delta` event.
#[derive(Serialize)]
pub struct TaskDelta<'a> {
    pub step_key: &'a str,
    pub delta: &'a str,
}

pub fn event(event: &Event) -> JsonText {
    let envelope = Envelope {
        id: &event.id,
        object: "job.event",
        sequence: event.sequence,
        kind: event.kind.as_str(),
        job_id: &event.job_id,
        created_at: event.created_at,
        data: &event.data,
    };
    JsonText::with_capacity(&envelope, event.data.as_str().len() + ENVELOPE_BYTES)
}

/// Content that stored events do not have. It is added when an event is read, so that deleted content is also gone from
/// events.
pub enum EventContent<'a> {
    Result(&'a JsonText),
    Step { output: &'a JsonText, response: &'a JsonText },
}

impl Event {
    /// Adds the content that the event reports. Fails if the stored data is not a JSON object.
    pub fn add_content(&mut self, content: &EventContent<'_>) -> Result<(), serde_json::Error> {
        let mut data: RawObject<'_> = serde_json::from_str(self.data.as_str())?;
        match content {
            EventContent::Result(result) => data.replace("result", result)?,
            EventContent::Step { output, response } => {
                data.replace("output", output)?;
                data.replace("response", response)?;
            }
        }
        self.data = JsonText::with_capacity(&data, self.data.as_str().len() + content.bytes());
        Ok(())
    }
}

impl EventContent<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Result(result) => result.as_str().len(),
            Self::Step { output, response } => output.as_str().len() + response.as_str().len(),
        }
    }
}

/// An object whose values are not read, only copied.
struct RawObject<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> RawObject<'a> {
    fn replace(&mut self, name: &str, value: &'a JsonText) -> Result<(), serde_json::Error> {
        let value: &'a RawValue = serde_json::from_str(value.as_str())?;
        if let Some((_, old)) = self.0.iter_mut().find(|(known, _)| known == name) {
            *old = value;
        }
        Ok(())
    }
}

impl Serialize for RawObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for RawObject<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawObjectVisitor)
    }
}

struct RawObjectVisitor;

impl<'de> Visitor<'de> for RawObjectVisitor {
    type Value = RawObject<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject<'de>, A::Error> {
        let mut fields = Vec::with_capacity(map.size_hint().unwrap_or(16));
        while let Some(field) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
            fields.push(field);
        }
        Ok(RawObject(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventType;
    use crate::time::Millis;

    fn json(text: &str) -> JsonText {
        JsonText::from_stored(text.into()).unwrap()
    }

    fn event_with(data: &str) -> Event {
        Event {
            id: EventId::generate(Millis(0)),
            job_id: JobId::generate(Millis(0)),
            sequence: 1,
            kind: EventType::JobCompleted,
            created_at: Timestamp(0),
            step_id: None,
            data: json(data),
        }
    }

    #[test]
    fn added_content_leaves_every_other_byte_as_it_was() {
        let mut event = event_with(r#"{"b":1.50,"result":null,"a":{"result":null}}"#);
        event.add_content(&EventContent::Result(&json(r#"{"x":[1,2]}"#))).unwrap();
        assert_eq!(event.data.as_str(), r#"{"b":1.50,"result":{"x":[1,2]},"a":{"result":null}}"#);
    }

    #[test]
    fn data_that_is_not_an_object_is_an_error() {
        let mut event = event_with("[1]");
        assert!(event.add_content(&EventContent::Result(&json("{}"))).is_err());
    }
}
