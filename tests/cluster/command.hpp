// The commands of the real program for a cluster, with a config file of their own.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/etcd.hpp"
#include "support/program.hpp"

namespace ticketgate::test {

class Command {
 public:
    /// `more`: further keys of cluster.store, as `, username: root`. The lease is the longest one,
    /// so that its timeout may be, too; a command takes none.
    explicit Command(const Etcd& store, const std::string& more = "") {
        std::string endpoints;
        for (std::size_t i = 0; i < store.size(); ++i)
            endpoints += (i == 0 ? "\"" : ", \"") + store.url(i) + "\"";
        const bool has_timeout = more.find("timeout") != std::string::npos;
        const std::string patience = has_timeout ? "" : ", timeout: 20s";
        file_ = folder_.write("c.yaml",
                              "listen: [{address: \"127.0.0.1:8080\"}]\n"
                              "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
                              "routes: [{prefix: /, upstream: app}]\n"
                              "cluster: {name: shop, lease: 60s, store: {endpoints: [" +
                                  endpoints + "]" + patience + more +
                                  "}, peer: {listen: \"127.0.0.1:8081\", "
                                  "advertise: \"127.0.0.1:8081\", "
                                  "secret: 0123456789abcdef}}\n");
    }

    struct Ran {
        int code = -1;
        std::string out, err;
    };
    Ran run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"-c", file_});
        Program program(std::move(arguments));
        const auto code = program.wait();
        EXPECT_TRUE(code) << "it does not end";
        return {code.value_or(-1), program.out(), program.err()};
    }

 private:
    TemporaryFolder folder_;
    std::string file_;
};

}  // namespace ticketgate::test
