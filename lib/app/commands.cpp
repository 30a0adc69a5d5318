#include "app/commands.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/system/system_error.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "app/admin_client.hpp"
#include "app/admin_listener.hpp"
#include "app/app.hpp"
#include "app/connect_check.hpp"
#include "app/descriptors.hpp"
#include "app/files.hpp"
#include "app/identities.hpp"
#include "app/last_words.hpp"
#include "app/queue_table.hpp"
#include "app/roots.hpp"
#include "app/signals.hpp"
#include "app/spool.hpp"
#include "app/tls.hpp"
#include "app/tracing.hpp"
#include "app/version.hpp"
#include "app/workers.hpp"
#include "base/kept_descriptors.hpp"
#include "base/spare_memory.hpp"
#include "config/example.hpp"
#include "config/load.hpp"
#include "config/schema.hpp"
#include "config/validate.hpp"

namespace ticketgate::commands {
namespace {

constexpr unsigned forbidden = 403, in_conflict = 409;

// Checks that this machine can make the ids, read the certificates and open the files of the
// config.
void check_machine(config::Loaded& loaded, const std::string& file) {
    const config::Config& config = *loaded.read();
    std::vector<std::string> complaints;
    const auto identities = identities_of(config, environment, this_system(), complaints);
    auto problems = identity_problems(config, identities, complaints);
    for (const auto& more :
         {tls_problems(config, wall_now()), file_problems(config, file, loaded.text_files),
          spool_problems(config, SpoolUse::at_start),
          descriptor_problems(config, most_descriptors()), worker_problems(config),
          root_problems(config, file)})
        problems.insert(problems.end(), more.begin(), more.end());
    loaded.add(std::move(problems));
}

config::Loaded load_checked(const std::string& file) {
    auto loaded = config::load_file(file, environment);
    if (loaded.read() != nullptr) check_machine(loaded, file);
    return loaded;
}

std::vector<std::string> printed(const std::vector<config::Problem>& problems, bool warnings) {
    std::vector<std::string> lines;
    for (const auto& problem : problems)
        if (warnings || !problem.warning) lines.push_back(config::print(problem));
    return lines;
}

using Print = std::function<std::string(std::string)>;

std::string as_it_is(std::string body) {
    return body;
}

// The exit code gives the result.
std::string nothing(const std::string& /*body*/) {
    return {};
}

// Failed answers go to stderr as they are. `conflict`: the exit code of a 409.
int ask_admin(const Whom& whom, AdminQuestion question, const Print& print, int conflict = failed) {
    int code = failed;
    const auto listener = find_listener(whom, environment, code);
    if (!listener) return code;
    question.token = listener->token;
    const auto answer = ask(listener->address, question);
    const bool good = answer.status / 100 == 2;  // drain is answered with 202
    if (!answer.error.empty()) tell_no_answer(*listener, answer);
    if (answer.status == forbidden) tell(listener->problems);  // the token may be missing
    std::fputs(good ? print(answer.body).c_str() : answer.body.c_str(), good ? stdout : stderr);
    if (answer.status == in_conflict) return conflict;
    return good ? ok : failed;
}

// A failed connection is a message, so it goes to stderr.
int try_connections(const config::Config& config) try {
    int code = ok;
    auto tried = try_upstreams(config);
    if (auto collector = try_collector(config)) tried.push_back(*std::move(collector));
    for (const auto& [good, line] : tried) {
        std::fprintf(good ? stdout : stderr, "%s\n", line.c_str());
        if (!good) code = failed;
    }
    return code;
} catch (const std::runtime_error& error) {
    std::fprintf(stderr, "ticketgate: %s\n", error.what());
    return failed;
}

// Returns the remedy for errors of the system that can end a start anywhere.
const char* start_remedy(const std::error_code& error) {
    if (error == std::errc::resource_unavailable_try_again)
        return ": cannot start a thread: raise TasksMax= of the unit, the container's limit of "
               "processes, or ulimit -u";
    if (error == std::errc::too_many_files_open ||
        error == std::errc::too_many_files_open_in_system)
        return ": no file descriptor is free: raise LimitNOFILE= of the unit, or the container's "
               "nofile limit";
    return "";
}

// Tells why a start ends. In an upgrade it also tells the old process, whose operator waits: there
// a stderr that takes nothing may delay this process for a short time only.
class Complaint {
 public:
    Complaint() = default;
    explicit Complaint(const Inheritance& from)
        : link_(from.upgrades() ? ::fcntl(from.link.get(), F_DUPFD_CLOEXEC, 0) : -1) {}
    int tell(const std::vector<config::Problem>& problems) const {
        for (const auto& line : printed(problems, false)) tell_link(line);
        std::string all;
        for (const auto& line : printed(problems, true)) all += line + "\n";
        print(all);
        return bad_config;
    }
    int tell(const char* why, const std::error_code& error) const {
        const std::string text = std::string(why) + start_remedy(error);
        tell_link(text);
        print("ticketgate: " + text + "\n");
        return failed;
    }

 private:
    static constexpr milliseconds patience_in_upgrade = 2s;

