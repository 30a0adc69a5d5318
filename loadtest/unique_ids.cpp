// Checks that ids are unique: two processes of four threads each make ids of one format at the same
// time, by the real clock; then all are compared. Exits with 1 if two are equal.
//
//   tg_unique_ids [--count N] [--format F] [--broken clock|entropy]
//
// N ids of each format (100 million), or of one. Compares a 64-bit fingerprint of each
// text, so that 100 million fit into 800 MB: two different texts share one in 1 of 3,700 such runs.
// --broken shows that the test can fail. clock: generators and clock start again half way, so
// formats without randomness (snowflake, httpd up to 2.4.28) repeat. entropy: a source that always
// returns the same bytes, so all other formats repeat. Both need two ids of the same time, so time
// is one microsecond for each id then, from one begin, however late a thread runs.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ids/generator.hpp"

namespace {

using namespace ticketgate;
using namespace ticketgate::ids;

constexpr std::uint32_t processes = 2, threads = 4;

struct Plan {
    std::uint64_t count = 100'000'000;
    std::vector<Format> formats;
    bool broken_clock = false, broken_entropy = false;
    std::int64_t begin_us = wall_now().unix_us;

    WallTime now(std::size_t ids_made) const {
        if (!broken_clock && !broken_entropy) return wall_now();
        return {begin_us + static_cast<std::int64_t>(ids_made)};
    }
};

// wyhash's mixing of eight bytes at a time; an id has at most 36.
std::uint64_t fingerprint(std::string_view text) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u ^ text.size();
    std::uint64_t words[5] = {};
    std::memcpy(words, text.data(), std::min(text.size(), sizeof words));
    for (const auto word : words) {
        hash = (hash ^ word) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
        hash *= 0xd6e8feb86659fd93u;
        hash ^= hash >> 29;
    }
    return hash;
}

Entropy source(bool broken) {
    if (!broken) return Entropy();
    return Entropy([](std::span<std::uint8_t> out) {
        std::fill(out.begin(), out.end(), std::uint8_t{42});
        return true;
    });
}

void make(const Plan& plan, Format format, const Machine& machine, Lane lane,
          std::span<std::uint64_t> out) {
    const auto part = [&](std::span<std::uint64_t> half) {
        Generator generator(machine, lane, source(plan.broken_entropy));
        for (std::size_t i = 0; i < half.size(); ++i)
            half[i] = fingerprint(generator.next(format, plan.now(i)).view());
    };
    if (!plan.broken_clock) return part(out);
    part(out.first(out.size() / 2));
    part(out.subspan(out.size() / 2));
}

void make_in_threads(const Plan& plan, Format format, std::uint32_t process,
                     std::span<std::uint64_t> out) {
    Machine machine;
    machine.address = 0x0a000001;
    machine.process = static_cast<std::uint32_t>(getpid());
    machine.worker = process;
    std::vector<std::jthread> running;
    const auto share = out.size() / threads;
    for (std::uint32_t t = 0; t < threads; ++t)
        running.emplace_back([=, &plan] {
            make(plan, format, machine, {t, threads}, out.subspan(t * share, share));
        });
}

// False: the process that made them failed.
bool make_in_processes(const Plan& plan, Format format, std::span<std::uint64_t> out) {
    std::vector<pid_t> children;
    const auto share = out.size() / processes;
    for (std::uint32_t p = 0; p < processes; ++p) {
        const pid_t child = fork();
        if (child == 0) {
            make_in_threads(plan, format, p, out.subspan(p * share, share));
            _exit(0);
        }
        children.push_back(child);
    }
    bool good = true;
    for (const pid_t child : children) {
        int status = 1;
        waitpid(child, &status, 0);
        good = good && status == 0;
    }
    return good;
}

bool unique(const Plan& plan, Format format, std::span<std::uint64_t> ids) {
    const auto begin = monotonic_now();
    if (!make_in_processes(plan, format, ids)) return false;
    const auto made = monotonic_now();
    std::sort(ids.begin(), ids.end());
    std::size_t alike = 0;
    for (std::size_t i = 1; i < ids.size(); ++i) alike += ids[i] == ids[i - 1];
    std::printf("%-18s %zu ids, %zu alike; %.1f s to make, %.1f s to compare\n",
                std::string(name_of(format)).c_str(), ids.size(), alike, to_s(made - begin),
                to_s(monotonic_now() - made));
    std::fflush(stdout);
    return alike == 0;
}

bool parse(int argc, char** argv, Plan& plan) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i], value = argv[i + 1];
        if (name == "--count") {
            std::from_chars(value.data(), value.data() + value.size(), plan.count);
        } else if (name == "--format" && find_format(value)) {
            plan.formats.push_back(*find_format(value));
        } else if (name == "--broken" && (value == "clock" || value == "entropy")) {
            (value == "clock" ? plan.broken_clock : plan.broken_entropy) = true;
        } else {
            return false;
        }
    }
    if (plan.formats.empty())
        for (std::size_t i = 0; i < format_names.size(); ++i)
            plan.formats.push_back(static_cast<Format>(i));
    plan.count -= plan.count % (2 * processes * threads);
    return argc % 2 == 1 && plan.count != 0;
}

}  // namespace

int main(int argc, char** argv) {
    Plan plan;
    if (!parse(argc, argv, plan)) {
        std::fputs("tg_unique_ids [--count N] [--format F] [--broken clock|entropy]\n", stderr);
        return 2;
    }
    // Shared with the children, which fill it.
    const auto size = plan.count * sizeof(std::uint64_t);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("tg_unique_ids");
        return 2;
    }
    const std::span ids(static_cast<std::uint64_t*>(memory), plan.count);
    bool good = true;
    for (const Format format : plan.formats) good = unique(plan, format, ids) && good;
    return good ? 0 : 1;
}
