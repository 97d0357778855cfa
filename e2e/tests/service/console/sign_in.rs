//! Sessions: how they begin, what they may do, and how they end.

use auris_e2e::{Console, DatabaseKind, Reply, Server, ServerOptions, both_databases, eventually, link};
use serde_json::{Value, json};

const SESSION: &str = "/console/v1/session";

/// Tries to sign in until the limit refuses it, and returns the refusal. A slow machine gets another attempt every six
/// seconds, so a few more than the limit may be answered with 401.
pub(super) async fn fail_until_limited(stranger: &mut Console, credential: &Value) -> Reply {
    for _ in 0..5 {
        let reply = stranger.sign_in(credential).await;
        if reply.status == 429 {
            assert_eq!(reply.error().code, "too_many_sign_ins");
            return reply;
        }
        reply.expect_error(401, "invalid_sign_in");
    }
    panic!("further failed sign-ins are not limited");
}

both_databases! {
    async fn an_operator_signs_in_with_a_link_or_a_key_and_out_again(database: DatabaseKind) {
        let server = Server::start(database).await;
        let operator = Console::operator(&server).await;
        let session = operator.get(SESSION).send().await.expect_status(200).json();
        assert_eq!((&session["role"], &session["project"]), (&json!("operator"), &json!(null)));
        let lasts = session["expires_at"].as_i64().expect("a number") - session["created_at"].as_i64().expect("a number");
        assert_eq!(lasts, 12 * 60 * 60);
        operator.call("DELETE", SESSION).send().await.expect_status(200);
        operator.get(SESSION).send().await.expect_error(401, "expired_session");

        let key = server.auris(&["operator", "keys", "create", "--name", "anna"]).trim().to_owned();
        let mut with_key = Console::stranger(&server);
        with_key.sign_in(&json!({"key": key})).await.expect_status(201);
        let id = server.auris(&["operator", "keys", "list", "--csv"]);
        let id = id.lines().nth(1).expect("a key").split(',').next().expect("an id").to_owned();
        with_key.get("/operator/v1/projects").send().await.expect_status(200);
        server.auris(&["operator", "keys", "revoke", &id]);
        with_key.get("/operator/v1/projects").send().await.expect_error(401, "expired_session");
    }

    async fn the_session_says_who_is_signed_in_and_what_they_may_do(database: DatabaseKind) {
        let server = Server::start(database).await;
        let everything = json!(["read", "write"]);
        let linked = Console::operator(&server).await.get(SESSION).send().await.expect_status(200).json();
        assert_eq!((&linked["key_name"], &linked["scopes"]), (&json!(null), &everything));
        let operator_key = server.auris(&["operator", "keys", "create", "--name", "anna"]).trim().to_owned();
        let operator = Console::user(&server, &operator_key).await.get(SESSION).send().await.expect_status(200).json();
        assert_eq!((&operator["role"], &operator["key_name"]), (&json!("operator"), &json!("anna")));
        let with_key = server.client().with_key(Some(&operator_key)).get(SESSION).send().await.expect_status(200).json();
        assert_eq!((&with_key["key_name"], &with_key["scopes"]), (&json!("anna"), &everything));
        let key = server.auris(&["keys", "create", "--name", "boris", "--scopes", "read"]).trim().to_owned();
        let reader = Console::user(&server, &key).await;
        let session = reader.get(SESSION).send().await.expect_status(200).json();
        assert_eq!((&session["key_name"], &session["scopes"]), (&json!("boris"), &json!(["read"])));
        let refused = reader.post("/console/v1/projects/default/deliveries/resend_failed").send().await;
        refused.expect_error(403, "insufficient_scope");
        reader.call("DELETE", SESSION).send().await.expect_status(200);
    }

    async fn a_sign_in_is_a_use_of_its_key(database: DatabaseKind) {
        let server = Server::start(database).await;
        let operator_key = server.auris(&["operator", "keys", "create", "--name", "anna"]).trim().to_owned();
        let key = server.auris(&["keys", "create", "--name", "boris"]).trim().to_owned();
        let operator = Console::operator(&server).await;
        let last_use = |path: &'static str, name: &'static str| {
            let keys = operator.get(path);
            async move {
                let keys = keys.send().await.expect_status(200).json();
                let mut found = keys["data"].as_array().expect("a list").iter().filter(|key| key["name"] == name);
                found.next().expect("the key is listed")["last_used_at"].as_i64()
            }
        };
        let operator_keys = "/operator/v1/keys";
        let keys = "/operator/v1/projects/default/keys";
        assert_eq!(last_use(operator_keys, "anna").await, None);
        assert_eq!(last_use(keys, "boris").await, None);
        for key in [operator_key, key] {
            Console::stranger(&server).sign_in(&json!({"key": key})).await.expect_status(201);
        }
        assert!(last_use(operator_keys, "anna").await.is_some());
        eventually("the use of the API key", || last_use(keys, "boris")).await;
    }

    async fn an_operator_ends_the_session_of_another_one(database: DatabaseKind) {
        let server = Server::start(database).await;
        let (operator, lost) = (Console::operator(&server).await, Console::operator(&server).await);
        let user = Console::user(&server, server.client().key()).await;
        let id = |session: &serde_json::Value| session["id"].as_str().expect("a text").to_owned();
        let lost_id = id(&lost.get(SESSION).send().await.expect_status(200).json());
        let sessions = operator.get("/operator/v1/sessions").send().await.expect_status(200).json();
        let listed = sessions["data"].as_array().expect("a list");
        assert_eq!(listed.len(), 2, "{sessions}");
        assert!(listed.iter().any(|session| id(session) == lost_id && session["key_id"].is_null()), "{sessions}");
        operator.call("DELETE", &format!("/operator/v1/sessions/{lost_id}")).send().await.expect_status(200);
        lost.get(SESSION).send().await.expect_error(401, "expired_session");
        operator.call("DELETE", &format!("/operator/v1/sessions/{lost_id}")).send().await.expect_error(404, "not_found");
        let users = id(&user.get(SESSION).send().await.expect_status(200).json());
        operator.call("DELETE", &format!("/operator/v1/sessions/{users}")).send().await.expect_error(404, "not_found");
        user.get("/operator/v1/sessions").send().await.expect_error(403, "operator_only");

        let printed = server.auris(&["operator", "sessions", "list", "--json"]);
        let printed: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
        server.auris(&["operator", "sessions", "end", &id(&printed[0])]);
        operator.get(SESSION).send().await.expect_error(401, "expired_session");
        assert!(!server.try_auris(&["operator", "sessions", "end", &lost_id]).status.success());
    }

    async fn a_project_user_sees_only_their_own_project_until_their_key_ends(database: DatabaseKind) {
        let server = Server::start(database).await;
        let client = server.client();
        server.client_of_new_project("other");
        let user = Console::user(&server, client.key()).await;
        let projects = user.get("/console/v1/projects").send().await.expect_status(200).json();
        assert_eq!(projects["data"], json!([{"name": "default"}]));
        user.get("/console/v1/projects/default/jobs").send().await.expect_status(200);
        user.get("/console/v1/projects/other/jobs").send().await.expect_error(404, "not_found");
        user.get("/operator/v1/overview").send().await.expect_error(403, "operator_only");
        user.get("/operator/v1/projects/default").send().await.expect_error(403, "operator_only");

        let keys = server.auris(&["keys", "list", "--json"]);
        let keys: serde_json::Value = serde_json::from_str(&keys).expect("JSON");
        let hint = &client.key()[..7];
        let own = keys.as_array().expect("a list").iter().find(|key| key["hint"] == hint).expect("the key");
        server.auris(&["keys", "revoke", own["id"].as_str().expect("a text")]);
        user.get("/console/v1/projects/default/jobs").send().await.expect_error(401, "expired_session");
    }
}

