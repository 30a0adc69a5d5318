// php-fpm's status page over FastCGI: shows what the workers do; sometimes fails, as planned.
#pragma once

#include "simulation/backend.hpp"
#include "simulation/fcgi_request.hpp"

namespace ticketgate::sim {

class StatusConnection final : public FarEnd {
 public:
    StatusConnection(Stage& stage, const Plan& plan, Link& link, const Backend& backend);
    void act() override;
    void die(bool by_reset) override;

 private:
    enum class Phase : std::uint8_t { accepting, reading, silent, answering, dead };
    void read();
    void prepare_answer();
    void say();
    std::string table(bool forged) const;

    const Plan& plan_;
    Link& link_;
    const Backend& backend_;
    Phase phase_ = Phase::accepting;
    FcgiRequest request_;
    std::string out_;
};

}  // namespace ticketgate::sim
