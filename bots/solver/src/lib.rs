//! Solves the trick games with all cards known, and plays them with the hidden ones sampled.
//!
//! `rules`: the games as data; `state`: a deal in its tricks; `search`: alpha-beta to the end or to a depth;
//! `selfish`: the same where each plays for himself;
//! `playout`: rules of thumb; `sampling`: the hidden cards; `contest`: choices compared; `auction`: bids;
//! `player`: a decision from all of these; `lines`: questions and answers as lines of text.

pub mod auction;
pub mod cards;
pub mod contest;
pub mod limit;
pub mod lines;
pub mod player;
pub mod playout;
pub mod rng;
pub mod rules;
pub mod sampling;
pub mod search;
pub mod selfish;
pub mod state;
pub mod view;
