#!/usr/bin/env python3
"""What decides about a storm can decide against it: verdict_test.py [-k PATTERN]."""
import time
import unittest

from backends import Journal, Overlapped
from parts import now
from verdict import LINE, SLOT, Violation, unexplained, violations_in


def overlapped(began, other_began, seq=1):
    return Overlapped(began, other_began, seq, 100 + seq, "/a")


class Violations(unittest.TestCase):
    def test_one_explains_one_request(self):
        requests = [overlapped(10, 12), overlapped(11, 12, 2)]
        self.assertEqual(unexplained(requests, [Violation(12, SLOT)]), requests[1:])
        self.assertEqual(unexplained(requests, [Violation(12, SLOT), Violation(11.5, LINE)]), [])

    def test_it_lies_between_the_two_beginnings(self):
        for when, explains in ((5, False), (10.5, True), (12.5, True), (15, False)):
            self.assertEqual(unexplained([overlapped(10, 12)], [Violation(when, SLOT)]) == [], explains, when)

    def test_a_replica_that_stood_still_logs_later(self):
        self.assertEqual(unexplained([overlapped(10, 12)], [Violation(15, SLOT)], lambda since, until: 4), [])

    def test_they_are_read_from_the_log(self):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        lines = "".join(f"{stamp}.500000Z {level} {text} queue=app\n" for level, text in
                        (("error", SLOT), ("error", LINE), ("error", "other"), ("info", "ticketgate starts")))
        found = violations_in(lines.encode())
        self.assertEqual([one.what for one in found], [SLOT, LINE])
        self.assertLess(abs(found[0].when - now()), 2)


class JournalOfPhp(unittest.TestCase):
    def setUp(self):
        self.journal = Journal()

    def run_of(self, seq, token, method="POST", when=0):
        self.journal.take(f"{when} begin r{seq} {seq} {token} {method} /a")
        self.journal.take(f"{when + 1} end r{seq}")

    def test_requests_in_turn_break_nothing(self):
        for number in range(1, 4):
            self.run_of(number, 10 + number, when=number * 10)
        counts = self.journal.counts
        self.assertEqual((counts["started"], counts["tokens"]), (3, 3))
        self.assertEqual(counts["overlaps"] + counts["tokens_lower"] + counts["sent_twice"], 0)

    def test_an_overlap_is_told_once(self):
        self.journal.take("1000000000 begin long 7 10 POST /long")
        for number in (1, 2):
            self.run_of(number, 10 + number, when=2_000_000_000 * number)
        self.assertEqual(self.journal.counts["overlaps"], 2)
        self.assertEqual(self.journal.overlapped, [Overlapped(1, 2, 7, 10, "/long")])

    def test_a_lower_token_and_a_second_run_count(self):
        self.run_of(1, 10)
        self.run_of(2, 9)
        self.run_of(2, 11)
        self.run_of(3, 12, "GET")
        self.run_of(3, 12, "GET")
        counts = self.journal.counts
        self.assertEqual((counts["tokens_lower"], counts["sent_twice"], counts["repeated"]), (1, 1, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
