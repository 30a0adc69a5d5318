#include "proxy/status_probe.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "proxy/status_reader.hpp"
#include "task/deadlines.hpp"
#include "task/task.hpp"

namespace ticketgate {
namespace {

class StatusProbe final : public Resident {
 public:
    StatusProbe(Station& station, std::string name, std::shared_ptr<Upstream> upstream)
        : station_(station),
          name_(std::move(name)),
          upstream_(std::move(upstream)),
          signal_(station.loop.scheduler()),
          deadline_(signal_) {
        station_.join(*this);
        ++station_.commons.runs;
    }
    ~StatusProbe() {
        station_.leave(*this);
        --station_.commons.runs;
    }
    void look_up() override { signal_.notify(); }

    static Detached start(Station& station, std::string name, std::shared_ptr<Upstream> upstream) {
        StatusProbe probe(station, std::move(name), std::move(upstream));
        try {
            co_await probe.ask();
        } catch (const std::exception& e) {
            station.commons.log.error("reading php-fpm's status page ended by an exception",
                                      {{"what", e.what()}});
        }
    }

 private:
    task<void> ask() {
        WorkerStatus& workers = *upstream_->worker_status();
        std::optional<StatusReader> reader(std::in_place, workers, station_.loop, net::Endpoint(),
                                           station_.commons.spool, signal_);
        error_code failure = co_await read(*reader);
        if (failure == errc::stopped) co_return;
        if (!failure) failure = workers.readable(reader->answer());
        if (failure) co_return tell(workers, reader->failure(failure));
        const StatusAnswer page = reader->told();
        reader.reset();  // the worker that gave it may be the only one
        // The listener of the scripts answers too, unless all its workers are busy.
        StatusReader scripts(StatusReader::Knock{}, workers, station_.loop, station_.commons.spool,
                             signal_);
        failure = co_await read(scripts);
        if (failure == errc::stopped) co_return;
        const Comparison compared = compare_pools(workers, page, scripts.told());
        if (compared.pools == Comparison::Pools::two)
            co_return tell_unusable(compared.why, workers.advice_for_other_pool().remedy);
        station_.commons.log.info("php-fpm's status page answers",
                                  {{"upstream", name_}, {"pool", compared.words()}});
    }

    task<error_code> read(StatusReader& reader) {
        station_.loop.arm(deadline_, status_patience);
        for (;;) {
            const auto step = reader.advance();
            if (!step) co_return step.error();
            if (*step == Step::done) co_return error_code();
            co_await signal_;
            if (station_.stopping()) co_return errc::stopped;
            if (deadline_.expired()) co_return errc::upstream_timeout;
        }
    }

    void tell(const WorkerStatus& workers, const fcgi::StatusFailure& failure) {
        const auto advice = workers.advice(failure);
        tell_unusable(advice.why, advice.remedy);
    }

    void tell_unusable(const std::string& why, const std::string& remedy) {
        station_.commons.log.error(
            "php-fpm's status page cannot be read; until it can, each queue of this upstream with "
            "release: worker_idle keeps its slot after a request",
            {{"upstream", name_}, {"why", why}, {"remedy", remedy}});
    }

    Station& station_;
    const std::string name_;
    const std::shared_ptr<Upstream> upstream_;
    Signal signal_;
    Deadline deadline_;
};

}  // namespace

void probe_status(Station& station, std::string name, std::shared_ptr<Upstream> upstream) {
    StatusProbe::start(station, std::move(name), std::move(upstream));
}

}  // namespace ticketgate
