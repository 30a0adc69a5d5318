#include "support/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace ticketgate::test {

Program::Program(std::vector<std::string> arguments) : Program(TG_PROGRAM, std::move(arguments)) {}

Program::Program(const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), name);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string out = folder_.file("out"), err = folder_.file("err");
    constexpr int flags = O_WRONLY | O_CREAT | O_APPEND;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), flags, 0600);
    const int failed =
        ::posix_spawnp(&process_, name.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot start " + name);
}

Program::~Program() {
    if (code_) return;
    signal(SIGKILL);
    wait();
}

void Program::signal(int number) const {
    if (!code_) ::kill(process_, number);
}

void Program::stop() const {
    signal(SIGSTOP);
    int status = 0;
    while (::waitpid(process_, &status, WUNTRACED) != process_ || !WIFSTOPPED(status)) continue;
}

std::optional<int> Program::wait(Clock::duration limit) {
    eventually(
        [&] {
            int status = 0;
            if (code_ || ::waitpid(process_, &status, WNOHANG) != process_)
                return code_.has_value();
            code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            return true;
        },
        limit);
    return code_;
}

bool Program::says(const std::string& text) const {
    return eventually([&] { return err().find(text) != std::string::npos; });
}

}  // namespace ticketgate::test
