// Spare descriptors, closed when the process has run out of descriptors: so the operator gets in
// while clients hold all others. Used on the control thread.
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

    /// Closes one spare descriptor; false: none is left.
    bool give_up_one();
    /// Opens or closes spares until they and `used` add up to the limit, as far as possible.
    void refill(std::size_t used);

 private:
    const std::size_t most_;
    std::vector<int> descriptors_;
};

}  // namespace ticketgate::admin
