//! How the reference bot `greedy` plays where each plays for himself (bots/reference/greedy.py): each card by what it wins
//! now, against what the rest of the hand will take. It sees one hand and what was played, so a deal that is played out by
//! it has nobody who knows the others' cards.

use crate::cards::{bit, members, Card, Cards, SUITS};
use crate::rules::Contract;
use crate::state::{Frame, State};

const MOST: usize = 14;
const RANK_SET: Cards = 0x1FFF;
/// How much of the points that lie lower in its suit a winning card brings home.
const CAPTURES: f32 = 0.35;
/// A card that is not the highest wins in the end, by cards above it and own cards below it.
const STANDS: [[f32; 4]; 4] = [[0.95, 0.97, 0.97, 0.97], [0.30, 0.60, 0.70, 0.75], [0.12, 0.20, 0.40, 0.50], [0.05, 0.08, 0.12, 0.25]];
/// A plain suit's round is not ruffed, by rounds played before.
const NOT_RUFFED: [f32; 5] = [0.92, 0.75, 0.40, 0.15, 0.05];

/// How a suit is played.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Duck,
    Fight,
    Ruffed,
    Trump,
    End,
}

/// Chances by how the unseen cards may lie (bots/reference/chances.py): by holders of the suit less one, those of them that
/// play after, higher cards, lower cards.
pub struct Greedy {
    ducked: [[[[f32; MOST]; MOST]; 4]; 3],
    fought: [[[f32; MOST]; 4]; 3],
    has_none: [f32; MOST],
}

/// One seat's view of a trick in progress.
struct Now<'a> {
    contract: &'a Contract,
    seat: usize,
    hand: Cards,
    unseen: Cards,
    void: &'a [Cards; 4],
    table: &'a [Card],
    led: Cards,
    beating: Cards,
    left: u8,
}

impl Default for Greedy {
    fn default() -> Self {
        let each = |holders: usize, after: usize, higher, lower| nobody_forced_over(holders, after.min(holders), higher, lower) as f32;
        let ducked = std::array::from_fn(|holders| {
            std::array::from_fn(|after| std::array::from_fn(|higher| std::array::from_fn(|lower| each(holders + 1, after, higher, lower))))
        });
        let fought = std::array::from_fn(|holders| {
            std::array::from_fn(|after| std::array::from_fn(|higher| power((holders + 1).saturating_sub(after), holders + 1, higher) as f32))
        });
        Greedy { ducked, fought, has_none: std::array::from_fn(|cards| power(2, 3, cards) as f32) }
    }
}

fn power(some: usize, all: usize, exponent: usize) -> f64 {
    (some as f64 / all as f64).powi(exponent as i32)
}

/// No one of `after` of the `holders` of a suit has a higher card and no lower one.
fn nobody_forced_over(holders: usize, after: usize, higher: usize, lower: usize) -> f64 {
    let sign = |n: usize| if n & 1 == 0 { 1.0 } else { -1.0 };
    let choose = |n: usize, k: usize| (0..k).fold(1.0, |ways, i| ways * (n - i) as f64 / (i + 1) as f64);
    let mut total = 0.0;
    for some in 0..=after {
        let all_higher: f64 = (0..=some).map(|i| sign(i) * choose(some, i) * power(holders - i, holders, higher)).sum();
        total += sign(some) * choose(after, some) * power(holders - some, holders, lower) * all_higher;
    }
    total.clamp(0.0, 1.0)
}

impl Greedy {
    /// Play to the end. `void`: by seat, all cards of the suits that it cannot follow, as far as that was seen.
    pub fn play_out(&self, frame: &Frame, state: &State, void: &[Cards; 4]) -> State {
        let (mut state, mut void) = (*state, *void);
        while state.count > 0 || !state.over(frame) {
            let legal = state.legal(frame);
            let card = if legal & (legal - 1) == 0 { legal.trailing_zeros() as Card } else { self.card(frame, &state, &void, legal) };
            if state.led & bit(card) == 0 {
                void[state.actor as usize] |= state.led;
            }
            state.play(frame, card);
        }
        state
    }

