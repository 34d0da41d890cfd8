// Where the referee is, and how to speak to it.
#pragma once

#include <memory>
#include <string>

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include "kingmaker.h"

namespace kingmaker {

struct Place {
    std::string name, token, target;
    std::shared_ptr<grpc::ChannelCredentials> credentials;
    bool is_remote;

    static Place find(Options options);
    std::shared_ptr<grpc::Channel> dial() const;
};

}  // namespace kingmaker
