// The live page's picture and history, made once for all viewers: a viewer costs a connection and a
// pointer, not a copy of the line. Pictures are made at most every `pace`, and only while somebody
// looks. A viewer that reads slowly misses pictures. Owned by App and by the viewers' connections;
// control thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "admin/history.hpp"
#include "admin/server.hpp"

namespace ticketgate::admin {

class Live : public std::enable_shared_from_this<Live> {
 public:
    static constexpr milliseconds pace = 500ms;

    struct Sources {
        std::function<std::string(std::size_t viewers)> picture;  ///< JSON, of one line
        std::function<std::vector<History::Reading>()> readings;
        std::function<std::string(const History&)> history;  ///< JSON, of one line
    };

    Live(boost::asio::io_context& control, std::size_t most_viewers, Sources sources);

    /// Begins the history, which goes on until stop().
    void start();
    /// No source is called any more.
    void stop();
    /// Plans the next turns anew, after an exception.
    void go_on();

    /// Makes the events of a new viewer; null: it is full.
    std::unique_ptr<Events> watch();
    /// As many look as may.
    bool full() const { return viewers_.size() >= most_viewers_ || !sources_.picture; }
    std::size_t viewers() const { return viewers_.size(); }

 private:
    using Text = std::shared_ptr<const std::string>;
    class Viewer final : public Events, public boost::intrusive::list_base_hook<> {
     public:
        explicit Viewer(std::shared_ptr<Live> live);
        ~Viewer() override;
        Text next() override;

     private:
        const std::shared_ptr<Live> live_;
        Text picture_, past_;  // the last ones that it got
    };
    void record();
    void record_later();
    void make_picture();
    void come_back();

    const std::size_t most_viewers_;
    Sources sources_;
    History history_;
    boost::asio::steady_timer next_record_, next_picture_;
    Time made_{};  // when the picture was
    Text picture_, past_;
    boost::intrusive::list<Viewer> viewers_;
};

}  // namespace ticketgate::admin
