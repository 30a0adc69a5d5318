#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/admin_client.hpp"
#include "app/commands.hpp"
#include "config/admin_access.hpp"

namespace ticketgate::commands {
namespace {

namespace json = boost::json;

constexpr const char* target = "/api/v1/upgrade";
constexpr auto between_questions = std::chrono::milliseconds(20);
// Questions without an answer in a row: the new process may be about to take the listener.
constexpr int most_unanswered = 50;

struct State {
    std::int64_t pid = 0, successor = 0;
    std::string state, why;
    bool old_process = false;
    std::string old_ended;
};

std::optional<State> parse(const std::string& text) try {
    const auto value = json::parse(text);
    const json::object& all = value.as_object();
    const auto word = [&all](const char* key) { return std::string(all.at(key).as_string()); };
    return State{all.at("pid").to_number<std::int64_t>(),
                 all.at("successor").to_number<std::int64_t>(),
                 word("state"),
                 word("why"),
                 all.at("old_process").as_bool(),
                 word("old_ended")};
} catch (const std::exception&) {
    return std::nullopt;
}

// Follows an upgrade: asks the process that has the admin listener. The new process may have
// another one than the old one; then it is the one that the file names now.
class Following {
 public:
    Following(const Whom& whom, const AdminListener& listener, const State& begun)
        : places_{listener.address}, old_(begun.pid), new_(begun.successor) {
        const auto access = config::load_admin_access(whom.file, environment);
        if (access.address && access.address->address != listener.address.address)
            places_.push_back(*access.address);
    }

    int run(bool wait) {
        for (int unanswered = 0; unanswered < most_unanswered;) {
            next_.expires_after(between_questions);
            next_.wait();
            const auto state = look();
            unanswered = state ? 0 : unanswered + 1;
            if (!state) continue;
            if (state->pid == old_ && state->state == "failed") return fail(state->why);
            if (state->pid != new_) continue;
            tell_taken_over();
            if (!state->old_process) return tell_old_ended(state->old_ended);
            if (!wait) return ok;
        }
        return told_ ? fail("the new process does not answer any more\n") : fail(silence());
    }

 private:
    // Another process than these two may listen at an address of the file. The old process passes
    // connections to the new one, so the new one may answer at the old address as well as at its
    // own: its answer at the first place is followed by a question at the other.
    std::optional<State> look() {
        std::optional<State> known;
        for (const auto& place : places_) {
            if (known && (known->pid == old_ || told_)) break;
            auto state = parse(ask(place, {target}).body);
            if (!state || (state->pid != old_ && state->pid != new_)) continue;
            at_ = &place;
            known = std::move(state);
        }
        return known;
    }

    void tell_taken_over() {
        if (std::exchange(told_, true)) return;
        std::printf("process %lld has taken over from process %lld\n", static_cast<long long>(new_),
                    static_cast<long long>(old_));
        if (at_ != places_.data()) std::printf("its admin listener is %s\n", at_->address.c_str());
        std::fflush(stdout);  // a script that waits sees it now
    }

    static int tell_old_ended(const std::string& how) {
        if (how != "finished")
            return fail(
                "the old process was ended before it had finished its line; the backend may still "
                "run what it had begun, and the log says more\n");
        std::puts("the old process has finished its line");
        return ok;
    }

    // Nobody knows: the new process may have taken over with another admin.address, or with none.
    std::string silence() const {
        return "process " + std::to_string(new_) + " was started to take over from process " +
               std::to_string(old_) + ", but neither answers at " + places_.front().address +
               (places_.size() > 1 ? " or " + places_.back().address : std::string()) +
               " any more; if admin.address has changed, ask the new process there, else see its "
               "log: it says whether it accepts\n";
    }

    static int fail(const std::string& why) {
        std::fputs(why.c_str(), stderr);
        return failed;
    }

    std::vector<config::Listen> places_;
    const config::Listen* at_ = nullptr;  // where the last answer came from
    const std::int64_t old_, new_;
    boost::asio::io_context io_;
    boost::asio::steady_timer next_{io_};
    bool told_ = false;
};

}  // namespace

int upgrade(const Whom& whom, bool wait) {
    int code = failed;
    const auto listener = find_listener(whom, environment, code);
    if (!listener) return code;
    const auto answer = ask(listener->address, {target, true, listener->token});
    if (!answer.error.empty()) tell_no_answer(*listener, answer);
    const auto begun = answer.status == 202 ? parse(answer.body) : std::nullopt;
    if (!begun) std::fputs(answer.body.c_str(), stderr);
    return begun ? Following(whom, *listener, *begun).run(wait) : failed;
}

}  // namespace ticketgate::commands