    void tell_link(const std::string& text) const {
        if (link_.get() >= 0) tell_problem(link_, text);
    }
    void print(const std::string& lines) const {
        print_last_words(lines, link_.get() >= 0 ? patience_in_upgrade : never);
    }
    const Descriptor link_{-1};
};

// Empty: it may. The other replicas know nothing of the old process: one of them would be the
// keeper of a queue that this still serves.
const char* why_no_take_over(const Inheritance& from, const config::Config& config) {
    return from.upgrades() && config.cluster
               ? "with `cluster:` an upgrade is refused, as other replicas would serve the queues "
                 "beside the old process; restart"
               : "";
}

int serve_with(Inheritance inheritance, const std::string& file, bool watch) {
    set_spare_memory_aside();
    raise_descriptor_limit();
    keep_descriptors_from(first_kept_descriptor(most_descriptors()));
    const Complaint complaint(inheritance);
    FirstRead read;
    auto loaded = load_checked(file);
    if (!loaded.config) return complaint.tell(loaded.problems);
    if (const std::string_view why = why_no_take_over(inheritance, *loaded.config); !why.empty())
        return complaint.tell(why.data(), {});
    read.files = named_files(loaded);
    read.warnings = printed(loaded.problems, true);
    try {
        App app(*loaded.config, file, environment, read, watch, std::move(inheritance));
        demand_descriptors();
        return app.run();
    } catch (const std::system_error& error) {
        return complaint.tell(error.what(), error.code());
    } catch (const boost::system::system_error& error) {
        return complaint.tell(error.what(), error.code());
    } catch (const std::runtime_error& error) {
        return complaint.tell(error.what(), {});
    }
}

}  // namespace

std::optional<std::string> environment(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<config::Config> load(const std::string& file, bool with_warnings) {
    auto loaded = with_warnings ? load_checked(file) : config::load_file(file, environment);
    for (const auto& line : printed(loaded.problems, with_warnings))
        std::fprintf(stderr, "%s\n", line.c_str());
    return std::move(loaded.config);
}

int serve(const std::string& file, bool watch) try {
    ignore_write_signals();
    return serve_with(inherit(environment), file, watch);
} catch (const std::runtime_error& error) {
    return Complaint().tell(error.what(), {});
}

int check(const std::string& file, bool connect) {
    const auto config = load(file, true);
    if (!config) return bad_config;
    std::printf("%s: good\n", file.c_str());
    for (const auto& note : config::notes(*config)) std::printf("note: %s\n", note.c_str());
    if (!connect) return ok;
    const int upstreams = try_connections(*config), store = try_store(*config);
    return upstreams == ok ? store : upstreams;
}

int explain(const std::string& file, const ExplainedRequest& request, bool all) {
    const auto config = load(file, false);
    if (!config) return bad_config;
    const auto told =
        ticketgate::explain(*config, request, all ? config::Shown::all : config::Shown::set);
    if (!told.misuse.empty()) {
        std::fprintf(stderr, "ticketgate: %s\n", told.misuse.c_str());
        return usage;
    }
    std::fputs(told.text.c_str(), stdout);
    return ok;
}

int version() {
    std::printf("ticketgate %s\n", ticketgate::version);
    return ok;
}

int schema() {
    std::fputs(config::json_schema().c_str(), stdout);
    return ok;
}

int example() {
    std::fputs(config::example_config().c_str(), stdout);
    return ok;
}

int reference() {
    std::fputs(config::reference_page().c_str(), stdout);
    return ok;
}

int healthcheck(const Whom& whom) {
    return ask_admin(whom, {"/healthz"}, nothing);  // on failure, the reason
}

int queues(const Whom& whom, const std::string& name, View view) {
    const bool table = view == View::table || (view == View::automatic && ::isatty(STDOUT_FILENO));
    return ask_admin(whom, {name.empty() ? "/api/v1/queues" : queue_target(name)},
                     table ? Print(queue_table) : Print(as_it_is));
}

int top(const Whom& whom, const TopOrder& order) {
    return run_top(whom, order, environment);
}

int workers(const Whom& whom, View view) {
    const bool table = view == View::table || (view == View::automatic && ::isatty(STDOUT_FILENO));
    return ask_admin(whom, {"/api/v1/workers"}, table ? Print(worker_table) : Print(as_it_is));
}

int release(const Whom& whom, const std::string& queue, std::uint64_t number,
            const std::string& request_id) {
    return ask_admin(whom, {release_target(queue, number, request_id), true}, as_it_is);
}

int pause(const Whom& whom, const std::string& queue, const std::string& how_long) {
    return ask_admin(whom, {pause_target(queue, how_long), true}, as_it_is);
}

int resume(const Whom& whom, const std::string& queue) {
    return ask_admin(whom, {resume_target(queue), true}, as_it_is);
}

int drain(const Whom& whom) {
    return ask_admin(whom, {"/api/v1/drain", true}, as_it_is);
}

// The warnings are messages, so they go to stderr, as those of `check`.
int reload(const Whom& whom) {
    const auto print = [](std::string body) {
        const auto end = std::min(body.find('\n'), body.size() - 1) + 1;
        std::fputs(body.substr(end).c_str(), stderr);
        body.resize(end);
        return body;
    };
    return ask_admin(whom, {"/api/v1/reload", true}, print, needs_restart);
}

}  // namespace ticketgate::commands
