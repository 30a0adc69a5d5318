// A descriptor with an owner, until somebody takes it over. Any thread, one at a time.
#pragma once

#include <unistd.h>

#include <utility>

namespace ticketgate {

class Descriptor {
 public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const noexcept { return number_; }
    /// From now on it is the caller's.
    int release() noexcept { return std::exchange(number_, -1); }

 private:
    int number_;
};

}  // namespace ticketgate
