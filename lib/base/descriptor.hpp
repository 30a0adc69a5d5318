// Owns a descriptor and closes it, unless it is released. Any thread, one at a time.
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
    Descriptor(Descriptor&& from) noexcept : number_(from.release()) {}
    Descriptor& operator=(Descriptor&& from) noexcept {
        std::swap(number_, from.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const noexcept { return number_; }
    /// Gives the descriptor to the caller, who closes it.
    int release() noexcept { return std::exchange(number_, -1); }

 private:
    int number_;
};

}  // namespace ticketgate
