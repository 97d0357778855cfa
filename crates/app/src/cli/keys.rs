//! Arguments of `auris keys`.

use auris_domain::project::Scope;
use clap::Subcommand;

use super::Shape;
use super::named_value::named;

#[derive(Subcommand)]
pub(crate) enum Keys {
    /// Create an API key and print it
    ///
    /// The key is shown only once. Nothing else is written to standard output.
    #[command(
        after_help = "Example:\n  export AURIS_API_KEY=$(auris keys create --name laptop --expires 90d)"
    )]
    Create {
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Description, to recognize the key in lists
        #[arg(long, default_value = "", value_name = "TEXT")]
        name: String,
        /// Scopes of the key: `read` for GET requests, `write` for all others
        #[arg(long, value_parser = named::<Scope>(), value_delimiter = ',', default_value = "read,write")]
        scopes: Vec<Scope>,
        /// Time until the key expires, for example 12h, 90d or 4w [default: never]
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
        /// Print the key and its details as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the keys of a project
    ///
    /// Shows ids and details, not the keys themselves: Auris stores only their hashes.
    #[command(after_help = "Example:\n  auris keys list --project support --csv")]
    List {
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[command(flatten)]
        shape: Shape,
    },
    /// Revoke a key
    ///
    /// The key stops working within five seconds on every node.
    #[command(after_help = "Example:\n  auris keys revoke key_0mhzw1v7u3k9d2qpx4ab")]
    Revoke {
        /// Id of the key
        id: String,
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Replace a key; the old key keeps working for a grace period
    ///
    /// The new key copies the old key's name and scopes, and its lifetime if it had one. The new key is shown only
    /// once. Nothing else is written to standard output.
    #[command(
        after_help = "Examples:\n  auris keys rotate key_0mhzw1v7u3k9d2qpx4ab --grace 24h\n  auris keys rotate key_0mhzw1v7u3k9d2qpx4ab --grace 0s"
    )]
    Rotate {
        /// Id of the key
        id: String,
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Time for which the old key keeps working, for example 30m, 24h or 7d; 0s revokes it now
        #[arg(long, default_value = "24h", value_name = "TIME")]
        grace: String,
        /// Print the new key and its details as JSON
        #[arg(long)]
        json: bool,
    },
}
