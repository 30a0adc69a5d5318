// Answers of the admin listener, as it prints them.
#pragma once

#include <string>

#include "top/picture.hpp"

namespace ticketgate::top::test {

inline std::string queue(const std::string& name, int waiting, int in_flight, int most,
                         const std::string& hold, const std::string& wait,
                         const std::string& more = {},
                         const std::string& pause = R"("paused":false,"pause_left_seconds":null)") {
    return R"({"name":")" + name + R"(","waiting":)" + std::to_string(waiting) +
           R"(,"in_flight":)" + std::to_string(in_flight) + R"(,"inside":0,"max_in_flight":)" +
           std::to_string(most) + R"(,"order":"ready","oldest_wait_seconds":)" + wait +
           R"(,"oldest_hold_seconds":)" + hold + R"(,"retry_after_seconds":3,)" + pause + more +
           "}";
}

inline std::string ticket(int number, const std::string& target, const std::string& more) {
    return R"({"number":)" + std::to_string(number) + R"(,"request_id":"r)" +
           std::to_string(number) + R"(","method":"POST","target":")" + target +
           R"(","client_ip":"192.0.2.1","blocked_by":0,)" + more + "}";
}

inline std::string tickets(const std::string& running, const std::string& waiting,
                           int not_shown = 0, const std::string& inside = {}) {
    return R"(,"tickets":{"in_flight":[)" + running + R"(],"inside":[)" + inside +
           R"(],"waiting":[)" + waiting + R"(],"waiting_not_shown":)" + std::to_string(not_shown) +
           R"(,"in_flight_not_shown":0})";
}

/// One request runs for 14 seconds, one waits, one uploads.
inline std::string cart() {
    return queue("cart", 2, 1, 1, "14.0", "1.25",
                 tickets(ticket(7, "/add", R"("held_seconds":14.0)"),
                         ticket(8, "/b", R"("waited_seconds":1.25,"ready":true)") + "," +
                             ticket(10, "/c", R"("waited_seconds":1.0,"ready":false)")));
}

/// Two requests of three that may run.
inline std::string mail() {
    return queue("mail", 0, 2, 3, "2.0", "0.0",
                 tickets(ticket(3, "/x", R"("held_seconds":1.0)") + "," +
                             ticket(4, "/y", R"("held_seconds":2.0)"),
                         ""));
}

inline std::string all() {
    return R"({"queues":[)" + queue("a", 0, 0, 1, "0.0", "0.0") + "," +
           queue("cart", 2, 1, 1, "14.0", "1.25") + "," + queue("mail", 0, 2, 3, "200.0", "0.0") +
           "]}\n";
}

}  // namespace ticketgate::top::test
