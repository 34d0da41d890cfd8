//! What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.
//!
//! Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
//! the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
//! First of all it checks the helpers for cards.

use std::fmt::Display;

use kingmaker::{Action, Bot, Card, CardSet, Match, MatchResult, Observation};

struct Witness {
    heard: u64,
    prints: bool,
}

impl Witness {
    fn listen(&self, told: &dyn Display) -> u64 {
        let text = told.to_string();
        if self.prints {
            eprintln!("{text}");
        }
        text.bytes().fold(self.heard, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }
}

impl Bot for Witness {
    fn match_start(&mut self, game: &Match) {
        self.heard = self.listen(game);
    }

    fn decide(&mut self, o: &Observation) -> Action {
        o.legal()[(self.listen(o) % o.legal().len() as u64) as usize]
    }

    fn match_end(&mut self, _: &Match, result: &MatchResult) {
        self.heard = self.listen(result);
    }
}

fn check_cards() {
    let all: Vec<Card> = (0..52).map(Card).collect();
    assert!(all.iter().all(|card| card.to_string().parse() == Ok(*card)));
    assert_eq!((all[0].to_string(), all[51].to_string(), all[51].suit(), all[51].rank()), ("2C".into(), "AS".into(), 3, 12));
    let set: CardSet = all.iter().copied().collect();
    assert!(set.len() == 52 && set.has(all[51]) && !set.is_empty());
    assert_eq!(set.of_suit(2).collect::<Vec<_>>(), all[26..39]);
}

fn main() -> std::process::ExitCode {
    check_cards();
    let prints = std::env::var_os("KINGMAKER_WITNESS").is_some();
    kingmaker::main("witness", Witness { heard: 0xcbf2_9ce4_8422_2325, prints })
}
