//! Language models in this process: GGUF files, computed with candle.

mod cache;
mod chat;
mod constraint;
mod gguf;
mod model;
mod model_config;
mod net;
mod prefix_cache;
mod prepared_request;
mod sampling;
mod session;
mod template;
#[cfg(test)]
mod tests;
mod tokenizer;
mod utf8_stream;
mod vocabulary;

pub use chat::LocalChat;
