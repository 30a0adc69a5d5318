#include "support/gateway.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "app/app.hpp"
#include "config/load.hpp"

namespace ticketgate::test {
namespace {

constexpr auto longest_stop = 15s;

// As main() does: only the thread that runs a gateway receives the signal of a worker's end. Other
// threads' calls would end with EINTR.
[[maybe_unused]] const bool child_signal_held = [] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    return ::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0;
}();

bool sets(const std::string& yaml, std::string_view key) {
    const std::string line = std::string(key) + ":";
    return yaml.starts_with(line) || yaml.find("\n" + line) != std::string::npos;
}

// On a loaded machine the default, 10 s, can pass between a test's connect and its request.
std::string patient(std::string yaml) {
    if (yaml.find("head_timeout") != yaml.npos) return yaml;
    if (!sets(yaml, "clients")) return "clients: { head_timeout: 1m }\n" + yaml;
    constexpr std::string_view in_one_line = "clients: {";
    if (const auto at = yaml.find(in_one_line); at != yaml.npos)
        yaml.insert(at + in_one_line.size(), " head_timeout: 1m,");
    return yaml;
}

}  // namespace

Gateway::Gateway(const std::string& yaml, Variables variables) : variables_(std::move(variables)) {
    variables_["TMP"] = folder_.path();
    const std::string file = folder_.write("ticketgate.yaml", whole(yaml));
    const auto environment = config::environment_of(variables_);
    auto loaded = config::load_file(file, environment);
    for (const auto& problem : loaded.problems)
        if (!problem.warning) ADD_FAILURE() << config::print(problem);
    if (!loaded.config) throw std::runtime_error("the test's config is not valid");
    app_ = std::make_unique<App>(std::move(*loaded.config), file, environment);
    std::promise<int> code;
    run_ = code.get_future();
    thread_ = std::thread(
        [this, promised = std::move(code)]() mutable { promised.set_value(app_->run()); });
}

// If run() does not return, the test cannot go on: its thread uses members destroyed here.
Gateway::~Gateway() {
    if (testing::Test::HasFailure())
        std::cerr << "the access log of the failed test:\n" << folder_.read("access.log");
    if (!ended(0s)) stop();
    if (!ended(longest_stop)) {
        std::cerr << "ticketgate did not stop\n";
        std::abort();
    }
    thread_.join();
}

std::string Gateway::whole(const std::string& yaml) const {
    std::string text;
    if (!sets(yaml, "listen")) text += "listen: [{ address: \"127.0.0.1:0\" }]\n";
    if (!sets(yaml, "admin")) text += "admin: { address: \"127.0.0.1:0\" }\n";
    if (!sets(yaml, "log")) text += "log: { access_file: \"${TMP}/access.log\", level: error }\n";
    return text + patient(yaml);
}

Response Gateway::get(std::string_view target, std::string_view lines) const {
    Client one = client();
    one.get(target, lines);
    return one.read();
}

Response Gateway::post(std::string_view target, std::string_view body) const {
    Client one = client();
    one.request("POST", target, {}, body);
    return one.read();
}

Response Gateway::admin(std::string_view target) const {
    Client one(admin_address());
    one.get(target);
    return one.read();
}

Line Gateway::line(const std::string& queue) const {
    const auto answer = boost::json::parse(admin("/api/v1/queues").body);
    for (const auto& one : answer.at("queues").as_array()) {
        if (one.at("name").as_string() != queue) continue;
        const auto number = [&](const char* key) { return one.at(key).to_number<std::uint32_t>(); };
        return {number("waiting"), number("in_flight"), number("max_in_flight")};
    }
    return {};
}

boost::json::object Gateway::upstream(std::string_view name) const {
    const auto answer = boost::json::parse(admin("/api/v1/workers").body);
    for (const auto& one : answer.at("upstreams").as_array())
        if (std::string_view(one.at("upstream").as_string()) == name) return one.as_object();
    return {};
}

bool Gateway::wait_for_waiting(const std::string& queue, std::uint32_t n) const {
    return eventually([&] { return line(queue).waiting == n; });
}

bool Gateway::wait_for_in_flight(const std::string& queue, std::uint32_t n) const {
    return eventually([&] { return line(queue).in_flight == n; });
}

double Gateway::metric(const std::string& series) const {
    const std::string text = "\n" + admin("/metrics").body;
    const auto at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1
                                   : std::strtod(text.c_str() + at + series.size() + 2, nullptr);
}

std::vector<boost::json::object> Gateway::log(std::size_t at_least) const {
    std::vector<boost::json::object> lines;
    eventually([&] {
        lines.clear();
        std::istringstream text(folder_.read("access.log"));
        for (std::string line; std::getline(text, line) && !text.eof();)
            lines.push_back(boost::json::parse(line).as_object());
        return lines.size() >= at_least;
    });
    return lines;
}

// The admin listener runs on the thread that reloads, and each loop takes its new snapshot before
// it begins a session. So a client answered after the reload is served by the new file.
bool Gateway::reload(const std::string& yaml) {
    folder_.write("ticketgate.yaml", whole(yaml));
    app_->reload();
    return metric("ticketgate_config_last_reload_successful") == 1;
}

net::Endpoint Gateway::address(std::size_t listener) const {
    return app_->addresses().at(listener);
}

net::Endpoint Gateway::admin_address() const {
    return app_->admin_address().value();
}

net::Endpoint Gateway::id_service_address() const {
    return app_->id_service_address().value();
}

std::size_t Gateway::connections() const {
    return app_->connections();
}

void Gateway::drain() {
    app_->drain();
}

void Gateway::stop() {
    app_->stop();
}

bool Gateway::ended(Clock::duration limit) const {
    return run_.wait_for(limit) == std::future_status::ready;
}

int Gateway::exit_code() {
    if (!ended()) return -1;
    return run_.get();
}

}  // namespace ticketgate::test
