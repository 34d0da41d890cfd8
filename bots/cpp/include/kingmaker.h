// Lets a bot play at a Kingmaker referee: connect, read batches of decisions, ask the bot and answer, until the
// referee says goodbye.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace referee::v1 {
class Decision;
}

namespace kingmaker {

// A number of the ruleset's table of actions; those up to 51 are the cards.
using Action = std::uint32_t;
// A place at the table, from 0, clockwise.
using Seat = std::uint32_t;

// A card, 13 * suit + rank: 0 is 2C, 51 is AS. Its number is also the action that plays it.
struct Card {
    std::uint8_t number;

    int suit() const { return number / 13; }  // C=0 D=1 H=2 S=3
    int rank() const { return number % 13; }  // 2=0 to A=12
    std::string text() const { return {"23456789TJQKA"[rank()], "CDHS"[suit() % 4]}; }
    // Reads a text such as KH; throws std::invalid_argument.
    static Card parse(std::string_view text);

    auto operator<=>(const Card&) const = default;
};

// A set of cards: bit c of the mask is card c. A range of its cards, in ascending order.
struct CardSet {
    std::uint64_t mask = 0;

    class Iterator {
    public:
        explicit Iterator(std::uint64_t rest) : rest_(rest) {}
        Card operator*() const { return {static_cast<std::uint8_t>(std::countr_zero(rest_))}; }
        Iterator& operator++() {
            rest_ &= rest_ - 1;
            return *this;
        }
        bool operator==(const Iterator&) const = default;

    private:
        std::uint64_t rest_;
    };

    bool has(Card card) const { return mask >> card.number & 1; }
    int size() const { return std::popcount(mask); }
    CardSet of_suit(int suit) const { return {mask & std::uint64_t{0x1fff} << 13 * suit}; }
    Iterator begin() const { return Iterator(mask); }
    Iterator end() const { return Iterator(0); }
};

// An action with the seat that took it.
struct Move {
    Seat seat;
    Action action;
};

// What sort of choice a decision is; unknown: one that a later protocol has.
enum class Kind { unknown, play, bid, answer, reply, choose, claim, turn };
// What a bot did wrong; unknown: something that a later protocol knows.
enum class Fault { unknown, illegal, malformed, timeout, disconnect };
std::string_view text(Kind kind);
std::string_view text(Fault fault);

// The words behind a ruleset's numbers.
struct Ruleset {
    std::string id;
    std::uint32_t version, players;
    std::map<std::string, std::string> options;  // by name, defaults included; the values are JSON: 0, true, null, "auto"
    std::vector<std::string> actions;            // the texts of the actions by their numbers
    std::vector<std::string> contracts;
    std::unordered_map<std::string, Action> numbers;  // the actions by their texts
};

// One match, as this seat was told of it.
struct Match {
    std::uint32_t number;  // what this stream calls it, never used twice
    std::shared_ptr<const Ruleset> ruleset;
    Seat seat;
    std::vector<std::string> players;  // the names by seat
    std::string commitment;            // 32 bytes of SHA-256 of the seed from which every deal follows
    std::uint32_t budget_ms, bank_ms, max_faults;

    std::string text() const;
};

// How a match ended; totals, ranks and seed are empty when it is void.
struct Result {
    std::string match_id;
    std::vector<std::int32_t> totals;  // by seat
    std::vector<std::uint32_t> ranks;  // by seat
    std::string seed;
    std::vector<Seat> forfeits;
    std::vector<Fault> faults;  // those of this seat
    bool is_void;

    std::string text() const;
};

// The names of the piles of a Layout, in its order.
inline constexpr std::array<std::string_view, 8> places = {"N", "E", "S", "W", "NE", "SE", "SW", "NW"};

// The table of Kings in the Corner.
struct Layout {
    std::array<std::span<const Action>, 8> piles;  // the cards of each place from the bottom (highest) up
    std::uint32_t stock;                           // how many cards are left in it
    std::span<const std::uint32_t> hand_sizes;     // by seat
    std::span<const Action> turned;                // the cards turned at the start onto N, E, S, W
};

// One decision with all that its seat may know. It and what it returns live until the bot has decided.
class Observation {
public:
    Observation(const referee::v1::Decision& decision, const Match& match) : decision_(&decision), match_(&match) {}

