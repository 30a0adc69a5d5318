// Whether the queue of a gate may grant at this moment. A local queue always may; that of a cluster
// only while this replica keeps the line and is sure of it (CLUSTER.md section 4).
#pragma once

namespace ticketgate {

class Permit {
 public:
    /// Asked at each change of the line, under the gate's lock; any thread. Must not call the gate.
    virtual bool holds() const = 0;
    /// A ticket waits that may not be granted now. Called without the lock; any thread, often.
    virtual void missed() = 0;

 protected:
    ~Permit() = default;
};

}  // namespace ticketgate
