//! A decision: the hidden cards are sampled, every choice is searched on the same cards, and the best mean is taken.

use crate::alone;
use crate::auction;
use crate::cards::{bit, members, Card, Cards};
use crate::contest::Contest;
use crate::greedy::Greedy;
use crate::limit::Limit;
use crate::rng::Rng;
use crate::rules::{Bonus, Leader};
use crate::sampling::{Sampler, NO_DEAL};
use crate::search::{alike, Memory, Search, TO_THE_END};
use crate::state::{Frame, State};
use crate::view::View;

/// With so many cards in hand a deal is searched to its end.
const EXACT: u32 = 7;
/// Else so many tricks are searched beyond the one on the table, and the rest is played out by rules of thumb. By depth, the
/// part of the time that a round may take at most: the first for which that holds is taken.
const DEPTHS: [(u8, u32); 4] = [(TO_THE_END, 12), (2, 24), (1, 24), (0, 24)];
/// The depth at which a deal is named.
const NAMING: u8 = 1;
/// Rounds without search, for when there is no time for more than a few with it.
const ROUGH_ROUNDS: f64 = 24.0;
const FEW_ROUNDS: f64 = 5.0;
const MOST_ROUNDS: f64 = 2000.0;

/// What a player keeps between decisions: room to work in, and nothing that he would know by it.
pub struct Player {
    memory: Memory,
    greedy: Greedy,
}

impl Default for Player {
    fn default() -> Self {
        Player { memory: Memory::new(18), greedy: Greedy::default() }
    }
}

impl Player {
    /// The action for a decision.
    ///
    /// # Errors
    /// What is wrong with the view.
    pub fn decide(&mut self, view: &View) -> Result<u32, String> {
        let first = *view.legal.first().ok_or("no action is legal")?;
        if view.legal.len() == 1 {
            return Ok(first);
        }
        let mut limit = match view.nodes {
            Some(nodes) => Limit::nodes(nodes),
            None => Limit::time(view.budget_ms, view.bank_ms),
        };
        let is_alone = view.game.side(view.seat) == 1 << view.seat;
        match view.kind.as_str() {
            "play" if is_alone => alone::play(view, &mut limit, &self.greedy),
            "choose" if is_alone => alone::choose(view, &mut limit, &self.greedy),
            "play" => self.play(view, &mut limit),
            "claim" => self.claim(view, &mut limit),
            "choose" => self.choose(view, &mut limit),
            "bid" | "answer" | "reply" => auction::decide(view, &mut limit, &self.greedy),
            other => Err(format!("a decision of the kind {other:?} is not for this bot")),
        }
    }

    fn play(&mut self, view: &View, limit: &mut Limit) -> Result<u32, String> {
        let frame = view.current().ok_or("cards are played without a contract")?;
        let (state, sampler) = position(view, &frame)?;
        let legal = view.legal.iter().filter(|&&action| action < 52).fold(0, |set, &card| set | 1 << card);
        let choices: Vec<Card> = members(distinct(view, &frame, &state, legal)).collect();
        let memory = &mut self.memory;
        let best = compare(view, limit, choices.len(), sampler, |limit, hands, open, depth| {
            let mut search = Search::new(frame, view.game.side(view.seat), view.game.bonus == Bonus::Choice, memory, limit);
            open.iter().map(|&choice| search.after(&State { hands, ..state }, choices[choice], depth)).collect()
        })?;
        Ok(u32::from(choices[best]))
    }

    /// Claim a bonus or leave it; an opponent of the makers claims.
    fn claim(&mut self, view: &View, limit: &mut Limit) -> Result<u32, String> {
        let claim = view.game.action("claim").ok_or("this game has no claim")?;
        let leave = view.game.action("leave").ok_or("this game has no leave")?;
        let frame = view.current().ok_or("a claim without a contract")?;
        if frame.teams[view.seat] != frame.teams[frame.declarer] {
            return Ok(claim);
        }
        let (state, sampler) = position(view, &frame)?;
        let memory = &mut self.memory;
        let best = compare(view, limit, 2, sampler, |limit, hands, open, depth| {
            let mut search = Search::new(frame, view.game.side(view.seat), true, memory, limit);
            let after = |choice: &usize| {
                let mut settled = State { hands, ..state };
                settled.settle(*choice == 0);
                search.value(&settled, depth)
            };
            open.iter().map(after).collect()
        })?;
        Ok([claim, leave][best])
    }

