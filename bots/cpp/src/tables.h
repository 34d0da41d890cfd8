// The matches in which a bot sits, and what it answers at them.
#pragma once

#include <unordered_map>

#include "kingmaker.h"
#include "referee/v1/referee_service.pb.h"

namespace kingmaker {

// What was told on one stream.
class Tables {
public:
    explicit Tables(Bot& bot) : bot_(bot) {}

    // Learns the rulesets and matches that are new.
    void begin(const referee::v1::Batch& batch);
    // The bot's answers, one to each decision.
    void answer(const referee::v1::Batch& batch, referee::v1::Answers& answers);
    // Drops the matches that are over.
    void end(const referee::v1::Batch& batch);

private:
    Bot& bot_;
    std::unordered_map<std::uint32_t, std::shared_ptr<const Ruleset>> rulesets_;
    std::unordered_map<std::uint32_t, Match> matches_;
};

}  // namespace kingmaker
