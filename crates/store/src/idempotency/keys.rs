//! Idempotency keys: the answer that was first given under a key, and the keys of requests that still run. Those are
//! either reservations, without an answer, or held: their job is stored, and its answer waits for the job's end.

use auris_domain::id::{JobId, ProjectId};
use auris_domain::limits;
use auris_domain::time::Millis;

use crate::cluster::latest_end;
use crate::error::StoreError;
use crate::sql::{Argument, Row, Tx, args, statements};
use crate::store::Store;

statements! {
    /// Replaces an expired answer, or a reservation whose lease has expired; any other row stays as it is.
    TAKE_KEY = "INSERT INTO idempotency_keys
            (project_id, method, path, idempotency_key, fingerprint, status, content_type, body, lease_until_ms, expires_ms,
             job_id, holder)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT (project_id, method, path, idempotency_key) DO UPDATE SET
            fingerprint = excluded.fingerprint, status = excluded.status, content_type = excluded.content_type,
            body = excluded.body, lease_until_ms = excluded.lease_until_ms, expires_ms = excluded.expires_ms,
            job_id = excluded.job_id, holder = excluded.holder
        WHERE idempotency_keys.expires_ms <= $13
            OR (idempotency_keys.status IS NULL
                AND (idempotency_keys.lease_until_ms <= $13 OR idempotency_keys.lease_until_ms > $14))";
    FIND_KEY = "SELECT fingerprint, status, content_type, body, lease_until_ms, expires_ms, job_id FROM idempotency_keys
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4";
    FULFIL_KEY = "UPDATE idempotency_keys
        SET status = $6, content_type = $7, body = $8, lease_until_ms = NULL, expires_ms = $9
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND fingerprint = $5 AND status IS NULL AND holder = $10";
    EXTEND_KEY = "UPDATE idempotency_keys SET lease_until_ms = $6
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND holder = $5 AND lease_until_ms IS NOT NULL";
    RELEASE_KEY = "DELETE FROM idempotency_keys
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4 AND holder = $5 AND status IS NULL";
    SWEEP_KEYS = "DELETE FROM idempotency_keys WHERE (project_id, method, path, idempotency_key) IN
        (SELECT project_id, method, path, idempotency_key FROM idempotency_keys
            WHERE expires_ms <= $1 ORDER BY expires_ms LIMIT $2)";
}

/// The scope in which a key is unique, and the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyScope {
    pub project_id: ProjectId,
    pub method: &'static str,
    pub path: String,
    pub key: String,
}

/// A key that one request has reserved. A request that lost its reservation cannot store an answer under the key,
/// because the next holder has another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHold {
    pub scope: KeyScope,
    pub fingerprint: String,
    /// Identifies this request among all that ever reserved the key.
    pub holder: String,
}

/// An answer to be stored under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedResponse {
    pub scope: KeyScope,
    /// Identifies the content of the request; a different request with the same key is refused.
    pub fingerprint: String,
    /// The holder, if the key was reserved before the answer was known.
    pub holder: Option<String>,
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

/// The answer that was first given under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

/// A key as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    pub fingerprint: String,
    pub answer: Option<StoredResponse>,
    /// Set while the first request runs. If it has expired, that request ended without an answer.
    pub lease_until: Option<Millis>,
    /// The job whose content the answer may contain.
    pub job: Option<JobId>,
}

impl StoredKey {
    /// Whether the first request still runs.
    pub fn is_in_use(&self, now: Millis) -> bool {
        self.lease_until.is_some_and(|until| until > now && until <= latest_end(now))
    }

    /// The answer, unless the request still waits for the end of its job.
    fn final_answer(self) -> Option<StoredResponse> {
        if self.lease_until.is_some() { None } else { self.answer }
    }
}

/// A job for whose end a request waits, and until when the request holds its key.
pub(crate) struct HeldJob<'a> {
    pub(crate) job: &'a JobId,
    pub(crate) until: Millis,
}

/// The outcome of an operation under an idempotency key. Only `Done` wrote anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keyed<T> {
    Done(T),
    /// The same request was answered before.
    Replayed(StoredResponse),
    /// The key belongs to a different request.
    KeyReused,
    /// The first request with the key still runs.
    KeyInUse,
}

impl<T> Keyed<T> {
    /// The result, or the refusal as the outcome of another operation.
    pub(crate) fn done_or_refusal<U>(self) -> Result<T, Keyed<U>> {
        match self {
            Self::Done(value) => Ok(value),
            Self::Replayed(answer) => Err(Keyed::Replayed(answer)),
            Self::KeyReused => Err(Keyed::KeyReused),
            Self::KeyInUse => Err(Keyed::KeyInUse),
        }
    }
}

/// The row that a reservation or an answer writes.
struct KeyRow<'a> {
    scope: &'a KeyScope,
    fingerprint: &'a str,
    answer: Option<&'a KeyedResponse>,
    lease_until: Option<Millis>,
    job: Option<&'a JobId>,
    holder: Option<&'a str>,
    now: Millis,
}

impl<'a> KeyRow<'a> {
    /// The row of a final answer.
    fn answered(answer: &'a KeyedResponse, now: Millis) -> Self {
        Self {
            scope: &answer.scope,
            fingerprint: &answer.fingerprint,
            answer: Some(answer),
            lease_until: None,
            job: None,
            holder: answer.holder.as_deref(),
            now,
        }
    }

    /// Writes the row unless the key is taken.
    async fn take(&self, tx: &mut Tx) -> Result<Keyed<()>, StoreError> {
        if tx.write(&TAKE_KEY, self.arguments()).await? > 0 {
            return Ok(Keyed::Done(()));
        }
        refusal(tx, self.scope, self.fingerprint).await
    }

