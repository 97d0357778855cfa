//! The kinds of entities, and the names that callers use for them.

/// A kind of entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum EntityKind {
    Person,
    Location,
    Organization,
    Date,
    Time,
    Money,
    Percent,
    Number,
    Phone,
    Email,
    Url,
}

const ALL: [EntityKind; 11] = [
    EntityKind::Person,
    EntityKind::Location,
    EntityKind::Organization,
    EntityKind::Date,
    EntityKind::Time,
    EntityKind::Money,
    EntityKind::Percent,
    EntityKind::Number,
    EntityKind::Phone,
    EntityKind::Email,
    EntityKind::Url,
];

impl EntityKind {
    pub(super) fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The accepted names; the first one is the default.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Person => &["person", "people", "per", "persons", "name", "person_name"],
            Self::Location => &["location", "place", "loc", "gpe", "locations", "places", "city", "country"],
            Self::Organization => {
                &["organization", "organisation", "org", "company", "organizations", "companies"]
            }
            Self::Date => &["date", "dates", "day"],
            Self::Time => &["time", "times", "time_of_day"],
            Self::Money => &["money", "currency", "amount", "price", "money_amount"],
            Self::Percent => &["percent", "percentage"],
            Self::Number => &["number", "cardinal", "quantity", "numbers"],
            Self::Phone => &["phone", "phone_number", "telephone", "phone_numbers"],
            Self::Email => &["email", "e-mail", "email_address", "emails"],
            Self::Url => &["url", "link", "website", "urls"],
        }
    }
}

/// The requested kinds, each with the caller's name for it; all kinds if the caller named none.
pub(super) struct WantedKinds(Vec<(EntityKind, String)>);

impl WantedKinds {
    pub(super) fn new(types: &[String]) -> Self {
        if types.is_empty() {
            return Self(ALL.iter().map(|kind| (*kind, kind.name().to_owned())).collect());
        }
        let requested = |kind: EntityKind| {
            let plain = |word: &str| word.trim().to_lowercase().replace([' ', '-'], "_");
            let is = |word: &&String| kind.names().iter().any(|name| plain(name) == plain(word));
            types.iter().find(is).map(|word| (kind, word.clone()))
        };
        Self(ALL.iter().filter_map(|kind| requested(*kind)).collect())
    }

    pub(super) fn name_of(&self, kind: EntityKind) -> Option<&str> {
        self.0.iter().find(|(wanted, _)| *wanted == kind).map(|(_, name)| name.as_str())
    }

    /// Whether any kind of name is requested.
    pub(super) fn has_names(&self) -> bool {
        [EntityKind::Person, EntityKind::Location, EntityKind::Organization]
            .iter()
            .any(|kind| self.name_of(*kind).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_get_their_own_names_back_and_only_the_requested_kinds() {
        let wanted = WantedKinds::new(&["Place".into(), "phone number".into(), "animal".into()]);
        assert_eq!(wanted.name_of(EntityKind::Location), Some("Place"));
        assert_eq!(wanted.name_of(EntityKind::Phone), Some("phone number"));
        assert_eq!(wanted.name_of(EntityKind::Person), None);
        assert!(WantedKinds::new(&[]).name_of(EntityKind::Person).is_some());
    }
}
