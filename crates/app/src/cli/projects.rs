//! The words of `auris projects`.

use clap::{Args, Subcommand, ValueEnum};

use super::Shape;

#[derive(Subcommand)]
pub(crate) enum Projects {
    /// Make a project
    #[command(after_help = "Example:\n  auris projects create support-calls --plan pro --credit 50")]
    Create {
        name: String,
        /// A plan of the catalogue [default: its least]
        #[arg(long)]
        plan: Option<String>,
        /// What is paid ahead, in US dollars [default: nothing, and no limit on what may be spent]
        #[arg(long, value_name = "AMOUNT")]
        credit: Option<String>,
        #[command(flatten)]
        limits: LimitWords,
        #[arg(long)]
        json: bool,
    },
    /// List the projects with their plans, balances and limits
    #[command(after_help = "Example:\n  auris projects list --json")]
    List {
        #[command(flatten)]
        shape: Shape,
    },
    /// Put a project on another plan
    #[command(after_help = "Example:\n  auris projects set-plan support-calls pro")]
    SetPlan {
        name: String,
        plan: String,
        #[arg(long)]
        json: bool,
    },
    /// Limit what all keys of a project may ask for together
    #[command(
        after_help = "Examples:\n  auris projects set-limits support-calls --requests-per-minute 1200\n  auris projects set-limits support-calls --requests-per-minute default"
    )]
    SetLimits {
        name: String,
        #[command(flatten)]
        limits: LimitWords,
        #[arg(long)]
        json: bool,
    },
    /// Add to a project's prepaid balance
    ///
    /// The first credit gives the project a balance: from then on a request is admitted only if what is left covers what it
    /// can cost. A negative amount takes from it, never below what requests under way may yet cost.
    #[command(
        after_help = "Examples:\n  auris projects credit support-calls 50\n  auris projects credit support-calls -12.50\n  auris projects credit support-calls --unlimited"
    )]
    Credit {
        name: String,
        /// US dollars, up to ten digits after the point
        #[arg(allow_negative_numbers = true, required_unless_present = "unlimited")]
        amount: Option<String>,
        /// Take the balance away: the project may spend without limit again
        #[arg(long, conflicts_with = "amount")]
        unlimited: bool,
        #[arg(long)]
        json: bool,
    },
    /// Tell what projects used and what it cost
    ///
    /// Days are UTC. Without a name, of all projects.
    #[command(
        after_help = "Examples:\n  auris projects usage\n  auris projects usage support-calls --since 2026-11-01 --by day,model\n  auris projects usage --by project,model --csv > november.csv"
    )]
    Usage {
        name: Option<String>,
        /// The first day
        #[arg(long, value_name = "DATE")]
        since: Option<String>,
        /// The last day
        #[arg(long, value_name = "DATE")]
        until: Option<String>,
        /// What makes a line
        #[arg(long, value_delimiter = ',', default_value = "project")]
        by: Vec<UsageBy>,
        #[command(flatten)]
        shape: Shape,
    },
}

#[derive(Args)]
pub(crate) struct LimitWords {
    /// Requests a minute; 0 is no limit, `default` the server's setting
    #[arg(long, value_name = "NUMBER")]
    pub(crate) requests_per_minute: Option<String>,
    /// Synchronous transcriptions at once; 0 is no limit, `default` the server's setting
    #[arg(long, value_name = "NUMBER")]
    pub(crate) concurrent_transcriptions: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UsageBy {
    Day,
    Model,
    Project,
}
