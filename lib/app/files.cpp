#include "app/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "noeq/state_file.hpp"

namespace ticketgate {
namespace {

std::string reason(int error, const std::string& path) {
    return path + ": " + std::strerror(error);
}

bool may(const std::string& path, int what) {
    return ::faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0;
}

// The file would be created in its folder.
std::string why_not_makeable(const std::string& path) {
    auto folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = ".";
    struct stat about {};
    if (::stat(folder.c_str(), &about) != 0) return reason(errno, folder);
    if (!S_ISDIR(about.st_mode)) return reason(ENOTDIR, folder);
    return may(folder, W_OK | X_OK) ? "" : reason(errno, folder);
}

// A FIFO can be opened for writing only while a process reads it.
std::string why_not_read(const std::string& fifo) {
    const int opened = ::open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0)
        return errno == ENXIO ? fifo + ": no process reads this FIFO" : reason(errno, fifo);
    ::close(opened);
    return "";
}

std::string why_not_writable(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0)
        return errno == ENOENT ? why_not_makeable(path) : reason(errno, path);
    if (S_ISDIR(about.st_mode)) return reason(EISDIR, path);
    if (S_ISSOCK(about.st_mode)) return reason(ENXIO, path);
    if (S_ISFIFO(about.st_mode)) return why_not_read(path);
    return may(path, W_OK) ? "" : reason(errno, path);
}

// Neither of them may exist yet.
bool is_same_file(const std::string& one, const std::string& other) {
    std::error_code missing, unknown, unknown_too;
    return std::filesystem::equivalent(one, other, missing) ||
           (std::filesystem::weakly_canonical(one, unknown) ==
                std::filesystem::weakly_canonical(other, unknown_too) &&
            !unknown && !unknown_too);
}

// Those that a start or a reload reads, beside the config.
std::vector<std::string> named_files(const config::Config& config, std::vector<std::string> out) {
    if (config.id_service) out.push_back(config.id_service->state_file);
    for (const auto& listen : config.listen) {
        if (!listen.tls) continue;
        for (const auto& files : listen.tls->certificates)
            out.insert(out.end(), {files.certificate, files.key});
    }
    return out;
}

// Log lines in a page would reach clients, and in the others the next start or reload would fail.
std::string why_no_log(const std::string& log, const std::string& file,
                       const std::vector<std::string>& read) {
    if (is_same_file(log, file)) return log + " is the config file itself";
    for (const auto& other : read)
        if (is_same_file(log, other))
            return log + " is read as another file of this config; name one for the log alone";
    return why_not_writable(log);
}

// A start makes the socket, in place of one that no process listens on.
std::string why_no_socket(const std::optional<config::Listen>& listen) {
    if (!listen || listen->unix_path.empty()) return {};
    struct stat about {};
    const bool taken = ::lstat(listen->unix_path.c_str(), &about) == 0 && !S_ISSOCK(about.st_mode);
    if (taken) return listen->unix_path + " exists and is not a socket";
    const auto why = why_not_makeable(listen->unix_path);
    return why.empty() ? "" : "cannot make " + listen->unix_path + ": " + why;
}

}  // namespace

std::vector<config::Problem> file_problems(const config::Config& config, const std::string& file,
                                           const std::vector<std::string>& read) {
    config::Problems problems;
    const auto look = [&](const std::string& key, const std::string& why) {
        if (!why.empty()) problems.error(config.mark_of(key), key, why);
    };
    for (std::size_t i = 0; i < config.listen.size(); ++i)
        look("listen[" + std::to_string(i) + "].address", why_no_socket(config.listen[i]));
    look("admin.address", why_no_socket(config.admin));
    if (config.id_service) look("id_service.address", why_no_socket(config.id_service->address));
    const auto& log = config.log.access_file;
    if (log != "-") look("log.access_file", why_no_log(log, file, named_files(config, read)));
    if (!config.id_service || config.id_service->state_file.empty()) return problems.take();
    const auto& state = config.id_service->state_file;
    const auto why = why_not_writable(state);
    look("id_service.state_file", why.empty() ? noeq::StateFile::why_not(state) : why);
    return problems.take();
}

}  // namespace ticketgate
