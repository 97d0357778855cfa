//! The queue between projects: each is served in turn, and finding the next one stays cheap.

use std::collections::BTreeMap;

use auris_domain::id::ProjectId;
use sqlx::{AssertSqlSafe, Connection, Row as _};

use super::builders::{idle_worker, new_job, run_of};
use super::test_store::{NOW, Pool, TestStore, args};
use auris_store::{Claims, StepWorker, all_statements};

use super::on_both_databases;

impl TestStore {
    /// Another project with this number of jobs, each with one step.
    async fn crowd(&self, name: &str, jobs: usize) -> ProjectId {
        let project = self.store.create_project(name, NOW).await.unwrap().unwrap().id;
        for _ in 0..jobs {
            self.store.create_job(new_job(run_of(&project, &[&[]], NOW))).await.unwrap();
        }
        project
    }

    /// The projects for which a worker without a free slot claims a step.
    async fn extra(&self, limit: u32) -> BTreeMap<ProjectId, usize> {
        let busy = StepWorker { running: 2, ..idle_worker("worker", 1_000) };
        by_project(self.store.claim_for_idle_projects(busy, limit).await.unwrap())
    }

    async fn served(&self, limit: u32) -> BTreeMap<ProjectId, usize> {
        by_project(self.store.claim_steps(idle_worker("worker", 1_000), limit).await.unwrap())
    }
}

fn by_project(claims: Claims) -> BTreeMap<ProjectId, usize> {
    let mut served = BTreeMap::new();
    for claimed in claims.steps {
        *served.entry(claimed.job().project_id.clone()).or_insert(0) += 1;
    }
    served
}

on_both_databases! {
    async fn a_project_with_few_jobs_does_not_wait_for_another_s_hundred(test) {
        let many = test.crowd("many", 100).await;
        let few = [test.crowd("few", 3).await, test.crowd("fewer", 3).await];
        let mut served: BTreeMap<ProjectId, usize> = BTreeMap::new();
        for _ in 0..9 {
            for (project, count) in test.served(1).await {
                *served.entry(project).or_insert(0) += count;
            }
        }
        assert_eq!((served[&many], served[&few[0]], served[&few[1]]), (3, 3, 3));
        assert_eq!(test.served(1).await, BTreeMap::from([(many, 1)]));
    }

    async fn a_batch_is_shared_and_unused_shares_go_to_other_projects(test) {
        let many = test.crowd("many", 40).await;
        let few = test.crowd("few", 2).await;
        assert_eq!(test.served(16).await, BTreeMap::from([(many.clone(), 14), (few, 2)]));
        assert_eq!(test.served(16).await, BTreeMap::from([(many.clone(), 16)]));
        assert_eq!(test.served(16).await, BTreeMap::from([(many, 10)]));
        assert!(test.served(16).await.is_empty());
    }

    async fn with_more_projects_than_slots_each_is_served_in_turn(test) {
        let mut all = Vec::new();
        for number in 0..7 {
            all.push(test.crowd(&format!("project-{number}"), 4).await);
        }
        let mut served: BTreeMap<ProjectId, usize> = BTreeMap::new();
        for _ in 0..7 {
            for (project, count) in test.served(3).await {
                *served.entry(project).or_insert(0) += count;
            }
        }
        assert_eq!(served, all.into_iter().map(|project| (project, 3)).collect());
    }

    async fn only_a_project_that_has_nothing_running_is_served_beyond_the_slots(test) {
        test.crowd("many", 9).await;
        test.served(2).await;
        assert!(test.extra(8).await.is_empty());
        let few = BTreeMap::from([(test.crowd("few", 3).await, 1), (test.crowd("fewer", 3).await, 1)]);
        assert_eq!(test.extra(8).await, few, "one step for each");
        assert!(test.extra(8).await.is_empty());
        let mut next = BTreeMap::from([(test.crowd("a", 1).await, 1), (test.crowd("b", 1).await, 1)]);
        for _ in 0..2 {
            let extra = test.extra(1).await;
            assert_eq!(extra.len(), 1, "no more than there are slots");
            next.retain(|project, _| !extra.contains_key(project));
        }
        assert!(next.is_empty(), "{next:?}");
    }

    async fn a_project_that_has_nothing_running_is_found_behind_many_that_have(test) {
        for number in 0..70 {
            test.crowd(&format!("project-{number}"), 2).await;
        }
        assert_eq!(test.served(70).await.len(), 70);
        let idle = test.crowd("idle", 1).await;
        let mut served = test.extra(8).await;
        served.extend(test.extra(8).await);
        assert_eq!(served, BTreeMap::from([(idle, 1)]));
    }
}

/// Finding the next project and its steps must not cost a scan of the steps that others have queued, or of finished ones.
#[tokio::test]
async fn projects_and_candidates_are_found_in_the_index_of_queued_steps() {
    for test in [TestStore::sqlite().await, TestStore::postgres().await] {
        let crowd = test.crowd("crowd", 1).await;
        let fill = "WITH RECURSIVE many (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 20000)
            INSERT INTO steps (id, job_id, ordinal, step_key, capability, status, created_at, attempt, losses, needs,
                rates, cost_bound, spec, project_id)
            SELECT 'stp_' || i, (SELECT id FROM jobs LIMIT 1), i, 'k', 'task', 'queued', 1, 0, 0, '[]', '[]', '0', '{}', $1
            FROM many";
        test.sql(fill, args![&crowd]).await;
        test.sql("ANALYZE", args![]).await;
        for name in ["fair_order::WAITING", "fair_order::WAITING_AND_RUNNING", "claim::CANDIDATES"] {
            let plan = plan_of(&test, name).await;
            let is_scan = |line: &str| {
                let reads_all = line.contains("Seq Scan on steps") || line.contains("SCAN steps");
                reads_all && !line.contains("steps_queued") || line.contains("steps_job_id")
            };
            let scans = plan.lines().any(is_scan);
            assert!(plan.contains("steps_queued") && !scans, "{name}\n{plan}");
        }
        test.close().await;
    }
}

async fn plan_of(test: &TestStore, name: &str) -> String {
    let all = all_statements();
    let statement = all.iter().find(|statement| statement.name.ends_with(name)).unwrap();
    let pool = match &test.pool {
        Pool::Sqlite(connection) => {
            let connection = connection.lock();
            let mut explain =
                connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sqlite)).unwrap();
            let rows = explain.query_map(("prj_a", 4), |row| row.get::<_, String>("detail")).unwrap();
            return rows.collect::<Result<Vec<_>, _>>().unwrap().join("\n");
        }
        Pool::Postgres(pool) => pool,
    };
    // Detached, because the pool does not know the statement that is prepared here.
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