    /// Name the deal.
    fn choose(&mut self, view: &View, limit: &mut Limit) -> Result<u32, String> {
        let choices: Vec<_> = view.game.choices.iter().filter(|choice| view.legal.contains(&choice.action)).collect();
        let mut sampler = hidden(view);
        let mut rng = Rng::new(view.seed);
        let mut contest = Contest::new(choices.len());
        while contest.open.len() > 1 && contest.rounds < MOST_ROUNDS {
            let hands = sampler.sample(&mut rng).ok_or(NO_DEAL)?;
            let mut values = Vec::new();
            for &place in &contest.open {
                let frame = view.frame(choices[place].contract, view.seat);
                let state = State::new(hands, leader(view, view.seat, choices[place].leader));
                let mut search = Search::new(frame, view.game.side(view.seat), false, &mut self.memory, limit);
                values.push(search.value(&state, NAMING));
            }
            if limit.is_over {
                break;
            }
            contest.enter(&values);
        }
        Ok(choices[contest.best()].action)
    }
}

/// The best of so many choices, by their mean values on sampled deals.
///
/// `values`: of the open choices on one deal, at a depth; the first of the depths is taken at which a round takes no more
/// than the given part of the time.
fn compare(
    view: &View,
    limit: &mut Limit,
    choices: usize,
    mut sampler: Sampler,
    mut values: impl FnMut(&mut Limit, [Cards; 4], &[usize], u8) -> Vec<i32>,
) -> Result<usize, String> {
    let mut rng = Rng::new(view.seed);
    let mut round = |limit: &mut Limit, contest: &mut Contest, depth: u8| {
        let hands = sampler.sample(&mut rng).ok_or(NO_DEAL)?;
        let found = values(limit, hands, &contest.open, depth);
        if !limit.is_over {
            contest.enter(&found);
        }
        Ok::<(), String>(())
    };
    let mut rough = Contest::new(choices);
    while rough.open.len() > 1 && rough.rounds < ROUGH_ROUNDS && !limit.is_over {
        round(limit, &mut rough, 0)?;
    }
    let mut contest = Contest::new(choices);
    let mut depth = 0;
    for &(deep, parts) in DEPTHS.iter().filter(|(deep, _)| *deep < TO_THE_END || view.hand.count_ones() <= EXACT) {
        let mut part = limit.part(parts);
        round(&mut part, &mut contest, deep)?;
        limit.add(&part);
        if contest.rounds > 0.0 {
            depth = deep;
            break;
        }
    }
    while contest.open.len() > 1 && contest.rounds < MOST_ROUNDS && !limit.is_over {
        round(limit, &mut contest, depth)?;
    }
    Ok(if contest.rounds < FEW_ROUNDS { rough.best() } else { contest.best() })
}

/// Who leads after a choice.
pub fn leader(view: &View, declarer: usize, leader: Leader) -> usize {
    match leader {
        Leader::Declarer => declarer,
        Leader::AfterDeclarer => (declarer + 1) % 4,
        Leader::AfterDealer => (view.dealer + 1) % 4,
    }
}

/// All cards but one's own, before any was played.
pub fn hidden(view: &View) -> Sampler {
    let mut hands = [0; 4];
    hands[view.seat] = view.hand;
    let mut room = [view.game.hand_size; 4];
    room[view.seat] = 0;
    Sampler::new(hands, room, view.game.deck & !view.hand, [0; 4])
}

/// The deal as far as it was seen, and the cards that were not.
pub fn position(view: &View, frame: &Frame) -> Result<(State, Sampler), String> {
    let mut known = [0; 4];
    known[view.seat] = view.hand;
    for (seat, card) in view.plays() {
        known[seat] |= bit(card);
    }
    let (state, lacking) = view.replay(frame, known);
    if state.actor as usize != view.seat {
        return Err(format!("by what was played it is seat {}'s turn, not seat {}'s", state.actor, view.seat));
    }
    let mut room = [0; 4];
    for seat in (0..4).filter(|&seat| seat != view.seat) {
        room[seat] = view.game.hand_size - known[seat].count_ones() as u8;
    }
    let unseen = view.game.deck & !known.iter().fold(0, |all, hand| all | hand);
    let sampler = Sampler::new(state.hands, room, unseen, lacking);
    Ok((state, sampler))
}

/// One card of each group that does the same on every deal that agrees with what was seen.
pub fn distinct(view: &View, frame: &Frame, state: &State, legal: Cards) -> Cards {
    if frame.has_bonus || !frame.contract.natural {
        return legal;
    }
    let played = view.plays().fold(0, |set, (_, card)| set | bit(card));
    let mut others = view.game.deck & !view.hand & !played;
    for &card in &state.trick[..state.count as usize] {
        others |= bit(card);
    }
    alike(legal, others, &frame.contract.class)
}
