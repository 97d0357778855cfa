//! Arguments of `auris operator`.

use clap::Subcommand;

use super::Shape;

#[derive(Subcommand)]
pub(crate) enum Operator {
    /// Create, list and revoke the keys of operators
    #[command(
        subcommand,
        after_help = "Examples:\n  auris operator keys create --name anna --expires 90d\n  auris operator keys list"
    )]
    Keys(OperatorKeys),
    /// List and end the sessions of operators
    #[command(
        subcommand,
        after_help = "Examples:\n  auris operator sessions list\n  auris operator sessions end ses_0mwh2ixixk3f7q9zt1vb"
    )]
    Sessions(OperatorSessions),
}

#[derive(Subcommand)]
pub(crate) enum OperatorSessions {
    /// List the operators who are signed in to the console
    #[command(after_help = "Example:\n  auris operator sessions list --json")]
    List {
        #[command(flatten)]
        shape: Shape,
    },
    /// End a session, whether it was started with a key or a link
    #[command(after_help = "Example:\n  auris operator sessions end ses_0mwh2ixixk3f7q9zt1vb")]
    End {
        /// Id of the session
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum OperatorKeys {
    /// Create an operator key and print it
    ///
    /// The key opens the console and the operator API for all projects; it does not work on `/v1`. It is shown only once.
    /// Nothing else is written to standard output.
    #[command(after_help = "Example:\n  auris operator keys create --name anna --expires 90d")]
    Create {
        /// Name of the operator, to recognize the key in lists
        #[arg(long, value_name = "TEXT")]
        name: String,
        /// Time until the key expires, for example 12h, 90d or 4w [default: never]
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
        /// Print the key and its details as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the operator keys
    ///
    /// Shows ids and details, not the keys themselves: Auris stores only their hashes.
    #[command(after_help = "Example:\n  auris operator keys list --json")]
    List {
        #[command(flatten)]
        shape: Shape,
    },
    /// Revoke an operator key and end its sessions
    #[command(after_help = "Example:\n  auris operator keys revoke opk_0mhzw1v7u3k9d2qpx4ab")]
    Revoke {
        /// Id of the key
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
