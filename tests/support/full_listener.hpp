// A unix socket that accepts no connection until a test makes room, like an overloaded backend.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/socket.hpp"

namespace ticketgate::test {

class FullListener {
 public:
    explicit FullListener(const std::string& path)
        : at_(*net::Endpoint::from_unix(path)), descriptor_(make()) {
        EXPECT_EQ(::bind(descriptor_, at_.address(), at_.size()), 0);
        EXPECT_EQ(::listen(descriptor_, 0), 0);
        fill();
    }
    ~FullListener() {
        for (const int filler : fillers_) ::close(filler);
        ::close(descriptor_);
    }
    FullListener(const FullListener&) = delete;
    FullListener& operator=(const FullListener&) = delete;

    std::string url() const { return at_.text(); }

    /// Fills the backlog; from now on nobody can connect.
    void fill() {
        while (connect_one()) continue;
    }
    /// Takes the connections that filled the backlog. accept() returns the next ones.
    void make_room() {
        for (std::size_t i = 0; i < fillers_.size(); ++i)
            ::close(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
        for (const int filler : fillers_) ::close(filler);
        fillers_.clear();
    }
    /// Tells whether a connection arrives within the limit.
    bool knocked(Clock::duration limit) { return Socket(::dup(descriptor_)).readable(limit); }
    /// Makes room, and takes the connection that was waiting for it.
    Socket take() {
        make_room();
        EXPECT_TRUE(knocked(patience));
        return accept();
    }

 private:
    Socket accept() { return Socket(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC)); }
    static int make() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
    bool connect_one() {
        const int filler = make();
        const bool taken = ::connect(filler, at_.address(), at_.size()) == 0;
        taken ? fillers_.push_back(filler) : (void)::close(filler);
        return taken;
    }

    net::Endpoint at_;
    const int descriptor_;
    std::vector<int> fillers_;
};

}  // namespace ticketgate::test
