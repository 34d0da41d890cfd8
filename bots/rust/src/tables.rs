//! The matches in which a bot sits, and what it answers at them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::pb;
use crate::{Action, Error, Match, MatchResult, Observation, Ruleset};

/// What decides. A function from an observation to an action is a bot too.
pub trait Bot {
    /// Returns one of `observation.legal()`.
    fn decide(&mut self, observation: &Observation) -> Action;

    /// Returns an action for each observation, over all tables at which the bot is asked now.
    fn decide_batch(&mut self, observations: &[Observation]) -> Vec<Action> {
        observations.iter().map(|observation| self.decide(observation)).collect()
    }

    /// A match begins.
    fn match_start(&mut self, _game: &Match) {}

    /// A match is over.
    fn match_end(&mut self, _game: &Match, _result: &MatchResult) {}
}

impl<F: FnMut(&Observation) -> Action> Bot for F {
    fn decide(&mut self, observation: &Observation) -> Action {
        self(observation)
    }
}

/// What was told on one stream.
#[derive(Default)]
pub(crate) struct Tables {
    rulesets: HashMap<u32, Arc<Ruleset>>,
    matches: HashMap<u32, Arc<Match>>,
}

impl Tables {
    /// Learns the rulesets and matches that are new.
    pub fn begin(&mut self, bot: &mut impl Bot, infos: Vec<pb::RulesetInfo>, starts: Vec<pb::MatchStart>) -> Result<(), Error> {
        self.rulesets.extend(infos.into_iter().map(|info| (info.ruleset, Arc::new(info.into()))));
        for start in starts {
            let ruleset = self.rulesets.get(&start.ruleset).ok_or_else(|| unknown("ruleset", start.ruleset))?;
            let game = Arc::new(Match::new(start, ruleset.clone()));
            bot.match_start(&game);
            self.matches.insert(game.number, game);
        }
        Ok(())
    }

    /// The bot's answers, one to each decision.
    pub fn answer(&self, bot: &mut impl Bot, decisions: Vec<pb::Decision>) -> Result<Vec<pb::Answer>, Error> {
        let observe = |decision: pb::Decision| {
            let game = self.matches.get(&decision.r#match).ok_or_else(|| unknown("match", decision.r#match))?;
            Ok(Observation::new(decision, game.clone()))
        };
        let observations = decisions.into_iter().map(observe).collect::<Result<Vec<_>, Error>>()?;
        let actions = bot.decide_batch(&observations);
        assert_eq!(actions.len(), observations.len(), "decide_batch must return an action for each observation");
        let answer = |(seen, action): (&Observation, Action)| pb::Answer { r#match: seen.game().number, number: seen.number(), action };
        Ok(observations.iter().zip(actions).map(answer).collect())
    }

    /// Drops the matches that are over.
    pub fn end(&mut self, bot: &mut impl Bot, ends: Vec<pb::MatchEnd>) -> Result<(), Error> {
        for end in ends {
            let game = self.matches.remove(&end.r#match).ok_or_else(|| unknown("match", end.r#match))?;
            bot.match_end(&game, &end.into());
        }
        Ok(())
    }
}

fn unknown(what: &str, number: u32) -> Error {
    Error::Refused(format!("the referee speaks of {what} {number}, which it has not introduced"))
}
