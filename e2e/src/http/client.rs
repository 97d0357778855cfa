//! The client that tests use to call a server. It checks every answer against the contract.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, redirect};
use serde_json::Value;

use super::{EventStream, Form, Reply};
use crate::contract::{Contract, answer_rules, console_contract, contract};

/// A caller with a key, or without one.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    key: Option<String>,
}

/// A request that is being built.
#[must_use]
pub struct Call {
    client: Client,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Option<reqwest::Body>,
    described: String,
}

impl Client {
    pub(crate) fn new(base: String, key: Option<String>) -> Self {
        auris_tls::use_ring();
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .timeout(Duration::from_secs(120))
            .build()
            .expect("the options are valid");
        Self { http, base, key }
    }

    /// The same caller with another key, or none.
    pub fn with_key(&self, key: Option<&str>) -> Self {
        Self { key: key.map(str::to_owned), ..self.clone() }
    }

    /// The same caller at another node.
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// The key that the caller sends.
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    pub fn post(&self, path: &str) -> Call {
        self.call("POST", path)
    }

    pub fn delete(&self, path: &str) -> Call {
        self.call("DELETE", path)
    }

    pub fn call(&self, method: &str, path: &str) -> Call {
        Call {
            client: self.clone(),
            method: method.parse().expect("a method name"),
            path: path.to_owned(),
            headers: HeaderMap::new(),
            body: None,
            described: String::new(),
        }
    }

    /// Gets an address outside `/v1`, such as a signed one, without a key and without checking the contract.
    pub async fn get_outside_api(&self, path_or_url: &str, headers: &[(&str, &str)]) -> Reply {
        self.try_get_outside_api(path_or_url, headers).await.expect("the server answers")
    }

    /// The same for a server that may be killed in the meantime.
    pub async fn try_get_outside_api(
        &self,
        path_or_url: &str,
        headers: &[(&str, &str)],
    ) -> Result<Reply, reqwest::Error> {
        let url = match path_or_url.starts_with("http") {
            true => path_or_url.to_owned(),
            false => format!("{}{path_or_url}", self.base),
        };
        let mut request = self.http.get(&url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        read(format!("GET {url}"), request.send().await?).await
    }
}

impl Call {
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name: HeaderName = name.parse().expect("a header name");
        let value = HeaderValue::from_bytes(value.as_ref()).expect("a header value");
        self.headers.insert(name, value);
        self
    }

    pub fn idempotency_key(self, key: &str) -> Self {
        self.header("Idempotency-Key", key)
    }

    pub fn json(self, body: &Value) -> Self {
        self.bytes("application/json", body.to_string().into_bytes())
    }

    pub fn form(self, form: &Form) -> Self {
        self.bytes(&Form::content_type(), form.encode())
    }

    pub fn bytes(mut self, content_type: &str, body: Vec<u8>) -> Self {
        let start = &body[..body.len().min(600)];
        self.described = String::from_utf8_lossy(start).into_owned();
        self.body = Some(body.into());
        match content_type {
            "" => self,
            _ => self.header("Content-Type", content_type),
        }
    }

    /// Sends the request and checks the answer; panics if it breaks the contract or does not come.
    pub async fn send(self) -> Reply {
        let description = self.description();
        match self.try_send().await {
            Ok(reply) => reply,
            Err(error) => panic!("{description}: no answer: {error:?}"),
        }
    }

    /// The same for a server that may be killed in the meantime.
    pub async fn try_send(self) -> Result<Reply, reqwest::Error> {
        let method = self.method.to_string();
        let path = self.path.clone();
        let description = self.description();
        let body = self.described.clone();
        let response = self.start().await?;
        let reply = read(description, response).await?;
        check(&method, &path, &reply, &body);
        Ok(reply)
    }

    /// Sends the request and reads the answer as a stream of events.
    pub async fn stream(self) -> EventStream {
        let description = self.description();
        match self.try_stream().await {
            Ok(stream) => stream,
            Err(error) => panic!("{description}: no stream: {error:?}"),
        }
    }

    /// The same for a server that may be killed in the meantime.
    pub async fn try_stream(self) -> Result<EventStream, reqwest::Error> {
        let opened = self.open_stream().await?;
        Ok(opened.unwrap_or_else(|reply| panic!("expected a stream: {reply}")))
    }

    /// The stream, or the answer of a server that refuses to open one.
    pub async fn open_stream(self) -> Result<Result<EventStream, Reply>, reqwest::Error> {
        let description = self.description();
        let method = self.method.to_string();
        let path = self.path.clone();
        let response = self.start().await?;
        let head = Reply {
            request: description,
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: Vec::new(),
        };
        if head.status != 200 {
            let reply = read(head.request, response).await?;
            check(&method, &path, &reply, "");
            return Ok(Err(reply));
        }
        check(&method, &path, &head, "");
        Ok(Ok(EventStream::new(head, response)))
    }

    async fn start(self) -> Result<Response, reqwest::Error> {
        let url = format!("{}{}", self.client.base, self.path);
        let mut request = self.client.http.request(self.method, url);
        if let Some(key) = &self.client.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        if let Some(body) = self.body {
            request = request.body(body);
        }
        request.headers(self.headers).send().await
    }

    fn description(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

async fn read(request: String, response: Response) -> Result<Reply, reqwest::Error> {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let body = response.bytes().await?.to_vec();
    Ok(Reply { request, status, headers, body })
}

/// The contract that a path belongs to, if any.
fn contract_of(path: &str) -> Option<&'static Contract> {
    let is_below = |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
    if is_below("/console/v1") || is_below("/operator/v1") {
        return Some(console_contract());
    }
    path.starts_with("/v1").then(contract)
}

fn check(method: &str, path: &str, reply: &Reply, sent: &str) {
    let Some(contract) = contract_of(path) else { return };
    let mut errors = Vec::new();
    match contract.operation(method, path) {
        Some(operation) => {
            let body = &reply.body;
            errors.extend(contract.answer_errors(operation, reply.status, &reply.headers, body));
        }
        // HTTP defines HEAD as GET without the body.
        None if method == "HEAD" => return,
        None if reply.status < 400 => {
            errors.push("success although the contract has no such operation".to_owned())
        }
        None => errors.extend(contract.error_body_errors(&reply.headers, &reply.body)),
    }
    errors.extend(answer_rules::errors(reply.status, &reply.headers, &reply.body));
    assert!(
        errors.is_empty(),
        "{reply}\nbreaks the contract:\n  {}\nrequest body: {sent}",
        errors.join("\n  ")
    );
}
