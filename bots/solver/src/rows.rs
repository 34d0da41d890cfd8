//! The games read from the lines that `python -m bots.reference.rows` prints.

use crate::cards::{bit, Card, Cards, RANKS, SUITS};
use crate::rules::{Bid, Bonus, Choice, Condition, Contract, Game, Keep, Leader, Obligation, Settlement, Stop};

/// The committed lines; a test checks that they are what the rules in Python give.
const ROWS: &str = include_str!("../rules.txt");

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

fn read(games: &mut Vec<Game>, line: &str) -> Option<()> {
    let mut words = line.split(' ');
    let head = words.next()?;
    if head == "game" {
        games.push(read_game(&mut words)?);
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

fn read_game<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Game> {
    let ruleset = words.next()?.to_string();
    let options = words
        .map(|word| word.split_once('=').map(|(name, value)| (name.to_string(), value.to_string())))
        .collect::<Option<_>>()?;
    Some(Game {
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
    })
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
        "count" => read_count(contract, words)?,
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

fn read_count<'a>(contract: &mut Contract, words: &mut impl Iterator<Item = &'a str>) -> Option<()> {
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
