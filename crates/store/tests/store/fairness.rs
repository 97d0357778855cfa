//! The queue between projects: everybody's turn comes, and finding it stays cheap.

use std::collections::BTreeMap;

use auris_domain::id::ProjectId;
use sqlx::{AssertSqlSafe, Connection, Row as _};

use super::bed::{Bed, NOW};
use super::build::{new_job, run_of};
use super::on_both;
use crate::sql::database::{Database, args};
use crate::sql::statements;

impl Bed {
    /// Another project with so many jobs of one step.
    async fn crowd(&self, name: &str, jobs: usize) -> ProjectId {
        let project = self.store.create_project(name, NOW).await.unwrap().unwrap().id;
        for _ in 0..jobs {
            self.store.create_job(new_job(run_of(&project, &[&[]], NOW))).await.unwrap();
        }
        project
    }

    async fn served(&self, limit: u32) -> BTreeMap<ProjectId, usize> {
        let claims = self.store.claim_steps("worker", limit, NOW, NOW.plus_ms(1_000)).await.unwrap();
        let mut served = BTreeMap::new();
        for claimed in claims.steps {
            *served.entry(claimed.job.project_id).or_insert(0) += 1;
        }
        served
    }
}

on_both! {
    async fn a_project_with_one_job_does_not_wait_for_another_s_hundred(bed) {
        let many = bed.crowd("many", 100).await;
        let few = [bed.crowd("few", 3).await, bed.crowd("fewer", 3).await];
        let mut served: BTreeMap<ProjectId, usize> = BTreeMap::new();
        for _ in 0..9 {
            for (project, count) in bed.served(1).await {
                *served.entry(project).or_insert(0) += count;
            }
        }
        assert_eq!((served[&many], served[&few[0]], served[&few[1]]), (3, 3, 3));
        assert_eq!(bed.served(1).await, BTreeMap::from([(many, 1)]));
    }

    async fn a_batch_is_shared_out_and_what_nobody_wants_goes_to_those_who_do(bed) {
        let many = bed.crowd("many", 40).await;
        let few = bed.crowd("few", 2).await;
        assert_eq!(bed.served(16).await, BTreeMap::from([(many.clone(), 14), (few, 2)]));
        assert_eq!(bed.served(16).await, BTreeMap::from([(many.clone(), 16)]));
        assert_eq!(bed.served(16).await, BTreeMap::from([(many, 10)]));
        assert!(bed.served(16).await.is_empty());
    }

    async fn with_more_projects_than_places_each_gets_its_turn(bed) {
        let mut all = Vec::new();
        for number in 0..7 {
            all.push(bed.crowd(&format!("project-{number}"), 4).await);
        }
        let mut served: BTreeMap<ProjectId, usize> = BTreeMap::new();
        for _ in 0..7 {
            for (project, count) in bed.served(3).await {
                *served.entry(project).or_insert(0) += count;
            }
        }
        assert_eq!(served, all.into_iter().map(|project| (project, 3)).collect());
    }
}

/// Whose turn it is and what is next must not cost a walk through what the others have queued, or through what is done.
#[tokio::test]
async fn turns_and_candidates_are_found_in_the_index_of_queued_steps() {
    for bed in [Bed::sqlite().await, Bed::postgres().await] {
        let crowd = bed.crowd("crowd", 1).await;
        let fill = "WITH RECURSIVE many (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 20000)
            INSERT INTO steps (id, job_id, ordinal, step_key, capability, status, created_at, attempt, losses, needs,
                rates, cost_bound, spec, project_id)
            SELECT 'stp_' || i, (SELECT id FROM jobs LIMIT 1), i, 'k', 'task', 'queued', 1, 0, 0, '[]', '[]', '0', '{}', $1
            FROM many";
        bed.sql(fill, args![&crowd]).await;
        bed.sql("ANALYZE", args![]).await;
        for name in ["turns::WAITING", "claim::CANDIDATES"] {
            let plan = plan_of(&bed, name).await;
            let walks = |line: &str| {
                let all = line.contains("Seq Scan on steps") || line.contains("SCAN steps");
                all && !line.contains("steps_queued") || line.contains("steps_job_id")
            };
            let walks = plan.lines().any(walks);
            assert!(plan.contains("steps_queued") && !walks, "{name}\n{plan}");
        }
        bed.close().await;
    }
}

async fn plan_of(bed: &Bed, name: &str) -> String {
    let (_, statement) = *statements::all().iter().find(|(known, _)| known.ends_with(name)).unwrap();
    let pool = match bed.store.database() {
        Database::Sqlite { readers, .. } => {
            let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", statement.sqlite));
            let asked = sqlx::query(explain).bind("prj_a").bind(4);
            let rows = asked.fetch_all(readers).await.unwrap();
            return rows.iter().map(|row| row.get::<String, _>("detail")).collect::<Vec<_>>().join("\n");
        }
        Database::Postgres { pool, .. } => pool,
    };
    // Detached, because its prepared statements are not the pool's any more.
    let mut connection = pool.acquire().await.unwrap().detach();
    let prepare = format!("PREPARE asked (text, bigint) AS {}", statement.postgres);
    for text in ["SET plan_cache_mode = force_generic_plan", prepare.as_str()] {
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await.unwrap();
    }
    let explain = "EXPLAIN EXECUTE asked ('prj_a', 4)";
    let rows = sqlx::raw_sql(explain).fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    rows.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>().join("\n")
}
