#include "app/commands.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "app/admin_client.hpp"
#include "app/app.hpp"
#include "app/descriptors.hpp"
#include "app/machine.hpp"
#include "app/tls.hpp"
#include "config/dump.hpp"
#include "config/load.hpp"
#include "config/schema.hpp"
#include "config/validate.hpp"
#include "http/target.hpp"

namespace ticketgate::commands {
namespace {

// Can this machine make the ids that the config asks for? Are the certificates there?
void check_machine(config::Loaded& loaded) {
    std::vector<std::string> complaints;
    const auto& wanted = loaded.config->ids.machine;
    const auto machine = machine_of(wanted, environment, this_system(), complaints);
    for (const auto& problems : {identity_problems(*loaded.config, machine, complaints),
                                 tls_problems(*loaded.config, wall_now()),
                                 descriptor_problems(*loaded.config, most_descriptors())})
        loaded.problems.insert(loaded.problems.end(), problems.begin(), problems.end());
    if (config::has_errors(loaded.problems)) loaded.config.reset();
}

// All problems at once, on stderr.
std::optional<config::Config> load(const std::string& file, bool with_warnings) {
    auto loaded = config::load_file(file, environment);
    if (with_warnings && loaded.config) check_machine(loaded);
    for (const auto& problem : loaded.problems)
        if (with_warnings || !problem.warning)
            std::fprintf(stderr, "%s\n", config::print(problem).c_str());
    return std::move(loaded.config);
}

int ask_admin(const std::string& file, AdminQuestion question, bool print_body) {
    const auto config = load(file, false);
    if (!config) return bad_config;
    if (!config->admin) {
        std::fprintf(stderr, "ticketgate: %s has `admin: off`, so there is nobody to ask\n",
                     file.c_str());
        return failed;
    }
    question.token = config->admin_token;
    const auto answer = ask(*config->admin, question);
    if (!answer.error.empty())
        std::fprintf(stderr, "ticketgate: admin %s: %s\n", config->admin->address.c_str(),
                     answer.error.c_str());
    if (print_body) std::fputs(answer.body.c_str(), stdout);
    return answer.status == 200 ? ok : failed;
}

}  // namespace

std::optional<std::string> environment(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int serve(const std::string& file) {
    auto config = load(file, true);
    if (!config) return bad_config;
    try {
        App app(std::move(*config), file, environment);
        return app.run();
    } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "ticketgate: %s\n", error.what());
        return failed;
    }
}

int check(const std::string& file) {
    const auto config = load(file, true);
    if (!config) return bad_config;
    std::printf("%s: good\n", file.c_str());
    for (const auto& note : config::notes(*config)) std::printf("note: %s\n", note.c_str());
    return ok;
}

int explain(const std::string& file, const std::string& method, const std::string& target) {
    const auto config = load(file, false);
    if (!config) return bad_config;
    std::string path;
    if (!http::normalise_path(http::path_of(target), path)) {
        std::fprintf(stderr, "ticketgate: %s is not a valid request path; it must start with /\n",
                     target.c_str());
        return usage;
    }
    const config::RouteIndex routes(*config);
    for (const auto& other : http::other_readings(http::path_of(target))) {
        if (routes.match(other) == routes.match(path)) continue;
        std::printf(
            "refused with 400: some servers read this path as %s, others as %s, and these "
            "have different routes\n",
            path.c_str(), other.c_str());
        return ok;
    }
    std::fputs(config::explain(*config, routes, method, path).c_str(), stdout);
    return ok;
}

int schema() {
    std::fputs(config::json_schema().c_str(), stdout);
    return ok;
}

int healthcheck(const std::string& file) {
    return ask_admin(file, {"/healthz"}, false);
}

int queues(const std::string& file, const std::string& name) {
    return ask_admin(file, {"/api/v1/queues" + (name.empty() ? "" : "/" + name)}, true);
}

int release(const std::string& file, const std::string& queue, std::uint64_t number) {
    const std::string target =
        "/api/v1/queues/" + queue + "/release?number=" + std::to_string(number);
    return ask_admin(file, {target, true}, true);
}

int drain(const std::string& file) {
    return ask_admin(file, {"/api/v1/drain", true}, true);
}

int reload(const std::string& file) {
    return ask_admin(file, {"/api/v1/reload", true}, true);
}

}  // namespace ticketgate::commands
