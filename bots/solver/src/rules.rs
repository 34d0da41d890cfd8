//! The games as data: contracts, bids and choices, read from the lines that `python -m bots.reference.rows` prints.
//!
//! Nothing here, or after it, asks for a contract's name: a name is only the key under which its row is found.

use crate::cards::{bit, Card, Cards, RANKS, SUITS};

/// The committed lines; a test checks that they are what the rules in Python give.
const ROWS: &str = include_str!("../rules.txt");

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    Leading,
    FirstTrick,
    Void,
    TrumpLed,
    OpponentsWinning,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep {
    FollowSuit,
    Overtrump,
    Trump,
    NoUndertrump,
    Cards(Cards),
}

/// Cards that a player must keep to where all conditions hold (or, with `false`, do not hold).
#[derive(Clone, Debug)]
pub struct Obligation {
    pub conditions: Vec<(Condition, bool)>,
    pub keep: Keep,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    Never,
    AtOnce,
    /// At the end of the trick in which the last of these cards was taken.
    Taken(Cards),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Settlement {
    /// Each scores what he counts, above what the owner and the others start with.
    Start { owner: i32, others: i32 },
    /// The makers score only if they have more than their opponents.
    Nat,
}

/// What becomes of a bonus in a trick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bonus {
    None,
    Auto,
    Choice,
}

/// One row. `beats`: by card, the cards that beat it; `height`: by card, its place in its suit, trumps above all;
/// `worth`: by card, points for taking it; `last`: points for each of so many last tricks; `class`: cards of equal
/// class and suit count the same and are bound alike.
#[derive(Clone, Debug)]
pub struct Contract {
    pub id: String,
    pub trump: Option<usize>,
    pub trumps: Cards,
    pub beats: [Cards; 52],
    pub height: [u8; 52],
    pub obligations: Vec<Obligation>,
    pub per_trick: i32,
    pub worth: [i32; 52],
    pub groups: Vec<(Cards, i32)>,
    pub last: Vec<(u8, i32)>,
    pub stop: Stop,
    pub settlement: Settlement,
    pub class: [u8; 52],
    pub natural: bool,
    /// What counts is better taken than not.
    pub positive: bool,
    /// By card, its place among all cards: by what it is worth and then by height; from the one best got rid of.
    pub low: [u8; 52],
    pub shed: [u8; 52],
}

/// `flat`, and `each` trick of the owner up to `most`: what a bid costs.
#[derive(Clone, Debug)]
pub struct Bid {
    pub action: u32,
    pub strength: i32,
    pub plus: bool,
    pub flat: i32,
    pub each: i32,
    pub most: i32,
    pub contract: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leader {
    Declarer,
    AfterDeclarer,
    AfterDealer,
}

#[derive(Clone, Debug)]
pub struct Choice {
    pub action: u32,
    pub contract: usize,
    pub leader: Leader,
}

#[derive(Clone, Debug)]
pub struct Game {
    pub ruleset: String,
    pub options: Vec<(String, String)>,
    pub teams: [usize; 4],
    pub deck: Cards,
    pub hand_size: u8,
    pub bonus: Bonus,
    pub contracts: Vec<Contract>,
    pub actions: Vec<(u32, String)>,
    pub bids: Vec<Bid>,
    pub choices: Vec<Choice>,
}

impl Game {
    /// The row of a contract.
    pub fn contract(&self, id: &str) -> Option<usize> {
        self.contracts.iter().position(|row| row.id == id)
    }

    /// The text of an action that is no card; empty where there is none.
    pub fn text(&self, action: u32) -> &str {
        self.actions.iter().find(|(number, _)| *number == action).map_or("", |(_, text)| text)
    }

    /// The number of an action that is no card.
    pub fn action(&self, text: &str) -> Option<u32> {
        self.actions.iter().find(|(_, name)| name == text).map(|(number, _)| *number)
    }

