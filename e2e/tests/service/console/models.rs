//! Models as the console shows them to a project.

use auris_e2e::{Console, DatabaseKind, Server, both_databases};
use serde_json::Value;

both_databases! {
    async fn a_project_sees_about_each_model_whether_its_plan_allows_it(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let user = Console::user(&server, client.key()).await;
        let shown = user.get("/console/v1/projects/default/models").send().await.expect_status(200).json();
        let shown = shown["data"].as_array().expect("a list");
        let listed = client.get("/v1/models").send().await.expect_status(200).json();
        let ids = |models: &[Value]| models.iter().map(|model| model["id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids(shown), ids(listed["data"].as_array().expect("a list")));
        for model in shown {
            assert_eq!(model["in_plan"].as_bool(), Some(model["required_plan"].is_null()), "{model}");
        }
        assert!(shown.iter().any(|model| model["in_plan"] == false), "no model of a higher plan");
    }
}
