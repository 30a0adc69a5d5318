// Whether the queue of a gate may grant at this moment, and where its line is. A local queue always
// may; that of a cluster only while this replica keeps the line and is sure of it (CLUSTER.md
// section 4).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ticketgate {

/// The replica that keeps a clustered line.
struct LineKeeper {
    std::string address;  ///< host:port at which it takes forwarded requests
    std::uint64_t epoch = 0;
    std::string name = {};  ///< of the replica, as its config says
    /// The version of the record by which nothing of this epoch runs, nor will before it is
    /// replaced; 0: something may run.
    std::uint64_t idle_version = 0;
};

/// Where a request takes its ticket now.
struct Whereabouts {
    enum class Where : std::uint8_t {
        here,
        peer,     ///< at `keeper`
        nowhere,  ///< no replica keeps the line; one may soon
        away,     ///< and none can, as far as this replica knows: the store does not answer
        stands    ///< and none can anywhere: the store takes no writes
    } where = Where::here;
    std::shared_ptr<const LineKeeper> keeper = nullptr;  ///< with `peer`
    /// The replica that kept the line before, and whose requests the line waits for.
    std::shared_ptr<const LineKeeper> prior = nullptr;
    /// The idle_version of the keeper from which this replica took the line over last; 0: it has
    /// not, or there was none. What came to that keeper since was never started there.
    std::uint64_t replaced_idle = 0;
    std::uint64_t epoch = 0;  ///< of this replica, with `here`; else 0
};

class Permit {
 public:
    /// Asked at each change of the line, under the gate's lock; any thread. Must not call the gate.
    virtual bool holds() const = 0;
    /// A ticket waits that may not be granted now. Called without the lock; any thread, often.
    virtual void missed() = 0;
    /// Any thread.
    virtual Whereabouts where() const = 0;
    /// The keeper that where() named has refused a request: looks for another. Any thread, often.
    virtual void doubted() = 0;
    /// A replica that took the line over as `by` asks for the word for an earlier term of this one.
    /// True: nothing of it runs or will run here. Else it asks again. `instance`: the replica that
    /// is asked; only that one can know. Any thread.
    virtual bool give_word(std::string_view instance, std::uint64_t term, std::uint64_t by) = 0;

 protected:
    ~Permit() = default;
};

}  // namespace ticketgate
