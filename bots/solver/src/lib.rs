//! Solves the trick games with all cards known, and plays them with the hidden ones sampled.
//!
//! `rules`: the games as data, read by `rows`; `state`: a deal in its tricks; `search`: alpha-beta to the end or to a depth;
//! `alone`: decisions where each plays for himself, played out as by `greedy`; `playout`: rules of thumb where sides are searched;
//! `sampling`: the hidden cards; `contest`: choices compared; `auction`: bids;
//! `player`: a decision from all of these; `lines`: questions and answers as lines of text.

pub mod alone;
pub mod auction;
pub mod cards;
pub mod contest;
pub mod greedy;
pub mod limit;
pub mod lines;
pub mod player;
pub mod playout;
pub mod rng;
pub mod rows;
pub mod rules;
pub mod sampling;
pub mod search;
pub mod state;
pub mod view;
