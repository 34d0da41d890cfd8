// The conversation with the referee: hello, batches of decisions, answers, goodbye.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

#include <grpcpp/client_context.h>

#include "kingmaker.h"
#include "referee/v1/referee_service.grpc.pb.h"
#include "seat.h"
#include "tables.h"

namespace kingmaker {

namespace pb = referee::v1;
using namespace std::chrono_literals;

namespace {

constexpr int version = 1;
constexpr auto sdk = "kingmaker-cpp/1";
// How long a referee that is not there yet is waited for, and a remote one that was lost.
constexpr std::chrono::seconds connect_time = 10s, seek_time = 60s;
// How long the referee has to take our last message.
constexpr auto farewell_time = 1s;

using Stream = grpc::ClientReaderWriter<pb::PlayRequest, pb::PlayResponse>;

// Ends our side, and waits a moment for the referee to have heard it.
void part(Stream& stream, grpc::ClientContext& context) {
    stream.WritesDone();
    const std::jthread watch([&](std::stop_token over) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, over, farewell_time, [] { return false; });
        context.TryCancel();  // does nothing to a call that is over
    });
    for (pb::PlayResponse ignored; stream.Read(&ignored);) {
    }
    stream.Finish();
}

RefereeError explained(const Place& place, const grpc::Status& status) {
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
        return RefereeError("the connection to the referee at " + place.name + " is lost: " + status.error_message(), true);
    }
    return RefereeError("the referee at " + place.name + " ended the conversation: status " +
                        std::to_string(status.error_code()) + ": " + status.error_message());
}

// One conversation, from hello to goodbye or to the end of the stream.
void converse(const Place& place, const std::string& name, Bot& bot, std::chrono::seconds patience) {
    const auto channel = place.dial();
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + patience)) {
        throw RefereeError("no referee at " + place.name + " within " + std::to_string(patience.count()) + " s");
    }
    grpc::ClientContext context;
    context.AddMetadata("kingmaker-token", place.token);
    const auto stream = pb::RefereeService::NewStub(channel)->Play(&context);
    pb::PlayRequest request;
    request.mutable_hello()->set_min_version(version);
    request.mutable_hello()->set_max_version(version);
    request.mutable_hello()->set_name(name);
    request.mutable_hello()->set_sdk(sdk);
    stream->Write(request);  // where the stream is over, reading it will tell
    Tables tables(bot);
    try {
        for (pb::PlayResponse response; stream->Read(&response);) {
            if (response.has_goodbye()) return part(*stream, context);
            if (!response.has_batch()) continue;
            tables.begin(response.batch());
            if (response.batch().decisions_size() > 0) {
                request.mutable_answers()->Clear();
                tables.answer(response.batch(), *request.mutable_answers());
                stream->Write(request);
            }
            tables.end(response.batch());
        }
    } catch (...) {
        context.TryCancel();
        stream->Finish();
        throw;
    }
    if (const auto status = stream->Finish(); !status.ok()) throw explained(place, status);
}

class Function : public Bot {
public:
    explicit Function(const std::function<Action(const Observation&)>& decide) : decide_(decide) {}
    Action decide(const Observation& observation) override { return decide_(observation); }

private:
    const std::function<Action(const Observation&)>& decide_;
};

}  // namespace

void play(const std::string& name, Bot& bot, const Options& options) {
    const auto place = Place::find(options);
    for (auto patience = connect_time;; patience = seek_time) {
        try {
            return converse(place, name, bot, patience);
        } catch (const RefereeError& error) {
            if (!error.is_lost || !place.is_remote) throw;
            std::cerr << "kingmaker: " << error.what() << "; looking for it\n";
        }
    }
}

int main(const std::string& name, Bot& bot) {
    try {
        play(name, bot);
        return 0;
    } catch (const RefereeError& error) {
        std::cerr << "kingmaker: " << error.what() << '\n';
        return 1;
    }
}

int main(const std::string& name, const std::function<Action(const Observation&)>& decide) {
    Function bot(decide);
    return main(name, bot);
}

}  // namespace kingmaker
