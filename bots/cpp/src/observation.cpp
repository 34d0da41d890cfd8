#include "kingmaker.h"
#include "referee/v1/decision.pb.h"

namespace kingmaker {

namespace {

template <typename T>
std::span<const T> view(const google::protobuf::RepeatedField<T>& field) {
    return {field.data(), static_cast<std::size_t>(field.size())};
}

constexpr std::array<std::string_view, 8> kinds = {"unknown", "play", "bid", "answer", "reply", "choose", "claim", "turn"};
constexpr std::array<std::string_view, 5> faults = {"unknown", "illegal", "malformed", "timeout", "disconnect"};

}  // namespace

std::string_view text(Kind kind) { return kinds.at(static_cast<std::size_t>(kind)); }

std::string_view text(Fault fault) { return faults.at(static_cast<std::size_t>(fault)); }

Card Card::parse(std::string_view text) {
    constexpr std::string_view ranks = "23456789TJQKA", suits = "CDHS";
    if (text.size() == 2) {
        const auto rank = ranks.find(text[0]), suit = suits.find(text[1]);
        if (rank != ranks.npos && suit != suits.npos) return {static_cast<std::uint8_t>(13 * suit + rank)};
    }
    throw std::invalid_argument(std::string(text) + " is no card: a rank of 23456789TJQKA and a suit of CDHS, such as KH");
}

std::uint32_t Observation::number() const { return decision_->number(); }

Kind Observation::kind() const {
    const int kind = decision_->kind();
    return kind > 0 && kind < static_cast<int>(kinds.size()) ? static_cast<Kind>(kind) : Kind::unknown;
}

std::span<const Action> Observation::legal() const { return view(decision_->legal()); }

std::uint32_t Observation::deal() const { return decision_->deal(); }

Seat Observation::dealer() const { return decision_->dealer(); }

CardSet Observation::hand() const { return {decision_->hand()}; }

std::optional<std::string_view> Observation::contract() const {
    const auto& contracts = match_->ruleset->contracts;
    const auto index = decision_->contract();
    if (index == 0 || index > contracts.size()) return std::nullopt;
    return contracts[index - 1];
}

std::optional<Seat> Observation::declarer() const {
    if (!decision_->has_declarer()) return std::nullopt;
    return decision_->declarer();
}

std::vector<Move> Observation::history() const { return moves(0); }

std::vector<Move> Observation::trick() const {
    return moves(decision_->actions_size() - static_cast<int>(decision_->trick_size()));
}

std::vector<Move> Observation::moves(int from) const {
    std::vector<Move> moves;
    moves.reserve(decision_->actions_size() - from);
    for (int i = from; i < decision_->actions_size(); ++i) moves.push_back({decision_->seats(i), decision_->actions(i)});
    return moves;
}

std::span<const std::uint32_t> Observation::tricks() const { return view(decision_->tricks()); }

std::span<const std::int32_t> Observation::totals() const { return view(decision_->totals()); }

std::optional<Layout> Observation::layout() const {
    if (!decision_->has_layout()) return std::nullopt;
    const auto& told = decision_->layout();
    Layout layout{{}, told.stock(), view(told.hand_sizes()), view(told.turned())};
    const int count = std::min<int>(told.piles_size(), places.size());
    for (int i = 0; i < count; ++i) layout.piles[i] = view(told.piles(i).cards());
    return layout;
}

std::uint32_t Observation::budget_ms() const { return decision_->budget_ms(); }

std::uint32_t Observation::bank_ms() const { return decision_->bank_ms(); }

std::uint32_t Observation::charged_us() const { return decision_->charged_us(); }

std::optional<Fault> Observation::last_fault() const {
    const int fault = decision_->last_fault();
    if (fault == 0) return std::nullopt;
    return fault > 0 && fault < static_cast<int>(faults.size()) ? static_cast<Fault>(fault) : Fault::unknown;
}

std::uint64_t Observation::seed() const { return decision_->seed(); }

std::string Observation::text(Action action) const {
    const auto& actions = match_->ruleset->actions;
    return action < actions.size() && !actions[action].empty() ? actions[action] : std::to_string(action);
}

std::optional<Action> Observation::action(const std::string& text) const {
    const auto& numbers = match_->ruleset->numbers;
    const auto found = numbers.find(text);
    if (found == numbers.end()) return std::nullopt;
    return found->second;
}

}  // namespace kingmaker
