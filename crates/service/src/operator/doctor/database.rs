//! The database: whether it answers, how it is set up, and whether its clock and its master key match this node's.

use std::time::Instant;

use auris_domain::time::Clock;
use auris_store::{DatabaseSettings, Inspection, Store};

use super::super::Operator;
use super::{Finding, Installation};
use crate::secrets::MasterKey;

/// Leases last seconds. If the clocks differ by more, running workers are taken for dead.
const SKEW_WARNING_MS: i64 = 1_000;
const SKEW_PROBLEM_MS: i64 = 5_000;

/// Connections that a node opens beside its pool, for wake-ups.
const WAKE_UP_CONNECTIONS: i64 = 2;

const CREATE_DATABASE: &str = "create the database with `CREATE DATABASE auris TEMPLATE template0 ENCODING 'UTF8' \
    LC_COLLATE 'C' LC_CTYPE 'C'`: lists are paged by id, and another collation is slower and may sort ids differently";

pub(super) async fn check(installation: &Installation, store: &Store) -> Vec<Finding> {
    let began = Instant::now();
    let inspection = match store.inspect().await {
        Ok(inspection) => inspection,
        Err(error) => return vec![Finding::failed("database", &error, "read the log of the database")],
    };
    let took = began.elapsed();
    let skew_ms = inspection.time_ms - installation.clock.now().0;
    let version: String = inspection.version.split(" on ").next().unwrap_or_default().into();
    let mut findings =
        vec![Finding::ok("database", format!("{version}, inspected in {} ms", took.as_millis()))];
    findings.push(health(&inspection));
    findings.push(schema(&inspection));
    if inspection.is_postgres {
        findings.push(collation(&inspection));
        findings.push(connections(&installation.database_settings, &inspection));
        findings.push(wake_ups(&installation.database_settings));
    }
    findings.push(clock(skew_ms));
    findings.push(master_key(installation, store, &inspection).await);
    findings
}

fn health(inspection: &Inspection) -> Finding {
    match inspection.health.as_str() {
        "ok" => Finding::ok("database health", "no damage found"),
        damage => Finding::problem(
            "database health",
            damage,
            "stop the service and restore a backup, or save what can still be read with `auris export`",
        ),
    }
}

fn schema(inspection: &Inspection) -> Finding {
    let (schema, known) = inspection.schema;
    let found = || format!("version {schema}; this program knows {known}");
    if schema < known {
        Finding::warning("schema", found(), "run `auris migrate`; the next start does the same")
    } else if schema > known {
        Finding::warning("schema", found(), "another node is newer; upgrade this node to the same version")
    } else {
        Finding::ok("schema", format!("version {schema}, up to date"))
    }
}

fn collation(inspection: &Inspection) -> Finding {
    let found = format!("{}, {}", inspection.collation, inspection.encoding);
    if inspection.encoding != "UTF8" {
        return Finding::problem("collation", found, CREATE_DATABASE);
    }
    match inspection.collation.as_str() {
        "C" | "POSIX" | "C.UTF-8" | "C.utf8" => Finding::ok("collation", found),
        _ => Finding::warning("collation", found, CREATE_DATABASE),
    }
}

fn connections(settings: &DatabaseSettings, inspection: &Inspection) -> Finding {
    let (allowed, open) = inspection.connections;
    let wanted = i64::from(settings.max_connections) + WAKE_UP_CONNECTIONS;
    let found = format!("{open} of {allowed} are open, this node may open {wanted}");
    match allowed - open < wanted {
        true => Finding::warning(
            "connections",
            found,
            "raise `max_connections` of the server, lower `database.max_connections` of the nodes, or use a pooler",
        ),
        false => Finding::ok("connections", found),
    }
}

fn wake_ups(settings: &DatabaseSettings) -> Finding {
    match (settings.pooler, &settings.listen_url) {
        (true, None) => Finding::warning(
            "wake-ups",
            "by polling only",
            "set `database.listen_url` to the address of the database itself, not of the pooler: nodes then notify each \
             other at once",
        ),
        (true, Some(_)) | (false, _) => {
            Finding::ok("wake-ups", "by LISTEN and NOTIFY, with polling as a fallback")
        }
    }
}

/// `skew_ms` is the database's time minus this machine's.
fn clock(skew_ms: i64) -> Finding {
    let found = match skew_ms {
        0 => "the same as the database's clock".to_owned(),
        1.. => format!("{skew_ms} ms behind the database's clock"),
        _ => format!("{} ms ahead of the database's clock", skew_ms.abs()),
    };
    let advice =
        "run NTP on this machine and on the database's: leases and expiry times compare clocks of machines";
    match skew_ms.abs() {
        skew if skew >= SKEW_PROBLEM_MS => Finding::problem("clock", found, advice),
        skew if skew >= SKEW_WARNING_MS => Finding::warning("clock", found, advice),
        _ => Finding::ok("clock", found),
    }
}

async fn master_key(installation: &Installation, store: &Store, inspection: &Inspection) -> Finding {
    const CHECK: &str = "master key";
    let own = match &installation.master_keys {
        Ok(keys) => keys.first().map(MasterKey::fingerprint),
        Err(error) => return Finding::problem(CHECK, error, "set the whole key: 32 bytes in base64"),
    };
    let (schema, known) = inspection.schema;
    let expected = if schema < known {
        Ok(None)
    } else {
        Operator::new(store.clone(), Clock::System).expected_master_key().await
    };
    match (own, expected) {
        (_, Err(error)) => Finding::failed(CHECK, &error, "read the log of the database"),
        (Some(own), Ok(Some(expected))) if own == expected => {
            Finding::ok(CHECK, format!("matches the database ({own})"))
        }
        (Some(own), Ok(None)) => Finding::ok(CHECK, format!("{own}, not used yet")),
        (None, Ok(None)) => Finding::ok(CHECK, "none yet; the first start creates it"),
        (own, Ok(Some(expected))) => Finding::problem(
            CHECK,
            format!("{} here, {expected} in the database", own.as_deref().unwrap_or("none")),
            "set AURIS_SECURITY__MASTER_KEY to the key of the other nodes, or copy their `master.key`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Health;
    use super::*;

    #[test]
    fn the_clock_is_behind_ahead_of_or_the_same_as_the_database() {
        assert_eq!(clock(0).found, "the same as the database's clock");
        assert_eq!(clock(1).found, "1 ms behind the database's clock");
        let ahead = clock(-SKEW_PROBLEM_MS);
        assert_eq!(
            (ahead.found.as_str(), ahead.state),
            ("5000 ms ahead of the database's clock", Health::Problem)
        );
    }
}
