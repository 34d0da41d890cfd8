//! The solver against plain minimax, which looks at every line of play: random endings of every contract.
//!
//! The rows and the state are the solver's own here; that they are the rules' is shown by the endings in
//! tests/bots/test_solver.py, where minimax plays on the engine of the referee.

use solver::cards::{members, Card};
use solver::limit::Limit;
use solver::rng::Rng;
use solver::rows::games;
use solver::rules::{Bonus, Game, Settlement, Stop};
use solver::search::{Memory, Search, TO_THE_END};
use solver::state::{Frame, State};

const CARDS: u32 = 5;

/// Every line of play, and nothing else. With a `claimed` value a choice ends when one is found that is better for its
/// player than claimed: so the answer is right only in whether it is above, at or below the claim.
struct Minimax<'a> {
    frame: Frame<'a>,
    side: u8,
    claims: bool,
    claimed: Option<i32>,
}

impl Minimax<'_> {
    fn value(&self, state: &State) -> i32 {
        let rises = self.side >> state.actor & 1 == 1;
        let best = |values: &mut dyn Iterator<Item = i32>| {
            let mut best = values.next()?;
            while self.claimed.is_none_or(|claimed| if rises { best <= claimed } else { best >= claimed }) {
                let Some(value) = values.next() else { break };
                best = if rises { best.max(value) } else { best.min(value) };
            }
            Some(best)
        };
        if state.bonus != 0 {
            let settled = |claimed| {
                let mut next = *state;
                next.settle(claimed);
                self.value(&next)
            };
            let choices: &[bool] = if self.claims { &[true, false] } else { &[true] };
            return best(&mut choices.iter().map(|&claimed| settled(claimed))).unwrap();
        }
        if state.count == 0 && state.over(&self.frame) {
            let scores = state.scores(&self.frame);
            let (own, other) = (self.side.trailing_zeros() as usize, (!self.side).trailing_zeros() as usize);
            return scores[own] - if self.frame.contract.settlement == Settlement::Nat { scores[other] } else { 0 };
        }
        best(&mut members(state.legal(&self.frame)).map(|card| self.after(state, card))).unwrap()
    }

    fn after(&self, state: &State, card: Card) -> i32 {
        let mut next = *state;
        next.play(&self.frame, card);
        self.value(&next)
    }
}

/// A random deal, played at random until somebody with so many cards has a choice; None where it ends before.
fn ending<'a>(game: &'a Game, contract: usize, rng: &mut Rng) -> Option<(Frame<'a>, State)> {
    let mut deck: Vec<Card> = members(game.deck).collect();
    let mut hands = [0; 4];
    for place in 0..deck.len() {
        let other = place + rng.below(deck.len() - place);
        deck.swap(place, other);
        hands[place % 4] |= 1 << deck[place];
    }
    let owner = rng.below(4);
    let has_bonus = game.bonus != Bonus::None;
    let contract = &game.contracts[contract];
    let frame = Frame { contract, teams: game.teams, size: game.hand_size, has_bonus, owner, declarer: owner };
    let mut state = State::new(hands, (owner + 1) % 4);
    loop {
        if state.bonus != 0 {
            state.settle(game.bonus == Bonus::Auto || rng.below(2) == 0);
        }
        if state.count == 0 && state.over(&frame) {
            return None;
        }
        let legal = state.legal(&frame);
        if state.hands[state.actor as usize].count_ones() == CARDS && legal.count_ones() > 1 {
            return Some((frame, state));
        }
        let choices: Vec<Card> = members(legal).collect();
        state.play(&frame, choices[rng.below(choices.len())]);
    }
}

/// Compare so many endings of each contract; of all contracts those that are in this `quarter`, if it is one.
fn compare(each: usize, is_plain: bool, quarter: Option<usize>) -> usize {
    let games = games().unwrap();
    let mut memory = Memory::new(16);
    let (mut compared, mut met) = (0, 0);
    for (number, game) in games.iter().enumerate() {
        for contract in (0..game.contracts.len()).filter(|&c| game.contracts[c].stop != Stop::AtOnce) {
            met += 1;
            if quarter.is_some_and(|quarter| met % 4 != quarter) {
                continue;
            }
            let mut rng = Rng::new((number * 100 + contract) as u64);
            let endings = std::iter::repeat_with(|| ending(game, contract, &mut rng)).flatten().take(each);
            for (frame, state) in endings.collect::<Vec<_>>() {
                let side = game.side(state.actor as usize);
                let claims = game.bonus == Bonus::Choice;
                let mut limit = Limit::none();
                let mut search = Search::new(frame, side, claims, &mut memory, &mut limit);
                for card in members(state.legal(&frame)) {
                    let found = search.after(&state, card, TO_THE_END);
                    let claimed = if is_plain { None } else { Some(found) };
                    let right = Minimax { frame, side, claims, claimed }.after(&state, card);
                    assert_eq!(found, right, "{} {} {state:?} card {card}", game.ruleset, frame.contract.id);
                }
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn what_the_solver_claims_holds_on_an_ending_of_every_contract() {
    assert!(compare(1, false, None) > 70);
}

#[test]
#[ignore = "takes a minute: cargo test --release -- --ignored hundreds"]
fn what_the_solver_claims_holds_on_hundreds_of_endings() {
    assert!(compare(4, false, None) > 280);
}

/// Two thousand in all, in four parts.
fn thousands(quarter: usize) {
    let compared = compare(26, false, Some(quarter));
    println!("{compared} endings of five cards agree with minimax");
    assert!(compared > 450);
}

#[test]
#[ignore = "takes a minute or two: cargo test --release -- --ignored thousands_first"]
fn thousands_first() {
    thousands(0);
}

#[test]
#[ignore = "takes a minute or two: cargo test --release -- --ignored thousands_second"]
fn thousands_second() {
    thousands(1);
}

#[test]
#[ignore = "takes a minute or two: cargo test --release -- --ignored thousands_third"]
fn thousands_third() {
    thousands(2);
}

#[test]
#[ignore = "takes a minute or two: cargo test --release -- --ignored thousands_fourth"]
fn thousands_fourth() {
    thousands(3);
}

#[test]
#[ignore = "takes a minute: cargo test --release -- --ignored plain"]
fn the_solver_agrees_with_plain_minimax() {
    assert!(compare(1, true, None) > 70);
}
