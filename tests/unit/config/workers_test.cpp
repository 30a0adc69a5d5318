// `workers:` of an upstream: what it needs, what it refuses, how many there may be.
#include "config/validate.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

std::string workers(const std::string& settings, const std::string& beside = "",
                    const std::string& routes = "[{prefix: /, upstream: a}]") {
    return "listen: [{address: \"127.0.0.1:80\"}]\nupstreams: {a: {workers: {" + settings +
           "}, fastcgi: {root: /w}" + beside +
           "}}\nqueues: {two: {max_in_flight: 2}}\nroutes: " + routes + "\n";
}

// All problems of the file as one text.
std::string told(const std::string& yaml) {
    std::string out;
    for (const auto& line : printed(load(yaml).problems)) out += line + "\n";
    return out;
}

TEST(Workers, StandInPlaceOfAUrl) {
    const auto loaded = load(workers("command: [w, -x], min: 2, max: 7, environment: {A: b}"));
    ASSERT_TRUE(loaded.config);
    const Workers& read = *loaded.config->upstreams.at("a").workers;
    EXPECT_EQ(read.command, (std::vector<std::string>{"w", "-x"}));
    EXPECT_EQ(read.max, 7u);
    EXPECT_EQ(read.environment, (Headers{{"A", "b"}}));
    EXPECT_NE(told(workers("command: [w]", ", url: \"http://h\"")).find("remove one of the two"),
              std::string::npos);
}

// Their presence means something: after their lines were commented out, `tls:` must not mean HTTP.
TEST(Sections, WithoutSettingsAreErrors) {
    const std::pair<const char*, const char*> table[]{
        {"listen: [{address: \"127.0.0.1:80\"}]\nupstreams:\n  a:\n    workers:\n", "a.workers"},
        {"listen:\n- address: \"127.0.0.1:80\"\n  tls:\nupstreams: {a: {url: \"http://h\"}}\n",
         "listen[0].tls"},
    };
    for (const auto& [lines, path] : table) {
        const std::string yaml = std::string(lines) + "routes: [{prefix: /, upstream: a}]\n";
        EXPECT_NE(told(yaml).find(std::string(path) + ": has no settings; write them, or delete"),
                  std::string::npos)
            << told(yaml);
    }
}

TEST(Workers, ErrorsSayWhatToWrite) {
    const std::pair<const char*, const char*> table[]{
        {"min: 1", "workers.command: is missing; a list such as [php-cgi"},
        {"command: []", "is empty; write the program"},
        {"command: [w], min: 3, max: 2", "2 is less than min, 3"},
        {"command: [w], umask: \"9\"", "expected up to four octal digits"},
        {"command: [w], group: g", "needs user as well"},
        {"command: [w], environment: {PHP_FCGI_CHILDREN: 4}", "set workers.max instead"},
        {"command: [w], environment: {PHP_FCGI_MAX_REQUESTS: 4}", "set workers.max_requests"},
        {"command: [w], environment: {FCGI_LISTENSOCK_DESCRIPTORS: 4}", "set workers.transport"},
        {"command: [w], rlimits: {files: 4}", "not a limit; they are as, core"},
        {"command: [w], rlimits: {as: much}", "expected a number, a size such as 1GiB"},
        {"command: php-cgi", "a list such as [php-cgi"},
        {"command: [php-cgi]", "add -d cgi.fix_pathinfo=0"},
        {"command: [/usr/bin/php-cgi8.2, -n]", "add -d cgi.fix_pathinfo=0"},
    };
    for (const auto& [settings, text] : table)
        EXPECT_NE(told(workers(settings)).find(text), std::string::npos) << settings << "\n"
                                                                         << told(workers(settings));
    EXPECT_EQ(told(workers("command: [php-cgi, -d, cgi.fix_pathinfo=0]")).find("add -d"),
              std::string::npos);
    EXPECT_NE(
        told("listen: [{address: \"127.0.0.1:80\"}]\nupstreams: {a: {workers: {command: [w]}}}\n"
             "routes: [{prefix: /, upstream: a}]\n")
            .find("need the folder of the scripts beside them"),
        std::string::npos);
}

TEST(Workers, ACommandThatIsTextIsOneError) {
    const auto said = told(workers("command: php-cgi"));
    EXPECT_NE(said.find("a list such as [php-cgi]"), std::string::npos) << said;
    EXPECT_EQ(said.find("is empty"), std::string::npos) << said;
}

