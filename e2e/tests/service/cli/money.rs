//! Projects, keys and money on the command line.

use auris_e2e::balances::command_json;
use auris_e2e::requests::{analysis, post_analysis, post_transcription, transcription_form};
use auris_e2e::{DatabaseKind, Server, both_databases, eventually};
use serde_json::{Value, json};

both_databases! {
    async fn usage_is_reported_by_day_model_and_project(database: DatabaseKind) {
        let server = Server::start(database).await;
        let made = command_json(&server, &["projects", "create", "support", "--plan", "pro", "--credit", "1", "--json"]);
        assert_eq!((&made["plan"], &made["balance_usd"], &made["held_usd"]), (&json!("pro"), &json!("1"), &json!("0")));
        let client = server.client_with(&["--project", "support", "--name", "importer"]);
        let form = transcription_form(&client).await;
        for model in ["fake-speech", "fake-premium", "fake-premium"] {
            post_transcription(&client, &form.clone().with("model", model)).await.expect_status(200);
        }
        let id = post_analysis(&client, &analysis()).await.expect_status(202).id();
        server.finished(&client, &id).await;
        post_transcription(&server.client(), &form).await.expect_status(200);

        let models = command_json(&server, &["projects", "usage", "support", "--by", "model", "--json"]);
        let usage = |model: &str| {
            let lines = models.as_array().into_iter().flatten();
            let line = lines.into_iter().find(|line| line["model"] == model).cloned().unwrap_or_default();
            (line["requests"].clone(), line["usage"]["cost_usd"].clone())
        };
        assert_eq!(usage("fake-speech"), (json!(1), json!("0.0001")));
        assert_eq!(usage("fake-premium"), (json!(2), json!("0.002")));
        let all = command_json(&server, &["projects", "usage", "--json"]);
        let names: Vec<&Value> = all.as_array().into_iter().flatten().map(|line| &line["project"]).collect();
        assert_eq!(names, [&json!("default"), &json!("support")]);

        let csv = server.auris(&["projects", "usage", "--by", "day,project", "--csv"]);
        let mut lines = csv.lines();
        let head = "day,project,requests,audio_seconds,input_tokens,output_tokens,characters,cost_usd";
        assert_eq!(lines.next(), Some(head));
        let cells: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        assert_eq!(cells[1..], ["default", "1", "1", "0", "0", "0", "0.0001"]);
        assert_eq!(lines.count(), 1, "{csv}");
        let day = cells[0];
        assert!(server.auris(&["projects", "usage", "--since", day, "--until", day]).contains("support"));
        let before = server.auris(&["projects", "usage", "--until", "2020-01-01", "--csv"]);
        assert_eq!(before.lines().count(), 1, "{before}");
    }

    async fn credit_is_added_withdrawn_and_made_unlimited(database: DatabaseKind) {
        let server = Server::start(database).await;
        let listed = command_json(&server, &["projects", "list", "--json"]);
        assert_eq!(listed[0]["balance_usd"], Value::Null);
        server.auris(&["projects", "credit", "default", "10.5"]);
        let now = command_json(&server, &["projects", "credit", "default", "-0.5000000001", "--json"]);
        assert_eq!(now["balance_usd"], "9.9999999999");
        for (amount, said) in [("-11", "take no more than 9.9999999999"), ("1e3", "not an amount"), ("0.00000000001", "not an amount")] {
            let refused = server.try_auris(&["projects", "credit", "default", amount]);
            assert_eq!(refused.status.code(), Some(1), "{amount}");
            let message = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(message.contains(said), "{message}");
        }
        let lifted = command_json(&server, &["projects", "credit", "default", "--unlimited", "--json"]);
        assert_eq!(lifted["balance_usd"], Value::Null);
        assert_eq!(server.try_auris(&["projects", "credit", "default"]).status.code(), Some(2));
    }

    async fn a_rotated_key_works_beside_the_new_one_until_its_grace_ends(database: DatabaseKind) {
        let server = Server::start(database).await;
        let old = command_json(&server, &["keys", "create", "--name", "ci", "--scopes", "read", "--expires", "90d", "--json"]);
        let id = old["id"].as_str().expect("an id");
        let new = command_json(&server, &["keys", "rotate", id, "--grace", "1h", "--json"]);
        assert_eq!((&new["name"], &new["scopes"]), (&json!("ci"), &json!(["read"])));
        assert_ne!(new["id"], old["id"]);
        let life = |key: &Value| key["expires_at"].as_i64().zip(key["created_at"].as_i64()).map(|(end, start)| end - start);
        assert_eq!(life(&new), life(&old));
        let client = server.client();
        for key in [&old, &new] {
            let client = client.with_key(key["key"].as_str());
            client.get("/v1/models").send().await.expect_status(200);
        }
        let last = server.auris(&["keys", "rotate", new["id"].as_str().expect("an id"), "--grace", "0s"]);
        client.with_key(Some(last.trim())).get("/v1/models").send().await.expect_status(200);
        let ended = client.with_key(new["key"].as_str());
        eventually("the old key to expire", || async {
            let reply = ended.get("/v1/models").send().await;
            (reply.status == 401 && reply.error().code == "expired_api_key").then_some(())
        })
        .await;
        assert_eq!(server.try_auris(&["keys", "rotate", new["id"].as_str().expect("an id")]).status.code(), Some(1));
    }

    async fn the_last_use_of_a_key_is_listed(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client_with(&["--name", "used"]);
        server.client_with(&["--name", "unused"]);
        client.get("/v1/models").send().await.expect_status(200);
        let used = eventually("the use to be recorded", || async {
            let keys = command_json(&server, &["keys", "list", "--json"]);
            let key = keys.as_array()?.iter().find(|key| key["name"] == "used")?.clone();
            key["last_used_at"].is_i64().then_some(keys)
        })
        .await;
        let unused = used.as_array().into_iter().flatten().find(|key| key["name"] == "unused").cloned();
        assert_eq!(unused.map(|key| key["last_used_at"].clone()), Some(Value::Null));
        let csv = server.auris(&["keys", "list", "--csv"]);
        assert!(csv.starts_with("id,name,key,scopes,state,created,expires,last_used\n"), "{csv}");
    }

    async fn a_new_plan_takes_effect_within_seconds(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        let form = transcription_form(&client).await.with("model", "fake-premium");
        post_transcription(&client, &form).await.expect_error(403, "plan_required");
        let unknown = server.try_auris(&["projects", "set-plan", "default", "gold"]);
        assert_eq!(unknown.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&unknown.stderr).contains("free, pro"));
        server.auris(&["projects", "set-plan", "default", "pro"]);
        eventually("the plan to take effect", || async {
            (post_transcription(&client, &form).await.status == 200).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn prices_are_listed_as_table_json_and_csv() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let prices = command_json(&server, &["models", "prices", "--json"]);
    let of = |model: &str| -> Vec<&Value> {
        prices.as_array().into_iter().flatten().filter(|price| price["model"] == model).collect()
    };
    assert_eq!(of("fake-speech")[0]["price_per_unit_usd"], "0.0001");
    assert_eq!(of("fake-premium")[0]["required_plan"], "pro");
    let csv = server.auris(&["models", "prices", "--csv"]);
    assert!(csv.starts_with("model,capability,unit,price_usd,plan\n"), "{csv}");
    assert!(csv.contains("fake-text,task,output_token,0.000002,\n"), "{csv}");
    assert!(server.auris(&["models", "prices"]).contains("PRICE USD"));
}
