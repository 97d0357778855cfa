//! Idempotency keys: the answer that a key was first given, and who is still working on one.

use auris_domain::id::{JobId, ProjectId};
use auris_domain::limits;
use auris_domain::time::Millis;

use crate::db::{Argument, Row, Tx, args};
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

statements! {
    /// An expired answer or a reservation whose holder is gone gives way; any other row stays as it is.
    TAKE_KEY = "INSERT INTO idempotency_keys
            (project_id, method, path, idempotency_key, fingerprint, status, content_type, body, lease_until_ms, expires_ms,
             job_id, holder)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13)
        ON CONFLICT (project_id, method, path, idempotency_key) DO UPDATE SET
            fingerprint = excluded.fingerprint, status = excluded.status, content_type = excluded.content_type,
            body = excluded.body, lease_until_ms = excluded.lease_until_ms, expires_ms = excluded.expires_ms,
            job_id = excluded.job_id, holder = excluded.holder
        WHERE idempotency_keys.expires_ms <= $12
            OR (idempotency_keys.status IS NULL AND idempotency_keys.lease_until_ms <= $12)";
    FIND_KEY = "SELECT fingerprint, status, content_type, body, lease_until_ms, expires_ms FROM idempotency_keys
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4";
    FULFIL_KEY = "UPDATE idempotency_keys
        SET status = $6, content_type = $7, body = $8, lease_until_ms = NULL, expires_ms = $9
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND fingerprint = $5 AND status IS NULL AND holder = $10";
    AMEND_KEY = "UPDATE idempotency_keys SET body = $6, job_id = $7
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND fingerprint = $5 AND status IS NOT NULL";
    /// Changes nothing: it holds the job's row, so that its content is not deleted meanwhile.
    LOCK_CONTENT = "UPDATE jobs SET version = version WHERE id = $1 AND result_deleted_at IS NULL";
    EXTEND_KEY = "UPDATE idempotency_keys SET lease_until_ms = $6
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
            AND holder = $5 AND status IS NULL";
    RELEASE_KEY = "DELETE FROM idempotency_keys
        WHERE project_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4 AND holder = $5 AND status IS NULL";
    SWEEP_KEYS = "DELETE FROM idempotency_keys WHERE (project_id, method, path, idempotency_key) IN
        (SELECT project_id, method, path, idempotency_key FROM idempotency_keys
            WHERE expires_ms <= $1 ORDER BY expires_ms LIMIT $2)";
}

/// What a key is unique in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyScope {
    pub project_id: ProjectId,
    pub method: &'static str,
    pub path: String,
    pub key: String,
}

/// A key in the hands of one request. One that loses it cannot settle it for the next, who has another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHold {
    pub scope: KeyScope,
    pub fingerprint: String,
    /// Names this request among all that ever held the key.
    pub holder: String,
}

/// An answer to be remembered under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedAnswer {
    pub scope: KeyScope,
    /// What the request asked for; another request with the same key is refused.
    pub fingerprint: String,
    /// Who reserved the key, where it was reserved before the answer was known.
    pub holder: Option<String>,
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

/// The answer that a key was first given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

/// What is known of a key; without an answer the first request is still running, until `lease_until`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    pub fingerprint: String,
    pub answer: Option<StoredAnswer>,
    pub lease_until: Option<Millis>,
}

/// Whether a key is the caller's to work under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reservation {
    Reserved,
    Replayed(StoredAnswer),
    /// The key belongs to another request.
    KeyReused,
    /// The first request with the key is not answered yet.
    KeyInUse,
}

impl Store {
    /// What a key was used for; expired keys are as good as unused.
    pub async fn lookup_key(&self, scope: &KeyScope, now: Millis) -> Result<Option<StoredKey>, StoreError> {
        let row = self.database().row(&FIND_KEY, scope_arguments(scope)).await?;
        match row {
            Some(row) if row.integer("expires_ms")? > now.0 => decode_key(&row).map(Some),
            Some(_) | None => Ok(None),
        }
    }

    /// Holds a key for a request that takes a while; a holder whose lease ran out loses it to the next.
    pub async fn reserve_key(
        &self,
        hold: &KeyHold,
        lease_until: Millis,
        now: Millis,
    ) -> Result<Reservation, StoreError> {
        let mut arguments = scope_arguments(&hold.scope);
        let nothing = || Argument::Text(None);
        arguments.extend(args![&hold.fingerprint, None::<i64>]);
        arguments.extend([nothing(), nothing()]);
        arguments.extend(args![lease_until, expiry(now)]);
        arguments.extend([nothing(), now.into(), (&hold.holder).into()]);
        let mut tx = self.database().begin().await?;
        let taken = tx.write(&TAKE_KEY, arguments).await? > 0;
        let reservation = if taken {
            Reservation::Reserved
        } else {
            holder(&mut tx, &hold.scope, &hold.fingerprint).await?
        };
        tx.commit().await?;
        Ok(reservation)
    }

