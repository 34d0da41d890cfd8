//! Everything in one line, the same in every language's SDK: the conformance transcripts hold them to it.

use std::fmt::{self, Display, Formatter};

use crate::{Action, Fault, Kind, Layout, Match, MatchResult, Move, Observation, PLACES};

impl Observation {
    /// The text of an action, or its number where the ruleset has none for it.
    fn name(&self, action: Action) -> String {
        self.text(action).map_or_else(|| action.to_string(), str::to_owned)
    }

    fn move_text(&self, Move { seat, action }: Move) -> String {
        format!("{seat}:{}", self.name(action))
    }

    fn layout_text(&self, layout: &Layout) -> String {
        let names = |cards: &[Action]| cards.iter().map(|&card| self.name(card)).collect::<Vec<_>>();
        let piles: String =
            PLACES.iter().zip(layout.piles).map(|(place, cards)| format!("{place}={} ", names(cards).join(","))).collect();
        format!("{piles}stock {} hands{} turned{}", layout.stock, list(layout.hand_sizes), list(names(layout.turned)))
    }
}

impl Display for Observation {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let game = self.game();
        let options = list(game.ruleset.options.iter().map(|(name, value)| format!("{name}={value}")));
        write!(f, "{}{options}; ", game.ruleset.id)?;
        write!(f, "match {} of {} seat {}; ", game.number, game.players.join(","), game.seat)?;
        write!(f, "decision {} {}; deal {} dealer {} ", self.number(), self.kind(), self.deal(), self.dealer())?;
        write!(f, "contract {} declarer {}; ", or_dash(self.contract()), or_dash(self.declarer()))?;
        write!(f, "hand{}; ", list(self.hand().map(|card| self.name(card.into()))))?;
        write!(f, "trick{}; ", list(self.trick().map(|played| self.move_text(played))))?;
        write!(f, "history{}; ", list(self.history().map(|taken| self.move_text(taken))))?;
        write!(f, "tricks{}; totals{}; ", list(self.tricks()), list(self.totals()))?;
        write!(f, "layout {}; ", or_dash(self.layout().map(|layout| self.layout_text(&layout))))?;
        write!(f, "time {} {} {}; ", self.budget_ms(), self.bank_ms(), self.charged_us())?;
        write!(f, "fault {}; seed {}; ", or_dash(self.last_fault()), self.seed())?;
        write!(f, "legal{}", list(self.legal().iter().map(|&action| self.name(action))))
    }
}

impl Display for Match {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "match {} {} version {} ", self.number, self.ruleset.id, self.ruleset.version)?;
        write!(f, "of {} seat {} commitment {} ", self.players.join(","), self.seat, hex(&self.commitment))?;
        write!(f, "time {} {} faults {}", self.budget_ms, self.bank_ms, self.max_faults)
    }
}

impl Display for MatchResult {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let id = if self.match_id.is_empty() { "-" } else { &self.match_id };
        write!(f, "result {id} totals{} ranks{} ", list(&self.totals), list(&self.ranks))?;
        write!(f, "seed {} forfeits{} faults{} ", hex(&self.seed), list(&self.forfeits), list(&self.faults))?;
        write!(f, "void {}", if self.is_void { "yes" } else { "no" })
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// A space before each thing.
fn list<T: Display>(things: impl IntoIterator<Item = T>) -> String {
    things.into_iter().map(|thing| format!(" {thing}")).collect()
}

fn or_dash<T: Display>(thing: Option<T>) -> String {
    thing.map_or_else(|| "-".to_owned(), |thing| thing.to_string())
}

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".to_owned() } else { bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
}
