// The certificates that the listeners serve: their ends as metrics, and one line of the log about
// each that has ended. Owned by App; the control thread only.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "admin/standing.hpp"
#include "app/control.hpp"
#include "metrics/callbacks.hpp"

namespace ticketgate {

class Certificates {
 public:
    using Certificate = admin::Standing::Certificate;

    /// Both outlive it.
    Certificates(Control& control, Log& log, metrics::Registry& metrics);
    ~Certificates();
    Certificates(const Certificates&) = delete;
    Certificates& operator=(const Certificates&) = delete;

    /// The listeners serve these from now on.
    void serve(std::vector<Certificate> all);
    const std::vector<Certificate>& served() const { return served_; }

 private:
    void show();
    void hide();
    void tell_ended();
    void look_later(WallTime now);

    Log& log_;
    metrics::Registry& metrics_;
    boost::asio::steady_timer next_look_;
    std::vector<Certificate> served_;
    metrics::Callbacks gauges_{metrics_};
    std::set<std::tuple<std::string, std::string, std::int64_t>> told_;  // of served_ that ended
};

}  // namespace ticketgate
