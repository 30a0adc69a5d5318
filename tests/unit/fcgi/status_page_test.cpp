#include "fcgi/status_page.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace ticketgate::fcgi {
namespace {

const std::string socket = "fastcgi+unix:/run/php/status.sock", port = "fastcgi://127.0.0.1:9001";

struct Case {
    StatusFailure failure;
    std::string address, why, remedy;  ///< the last two: a part of what is told
};

TEST(StatusAdvice, SaysWhyAndWhatToChange) {
    const Case cases[] = {
        {{errc::upstream_refused, ENOENT},
         socket,
         "/run/php/status.sock: No such file",
         "put pm.status_listen = /run/php/status.sock into the pool's file"},
        {{errc::upstream_refused, ECONNREFUSED},
         port,
         "127.0.0.1:9001: Connection refused",
         "put pm.status_listen = 127.0.0.1:9001 into"},
        {{errc::upstream_refused, EACCES}, socket, "Permission denied", "group is www-data"},
        {{errc::upstream_bad_response, 0, 404},
         port,
         "answers 404 for /status",
         "pm.status_path is not set in the pool, or is another path: put pm.status_path = /status"},
        {{errc::upstream_bad_response, 0, 403}, port, "answers 403", "pm.status_path = /status"},
        {{errc::upstream_bad_response, 0, 500},
         port,
         "answers 500 for /status",
         "php-fpm's error log"},
        {{errc::upstream_bad_response, 0, 200},
         port,
         "something other than php-fpm's status page",
         "status: path its pm.status_path"},
        {{errc::upstream_timeout}, port, "in time", "a php-fpm that reloads answers when"},
        {{errc::upstream_broke}, port, "127.0.0.1:9001: ", "check that php-fpm runs"},
    };
    for (const Case& c : cases) {
        const auto advice = advice_for(c.failure, c.address, "/status");
        EXPECT_NE(advice.why.find(c.why), std::string::npos) << advice.why;
        EXPECT_NE(advice.remedy.find(c.remedy), std::string::npos) << advice.remedy;
    }
}

}  // namespace
}  // namespace ticketgate::fcgi
