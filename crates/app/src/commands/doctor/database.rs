//! The database: that it answers, that it is set up as it must be, that its clock and its key are ours.

use std::time::Instant;

use auris_domain::time::Clock;
use auris_service::MasterKey;
use auris_store::{Inspection, Store};

use super::Finding;
use crate::config::Config;
use crate::master_key;

/// Leases are seconds long; a clock that is further off takes living workers for dead.
const SKEW_WARNING_MS: i64 = 1_000;
const SKEW_PROBLEM_MS: i64 = 5_000;

pub(super) async fn look(config: &Config, store: &Store) -> Vec<Finding> {
    let began = Instant::now();
    let inspection = match store.inspect().await {
        Ok(inspection) => inspection,
        Err(error) => {
            let advice = "look into the database's own log";
            return vec![Finding::failed("database", &error.into(), advice)];
        }
    };
    let took = began.elapsed();
    let skew_ms = inspection.time_ms - Clock::System.now().0;
    let version: String = inspection.version.split(" on ").next().unwrap_or_default().into();
    let mut findings =
        vec![Finding::ok("database", format!("{version}, looked at in {} ms", took.as_millis()))];
    findings.push(health(&inspection));
    findings.push(schema(&inspection));
    if inspection.is_postgres {
        findings.push(collation(&inspection));
        findings.push(connections(config, &inspection));
        findings.push(wake_ups(config));
    }
    findings.push(clock(skew_ms));
    findings.push(key(config, store, &inspection).await);
    findings
}

fn health(inspection: &Inspection) -> Finding {
    match inspection.health.as_str() {
        "ok" => Finding::ok("database health", "ok"),
        damage => Finding::problem(
            "database health",
            damage,
            "stop the service and restore a backup, or `auris export` what can still be read",
        ),
    }
}

fn schema(inspection: &Inspection) -> Finding {
    let (schema, known) = inspection.schema;
    let found = format!("{schema}, this program knows {known}");
    match schema {
        older if older < known => {
            Finding::warning("schema", found, "`auris migrate` brings it up to date; so does the next start")
        }
        newer if newer > known => {
            Finding::warning("schema", found, "another node is newer; bring this one up to its version")
        }
        _ => Finding::ok("schema", found),
    }
}

fn collation(inspection: &Inspection) -> Finding {
    let found = format!("{}, {}", inspection.collation, inspection.encoding);
    if inspection.encoding != "UTF8" {
        return Finding::problem("collation", found, CREATE);
    }
    match inspection.collation.as_str() {
        "C" | "POSIX" | "C.UTF-8" | "C.utf8" => Finding::ok("collation", found),
        _ => Finding::warning("collation", found, CREATE),
    }
}

const CREATE: &str = "make the database with `CREATE DATABASE auris TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' \
    LC_CTYPE 'C'`: lists are paged by id, and another collation is slower and may order ids otherwise";

fn connections(config: &Config, inspection: &Inspection) -> Finding {
    let (most, used) = inspection.connections;
    // Two more for wake-ups.
    let wanted = i64::from(config.database.max_connections) + 2;
    let found = format!("{used} of {most} are open, this node may open {wanted}");
    match most - used < wanted {
        true => Finding::warning(
            "connections",
            found,
            "raise `max_connections` of the server, lower `database.max_connections` of the nodes, or use a pooler",
        ),
        false => Finding::ok("connections", found),
    }
}

fn wake_ups(config: &Config) -> Finding {
    match (config.database.pooler, &config.database.listen_url) {
        (true, None) => Finding::warning(
            "wake-ups",
            "by polling alone",
            "set `database.listen_url` to the database itself, past the pooler: nodes then hear of each other at once",
        ),
        (true, Some(_)) | (false, _) => {
            Finding::ok("wake-ups", "by LISTEN and NOTIFY, with polling as the net")
        }
    }
}

fn clock(skew_ms: i64) -> Finding {
    let found = format!("{skew_ms} ms from the database's");
    let advice =
        "run NTP on this machine and on the database's: leases and expiries compare clocks of machines";
    match skew_ms.abs() {
        skew if skew >= SKEW_PROBLEM_MS => Finding::problem("clock", found, advice),
        skew if skew >= SKEW_WARNING_MS => Finding::warning("clock", found, advice),
        _ => Finding::ok("clock", found),
    }
}

async fn key(config: &Config, store: &Store, inspection: &Inspection) -> Finding {
    const CHECK: &str = "master key";
    let own = match master_key::existing(config) {
        Ok(own) => own.first().map(MasterKey::fingerprint),
        Err(error) => return Finding::failed(CHECK, &error, "give the whole key, 32 bytes in base64"),
    };
    let agreed = match inspection.schema {
        (schema, known) if schema < known => Ok(None),
        _ => store.agreement(master_key::FINGERPRINT).await,
    };
    match (own, agreed) {
        (_, Err(error)) => Finding::failed(CHECK, &error.into(), "look into the database's own log"),
        (Some(own), Ok(Some(agreed))) if own == agreed => {
            Finding::ok(CHECK, format!("{own}, as the database was set up with"))
        }
        (Some(own), Ok(None)) => Finding::ok(CHECK, format!("{own}, not used yet")),
        (None, Ok(None)) => Finding::ok(CHECK, "none yet; the first start makes it"),
        (own, Ok(Some(agreed))) => Finding::problem(
            CHECK,
            format!("{} here, {agreed} in the database", own.as_deref().unwrap_or("none")),
            "set AURIS_SECURITY__MASTER_KEY to the key of the other nodes, or copy their `master.key`",
        ),
    }
}