    /// The seats of a seat's team, as bits.
    pub fn side(&self, seat: usize) -> u8 {
        (0..4).filter(|&other| self.teams[other] == self.teams[seat]).map(|other| 1 << other).sum()
    }
}

/// All trick games.
///
/// # Errors
/// A line that is not understood, with its number.
pub fn games() -> Result<Vec<Game>, String> {
    let mut games = Vec::new();
    for (number, line) in ROWS.lines().enumerate() {
        read(&mut games, line).ok_or_else(|| format!("rules.txt:{}: not understood: {line}", number + 1))?;
    }
    for game in &mut games {
        for contract in &mut game.contracts {
            finish(contract, game.bonus);
        }
    }
    Ok(games)
}

/// The game of a ruleset with these options (name and JSON value); options that it does not list are of no matter.
pub fn find<'a>(games: &'a [Game], ruleset: &str, options: &[(String, String)]) -> Option<&'a Game> {
    games.iter().find(|game| game.ruleset == ruleset && game.options.iter().all(|wanted| options.contains(wanted)))
}

fn read(games: &mut Vec<Game>, line: &str) -> Option<()> {
    let mut words = line.split(' ');
    let head = words.next()?;
    if head == "game" {
        let ruleset = words.next()?.to_string();
        let options = words
            .map(|word| word.split_once('=').map(|(name, value)| (name.to_string(), value.to_string())))
            .collect::<Option<_>>()?;
        games.push(Game {
            ruleset,
            options,
            teams: [0; 4],
            deck: 0,
            hand_size: 0,
            bonus: Bonus::None,
            contracts: Vec::new(),
            actions: Vec::new(),
            bids: Vec::new(),
            choices: Vec::new(),
        });
        return Some(());
    }
    let game = games.last_mut()?;
    match head {
        "teams" => {
            for team in &mut game.teams {
                *team = words.next()?.parse().ok()?;
            }
        }
        "deck" => {
            game.deck = words.next()?.parse().ok()?;
            game.hand_size = words.next()?.parse().ok()?;
        }
        "bonus" => {
            game.bonus = match words.next()? {
                "choice" => Bonus::Choice,
                "auto" => Bonus::Auto,
                "none" => Bonus::None,
                _ => return None,
            }
        }
        "contract" => game.contracts.push(blank(words.next()?)),
        "action" => game.actions.push((words.next()?.parse().ok()?, words.next()?.to_string())),
        "bid" => {
            let bid = read_bid(game, &mut words)?;
            game.bids.push(bid);
        }
        "choice" => {
            let action = words.next()?.parse().ok()?;
            let contract = game.contract(words.next()?)?;
            let leader = match words.next()? {
                "declarer" => Leader::Declarer,
                "after_declarer" => Leader::AfterDeclarer,
                "after_dealer" => Leader::AfterDealer,
                _ => return None,
            };
            game.choices.push(Choice { action, contract, leader });
        }
        _ => read_contract(game.contracts.last_mut()?, head, &mut words)?,
    }
    Some(())
}

fn read_bid<'a>(game: &Game, words: &mut impl Iterator<Item = &'a str>) -> Option<Bid> {
    let action = words.next()?.parse().ok()?;
    let strength = words.next()?.parse().ok()?;
    let plus = words.next()? == "plus";
    let flat = words.next()?.parse().ok()?;
    let each = words.next()?.parse().ok()?;
    let most = words.next()?.parse().ok()?;
    let contract = match words.next()? {
        "-" => None,
        id => Some(game.contract(id)?),
    };
    Some(Bid { action, strength, plus, flat, each, most, contract })
}

