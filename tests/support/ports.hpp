// Ports of loopback for programs that are told on which port to listen.
#pragma once

#include <cstdint>
#include <vector>

namespace ticketgate::test {

/// Reserves free ports outside the kernel's ephemeral range, until this process ends. Another test,
/// also one in Python (real_test.py), gets other ports: without the reservation it could open one
/// before the tested program does.
std::vector<std::uint16_t> free_ports(std::size_t count);

}  // namespace ticketgate::test
