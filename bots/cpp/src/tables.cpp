#include "tables.h"

namespace kingmaker {

namespace pb = referee::v1;

namespace {

// What the referee has introduced under a number.
template <typename Things>
auto& known(Things& things, const std::string& what, std::uint32_t number) {
    const auto found = things.find(number);
    if (found != things.end()) return found->second;
    throw RefereeError("the referee speaks of " + what + " " + std::to_string(number) + ", which it has not introduced");
}

std::shared_ptr<const Ruleset> read(const pb::RulesetInfo& info) {
    auto ruleset = std::make_shared<Ruleset>();
    ruleset->id = info.id();
    ruleset->version = info.version();
    ruleset->players = info.players();
    for (const auto& option : info.options()) ruleset->options[option.name()] = option.value();
    ruleset->actions = {info.actions().begin(), info.actions().end()};
    ruleset->contracts = {info.contracts().begin(), info.contracts().end()};
    for (Action action = 0; action < ruleset->actions.size(); ++action) {
        if (!ruleset->actions[action].empty()) ruleset->numbers.emplace(ruleset->actions[action], action);
    }
    return ruleset;
}

Result read(const pb::MatchEnd& end) {
    Result result{end.match_id(), {end.totals().begin(), end.totals().end()}, {end.ranks().begin(), end.ranks().end()},
                  end.seed(),     {end.forfeits().begin(), end.forfeits().end()}, {}, end.is_void()};
    for (const int fault : end.faults()) {
        result.faults.push_back(fault >= 1 && fault <= 4 ? static_cast<Fault>(fault) : Fault::unknown);
    }
    return result;
}

}  // namespace

std::vector<Action> Bot::decide_batch(std::span<const Observation> observations) {
    std::vector<Action> actions;
    actions.reserve(observations.size());
    for (const auto& observation : observations) actions.push_back(decide(observation));
    return actions;
}

void Tables::begin(const pb::Batch& batch) {
    for (const auto& info : batch.rulesets()) rulesets_[info.ruleset()] = read(info);
    for (const auto& start : batch.match_starts()) {
        Match match{start.match(), known(rulesets_, "ruleset", start.ruleset()), start.seat(),
                    {start.players().begin(), start.players().end()}, start.commitment(),
                    start.budget_ms(), start.bank_ms(), start.max_faults()};
        bot_.match_start(matches_.insert_or_assign(match.number, std::move(match)).first->second);
    }
}

void Tables::answer(const pb::Batch& batch, pb::Answers& answers) {
    std::vector<Observation> observations;
    observations.reserve(batch.decisions_size());
    for (const auto& decision : batch.decisions()) {
        observations.emplace_back(decision, known(matches_, "match", decision.match()));
    }
    const auto actions = bot_.decide_batch(observations);
    if (actions.size() != observations.size()) {
        throw std::logic_error("decide_batch returned " + std::to_string(actions.size()) + " actions for " +
                               std::to_string(observations.size()) + " observations");
    }
    for (int i = 0; i < batch.decisions_size(); ++i) {
        auto& answer = *answers.add_answers();
        answer.set_match(batch.decisions(i).match());
        answer.set_number(batch.decisions(i).number());
        answer.set_action(actions[i]);
    }
}

void Tables::end(const pb::Batch& batch) {
    for (const auto& end : batch.match_ends()) {
        bot_.match_end(known(matches_, "match", end.match()), read(end));
        matches_.erase(end.match());
    }
}

}  // namespace kingmaker
