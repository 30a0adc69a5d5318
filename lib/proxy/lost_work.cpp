#include "proxy/lost_work.hpp"

#include <exception>
#include <utility>

#include "fcgi/lost_work.hpp"
#include "proxy/status_reader.hpp"
#include "task/deadlines.hpp"
#include "task/task.hpp"

namespace ticketgate {
namespace {

// The longest wait for a page, and the pause between two pages.
constexpr Duration patience = 1s, between = 200ms;
// A worker shows that it is busy a moment after it has taken a connection.
constexpr Duration till_shown = 1s;

class LostWork final : public Resident {
 public:
    LostWork(Station& station, LostWorkQuestion question)
        : station_(station),
          question_(std::move(question)),
          signal_(station.loop.scheduler()),
          deadline_(signal_) {
        station_.join(*this);
        ++station_.commons.runs;
    }
    ~LostWork() {
        station_.leave(*this);
        --station_.commons.runs;
    }
    void look_up() override { signal_.notify(); }

    static Detached start(Station& station, LostWorkQuestion question) {
        LostWork work(station, std::move(question));
        try {
            co_await work.ask();
        } catch (const std::exception& e) {
            station.commons.log.error("asking php-fpm about a lost replica ended by an exception",
                                      {{"what", e.what()}});
        }
    }

 private:
    // Also while the process drains: until then the queue stands for every replica.
    bool is_wanted() const { return !station_.stopping() && question_.wanted(); }
    bool has_new_snapshot() const { return station_.snapshot()->number != snapshot_; }
    bool goes_on() const { return is_wanted() && !has_new_snapshot(); }

    task<void> ask() {
        station_.commons.log.info("php-fpm is asked whether what a lost replica has sent has ended",
                                  {{"queue", question_.queue}});
        do {
            const bool over = co_await are_over();
            if (over) co_return question_.over();
        } while (is_wanted() && has_new_snapshot());
    }

    task<bool> are_over() {
        const auto snapshot = station_.snapshot();
        snapshot_ = snapshot->number;
        bool any = false;
        for (const auto& [name, upstream] : snapshot->upstreams) {
            if (upstream->worker_status() == nullptr) continue;
            any = co_await is_over(name, *upstream->worker_status());
            if (!any) co_return false;
        }
        co_return any;
    }

    // Begins anew with another knock while the pages are of another pool than its answer.
    task<bool> is_over(const std::string& upstream, WorkerStatus& workers) {
        while (goes_on()) {
            StatusAnswer at_scripts;
            const error_code failure = co_await knock(workers, at_scripts);
            if (!at_scripts.page) {
                if (failure == errc::upstream_bad_response)
                    tell(upstream, at_scripts.address + " tells no status page",
                         "see php-fpm's error log");
                co_await pause(between);
                continue;
            }
            co_await pause(till_shown);
            const bool over = co_await watch(upstream, workers, at_scripts);
            if (over) co_return true;
            co_await pause(till_shown);
        }
        co_return false;
    }

    // False: the pools are two.
    task<bool> watch(const std::string& upstream, WorkerStatus& workers,
                     const StatusAnswer& at_scripts) {
        fcgi::LostWork work;
        while (goes_on()) {
            StatusAnswer page;
            const fcgi::Look look = co_await read(workers, page);
            const Comparison compared = compare_pools(workers, page, at_scripts);
            if (compared.pools == Comparison::Pools::two) {
                tell(upstream, compared.why, workers.advice_for_other_pool().remedy);
                co_return false;
            }
            if (compared.frees_slots()) {
                const auto told = work.still_runs(*page.page, look);
                if (told && *told == fcgi::Working::no) co_return true;
            }
            co_await pause(between);
        }
        co_return false;
    }

    // Waits for as long as all workers are busy.
    task<error_code> knock(WorkerStatus& workers, StatusAnswer& told) {
        StatusReader reader(StatusReader::Knock(), workers, station_.loop, station_.commons.spool,
                            signal_, patience);
        while (goes_on()) {
            const auto step = reader.advance();
            told = reader.told();
            if (!step) co_return step.error();
            if (*step == Step::done) co_return error_code();
            station_.loop.arm(deadline_, patience);
            co_await signal_;
        }
        co_return errc::stopped;
    }

    // Leaves `page` without one where none came.
    task<fcgi::Look> read(WorkerStatus& workers, StatusAnswer& page) {
        StatusReader reader(workers, station_.loop, {}, station_.commons.spool, signal_, patience);
        fcgi::Look look{monotonic_now(), {}};
        station_.loop.arm(deadline_, patience);
        for (;;) {
            const auto step = reader.advance();
            if (!step) co_return look;
            if (*step == Step::done) break;
            co_await signal_;
            if (deadline_.expired() || !goes_on()) co_return look;
        }
        look.answered = monotonic_now();
        page = reader.told();
        co_return look;
    }

    void tell(const std::string& upstream, const std::string& why, const std::string& remedy) {
        if (std::exchange(told_, true)) return;
        station_.commons.log.error(
            "php-fpm's status page does not tell whether what a lost replica has sent has ended; "
            "the queue stands until it does, or ticketgate settle",
            {{"queue", question_.queue}, {"upstream", upstream}, {"why", why}, {"remedy", remedy}});
    }

    task<void> pause(Duration time) {
        station_.loop.arm(deadline_, time);
        while (!deadline_.expired() && !station_.stopping()) co_await signal_;
        deadline_.disarm();
    }

    Station& station_;
    const LostWorkQuestion question_;
    Signal signal_;
    Deadline deadline_;
    std::uint64_t snapshot_ = 0;  // that is asked about
    bool told_ = false;
};

}  // namespace

void ask_for_lost_work(Station& station, LostWorkQuestion question) {
    LostWork::start(station, std::move(question));
}

}  // namespace ticketgate
