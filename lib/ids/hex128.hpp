// hex128: 128 random bits as 32 hex digits, as nginx's $request_id. No time, no order. One Hex128
// per generator, one thread.
#pragma once

#include "base/clock.hpp"
#include "ids/entropy.hpp"
#include "ids/id.hpp"

namespace ticketgate::ids {

class Hex128 {
 public:
    explicit Hex128(Entropy& entropy) : entropy_(&entropy) {}  // the entropy outlives this
    Id next(WallTime now);

 private:
    Entropy* entropy_;
};

}  // namespace ticketgate::ids
