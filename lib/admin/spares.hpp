// Descriptors that are kept open for nothing, to be given up when the process has no others: so the
// operator gets in while clients hold everything else. Used on the control thread.
#pragma once

#include <cstddef>
#include <vector>

namespace ticketgate::admin {

class Spares {
 public:
    explicit Spares(std::size_t most) : most_(most) { refill(0); }
    ~Spares() { refill(most_); }
    Spares(const Spares&) = delete;
    Spares& operator=(const Spares&) = delete;

    /// One descriptor less is open; false: none is left.
    bool give_up_one();
    /// As many as the process can have, where `used` of them serve their purpose now.
    void refill(std::size_t used);

 private:
    const std::size_t most_;
    std::vector<int> descriptors_;
};

}  // namespace ticketgate::admin
