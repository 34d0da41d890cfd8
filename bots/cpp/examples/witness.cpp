// What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.
//
// Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
// the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
// First of all it checks the helpers for cards.
#include <cstdlib>
#include <iostream>

#include "kingmaker.h"

class Witness : public kingmaker::Bot {
public:
    void match_start(const kingmaker::Match& match) override { heard_ = listen(match.text()); }

    kingmaker::Action decide(const kingmaker::Observation& o) override {
        return o.legal()[listen(o.text()) % o.legal().size()];
    }

    void match_end(const kingmaker::Match&, const kingmaker::Result& result) override { heard_ = listen(result.text()); }

private:
    std::uint64_t listen(const std::string& text) const {
        if (prints_) std::cerr << text << '\n';
        auto hash = heard_;
        for (unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3;
        return hash;
    }

    std::uint64_t heard_ = 0xcbf29ce484222325;
    bool prints_ = std::getenv("KINGMAKER_WITNESS") != nullptr;
};

void check_cards() {
    std::uint8_t number = 0;
    for (const auto card : kingmaker::CardSet{(std::uint64_t{1} << 52) - 1}) {
        if (card.number != number++ || kingmaker::Card::parse(card.text()) != card) throw std::logic_error(card.text());
    }
    const kingmaker::Card ace{51};
    const auto spades = kingmaker::CardSet{(std::uint64_t{1} << 52) - 1}.of_suit(3);
    const bool right = number == 52 && ace.text() == "AS" && ace.suit() == 3 && ace.rank() == 12 && spades.size() == 13 &&
                       spades.has(ace) && (*spades.begin()).number == 39 && kingmaker::Card{0}.text() == "2C";
    if (!right) throw std::logic_error("cards");
}

int main() {
    check_cards();
    Witness witness;
    return kingmaker::main("witness", witness);
}
