//! Rules of thumb: how everybody plays in a deal whose cards are all known, when it is not searched.

use crate::cards::{members, Card, Cards, SUITS};
use crate::state::{Frame, State};

/// Play to the end.
pub fn play_out(frame: &Frame, state: &State) -> State {
    let mut state = *state;
    loop {
        if state.bonus != 0 {
            state.settle(true);
        }
        if state.count == 0 && state.over(frame) {
            return state;
        }
        let legal = state.legal(frame);
        let card = if legal & (legal - 1) == 0 { legal.trailing_zeros() as Card } else { thumb(frame, &state, legal) };
        state.play(frame, card);
    }
}

/// The card for the seat to act.
pub fn thumb(frame: &Frame, state: &State, legal: Cards) -> Card {
    let contract = frame.contract;
    if contract.per_trick == 0 && contract.groups.is_empty() && is_free(frame, state) {
        // Only later tricks count: high cards are kept for them, or got rid of.
        return if contract.positive { first(&contract.height, legal) } else { highest(&contract.height, legal) };
    }
    match (frame.contract.positive, state.count == 0) {
        (false, true) => lead_low(frame, state, legal),
        (false, false) => duck(frame, state, legal),
        (true, true) => lead_high(frame, state, legal),
        (true, false) => take(frame, state, legal),
    }
}

/// The trick counts nothing, as far as it lies there.
fn is_free(frame: &Frame, state: &State) -> bool {
    let contract = frame.contract;
    contract.per_trick == 0
        && state.trick[..state.count as usize].iter().all(|&card| contract.worth[card as usize] == 0)
        && contract.last.iter().all(|&(how_many, _)| state.number + how_many <= frame.size)
}

fn first(places: &[u8; 52], cards: Cards) -> Card {
    members(cards).min_by_key(|&card| places[card as usize]).unwrap_or(0)
}

fn highest(places: &[u8; 52], cards: Cards) -> Card {
    members(cards).max_by_key(|&card| (places[card as usize], card)).unwrap_or(0)
}

/// The lowest card that somebody has to beat.
fn lead_low(frame: &Frame, state: &State, legal: Cards) -> Card {
    let contract = frame.contract;
    let others = state.live() & !state.hands[state.actor as usize];
    let beaten = members(legal).filter(|&card| contract.beats[card as usize] & others != 0);
    beaten.min_by_key(|&card| contract.low[card as usize]).unwrap_or_else(|| first(&contract.height, legal))
}

fn duck(frame: &Frame, state: &State, legal: Cards) -> Card {
    let contract = frame.contract;
    let losing = legal & !state.beating;
    if state.count == 3 && legal & state.led != 0 && is_free(frame, state) {
        let plain = members(legal).filter(|&card| contract.worth[card as usize] == 0).fold(0, |set, card| set | 1 << card);
        if plain != 0 {
            return highest(&contract.height, plain);
        }
    }
    if losing == 0 {
        return if state.count == 3 { highest(&contract.height, legal) } else { first(&contract.height, legal) };
    }
    let counting = members(losing).filter(|&card| contract.worth[card as usize] != 0).fold(0, |set, card| set | 1 << card);
    if counting != 0 {
        return first(&contract.shed, counting);
    }
    if losing & state.led == 0 {
        return first(&contract.shed, losing);
    }
    highest(&contract.height, losing)
}

/// A card that no opponent can beat; else the cheapest.
fn lead_high(frame: &Frame, state: &State, legal: Cards) -> Card {
    let contract = frame.contract;
    let seat = state.actor as usize;
    let sure = members(legal).filter(|&card| {
        let suit = SUITS[card as usize / 13];
        let beats = contract.beats[card as usize];
        (0..4).filter(|&other| frame.teams[other] != frame.teams[seat]).all(|other| {
            let hand = state.hands[other];
            hand & beats & suit == 0 && (hand & suit != 0 || hand & beats & contract.trumps == 0)
        })
    });
    sure.max_by_key(|&card| contract.height[card as usize]).unwrap_or_else(|| first(&contract.low, legal))
}

fn take(frame: &Frame, state: &State, legal: Cards) -> Card {
    let contract = frame.contract;
    let seat = state.actor as usize;
    let after: Cards = (1..4 - state.count as usize)
        .map(|step| (seat + step) % 4)
        .filter(|&other| frame.teams[other] != frame.teams[seat])
        .fold(0, |cards, other| cards | state.hands[other]);
    let partner = frame.teams[state.best as usize] == frame.teams[seat];
    if partner && state.beating & after & (state.led | contract.trumps) == 0 {
        let plain = if legal & !contract.trumps != 0 { legal & !contract.trumps } else { legal };
        return members(plain).max_by_key(|&card| contract.worth[card as usize]).unwrap_or(0);
    }
    let winning = legal & state.beating;
    if winning != 0 {
        let sure = members(winning).filter(|&card| contract.beats[card as usize] & after == 0);
        if let Some(card) = sure.min_by_key(|&card| contract.height[card as usize]) {
            return card;
        }
    }
    let losing = if legal & !winning != 0 { legal & !winning } else { legal };
    first(&contract.low, losing)
}
