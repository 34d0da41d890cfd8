//! Decisions where each plays for himself: every choice is played out by all four on sampled deals, as `greedy` plays.
//!
//! Nobody in such a playout knows more than he would at the table. A search with all cards known does: it takes the others
//! for all-knowing and itself too, and in trials it lost to this one (DECISIONS.md).

use crate::cards::{bit, members, Card, Cards};
use crate::contest::Contest;
use crate::greedy::Greedy;
use crate::limit::Limit;
use crate::player::{distinct, hidden, leader, position};
use crate::rng::Rng;
use crate::rules::Choice;
use crate::sampling::NO_DEAL;
use crate::state::{Frame, State};
use crate::view::View;

const MOST_ROUNDS: f64 = 2000.0;

/// The card whose outcomes are the best; of equal ones the one that `greedy` would play.
///
/// # Errors
/// What is wrong with the view.
pub fn play(view: &View, limit: &mut Limit, greedy: &Greedy) -> Result<u32, String> {
    let frame = view.current().ok_or("cards are played without a contract")?;
    let (state, mut sampler) = position(view, &frame)?;
    let (mut rng, void) = (Rng::new(view.seed), view.void());
    let legal = view.legal.iter().filter(|&&action| action < 52).fold(0, |set, &card| set | 1 << card);
    let any = State { hands: sampler.sample(&mut rng).ok_or(NO_DEAL)?, ..state };
    // Greedy looks only at what the others hold together, which is the same in every deal.
    let choices = usual_first(distinct(view, &frame, &state, legal), greedy.card(&frame, &any, &void, legal));
    let mut contest = Contest::new(choices.len());
    while contest.open.len() > 1 && contest.rounds < MOST_ROUNDS {
        let world = State { hands: sampler.sample(&mut rng).ok_or(NO_DEAL)?, ..state };
        let values: Vec<i32> = contest.open.iter().map(|&place| after(&frame, world, void, choices[place], greedy, limit)).collect();
        if limit.is_over {
            break;
        }
        contest.enter(&values);
    }
    Ok(u32::from(choices[contest.best()]))
}

/// The contract whose outcomes are the best.
///
/// # Errors
/// What is wrong with the view.
pub fn choose(view: &View, limit: &mut Limit, greedy: &Greedy) -> Result<u32, String> {
    let choices: Vec<&Choice> = view.game.choices.iter().filter(|choice| view.legal.contains(&choice.action)).collect();
    let (mut sampler, mut rng) = (hidden(view), Rng::new(view.seed));
    let mut contest = Contest::new(choices.len());
    while contest.open.len() > 1 && contest.rounds < MOST_ROUNDS {
        let hands = sampler.sample(&mut rng).ok_or(NO_DEAL)?;
        let value = |&place: &usize| outcome(view, choices[place], view.seat, hands, greedy, limit).0[view.seat];
        let values: Vec<i32> = contest.open.iter().map(value).collect();
        if limit.is_over {
            break;
        }
        contest.enter(&values);
    }
    Ok(choices[contest.best()].action)
}

/// The scores, and the deal at its end, when a declarer plays a contract.
pub fn outcome(view: &View, choice: &Choice, declarer: usize, hands: [Cards; 4], greedy: &Greedy, limit: &mut Limit) -> ([i32; 4], State) {
    let frame = view.frame(choice.contract, declarer);
    let end = greedy.play_out(&frame, &State::new(hands, leader(view, declarer, choice.leader)), &[0; 4]);
    limit.add_nodes(u64::from(frame.size));
    (end.scores(&frame), end)
}

/// Points of the seat to act after a card.
fn after(frame: &Frame, world: State, mut void: [Cards; 4], card: Card, greedy: &Greedy, limit: &mut Limit) -> i32 {
    let (mut state, seat) = (world, world.actor as usize);
    if state.led & bit(card) == 0 {
        void[seat] |= state.led;
    }
    state.play(frame, card);
    limit.add_nodes(u64::from(frame.size - world.number) + 1);
    greedy.play_out(frame, &state, &void).points[seat]
}

/// `cards`: the lowest of each group that does the same.
fn usual_first(cards: Cards, usual: Card) -> Vec<Card> {
    let first = members(cards & ((bit(usual) << 1) - 1)).last().unwrap_or(usual);
    std::iter::once(first).chain(members(cards & !bit(first))).collect()
}
