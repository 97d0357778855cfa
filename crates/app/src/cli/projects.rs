//! Arguments of `auris projects`.

use auris_domain::usage::UsageBy;
use clap::{Args, Subcommand};

use super::Shape;
use super::named_value::named;

#[derive(Subcommand)]
pub(crate) enum Projects {
    /// Create a project
    #[command(after_help = "Example:\n  auris projects create support-calls --plan pro --credit 50")]
    Create {
        /// Name of the new project
        name: String,
        /// Plan from the catalogue [default: the lowest plan]
        #[arg(long)]
        plan: Option<String>,
        /// Prepaid balance in US dollars [default: no balance and no spending limit]
        #[arg(long, value_name = "AMOUNT")]
        credit: Option<String>,
        #[command(flatten)]
        limits: LimitArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the projects with their plans, balances and limits
    #[command(after_help = "Example:\n  auris projects list --json")]
    List {
        #[command(flatten)]
        shape: Shape,
    },
    /// Change the plan of a project
    #[command(after_help = "Example:\n  auris projects set-plan support-calls pro")]
    SetPlan {
        /// Name of the project
        name: String,
        /// Plan from the catalogue
        plan: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Set the rate limits that all keys of a project share
    #[command(
        after_help = "Examples:\n  auris projects set-limits support-calls --requests-per-minute 1200\n  auris projects set-limits support-calls --requests-per-minute default"
    )]
    SetLimits {
        /// Name of the project
        name: String,
        #[command(flatten)]
        limits: LimitArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Add to a project's prepaid balance
    ///
    /// After its first credit, a project has a balance: a request is accepted only if the available balance covers
    /// the maximum it can cost. A negative amount reduces the balance, but never below what running requests can
    /// still cost.
    #[command(
        after_help = "Examples:\n  auris projects credit support-calls 50\n  auris projects credit support-calls -12.50\n  auris projects credit support-calls --unlimited"
    )]
    Credit {
        /// Name of the project
        name: String,
        /// Amount in US dollars, with up to ten decimal places
        #[arg(allow_negative_numbers = true, required_unless_present = "unlimited")]
        amount: Option<String>,
        /// Remove the balance, so that the project can spend without limit
        #[arg(long, conflicts_with = "amount")]
        unlimited: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Report usage and cost
    ///
    /// Covers all projects unless you name one. Days are in UTC.
    #[command(
        after_help = "Examples:\n  auris projects usage\n  auris projects usage support-calls --since 2026-11-01 --by day,model\n  auris projects usage --by project,model --csv > november.csv"
    )]
    Usage {
        /// Name of the project [default: all projects]
        name: Option<String>,
        /// First day, for example 2026-11-01
        #[arg(long, value_name = "DATE")]
        since: Option<String>,
        /// Last day, included in the report
        #[arg(long, value_name = "DATE")]
        until: Option<String>,
        /// How to group the lines of the report
        #[arg(long, value_parser = named::<UsageBy>(), value_delimiter = ',', default_value = "project")]
        by: Vec<UsageBy>,
        #[command(flatten)]
        shape: Shape,
    },
}

#[derive(Args)]
pub(crate) struct LimitArgs {
    /// Requests per minute; 0 means no limit, `default` restores the server's setting
    #[arg(long, value_name = "NUMBER")]
    pub(crate) requests_per_minute: Option<String>,
    /// Concurrent synchronous transcriptions; 0 means no limit, `default` restores the server's setting
    #[arg(long, value_name = "NUMBER")]
    pub(crate) concurrent_transcriptions: Option<String>,
}
