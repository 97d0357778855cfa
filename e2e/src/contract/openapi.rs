//! Finds operations in the contract and validates answers against their schemas.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use jsonschema::Validator;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::repository::repository;

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

/// The whole document and its operations.
pub struct Contract {
    document: Value,
    operations: Vec<Operation>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// One method of one path.
pub struct Operation {
    pub method: String,
    pub template: String,
    pub definition: Value,
    pub parameters: Vec<Value>,
}

/// The contract of this checkout. It is read once.
pub fn contract() -> &'static Contract {
    static CONTRACT: OnceLock<Contract> = OnceLock::new();
    CONTRACT.get_or_init(|| read("openapi/openapi.yaml"))
}

/// The contract of the console and of the operator API.
pub fn console_contract() -> &'static Contract {
    static CONTRACT: OnceLock<Contract> = OnceLock::new();
    CONTRACT.get_or_init(|| read("openapi/console.yaml"))
}

fn read(file: &str) -> Contract {
    let text = std::fs::read_to_string(repository().join(file)).expect("the document exists");
    Contract::new(yaml_serde::from_str(&text).expect("the document is YAML"))
}

impl Contract {
    fn new(document: Value) -> Self {
        let mut contract = Self { document, operations: Vec::new(), validators: Mutex::default() };
        contract.operations = contract.read_operations();
        contract
    }

    /// All operations under `/v1`.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operation that a request belongs to, if any.
    pub fn operation(&self, method: &str, path: &str) -> Option<&Operation> {
        self.operations
            .iter()
            .find(|operation| operation.method == method && matches(&operation.template, path))
    }

    /// Follows `$ref`s.
    pub fn resolve<'a>(&'a self, mut value: &'a Value) -> &'a Value {
        while let Some(reference) = value["$ref"].as_str() {
            let pointer = reference.trim_start_matches('#');
            value = self.document.pointer(pointer).unwrap_or_else(|| panic!("`{reference}` does not exist"));
        }
        value
    }

    /// The named schema, if the document has it.
    pub fn schema(&self, name: &str) -> Option<&Value> {
        self.document["components"]["schemas"].get(name)
    }

    /// The number of named schemas.
    pub fn schema_count(&self) -> usize {
        self.document["components"]["schemas"].as_object().map_or(0, serde_json::Map::len)
    }

    /// How the value violates the schema; empty if it does not.
    pub fn schema_errors(&self, schema: &Value, value: &Value) -> Vec<String> {
        self.validator(schema)
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .take(5)
            .collect()
    }

    /// How an answer to the operation breaks the contract; empty if it does not.
    pub fn answer_errors(
        &self,
        operation: &Operation,
        status: u16,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Vec<String> {
        let responses = &operation.definition["responses"];
        let Some(response) = responses.get(status.to_string()) else {
            return vec![format!("status {status} is not documented")];
        };
        let response = self.resolve(response);
        let mut errors = self.header_errors(response, headers);
        errors.extend(self.content_errors(response, headers, body));
        errors
    }

    /// How an error body breaks the contract. All error bodies have the schema that every operation lists for 404.
    pub fn error_body_errors(&self, headers: &HeaderMap, body: &[u8]) -> Vec<String> {
        let response = self.resolve(&self.operations[0].definition["responses"]["404"]);
        self.content_errors(response, headers, body)
    }

    fn header_errors(&self, response: &Value, headers: &HeaderMap) -> Vec<String> {
        let documented = response["headers"].as_object().into_iter().flatten();
        documented
            .filter_map(|(name, header)| self.one_header_error(name, self.resolve(header), headers))
            .collect()
    }

    fn one_header_error(&self, name: &str, header: &Value, headers: &HeaderMap) -> Option<String> {
        let Some(sent) = headers.get(name) else {
            let required = header["required"] == json!(true);
            return required.then(|| format!("the required header {name} is missing"));
        };
        let text = String::from_utf8_lossy(sent.as_bytes()).into_owned();
        let schema = self.resolve(&header["schema"]);
        let value = as_schema_type(schema, text);
        let errors = self.schema_errors(&header["schema"], &value);
        (!errors.is_empty()).then(|| format!("header {name}: {}", errors.join("; ")))
    }

    fn content_errors(&self, response: &Value, headers: &HeaderMap, body: &[u8]) -> Vec<String> {
        let Some(content) = response["content"].as_object() else {
            let empty = body.is_empty();
            return if empty { vec![] } else { vec!["the contract documents no body".to_owned()] };
        };
        let sent = media_type(headers);
        let Some(media) = content.get(&sent) else {
            return vec![format!("content type `{sent}` is not documented")];
        };
        if !sent.ends_with("json") {
            return vec![];
        }
        match serde_json::from_slice(body) {
            Ok(value) => self.schema_errors(&media["schema"], &value),
            Err(error) => vec![format!("the body is not JSON: {error}")],
        }
    }

    // References point into `components`, so each schema is compiled together with them.
    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let key = schema.to_string();
        let mut validators = self.validators.lock().expect("no holder panics");
        if let Some(validator) = validators.get(&key) {
            return validator.clone();
        }
        let whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": self.document["components"],
            "allOf": [schema],
        });
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&whole)
            .unwrap_or_else(|error| panic!("openapi.yaml has an invalid schema: {error}: {key}"));
        let validator = Arc::new(validator);
        validators.insert(key, validator.clone());
        validator
    }

    fn read_operations(&self) -> Vec<Operation> {
        let paths = self.document["paths"].as_object();
        let mut operations = Vec::new();
        for (template, item) in paths.expect("openapi.yaml has paths") {
            for method in METHODS.iter().filter(|method| item.get(**method).is_some()) {
                operations.push(self.read_operation(template, method, item));
            }
        }
        operations
    }

    fn read_operation(&self, template: &str, method: &str, item: &Value) -> Operation {
        let definition = item[method].clone();
        let shared = item["parameters"].as_array().into_iter().flatten();
        let own = definition["parameters"].as_array().into_iter().flatten();
        let parameters = shared.chain(own).map(|p| self.resolve(p).clone()).collect();
        Operation { method: method.to_uppercase(), template: template.to_owned(), parameters, definition }
    }
}

impl Operation {
    /// The path with every parameter filled in.
    pub fn path(&self, value: impl Fn(&str) -> String) -> String {
        let fill = |segment: &str| match parameter_name(segment) {
            Some(name) => value(name),
            None => segment.to_owned(),
        };
        self.template.split('/').map(fill).collect::<Vec<_>>().join("/")
    }
}

fn matches(template: &str, path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let wanted: Vec<&str> = template.split('/').collect();
    let sent: Vec<&str> = path.split('/').collect();
    let segment = |(wanted, sent): (&&str, &&str)| {
        wanted == sent || (parameter_name(wanted).is_some() && !sent.is_empty())
    };
    wanted.len() == sent.len() && wanted.iter().zip(&sent).all(segment)
}

fn parameter_name(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get("content-type").and_then(|v| v.to_str().ok());
    let bare = value.unwrap_or_default().split(';').next();
    bare.unwrap_or_default().trim().to_lowercase()
}

// A header is a text; its schema may require a number.
fn as_schema_type(schema: &Value, text: String) -> Value {
    match schema["type"].as_str() {
        Some("integer" | "number" | "boolean") => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        _ => Value::String(text),
    }
}