TEST(Workers, OtherProgramsOfPhpAreNoWorkers) {
    for (const char* command : {"[php]", "[/usr/bin/php8.2, -S, \"127.0.0.1:9000\"]"})
        EXPECT_NE(told(workers(std::string("command: ") + command))
                      .find("speaks no FastCGI; write "
                            "[php-cgi, …]"),
                  std::string::npos)
            << command;
    EXPECT_NE(told(workers("command: [php-fpm8.2, -F]")).find("starts workers of its own; write "),
              std::string::npos);
    for (const char* command : {"[php-cgi8.2]", "[php-worker]", "[phpscript]"})
        EXPECT_EQ(told(workers(std::string("command: ") + command)).find("; write [php-cgi, …]"),
                  std::string::npos)
            << command;
}

TEST(Workers, SettingsForPhpFpmAreNotInForce) {
    for (const std::string name : {"PHP_VALUE", "PHP_ADMIN_VALUE"}) {
        const std::string params = "params: {" + name + ": \"open_basedir=/w\"}";
        const std::string yaml =
            "upstreams: {a: {SOURCE, fastcgi: {root: /w, " + params +
            "}}}\nlisten: [{address: \"127.0.0.1:80\"}]\nroutes: [{prefix: /, upstream: a}]\n";
        const auto with = [&](const std::string& source) {
            std::string text = yaml;
            return told(text.replace(text.find("SOURCE"), 6, source));
        };
        EXPECT_NE(with("workers: {command: [w]}").find(name + " is read by php-fpm only"),
                  std::string::npos);
        EXPECT_EQ(with("url: \"fastcgi://10.0.0.5\"").find("php-fpm only"), std::string::npos);
    }
}

TEST(Fcgi, VariablesOfNginxAreNone) {
    const auto said = [](const std::string& value) {
        return told(
            "listen: [{address: \"127.0.0.1:80\"}]\nupstreams: {a: {url: \"fastcgi://10.0.0.5\", "
            "fastcgi: {root: /w, params: {SCRIPT_FILENAME: \"" +
            value + "\"}}}}\nroutes: [{prefix: /, upstream: a}]\n");
    };
    EXPECT_NE(said("$document_root$fastcgi_script_name").find("is sent as it stands"),
              std::string::npos)
        << said("$document_root$fastcgi_script_name");
    EXPECT_EQ(said("pa$word").find("is sent as it stands"), std::string::npos);
}

TEST(Workers, WithoutAMaximumAreAsManyAsTheirRoutesNeed) {
    const auto most = [](const std::string& routes, std::uint32_t processors = 3) {
        return most_workers(*load(workers("command: [w]", "", routes)).config, "a", processors);
    };
    EXPECT_EQ(most("[{prefix: /, upstream: a, queue: two}]"), 8u);
    EXPECT_EQ(most("[{prefix: /, upstream: a, queue: two}, {prefix: /x, queue: one}]"), 9u);
    EXPECT_EQ(most("[{prefix: /, upstream: a}]"), 6u);
    EXPECT_EQ(most("[{prefix: /, upstream: a}]", 1), 4u);
    EXPECT_EQ(most("[{prefix: /, upstream: a, queue: two, skip_methods: [GET]}]"), 8u);
    EXPECT_EQ(most("[{prefix: /, upstream: a, queue: two, inside_calls: pass}]"), 24u)
        << "max_inside calls within each slot";
    EXPECT_EQ(most("[{prefix: /, upstream: a, queue: two, inside_calls: accept}]"), 8u);
}

TEST(Workers, ThatAreTooFewForCallsFromInsideAreWarnedOf) {
    const auto warned = [](const std::string& max, const std::string& calls) {
        return told("clients: {inside: [127.0.0.1]}\n" +
                    workers("command: [w], max: " + max, "",
                            "[{prefix: /, upstream: a, queue: two, inside_calls: " + calls + "}]"));
    };
    const std::string few = "and then a call from inside (routes[0].inside_calls) finds none";
    EXPECT_NE(warned("2", "pass").find(few), std::string::npos) << warned("2", "pass");
    EXPECT_EQ(warned("3", "pass").find(few), std::string::npos);
    EXPECT_EQ(warned("auto", "pass_any").find(few), std::string::npos);
    EXPECT_EQ(warned("1", "wait").find(few), std::string::npos);
}

TEST(Workers, TellTheEndOfTheirWork) {
    EXPECT_EQ(told("listen: [{address: \"127.0.0.1:80\"}]\n"
                   "upstreams: {a: {workers: {command: [w]}, fastcgi: {root: /w}}}\n"
                   "queues: {q: {release: worker_idle}}\n"
                   "routes: [{prefix: /, upstream: a, queue: q}]\n"),
              "");
}

}  // namespace
}  // namespace ticketgate::config