    /// Remembers the answer of a reserved key; `Conflict` when the key is another's by now.
    pub async fn fulfil_key(&self, answer: &KeyedAnswer, now: Millis) -> Result<(), StoreError> {
        held(self.database().write(&FULFIL_KEY, fulfilment(answer, now)).await?)
    }

    /// Replaces the body of an answer that was remembered before it was whole. It shows the job's content now, so it goes
    /// when that goes; where it is gone already, the answer stays as it was.
    pub async fn amend_key(&self, answer: &KeyedAnswer, job: &JobId) -> Result<(), StoreError> {
        let mut arguments = scope_arguments(&answer.scope);
        arguments.extend(args![&answer.fingerprint, &answer.body, job]);
        let mut tx = self.database().begin().await?;
        if tx.write(&LOCK_CONTENT, args![job]).await? > 0 {
            tx.write(&AMEND_KEY, arguments).await?;
        }
        tx.commit().await
    }

    /// Keeps a reservation alive while its request runs.
    pub async fn extend_key(&self, hold: &KeyHold, until: Millis) -> Result<(), StoreError> {
        let mut arguments = scope_arguments(&hold.scope);
        arguments.extend(args![&hold.holder, until]);
        self.database().write(&EXTEND_KEY, arguments).await.map(drop)
    }

    /// Frees a reserved key whose request came to nothing; a key that is another's by now stays with that one.
    pub async fn release_key(&self, hold: &KeyHold) -> Result<(), StoreError> {
        let mut arguments = scope_arguments(&hold.scope);
        arguments.extend(args![&hold.holder]);
        self.database().write(&RELEASE_KEY, arguments).await.map(drop)
    }

    /// Forgets expired keys, at most `limit` at once; returns how many.
    pub async fn sweep_keys(&self, now: Millis, limit: u32) -> Result<u64, StoreError> {
        self.database().write(&SWEEP_KEYS, args![now, limit]).await
    }
}

/// Remembers the answer of a reserved key inside the transaction of its effect, which must not be committed on `Conflict`.
pub(crate) async fn fulfil_in(tx: &mut Tx, answer: &KeyedAnswer, now: Millis) -> Result<(), StoreError> {
    held(tx.write(&FULFIL_KEY, fulfilment(answer, now)).await?)
}

fn held(settled: u64) -> Result<(), StoreError> {
    if settled == 0 { Err(StoreError::Conflict) } else { Ok(()) }
}

fn fulfilment(answer: &KeyedAnswer, now: Millis) -> Vec<Argument> {
    let mut arguments = scope_arguments(&answer.scope);
    let status = i64::from(answer.status);
    arguments.extend(args![&answer.fingerprint, status, &answer.content_type, &answer.body, expiry(now)]);
    arguments.push(answer.holder.clone().into());
    arguments
}

/// Writes the answer inside the transaction of its effect. Anything but `Reserved` means: write nothing else.
/// `job` is given where the body may show that job's content.
pub(crate) async fn take_key(
    tx: &mut Tx,
    answer: &KeyedAnswer,
    job: Option<&JobId>,
    now: Millis,
) -> Result<Reservation, StoreError> {
    let mut arguments = scope_arguments(&answer.scope);
    arguments.extend(args![
        &answer.fingerprint,
        i64::from(answer.status),
        &answer.content_type,
        &answer.body,
        None::<i64>,
        expiry(now),
        job,
        now,
        answer.holder.clone(),
    ]);
    if tx.write(&TAKE_KEY, arguments).await? > 0 {
        return Ok(Reservation::Reserved);
    }
    holder(tx, &answer.scope, &answer.fingerprint).await
}

/// Why a key could not be taken.
async fn holder(tx: &mut Tx, scope: &KeyScope, fingerprint: &str) -> Result<Reservation, StoreError> {
    let Some(row) = tx.row(&FIND_KEY, scope_arguments(scope)).await? else {
        // Swept or released between the two statements; the caller's retry will have it.
        return Ok(Reservation::KeyInUse);
    };
    let known = decode_key(&row)?;
    if known.fingerprint != fingerprint {
        return Ok(Reservation::KeyReused);
    }
    Ok(known.answer.map_or(Reservation::KeyInUse, Reservation::Replayed))
}

fn expiry(now: Millis) -> Millis {
    now.plus_ms(limits::IDEMPOTENCY_SECONDS * 1000)
}

fn scope_arguments(scope: &KeyScope) -> Vec<Argument> {
    args![&scope.project_id, scope.method, &scope.path, &scope.key]
}

fn decode_key(row: &Row) -> Result<StoredKey, StoreError> {
    let answer = match row.optional_integer("status")? {
        Some(status) => Some(StoredAnswer {
            status: u16::try_from(status)
                .map_err(|_| StoreError::Corrupt("a remembered status is no status".into()))?,
            content_type: row.text("content_type")?,
            body: row.text("body")?,
        }),
        None => None,
    };
    Ok(StoredKey {
        fingerprint: row.text("fingerprint")?,
        answer,
        lease_until: row.optional_integer("lease_until_ms")?.map(Millis),
    })
}
