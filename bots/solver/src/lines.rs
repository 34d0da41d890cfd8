//! Questions and answers as lines of text, so that any language can ask: words `KEY=VALUE` after a verb.
//!
//! `decide …` is answered by an action's number; `solve …` by the value of each legal action, all cards known, for the
//! side of the seat to act; anything else, and what is wrong, by `error: …`.

use std::collections::HashMap;
use std::str::FromStr;

use crate::cards::Card;
use crate::limit::Limit;
use crate::player::Player;
use crate::rules::{find, Bonus, Game};
use crate::search::{Memory, Search, TO_THE_END};
use crate::view::View;

pub struct Desk<'a> {
    games: &'a [Game],
    player: Player,
    memory: Memory,
}

impl<'a> Desk<'a> {
    pub fn new(games: &'a [Game]) -> Self {
        Desk { games, player: Player::default(), memory: Memory::new(18) }
    }

    /// The answer to a line.
    pub fn answer(&mut self, line: &str) -> String {
        self.try_answer(line).unwrap_or_else(|problem| format!("error: {problem}"))
    }

    fn try_answer(&mut self, line: &str) -> Result<String, String> {
        let (verb, rest) = line.trim().split_once(' ').ok_or("a question is a verb and words KEY=VALUE")?;
        let words = Words::read(rest)?;
        let view = words.view(self.games)?;
        match verb {
            "decide" => self.player.decide(&view).map(|action| action.to_string()),
            "solve" => self.solve(&words, &view),
            _ => Err(format!("no verb {verb:?}; it may be decide or solve")),
        }
    }

    /// `hands`: what each seat was dealt. The view's own hand is not looked at.
    fn solve(&mut self, words: &Words, view: &View) -> Result<String, String> {
        let dealt: Vec<u64> = words.list("hands")?;
        let hands: [u64; 4] = dealt.try_into().map_err(|_| "hands are four")?;
        let frame = view.current().ok_or("contract is missing")?;
        let (state, _) = view.replay(&frame, hands);
        let mut limit = Limit::none();
        let side = view.game.side(state.actor as usize);
        let mut search = Search::new(frame, side, view.game.bonus == Bonus::Choice, &mut self.memory, &mut limit);
        let value = |action: u32| {
            if action < 52 {
                return search.after(&state, action as Card, TO_THE_END);
            }
            let mut settled = state;
            settled.settle(view.game.text(action) == "claim");
            search.value(&settled, TO_THE_END)
        };
        let values: Vec<String> = view.legal.iter().copied().map(value).map(|value| value.to_string()).collect();
        Ok(values.join(","))
    }
}

struct Words<'a>(HashMap<&'a str, &'a str>);

impl<'a> Words<'a> {
    fn read(text: &'a str) -> Result<Self, String> {
        let pair = |word: &'a str| word.split_once('=').ok_or_else(|| format!("{word:?} is not KEY=VALUE"));
        text.split(' ').filter(|word| !word.is_empty()).map(pair).collect::<Result<_, _>>().map(Words)
    }

    fn text(&self, key: &str) -> Result<&'a str, String> {
        self.0.get(key).copied().ok_or_else(|| format!("{key} is missing"))
    }

    fn number<T: FromStr>(&self, key: &str) -> Result<T, String> {
        let text = self.text(key)?;
        text.parse().map_err(|_| format!("{key} is {text:?}, which is no number that it may be"))
    }

    fn optional<T: FromStr>(&self, key: &str) -> Result<Option<T>, String> {
        if self.0.contains_key(key) { self.number(key).map(Some) } else { Ok(None) }
    }

    fn list<T: FromStr>(&self, key: &str) -> Result<Vec<T>, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("{key} holds {text:?}, which is no number that it may be"));
        self.text(key)?.split(',').filter(|text| !text.is_empty()).map(number).collect()
    }

    fn view<'g>(&self, games: &'g [Game]) -> Result<View<'g>, String> {
        let ruleset = self.text("ruleset")?;
        let options: Vec<(String, String)> = self
            .0
            .iter()
            .filter_map(|(key, value)| key.strip_prefix("option.").map(|name| (name.to_string(), value.to_string())))
            .collect();
        let game = find(games, ruleset, &options).ok_or_else(|| format!("no trick game {ruleset} with these options"))?;
        let contract = match self.0.get("contract") {
            Some(id) => Some(game.contract(id).ok_or_else(|| format!("{ruleset} has no contract {id}"))?),
            None => None,
        };
        let view = View {
            game,
            seat: self.number("seat")?,
            dealer: self.number("dealer")?,
            hand: self.optional("hand")?.unwrap_or(0),
            contract,
            declarer: self.optional("declarer")?,
            kind: self.text("kind")?.to_string(),
            actions: self.list("actions")?,
            seats: self.list("seats")?,
            legal: self.list("legal")?,
            budget_ms: self.optional("budget_ms")?.unwrap_or(100),
            bank_ms: self.optional("bank_ms")?.unwrap_or(0),
            seed: self.optional("seed")?.unwrap_or(0),
            nodes: self.optional("nodes")?,
        };
        let seats_are_good = view.seat < 4 && view.dealer < 4 && view.seats.iter().all(|&seat| seat < 4);
        if !seats_are_good || view.declarer.is_some_and(|seat| seat > 3) || view.seats.len() != view.actions.len() {
            return Err("a seat is 0 to 3, and there is one for each action".to_string());
        }
        Ok(view)
    }
}