#[tokio::test]
async fn a_link_works_once() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let secret = link(&server);
    let mut first = Console::stranger(&server);
    first.sign_in(&json!({"link": secret})).await.expect_status(201);
    let mut second = Console::stranger(&server);
    let refused = second.sign_in(&json!({"link": secret})).await.expect_error(401, "invalid_sign_in");
    assert_eq!(refused.param.as_deref(), Some("link"));
    first.get("/operator/v1/overview").send().await.expect_status(200);
}

#[tokio::test]
async fn wrong_sign_ins_are_refused_and_limited() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let mut stranger = Console::stranger(&server);
    for body in
        [json!({}), json!({"key": 1}), json!({"key": "a", "link": "b"}), json!({"other": "a"}), json!([])]
    {
        let reply = stranger.sign_in(&body).await;
        assert_eq!(reply.status, 400, "{reply}");
    }
    for _ in 0..10 {
        stranger.sign_in(&json!({"key": "sk-wrong"})).await.expect_error(401, "invalid_sign_in");
    }
    let limited = fail_until_limited(&mut stranger, &json!({"key": "sk-wrong"})).await;
    assert!(!limited.header("retry-after").is_empty());
}

#[tokio::test]
async fn a_valid_key_or_link_works_after_too_many_failures_of_the_same_address() {
    let server = Server::start(DatabaseKind::Sqlite).await;
    let mut stranger = Console::stranger(&server);
    for _ in 0..10 {
        stranger.sign_in(&json!({"link": "sl-wrong"})).await.expect_error(401, "invalid_sign_in");
    }
    fail_until_limited(&mut stranger, &json!({"link": "sl-wrong"})).await;
    let secret = link(&server);
    let operator_key = server.auris(&["operator", "keys", "create", "--name", "anna"]);
    for valid in
        [json!({"key": server.client().key()}), json!({"key": operator_key.trim()}), json!({"link": secret})]
    {
        Console::stranger(&server).sign_in(&valid).await.expect_status(201);
    }
    fail_until_limited(&mut stranger, &json!({"link": secret})).await;
}

