//! Buying and selling a deal: every contract is played out on sampled cards, and a price is compared with what it buys.

use crate::alone::outcome;
use crate::greedy::Greedy;
use crate::limit::Limit;
use crate::player::hidden;
use crate::rng::Rng;
use crate::rules::{Bid, Choice};
use crate::sampling::NO_DEAL;
use crate::view::View;

const MOST_WORLDS: u32 = 600;

/// Mean points of this seat.
///
/// `plus`, `minus`: by the seat that plays the deal, with the best of the contracts that a plus bid (a minus bid) buys;
/// `owners`: tricks that the owner takes when this seat plays with a minus bid, as a count of worlds by number.
struct Worth {
    plus: [f64; 4],
    minus: [f64; 4],
    owners: [f64; 14],
    fixed: Option<f64>,
    worlds: f64,
}

/// The action for a bid, an answer or a reply.
///
/// # Errors
/// What is wrong with the view.
pub fn decide(view: &View, limit: &mut Limit, greedy: &Greedy) -> Result<u32, String> {
    let worth = simulate(view, limit, greedy)?;
    let text = match view.kind.as_str() {
        "bid" => return Ok(buy(view, &worth, "pass", without(view, &worth))),
        "answer" => answer(view, &worth)?,
        _ if allowed(view, "decline") => return Ok(buy(view, &worth, "decline", worth.minus[view.dealer])),
        _ => {
            let no_higher = if allowed(view, "give_up") { "give_up" } else { "stand" };
            let otherwise = if allowed(view, "give_up") { owner_plays(view, &worth) } else { without(view, &worth) };
            return Ok(buy(view, &worth, no_higher, otherwise));
        }
    };
    view.game.action(text).ok_or_else(|| format!("this game has no {text}"))
}

fn allowed(view: &View, text: &str) -> bool {
    view.game.action(text).is_some_and(|action| view.legal.contains(&action))
}

/// The last bid that was made, and by whom.
fn standing<'a>(view: &'a View) -> Option<(&'a Bid, usize)> {
    let bid_of = |action: u32| view.game.bids.iter().find(|bid| bid.action == action);
    view.actions.iter().zip(&view.seats).rev().find_map(|(&action, &seat)| bid_of(action).map(|bid| (bid, seat)))
}

fn owner_plays(view: &View, worth: &Worth) -> f64 {
    worth.plus[view.dealer].min(worth.minus[view.dealer]) * 0.6 + worth.plus[view.dealer].max(worth.minus[view.dealer]) * 0.4
}

/// What this seat may expect when it does not bid.
fn without(view: &View, worth: &Worth) -> f64 {
    let owner = owner_plays(view, worth);
    match standing(view) {
        Some((bid, seat)) if seat != view.seat => 0.5 * owner + 0.5 * if bid.plus { worth.plus[seat] } else { worth.minus[seat] },
        _ => owner,
    }
}

/// What a bid of this seat costs.
fn price(bid: &Bid, worth: &Worth) -> f64 {
    let tricks = |(number, worlds): (usize, &f64)| worlds * f64::from((bid.each * number as i32).min(bid.most));
    f64::from(bid.flat) + worth.owners.iter().enumerate().map(tricks).sum::<f64>() / worth.worlds
}

/// The bid with the best surplus, or what is to be said otherwise.
fn buy(view: &View, worth: &Worth, otherwise: &str, other_worth: f64) -> u32 {
    let mut best = view.game.action(otherwise).unwrap_or(view.legal[0]);
    let mut surplus = other_worth;
    for bid in view.game.bids.iter().filter(|bid| view.legal.contains(&bid.action)) {
        let gain = if bid.plus { worth.plus[view.seat] } else { worth.minus[view.seat] } - price(bid, worth);
        if gain > surplus {
            (best, surplus) = (bid.action, gain);
        }
    }
    best
}

/// Sell, ask for more, or play oneself.
fn answer(view: &View, worth: &Worth) -> Result<&'static str, String> {
    let (bid, bidder) = standing(view).ok_or("an answer without a bid")?;
    let own = worth.plus[view.seat].max(worth.minus[view.seat]).max(worth.fixed.unwrap_or(f64::MIN));
    // What a bidder pays by the owner's tricks makes up for those tricks.
    let paid = f64::from(bid.flat) + f64::from(bid.each) * 0.5;
    let sale = paid + if bid.plus { worth.plus[bidder] } else { worth.minus[bidder] };
    if allowed(view, "eight_or_nulls") && worth.minus[view.seat] >= sale.max(own) && !allowed(view, "refuse") {
        return Ok("eight_or_nulls");
    }
    if allowed(view, "raise") && (allowed(view, "refuse") || sale < own) {
        return Ok("raise");
    }
    if allowed(view, "refuse") && sale < own {
        return Ok("refuse");
    }
    Ok("accept")
}

/// Play all contracts out on as many deals as the limit allows.
fn simulate(view: &View, limit: &mut Limit, greedy: &Greedy) -> Result<Worth, String> {
    let mut worth = Worth { plus: [0.0; 4], minus: [0.0; 4], owners: [0.0; 14], fixed: None, worlds: 0.0 };
    let (mut sampler, mut rng) = (hidden(view), Rng::new(view.seed));
    let own: Vec<&Choice> = view.game.choices.iter().collect();
    let mut sums = vec![0.0; own.len()];
    while worth.worlds < f64::from(MOST_WORLDS) {
        let hands = sampler.sample(&mut rng).ok_or(NO_DEAL)?;
        for (place, choice) in own.iter().enumerate() {
            let end = outcome(view, choice, view.seat, hands, greedy, limit);
            sums[place] += f64::from(end.0[view.seat]);
            if is_minus(view, choice) && place == first_minus(view) {
                worth.owners[end.1.won[view.dealer] as usize] += 1.0;
            }
        }
        for seat in (0..4).filter(|&seat| seat != view.seat) {
            for (minus, values) in [(false, &mut worth.plus), (true, &mut worth.minus)] {
                let played = own.iter().filter(|choice| is_minus(view, choice) == minus && !is_fixed(view, choice));
                let scores = played.map(|choice| outcome(view, choice, seat, hands, greedy, limit).0);
                values[seat] += scores.max_by_key(|scores| scores[seat]).map_or(0.0, |scores| f64::from(scores[view.seat]));
            }
        }
        worth.worlds += 1.0;
        if limit.is_over {
            break;
        }
    }
    let mean = |sum: f64| sum / worth.worlds;
    worth.plus = worth.plus.map(mean);
    worth.minus = worth.minus.map(mean);
    let best = |minus: bool| {
        let of_kind = (0..own.len()).filter(|&place| is_minus(view, own[place]) == minus && !is_fixed(view, own[place]));
        of_kind.map(|place| mean(sums[place])).fold(f64::MIN, f64::max)
    };
    worth.plus[view.seat] = best(false);
    worth.minus[view.seat] = best(true);
    worth.fixed = (0..own.len()).find(|&place| is_fixed(view, own[place])).map(|place| mean(sums[place]));
    Ok(worth)
}

/// Nothing is played.
fn is_fixed(view: &View, choice: &Choice) -> bool {
    view.game.contracts[choice.contract].stop == crate::rules::Stop::AtOnce
}

/// Tricks are better not taken.
fn is_minus(view: &View, choice: &Choice) -> bool {
    !view.game.contracts[choice.contract].positive && !is_fixed(view, choice)
}

fn first_minus(view: &View) -> usize {
    view.game.choices.iter().position(|choice| is_minus(view, choice)).unwrap_or(0)
}
