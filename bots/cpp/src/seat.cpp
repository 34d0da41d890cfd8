#include "seat.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

namespace kingmaker {

namespace {

namespace fs = std::filesystem;

std::string stripped(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
    return first == text.npos ? "" : text.substr(first, last - first + 1);
}

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw RefereeError("no referee at " + path.parent_path().string() + ": cannot read " + path.filename().string() +
                                  "; KINGMAKER_SEAT names the folder with ref.sock and token");
    return text.str();
}

// A path as it may stand in the address of a unix socket.
std::string quoted(const std::string& path) {
    std::string text;
    for (unsigned char byte : path) {
        if (std::isalnum(byte) || std::string_view("/._-~").find(byte) != std::string_view::npos) {
            text += static_cast<char>(byte);
        } else {
            text += {'%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
        }
    }
    return text;
}

Place remote(const Options& options) {
    const auto colon = options.address.rfind(':');
    if (colon == std::string::npos || colon == 0) throw RefereeError("the address " + options.address + " is not host:port");
    const auto host = options.address.substr(0, colon);
    const bool here = host == "localhost" || host == "[::1]" || host.starts_with("127.");
    if (options.roots.empty() && (here || options.plaintext)) {
        return {options.address, options.token, options.address, grpc::InsecureChannelCredentials(), true};
    }
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = options.roots;
    return {options.address, options.token, options.address, grpc::SslCredentials(tls), true};
}

}  // namespace

Place Place::find(Options options) {
    if (options.address.empty() != options.token.empty()) {
        throw RefereeError("address and token go together: both for a remote referee, neither for a hosted bot");
    }
    if (!options.address.empty()) return remote(options);
    const char* named = std::getenv("KINGMAKER_SEAT");
    const auto folder = fs::absolute(named && *named ? named : "/ref");
    options.token = stripped(read(folder / "token"));
    if (fs::exists(folder / "address")) {
        options.address = stripped(read(folder / "address"));
        if (fs::exists(folder / "roots.pem")) options.roots = read(folder / "roots.pem");
        return remote(options);
    }
    const auto socket = (folder / "ref.sock").string();
    return {socket, options.token, "unix:" + quoted(socket), grpc::InsecureChannelCredentials(), false};
}

std::shared_ptr<grpc::Channel> Place::dial() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);                // a stream is never opened twice behind our back
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);     // a new channel does not wait for an old one's sake
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
    if (is_remote) {
        arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
        arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
    }
    return grpc::CreateCustomChannel(target, credentials, arguments);
}

}  // namespace kingmaker