    const Match& match() const { return *match_; }  // its seat, players, and ruleset with its options
    std::uint32_t number() const;                   // counts the decisions of this seat in this match, from 1
    Kind kind() const;
    std::span<const Action> legal() const;            // the legal actions, ascending, never empty
    std::uint32_t deal() const;                       // the deal's number in the match, from 1
    Seat dealer() const;                              // the seat that dealt
    CardSet hand() const;                             // the cards in hand
    std::optional<std::string_view> contract() const;  // its name; none until it is known
    std::optional<Seat> declarer() const;  // the seat that plays the deal; none where nobody does, or it is not known yet
    std::vector<Move> history() const;     // all that every seat saw in this deal, in order
    std::vector<Move> trick() const;       // the cards now on the table, in order; empty when leading
    std::span<const std::uint32_t> tricks() const;  // taken in this deal, by seat; empty where no tricks are played
    std::span<const std::int32_t> totals() const;   // points before this deal, by seat
    std::optional<Layout> layout() const;           // the table of Kings in the Corner; none in trick games
    std::uint32_t budget_ms() const;                // time for this decision before the bank is touched
    std::uint32_t bank_ms() const;                  // what is left of the match's bank
    std::uint32_t charged_us() const;               // what the previous decision was charged, in microseconds
    std::optional<Fault> last_fault() const;        // the fault at the previous decision
    std::uint64_t seed() const;  // for the bot's own randomness: with it alone, the same match plays the same again

    // The text of an action (KH, +3, trump:S:self, move:E:N), or its number where the ruleset has none for it.
    std::string text(Action action) const;
    // The number of an action from its text; none if the ruleset has no such action.
    std::optional<Action> action(const std::string& text) const;
    // Everything in one line.
    std::string text() const;

private:
    std::vector<Move> moves(int from) const;

    const referee::v1::Decision* decision_;
    const Match* match_;
};

// What decides.
class Bot {
public:
    virtual ~Bot() = default;
    // Returns one of observation.legal().
    virtual Action decide(const Observation& observation) = 0;
    // Returns an action for each observation, over all tables at which the bot is asked now.
    virtual std::vector<Action> decide_batch(std::span<const Observation> observations);
    virtual void match_start(const Match&) {}
    virtual void match_end(const Match&, const Result&) {}
};

// Says where the referee is. By default in the folder that KINGMAKER_SEAT names (default /ref), which holds the file
// token, and the socket ref.sock or the file address, and roots.pem where the referee's certificate is signed by an
// authority of its own.
struct Options {
    std::string address;   // host:port of a remote referee
    std::string token;     // what it gave this bot
    std::string roots;     // PEM certificates to trust instead of the system's
    bool plaintext = false;  // send the token unencrypted to another machine; on this one nothing is encrypted without roots
};

// The referee cannot be found, refused the bot, or was lost.
class RefereeError : public std::runtime_error {
public:
    explicit RefereeError(const std::string& what, bool is_lost = false) : std::runtime_error(what), is_lost(is_lost) {}
    bool is_lost;  // it was there, and may be there again
};

// Plays all matches that the referee has for this bot, and returns when it says goodbye. A remote referee that is lost
// is looked for again for a minute; it then asks again what was not answered. Throws RefereeError.
void play(const std::string& name, Bot& bot, const Options& options = {});

// Plays until the goodbye, and returns the status for the end of the process: 1, with a sentence on stderr, if the
// referee cannot be found, refused the bot or was lost.
int main(const std::string& name, Bot& bot);
int main(const std::string& name, const std::function<Action(const Observation&)>& decide);

}  // namespace kingmaker