#[tokio::test]
async fn a_session_survives_a_restart_and_works_on_every_node() {
    let mut server = Server::start(DatabaseKind::Postgres).await;
    let node = server.node().await;
    let operator = Console::operator(&server).await;
    operator.at(&node).get(SESSION).send().await.expect_status(200);
    let nodes = eventually("both nodes to be listed", || async {
        let overview = operator.get("/operator/v1/overview").send().await.expect_status(200).json();
        let nodes = overview["nodes"].as_array().expect("a list").clone();
        (nodes.iter().filter(|node| node["alive"] == true).count() == 2).then_some(nodes)
    })
    .await;
    assert_ne!(nodes[0]["id"], nodes[1]["id"]);
    server.terminate().await;
    server.restart().await;
    operator.at(&server).get(SESSION).send().await.expect_status(200);
}

#[tokio::test]
async fn the_console_can_be_switched_off_or_moved_to_its_own_address() {
    let off = ServerOptions::new(DatabaseKind::Sqlite).with("AURIS_CONSOLE__ENABLED", "false").start().await;
    let stranger = Console::stranger(&off);
    for path in ["/", "/jobs", "/console/v1/session", "/operator/v1/overview"] {
        let reply = stranger.download(path, None).await;
        assert_eq!(reply.status, 404, "{reply}");
    }
    assert!(!off.try_auris(&["console"]).status.success());

    let address = free_address();
    let moved =
        ServerOptions::new(DatabaseKind::Sqlite).with("AURIS_CONSOLE__LISTEN", &address).start().await;
    let here = Console::stranger(&moved).download("/", None).await;
    assert_eq!(here.status, 404, "{here}");
    let client = moved.client().with_key(None).at(&format!("http://{address}"));
    assert_eq!(client.get_outside_api("/", &[]).await.status, 200);
    assert_eq!(client.get_outside_api("/v1/jobs", &[]).await.status, 404);
    assert_eq!(client.get_outside_api("/console/v1/session", &[]).await.status, 401);
    assert!(moved.auris(&["console"]).starts_with(&format!("http://{address}/sign-in#link=sl-")));
}

#[tokio::test]
async fn the_session_says_where_the_api_is_if_the_console_is_elsewhere() {
    let address = free_address();
    let server =
        ServerOptions::new(DatabaseKind::Sqlite).with("AURIS_CONSOLE__LISTEN", &address).start().await;
    let mut operator = Console::stranger(&server).at_address(&format!("http://{address}"));
    let signed_in = operator.sign_in(&json!({"link": link(&server)})).await.expect_status(201).json();
    assert_eq!(signed_in["server"]["api_url"], json!(server.base()));
    let session = operator.get(SESSION).send().await.expect_status(200).json();
    assert_eq!(session["server"]["api_url"], json!(server.base()));

    let together = Server::start(DatabaseKind::Sqlite).await;
    let session = Console::operator(&together).await.get(SESSION).send().await.expect_status(200).json();
    assert_eq!(session["server"]["api_url"], json!(null));
}

#[tokio::test]
async fn the_session_has_the_public_url_of_the_api_if_it_is_set() {
    let address = free_address();
    let url = "https://api.example.com";
    let together = ServerOptions::new(DatabaseKind::Sqlite).with("AURIS_SERVER__PUBLIC_URL", url);
    let apart = ServerOptions::new(DatabaseKind::Sqlite)
        .with("AURIS_SERVER__PUBLIC_URL", format!("{url}/"))
        .with("AURIS_CONSOLE__LISTEN", &address);
    let server = together.start().await;
    let session = Console::operator(&server).await.get(SESSION).send().await.expect_status(200).json();
    assert_eq!(session["server"]["api_url"], json!(url));
    let server = apart.start().await;
    let mut operator = Console::stranger(&server).at_address(&format!("http://{address}"));
    let signed_in = operator.sign_in(&json!({"link": link(&server)})).await.expect_status(201).json();
    assert_eq!(signed_in["server"]["api_url"], json!(url));
    let settings = operator.get("/operator/v1/settings").send().await.expect_status(200).json();
    let shown = settings["data"].as_array().expect("a list").iter();
    let mut shown = shown.filter(|setting| setting["name"] == "server.public_url");
    assert_eq!(shown.next().map(|setting| setting["source"].clone()), Some(json!("environment")));
}

/// An address that nothing listens on.
pub(super) fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}