    /// The legal card with the best balance.
    pub fn card(&self, frame: &Frame, state: &State, void: &[Cards; 4], legal: Cards) -> Card {
        let seat = state.actor as usize;
        let hand = state.hands[seat];
        let table = &state.trick[..state.count as usize];
        let unseen = state.live() & !hand;
        let left = hand.count_ones() as u8;
        let now = Now { contract: frame.contract, seat, hand, unseen, void, table, led: state.led, beating: state.beating, left };
        self.best(&now, legal)
    }

    fn best(&self, now: &Now, legal: Cards) -> Card {
        let contract = now.contract;
        let (trick, later) = (trick_worth(now), trick_later(now));
        let mut before = [f32::NAN; 4];
        let (mut best, mut most) = (0, f32::MIN);
        for card in members(legal) {
            let suit = card as usize / 13;
            if before[suit].is_nan() {
                before[suit] = self.holding(now, suit, now.hand, later);
            }
            let mut score = self.holding(now, suit, now.hand & !bit(card), later) - before[suit];
            if now.led == 0 || now.beating & bit(card) != 0 {
                let gain = 1.5 * trick + contract.worth[card as usize] as f32 + self.falls(now, card);
                score += self.winning_chance(now, card, gain < 0.0) * gain;
            }
            if score > most {
                (best, most) = (card, score);
            }
        }
        best
    }

    /// Points that the cards of a suit will take; `later`: what a trick brings, whatever wins it.
    fn holding(&self, now: &Now, suit: usize, hand: Cards, later: f32) -> f32 {
        let contract = now.contract;
        let (way, each) = way(contract, suit);
        let captures = if each == 0.0 { CAPTURES } else { 0.0 };
        let (mine, unseen) = (hand >> (13 * suit) & RANK_SET, now.unseen >> (13 * suit) & RANK_SET);
        let (count, own) = (unseen.count_ones() as i32, mine.count_ones() as i32);
        let (mut points, mut counted, mut below_worth) = (0.0, 0u64, 0.0);
        for (turn, rank) in members(mine).enumerate() {
            let lower = unseen & (bit(rank) - 1);
            for less in members(lower & !counted) {
                below_worth += contract.worth[13 * suit + less as usize] as f32;
            }
            counted |= lower;
            let higher = count - lower.count_ones() as i32;
            let chance = self.chance(way, turn as i32, own, higher, count);
            let worth = if each == 0.0 { contract.worth[13 * suit + rank as usize] as f32 } else { each };
            points += chance * (later + worth + captures * below_worth);
        }
        points
    }

    /// An own card of a suit takes a trick: `turn` own cards lie below it, `higher` of the `unseen` above it.
    fn chance(&self, way: Way, turn: i32, own: i32, higher: i32, unseen: i32) -> f32 {
        let above = own - 1 - turn;
        let stands = if higher < 4 { STANDS[higher as usize][turn.min(3) as usize] } else { 0.0 };
        let long = unseen < 3 * above;
        match way {
            Way::Duck => {
                let rest = unseen - 3 * turn;
                let played = if rest >= 3 { 1.0 - 0.1 * turn as f32 } else if rest > 0 { 0.6 } else { 0.1 };
                played * self.ducked[2][3][higher as usize][(unseen - higher - 2 * turn).max(0) as usize]
            }
            Way::Fight => stands.max(if long { 0.7 } else { 0.0 }),
            Way::Ruffed => stands * NOT_RUFFED[higher.max(above).min(4) as usize],
            Way::Trump => stands.max(if long { 0.9 } else { 0.45 }),
            Way::End if unseen == 0 => 0.4,
            Way::End => 1.0 - higher as f32 / unseen as f32,
        }
    }

    /// Points that the players after this one will add to the trick, if the card wins it.
    fn falls(&self, now: &Now, card: Card) -> f32 {
        let contract = now.contract;
        let after = 3 - now.table.len();
        let counting = counting(contract) & now.unseen;
        if after == 0 || counting == 0 {
            return 0.0;
        }
        let led = if now.led == 0 { SUITS[card as usize / 13] } else { now.led };
        let count = (now.unseen & led).count_ones() as usize;
        let share = after as f32 / 3.0 * if contract.positive { 0.3 } else { 1.2 };
        let below = members(counting & led & !contract.beats[card as usize]);
        let mut total: f32 = below.map(|other| share * contract.worth[other as usize] as f32).sum();
        let other = counting & !led;
        if other != 0 {
            let empty: f32 = seats_after(now).map(|seat| if now.void[seat] & led != 0 { 1.0 } else { self.has_none[count] }).sum();
            total += empty * contract.worth[other.trailing_zeros() as usize] as f32 * if contract.positive { 0.1 } else { 0.4 };
        }
        total
    }