    fn arguments(&self) -> Vec<Argument> {
        args![
            &self.scope.project_id,
            self.scope.method,
            &self.scope.path,
            &self.scope.key,
            self.fingerprint,
            self.answer.map(|answer| i64::from(answer.status)),
            self.answer.map(|answer| answer.content_type.as_str()),
            self.answer.map(|answer| answer.body.as_str()),
            self.lease_until.map(|until| until.0),
            expiry(self.now),
            self.job,
            self.holder,
            self.now,
            latest_end(self.now),
        ]
    }
}

impl Store {
    /// The state of a key; `None` if it is unused or expired.
    pub async fn lookup_key(&self, scope: &KeyScope, now: Millis) -> Result<Option<StoredKey>, StoreError> {
        let row = self.database().row(&FIND_KEY, scope_arguments(scope)).await?;
        match row {
            Some(row) if row.integer("expires_ms")? > now.0 => decode_key(&row).map(Some),
            Some(_) | None => Ok(None),
        }
    }

    /// Reserves a key for a request that takes a while. When the lease expires, the next request can take the key.
    pub async fn reserve_key(
        &self,
        hold: &KeyHold,
        lease_until: Millis,
        now: Millis,
    ) -> Result<Keyed<()>, StoreError> {
        let row = KeyRow {
            scope: &hold.scope,
            fingerprint: &hold.fingerprint,
            answer: None,
            lease_until: Some(lease_until),
            job: None,
            holder: Some(&hold.holder),
            now,
        };
        let mut tx = self.database().begin().await?;
        let reservation = row.take(&mut tx).await?;
        tx.commit().await?;
        Ok(reservation)
    }

    /// Extends the lease of a key while its request runs.
    pub async fn extend_key(&self, hold: &KeyHold, until: Millis) -> Result<(), StoreError> {
        let mut arguments = scope_arguments(&hold.scope);
        arguments.extend(args![&hold.holder, until]);
        self.database().write(&EXTEND_KEY, arguments).await.map(drop)
    }

    /// Frees a reserved key whose request failed. A key that another request holds by now is left alone.
    pub async fn release_key(&self, hold: &KeyHold) -> Result<(), StoreError> {
        let mut arguments = scope_arguments(&hold.scope);
        arguments.extend(args![&hold.holder]);
        self.database().write(&RELEASE_KEY, arguments).await.map(drop)
    }

    /// Deletes up to `limit` expired keys and returns their number.
    pub async fn sweep_keys(&self, now: Millis, limit: u32) -> Result<u64, StoreError> {
        self.database().write(&SWEEP_KEYS, args![now, limit]).await
    }
}

/// Stores the answer of a reserved key in the transaction of its effect. `Conflict` if another request holds the key by
/// now; then the transaction must not be committed.
pub(crate) async fn fulfil_key(tx: &mut Tx, answer: &KeyedResponse, now: Millis) -> Result<(), StoreError> {
    let mut arguments = scope_arguments(&answer.scope);
    arguments.extend(args![
        &answer.fingerprint,
        i64::from(answer.status),
        &answer.content_type,
        &answer.body,
        expiry(now),
        answer.holder.as_deref(),
    ]);
    let fulfilled = tx.write(&FULFIL_KEY, arguments).await?;
    if fulfilled == 0 { Err(StoreError::Conflict) } else { Ok(()) }
}

/// Stores the answer in the transaction of its effect. On any outcome but `Done` the caller writes nothing else. `job` is
/// given if the body may contain that job's content.
pub(crate) async fn take_key(
    tx: &mut Tx,
    answer: &KeyedResponse,
    job: Option<&JobId>,
    now: Millis,
) -> Result<Keyed<()>, StoreError> {
    KeyRow { job, ..KeyRow::answered(answer, now) }.take(tx).await
}

/// Stores an answer that will change, because its request waits for the job's end.
pub(crate) async fn hold_key(
    tx: &mut Tx,
    answer: &KeyedResponse,
    held: HeldJob<'_>,
    now: Millis,
) -> Result<Keyed<()>, StoreError> {
    let row = KeyRow { lease_until: Some(held.until), job: Some(held.job), ..KeyRow::answered(answer, now) };
    row.take(tx).await
}

/// Why a key could not be taken.
async fn refusal(tx: &mut Tx, scope: &KeyScope, fingerprint: &str) -> Result<Keyed<()>, StoreError> {
    let Some(row) = tx.row(&FIND_KEY, scope_arguments(scope)).await? else {
        // Swept or released between the two statements; the caller's retry succeeds.
        return Ok(Keyed::KeyInUse);
    };
    let known = decode_key(&row)?;
    if known.fingerprint != fingerprint {
        return Ok(Keyed::KeyReused);
    }
    Ok(known.final_answer().map_or(Keyed::KeyInUse, Keyed::Replayed))
}

fn expiry(now: Millis) -> Millis {
    now.plus_ms(limits::IDEMPOTENCY_SECONDS * 1000)
}

pub(super) fn scope_arguments(scope: &KeyScope) -> Vec<Argument> {
    args![&scope.project_id, scope.method, &scope.path, &scope.key]
}

fn decode_key(row: &Row) -> Result<StoredKey, StoreError> {
    let answer = match row.optional_integer("status")? {
        Some(status) => Some(StoredResponse {
            status: u16::try_from(status)
                .map_err(|_| StoreError::Corrupt("a stored HTTP status is out of range".into()))?,
            content_type: row.text("content_type")?,
            body: row.text("body")?,
        }),
        None => None,
    };
    Ok(StoredKey {
        fingerprint: row.text("fingerprint")?,
        answer,
        lease_until: row.optional_integer("lease_until_ms")?.map(Millis),
        job: row.optional_parsed("job_id")?,
    })
}