fn read_contract<'a>(contract: &mut Contract, head: &str, words: &mut impl Iterator<Item = &'a str>) -> Option<()> {
    match head {
        "trump" => {
            contract.trump = match words.next()? {
                "-" => None,
                suit => Some(suit.parse().ok()?),
            };
            set_order(contract, words.next()?, words.next()?);
        }
        "keep" => contract.obligations.push(read_obligation(words)?),
        "count" => {
            let points: i32 = words.next()?.parse().ok()?;
            match words.next()? {
                "tricks" => contract.per_trick += points,
                "cards" => {
                    let cards: Cards = words.next()?.parse().ok()?;
                    (0..52).filter(|&card| cards & bit(card) != 0).for_each(|card| contract.worth[card as usize] += points);
                }
                "values" => {
                    for (card, value) in words.next()?.split(',').enumerate() {
                        contract.worth[card] += points * value.parse::<i32>().ok()?;
                    }
                }
                "last" => contract.last.push((words.next()?.parse().ok()?, points)),
                _ => return None,
            }
        }
        "stop" => {
            contract.stop = match words.next()? {
                "never" => Stop::Never,
                "at_once" => Stop::AtOnce,
                "taken" => Stop::Taken(words.next()?.parse().ok()?),
                _ => return None,
            }
        }
        "settle" => {
            contract.settlement = match words.next()? {
                "nat" => Settlement::Nat,
                "start" => {
                    Settlement::Start { owner: words.next()?.parse().ok()?, others: words.next()?.parse().ok()? }
                }
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(())
}

fn read_obligation<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Obligation> {
    let mut conditions = Vec::new();
    loop {
        let word = words.next()?;
        if word == ":" {
            break;
        }
        let name = word.trim_start_matches('!');
        let condition = match name {
            "leading" => Condition::Leading,
            "first_trick" => Condition::FirstTrick,
            "void" => Condition::Void,
            "trump_led" => Condition::TrumpLed,
            "opponents_winning" => Condition::OpponentsWinning,
            _ => return None,
        };
        conditions.push((condition, name == word));
    }
    let keep = match words.next()? {
        "follow_suit" => Keep::FollowSuit,
        "overtrump" => Keep::Overtrump,
        "trump" => Keep::Trump,
        "no_undertrump" => Keep::NoUndertrump,
        "cards" => Keep::Cards(words.next()?.parse().ok()?),
        _ => return None,
    };
    Some(Obligation { conditions, keep })
}

fn blank(id: &str) -> Contract {
    Contract {
        id: id.to_string(),
        trump: None,
        trumps: 0,
        beats: [0; 52],
        height: [0; 52],
        obligations: Vec::new(),
        per_trick: 0,
        worth: [0; 52],
        groups: Vec::new(),
        last: Vec::new(),
        stop: Stop::Never,
        settlement: Settlement::Start { owner: 0, others: 0 },
        class: [0; 52],
        natural: true,
        positive: false,
        low: [0; 52],
        shed: [0; 52],
    }
}

/// `plain`, `trumps`: ranks from the lowest to the highest.
fn set_order(contract: &mut Contract, plain: &str, trumps: &str) {
    contract.trumps = contract.trump.map_or(0, |suit| SUITS[suit]);
    contract.natural = plain == RANKS && trumps == RANKS;
    for card in 0..52u8 {
        let is_trump = contract.trumps & bit(card) != 0;
        let order = if is_trump { trumps } else { plain };
        let rank = RANKS.as_bytes()[card as usize % 13] as char;
        let place = order.find(rank).unwrap_or(0);
        contract.height[card as usize] = place as u8 + if is_trump { 16 } else { 0 };
        let first = card - card % 13;
        let above = order[place + 1..].chars().filter_map(|r| RANKS.find(r)).map(|r| bit(first + r as Card));
        contract.beats[card as usize] = above.sum::<Cards>() | if is_trump { 0 } else { contract.trumps };
    }
}

/// Work out what follows from a row that is complete.
fn finish(contract: &mut Contract, bonus: Bonus) {
    let total = contract.per_trick + contract.worth.iter().sum::<i32>() + contract.last.iter().map(|l| l.1).sum::<i32>();
    contract.positive = total > 0;
    let (worth, height) = (contract.worth, contract.height);
    contract.low = places(|card| (worth[card].abs(), height[card] as i32));
    contract.shed = places(|card| (worth[card], -(height[card] as i32)));
    let sets: Vec<Cards> = contract
        .obligations
        .iter()
        .filter_map(|each| if let Keep::Cards(cards) = each.keep { Some(cards) } else { None })
        .collect();
    let mut kinds: Vec<(i32, Vec<bool>)> = Vec::new();
    for card in 0..52u8 {
        let worth = contract.worth[card as usize];
        match contract.groups.iter_mut().find(|group| group.1 == worth) {
            Some(group) => group.0 |= bit(card),
            None if worth != 0 => contract.groups.push((bit(card), worth)),
            None => {}
        }
        let kind = (worth, sets.iter().map(|set| set & bit(card) != 0).collect());
        let class = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        });
        // A bonus, and an order that is not that of the numbers, make each card one of its kind.
        contract.class[card as usize] = if bonus == Bonus::None && contract.natural { class as u8 } else { card };
    }
}

/// By card, its place when all cards are sorted by a key.
fn places(key: impl Fn(usize) -> (i32, i32)) -> [u8; 52] {
    let mut cards: Vec<usize> = (0..52).collect();
    cards.sort_by_key(|&card| key(card));
    let mut result = [0; 52];
    for (place, &card) in cards.iter().enumerate() {
        result[card] = place as u8;
    }
    result
}