    /// The chance that a card, once it is the best on the table, stays it.
    fn winning_chance(&self, now: &Now, card: Card, is_ducked: bool) -> f32 {
        if now.table.len() == 3 {
            return 1.0;
        }
        let suit = SUITS[card as usize / 13];
        let has = |seat: &usize| now.void[*seat] & suit == 0;
        let holders = (0..4).filter(|&seat| seat != now.seat).filter(has).count();
        let following = seats_after(now).filter(has).count();
        let unseen = now.unseen & suit;
        let higher = (unseen & now.contract.beats[card as usize]).count_ones() as usize;
        let mut chance = 1.0;
        if following > 0 {
            let lower = unseen.count_ones() as usize - higher;
            chance = if is_ducked { self.ducked[holders - 1][following][higher][lower] } else { self.fought[holders - 1][following][higher] };
        }
        if now.contract.trumps != 0 {
            chance *= self.not_ruffed(now, card, suit);
        }
        chance
    }

    /// The chance that nobody after beats the card by a trump without following suit.
    fn not_ruffed(&self, now: &Now, card: Card, suit: Cards) -> f32 {
        let led = if now.led == 0 { suit } else { now.led };
        let beats = now.contract.beats[card as usize];
        let trumps = now.unseen & if suit == led { beats & !suit } else { beats };
        if trumps == 0 {
            return 1.0;
        }
        let no_trump = self.has_none[(trumps.count_ones() as usize).min(MOST - 1)];
        let count = (now.unseen & led).count_ones() as usize;
        let mut chance = 1.0;
        for seat in seats_after(now).filter(|&seat| now.void[seat] & trumps == 0) {
            let empty = if now.void[seat] & led != 0 { 1.0 } else { self.has_none[count] };
            chance *= 1.0 - empty * (1.0 - no_trump);
        }
        chance
    }
}

fn seats_after<'a>(now: &'a Now) -> impl Iterator<Item = usize> + 'a {
    (1..4 - now.table.len()).map(|step| (now.seat + step) % 4)
}

fn counting(contract: &Contract) -> Cards {
    contract.groups.iter().fold(0, |set, group| set | group.0)
}

fn last_each(contract: &Contract) -> f32 {
    contract.last.iter().map(|&(_, each)| each as f32).sum()
}

/// How a suit is played, and what each winner of it counts where only the last tricks do.
fn way(contract: &Contract, suit: usize) -> (Way, f32) {
    if !contract.last.is_empty() && contract.per_trick == 0 {
        return (if contract.positive { Way::Fight } else { Way::End }, 0.5 * last_each(contract));
    }
    let way = match contract.trump {
        _ if !contract.positive => Way::Duck,
        None => Way::Fight,
        Some(trump) if trump == suit => Way::Trump,
        Some(_) => Way::Ruffed,
    };
    (way, 0.0)
}

/// Points in the trick so far.
fn trick_worth(now: &Now) -> f32 {
    let contract = now.contract;
    let mut total = contract.per_trick as f32 + now.table.iter().map(|&card| contract.worth[card as usize] as f32).sum::<f32>();
    for &(how_many, each) in &contract.last {
        if now.left <= how_many {
            total += each as f32;
        } else if now.left == how_many + 1 {
            total += 0.2 * each as f32;
        }
    }
    total
}

/// Points that a later trick brings, whatever wins it.
fn trick_later(now: &Now) -> f32 {
    let contract = now.contract;
    let open: i32 = contract.groups.iter().map(|&(cards, worth)| worth * (cards & now.unseen).count_ones() as i32).sum();
    contract.per_trick as f32 + 0.5 * open as f32 / f32::from(now.left)
}
