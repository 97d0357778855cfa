//! A signed-in visitor of the console, as a browser would be, but without one.

use serde_json::{Value, json};

use crate::http::{Call, Client, Reply};
use crate::server::Server;

/// A visitor with a session cookie, or without one.
#[derive(Clone)]
pub struct Console {
    client: Client,
    cookie: Option<String>,
}

impl Console {
    /// Nobody: not signed in yet.
    pub fn stranger(server: &Server) -> Self {
        Self { client: server.client().with_key(None), cookie: None }
    }

    /// An operator who used a link of `auris console`.
    pub async fn operator(server: &Server) -> Self {
        let mut console = Self::stranger(server);
        console.sign_in(&json!({"link": link(server)})).await.expect_status(201);
        console
    }

    /// A user of the project of this API key.
    pub async fn user(server: &Server, key: &str) -> Self {
        let mut console = Self::stranger(server);
        console.sign_in(&json!({"key": key})).await.expect_status(201);
        console
    }

    /// Signs in and keeps the cookie, if the server sets one.
    pub async fn sign_in(&mut self, body: &Value) -> Reply {
        let reply = self.post("/console/v1/session").json(body).send().await;
        if let Some((cookie, _)) = reply.header("set-cookie").split_once(';') {
            self.cookie = Some(cookie.to_owned());
        }
        reply
    }

    /// The cookie, as `name=value`.
    pub fn cookie(&self) -> &str {
        self.cookie.as_deref().unwrap_or_default()
    }

    /// The same visitor at another node, or after a restart.
    pub fn at(&self, server: &Server) -> Self {
        self.at_address(&server.base())
    }

    /// The same visitor at another address.
    pub fn at_address(&self, base: &str) -> Self {
        Self { client: self.client.at(base), cookie: self.cookie.clone() }
    }

    pub fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    pub fn post(&self, path: &str) -> Call {
        self.call("POST", path)
    }

    /// A request with the cookie and the header of the console's pages.
    pub fn call(&self, method: &str, path: &str) -> Call {
        self.bare_call(method, path).header("X-Auris-Console", "1")
    }

    /// A request with the cookie only, as a page of another site could send.
    pub fn bare_call(&self, method: &str, path: &str) -> Call {
        let call = self.client.call(method, path);
        match &self.cookie {
            Some(cookie) => call.header("Cookie", cookie),
            None => call,
        }
    }

    /// Gets a file without checking the contract.
    pub async fn download(&self, path: &str, range: Option<&str>) -> Reply {
        let mut headers = vec![("Cookie", self.cookie())];
        headers.extend(range.map(|range| ("Range", range)));
        self.client.get_outside_api(path, &headers).await
    }
}

/// The secret of a new sign-in link.
pub fn link(server: &Server) -> String {
    let printed = server.auris(&["console"]);
    let (_, secret) = printed.trim().split_once("/sign-in#link=").expect("a link with a secret");
    secret.to_owned()
}
