// The exchange of one request with a worker of a pool: waits for a worker, has it alone, and gives
// it back. The request is over, and its slot free, only when the worker waits for another one.
// Owned by a run; one loop.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "spawn/pool.hpp"
#include "upstream/worker_link.hpp"

namespace ticketgate {

class LeasedExchange final : public Exchange {
 public:
    LeasedExchange(std::shared_ptr<spawn::Pool> pool, net::Loop& loop);
    ~LeasedExchange() override;

    void observe(Observer* observer) override;
    void carries(std::string_view request_id) override { request_id_ = request_id; }
    result<Step> send(std::string_view head, Body& body) override;
    bool connected() const override { return inner() != nullptr && inner()->connected(); }
    std::string fault() const override;
    std::string remedy() const override;
    std::string trouble() const override { return inner() ? inner()->trouble() : std::string(); }
    std::string address() const override;
    int refusal() const override { return refusal_; }
    std::uint64_t received() const override { return inner() ? inner()->received() : 0; }
    std::uint64_t written() const override { return inner() ? inner()->written() : 0; }
    std::uint64_t backlog() const override { return inner() ? inner()->backlog() : 0; }
    bool answering() const override { return inner() != nullptr && inner()->answering(); }
    result<Step> read_head(bool to_head_request, http::ResponseHead& head) override;
    result<Step> read_body(std::string_view& piece) override;
    bool ended() const override { return inner() != nullptr && inner()->ended(); }
    bool answered() const override { return inner() != nullptr && inner()->answered(); }
    error_code read_buffered(std::string_view& piece) override {
        return inner()->read_buffered(piece);
    }
    void upgrade() override {}  // CGI has no 101
    void finish_sending() override;
    /// A worker gets no byte of a request before it has shown that it is there.
    bool untouched() const override { return inner() == nullptr; }
    bool settled() const override;
    bool proves_end() const override { return true; }
    bool worker_gone() const override { return inner() != nullptr && inner()->worker_gone(); }
    Step outlast(bool to_head_request, http::ResponseHead& scratch) noexcept override;
    std::string_view remarks() const override {
        return inner() ? inner()->remarks() : std::string_view();
    }
    void finish(std::unique_ptr<Exchange> self) override;

 private:
    enum class Phase : std::uint8_t {
        waiting,  ///< for a worker
        proving,  ///< has one that has not shown on this loop that it is idle
        serving   ///< the worker has the request
    };
    WorkerLink& link() const { return static_cast<WorkerLink&>(*worker_->link); }
    FcgiExchange* inner() const { return phase_ == Phase::serving ? link().exchange() : nullptr; }
    void take();
    void got(std::shared_ptr<spawn::Worker> worker);
    result<Step> prepare();
    std::optional<result<Step>> begin();
    void take_another() noexcept;

    const std::shared_ptr<spawn::Pool> pool_;
    net::Loop& loop_;
    Observer* observer_ = nullptr;
    std::shared_ptr<spawn::Waiter> waiter_;
    std::shared_ptr<spawn::Worker> worker_;
    Phase phase_ = Phase::waiting;
    bool proven_ = false;  // the request is over
    int refusal_ = 0;
    std::string_view request_id_;
};

}  // namespace ticketgate
