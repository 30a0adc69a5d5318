#include "app/new_process.hpp"

#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace ticketgate {
namespace {

constexpr int link_number = STDERR_FILENO + 1;

std::vector<std::string> own_arguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> arguments;
    for (std::string one; std::getline(file, one, '\0');) arguments.push_back(one);
    return arguments;
}

std::vector<std::string> own_environment() {
    const std::string link = std::string(link_variable) + "=";
    std::vector<std::string> variables{link + std::to_string(link_number)};
    for (char** one = environ; *one != nullptr; ++one)
        if (!std::string_view(*one).starts_with(link)) variables.emplace_back(*one);
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// The child gets standard input, output and error, and its end of the link.
class Descriptors {
 public:
    explicit Descriptors(int link) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, link, link_number);
        posix_spawn_file_actions_addclosefrom_np(&actions_, link_number + 1);
    }
    ~Descriptors() { posix_spawn_file_actions_destroy(&actions_); }
    Descriptors(const Descriptors&) = delete;
    Descriptors& operator=(const Descriptors&) = delete;
    const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
    posix_spawn_file_actions_t actions_{};
};

// The name of a program that is no path (`exec -a`, `@` of systemd) is not found: then the file
// that this process was started from is.
int start_child(pid_t& pid, const Descriptors& descriptors, std::vector<char*>& argv,
                char* const* envp) {
    const int error =
        ::posix_spawnp(&pid, argv[0], descriptors.actions(), nullptr, argv.data(), envp);
    if (error != ENOENT || std::string_view(argv[0]).find('/') != std::string_view::npos)
        return error;
    return ::posix_spawn(&pid, program().c_str(), descriptors.actions(), nullptr, argv.data(),
                         envp);
}

}  // namespace

const std::string& program() {
    static const std::string path = [] {
        std::array<char, 4096> text{};
        const auto size = ::readlink("/proc/self/exe", text.data(), text.size());
        return std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    }();
    return path;
}

// The child inherits the signals that this thread blocks. Without that, one that comes before the
// child blocks them itself would end it.
pid_t start_new_process(const Descriptor& link) {
    auto arguments = own_arguments(), environment = own_environment();
    if (arguments.empty()) arguments.emplace_back("ticketgate");
    const Descriptors descriptors(link.get());
    auto argv = pointers(arguments), envp = pointers(environment);
    pid_t pid = 0;
    const int error = start_child(pid, descriptors, argv, envp.data());
    if (error != 0)
        throw std::system_error(error, std::system_category(), "cannot start " + arguments[0]);
    return pid;
}

}  // namespace ticketgate
