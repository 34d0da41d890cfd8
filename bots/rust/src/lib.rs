//! Lets a bot play at a Kingmaker referee: connect, read batches of decisions, ask the bot and answer, until the
//! referee says goodbye. [`main`] is all that most bots need; [`Bot`] says what a bot is.

mod cards;
mod client;
mod observation;
mod seat;
mod tables;
mod text;

pub use cards::{Card, CardSet};
pub use client::{main, play};
pub use observation::{Action, Fault, Kind, Layout, Match, MatchResult, Move, Observation, PLACES, Ruleset, Seat};
pub use seat::{Error, Options};
pub use tables::Bot;

pub(crate) mod pb {
    #![allow(clippy::all, reason = "generated from proto/")]
    tonic::include_proto!("referee.v1");
}
