// Everything in one line, the same in every language's SDK: the conformance transcripts hold them to it.
#include <sstream>

#include "kingmaker.h"

namespace kingmaker {

namespace {

// A space before each thing.
template <typename Things, typename Write>
void list(std::ostream& out, const Things& things, Write write) {
    for (const auto& thing : things) {
        out << ' ';
        write(thing);
    }
}

template <typename Things>
void list(std::ostream& out, const Things& things) {
    list(out, things, [&](const auto& thing) { out << thing; });
}

template <typename Things>
std::string joined(const Things& things) {
    std::string text;
    for (const auto& thing : things) text += (text.empty() && &thing == &things[0] ? "" : ",") + thing;
    return text;
}

std::string hex(const std::string& bytes) {
    std::string text;
    for (unsigned char byte : bytes) text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    return text.empty() ? "-" : text;
}

void layout_text(std::ostream& out, const Observation& seen, const Layout& layout) {
    const auto name = [&](Action card) { out << seen.text(card); };
    for (std::size_t i = 0; i < places.size(); ++i) {
        out << places[i] << '=';
        for (std::size_t j = 0; j < layout.piles[i].size(); ++j) out << (j ? "," : "") << seen.text(layout.piles[i][j]);
        out << ' ';
    }
    out << "stock " << layout.stock << " hands";
    list(out, layout.hand_sizes);
    out << " turned";
    list(out, layout.turned, name);
}

}  // namespace

std::string Observation::text() const {
    std::ostringstream out;
    const auto name = [&](Action action) { out << text(action); };
    const auto move = [&](const Move& move) { out << move.seat << ':' << text(move.action); };
    out << match().ruleset->id;
    list(out, match().ruleset->options, [&](const auto& option) { out << option.first << '=' << option.second; });
    out << "; match " << match().number << " of " << joined(match().players) << " seat " << match().seat;
    out << "; decision " << number() << ' ' << kingmaker::text(kind()) << "; deal " << deal() << " dealer " << dealer();
    out << " contract " << contract().value_or("-") << " declarer ";
    out << (declarer() ? std::to_string(*declarer()) : "-") << "; hand";
    list(out, hand(), [&](Card card) { name(card.number); });
    out << "; trick";
    list(out, trick(), move);
    out << "; history";
    list(out, history(), move);
    out << "; tricks";
    list(out, tricks());
    out << "; totals";
    list(out, totals());
    out << "; layout ";
    if (const auto table = layout()) {
        layout_text(out, *this, *table);
    } else {
        out << '-';
    }
    out << "; time " << budget_ms() << ' ' << bank_ms() << ' ' << charged_us() << "; fault ";
    out << (last_fault() ? kingmaker::text(*last_fault()) : "-") << "; seed " << seed() << "; legal";
    list(out, legal(), name);
    return out.str();
}

std::string Match::text() const {
    std::ostringstream out;
    out << "match " << number << ' ' << ruleset->id << " version " << ruleset->version << " of " << joined(players)
        << " seat " << seat << " commitment " << hex(commitment) << " time " << budget_ms << ' ' << bank_ms
        << " faults " << max_faults;
    return out.str();
}

std::string Result::text() const {
    std::ostringstream out;
    out << "result " << (match_id.empty() ? "-" : match_id) << " totals";
    list(out, totals);
    out << " ranks";
    list(out, ranks);
    out << " seed " << hex(seed) << " forfeits";
    list(out, forfeits);
    out << " faults";
    list(out, faults, [&](Fault fault) { out << kingmaker::text(fault); });
    out << " void " << (is_void ? "yes" : "no");
    return out.str();
}

}  // namespace kingmaker
