#!/usr/bin/env python3
"""What the live page says is so, and what it does is done to what it shows: after a restart, in front of other operators,
at its limits. In Chromium, against the program.

Usage: page_truth_test.py TICKETGATE [unittest's options].
"""
import json
import socket
import subprocess
import sys
import unittest

import page_test
from page_test import PageCase
from real_test import free_port, wait_for
from webdriver import ENTER


class Shown(PageCase):
    def test_with_order_arrival_the_head_is_next_while_it_uploads(self):
        self.config.write_text(self.config.read_text().replace("cart: { }", "cart: { order: arrival }"))
        subprocess.run([page_test.TICKETGATE, "reload", "-c", str(self.config)], check=True, capture_output=True)
        upload = socket.create_connection(("127.0.0.1", self.port))
        self.addCleanup(upload.close)
        upload.sendall(b"POST /upload HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 10\r\n\r\nab")
        wait_for(lambda: self.queue()["waiting"] == 1, "the head uploads")
        self.send("/behind")
        self.open_page()
        self.shows("[aria-label='Queue cart'] .line", "#2")
        squares = self.browser.run("return [...document.querySelectorAll(\"[aria-label='Queue cart'] .line li\")]"
                                   ".map((li) => [li.className, li.textContent])")
        self.assertEqual(squares[-2:], [["next uploading", "#1 next, uploading"], ["waits", "#2"]])
        self.shows("[aria-label='Queue cart'] .state", ", 2 requests wait")
        self.shows("[aria-label='Queue cart'] .state", "waits for the upload of #1, request id ")
        self.shows("[aria-label='Queue cart'] .numbers", "a newcomer waits\nnobody knows how long")
        subprocess.run([page_test.TICKETGATE, "release", "cart", "1", "-c", str(self.config)], check=True, capture_output=True)
        self.assertIn(b" 503 ", upload.recv(1000))
        wait_for(lambda: self.queue()["in_flight"] == 1, "the one behind it runs")
        self.assertEqual(self.metric('ticketgate_exclusion_violations_total{queue="cart"}'), 0)

    def words(self, workers=(), **queue):
        """What the page says of a queue: the kind of its state, and the text."""
        ticket = {"method": "GET", "client": "served"}
        shown = {"waiting": 3, "in_flight": 2, "max_in_flight": 2, "order": "ready", "stalled_seconds": 0.1, "paused": False,
                 "tickets": {"in_flight": [{**ticket, "number": 1, "target": "/export", "held_seconds": 120}],
                             "waiting": [{**ticket, "number": 9, "target": "/cart", "waited_seconds": 1, "ready": True}]}}
        return self.browser.run(f"workers = {json.dumps(workers)}; return words({json.dumps({**shown, **queue})})")

    def drawn(self, script, css):
        """The text there after the script, in one call: the next event of the stream draws over it."""
        return self.browser.run(f"{script}; return document.querySelector(arguments[0]).innerText", css)

    def test_a_line_is_blocked_while_no_slot_comes_free(self):
        self.open_page()
        self.assertEqual(self.words(), ["moving", "moving"])
        self.assertEqual(self.words(stalled_seconds=75), [
            "blocked", "blocked: no slot came free for 1 min 15 s, 3 requests wait; the oldest is #1 GET /export, for 2 min 0 s"])
        self.assertEqual(self.words(stalled_seconds=75, in_flight=1, max_in_flight=1), [
            "blocked", "blocked: #1 GET /export has held its slot for 2 min 0 s and keeps 3 requests waiting"])

    def test_a_request_that_waits_for_a_worker_names_who_has_it(self):
        self.open_page()
        waits = {"method": "GET", "client": "served", "number": 1, "target": "/a", "held_seconds": 14, "not_sent": True, "upstream": "php"}
        queue = {"in_flight": 1, "max_in_flight": 1, "stalled_seconds": 14, "tickets": {"in_flight": [waits], "waiting": []}}
        busy = [{"upstream": "php", "pid": 4711, "state": "busy", "request_id": "r1"}, {"upstream": "php", "pid": 2, "state": "idle"}]
        self.assertEqual(self.words(workers=busy, **queue), [
            "blocked", "blocked: #1 GET /a has its slot for 14.0 s, and nothing is sent yet: it waits for a worker of upstream "
            "php; pid 4711 runs request r1; 3 requests wait"])
        self.assertIn("it waits for a connection to upstream php; 3", self.words(workers=[], **queue)[1])
        two = {**queue, "in_flight": 2, "max_in_flight": 2}
        self.assertEqual(self.words(workers=[], **two)[1],
                         "blocked: no slot came free for 14.0 s, 3 requests wait; the oldest is #1 GET /a, for 14.0 s, and "
                         "nothing is sent yet: it waits for a connection to upstream php")

    def test_what_needs_a_look_comes_first_and_stands_in_the_title(self):
        self.open_page()
        shown = {"in_flight": 1, "max_in_flight": 1, "order": "ready", "stalled_seconds": 0, "paused": False, "waiting": 0,
                 "tickets": {"in_flight": [], "waiting": []}}
        queues = [{**shown, "name": "a", "paused": True, "pause_left_seconds": None, "in_flight": 0},
                  {**shown, "name": "b"}, {**shown, "name": "c", "paused": True, "pause_left_seconds": None, "waiting": 2},
                  {**shown, "name": "d", "waiting": 3, "stalled_seconds": 60}]
        order = "return [inOrder(JSON.parse(arguments[0])).map((queue) => queue.name).join(''), document.title]"
        self.assertEqual(self.browser.run(order, json.dumps(queues)), ["dcba", "(1 blocked) ticketgate"])
        self.assertEqual(self.browser.run(order, json.dumps(queues[:3])), ["cba", "ticketgate"])

    def test_a_lowered_limit_tells_how_many_have_to_end(self):
        for i in range(3):
            self.send(f"/other/{i}")
        wait_for(lambda: self.queue("other")["waiting"] == 1, "two run, one waits")
        self.config.write_text(self.config.read_text().replace("max_in_flight: 2", "max_in_flight: 1"))
        subprocess.run([page_test.TICKETGATE, "reload", "-c", str(self.config)], check=True, capture_output=True)
        self.open_page()
        self.shows("[aria-label='Queue other'] .state",
                   "2 run, the limit is 1: nobody is admitted until 2 of them end; 1 request waits")
        self.assertEqual(self.queue("other")["ends_needed"], 2)
        before = self.queue("other")["stalled_seconds"]
        subprocess.run([page_test.TICKETGATE, "release", "other", "1", "-c", str(self.config)], check=True, capture_output=True)
        after = self.queue("other")
        self.assertEqual((after["in_flight"], after["waiting"], after["ends_needed"]), (1, 1, 1))
        self.assertGreaterEqual(after["stalled_seconds"], before, "nobody got a slot")

    def test_a_line_that_waits_for_another_process_does_not_move(self):
        self.open_page()
        none = {"in_flight": 0, "tickets": {"in_flight": [], "waiting": []}, "waiting": 2}
        old = "waits: the old process of the upgrade still has this queue, 2 requests wait"
        self.assertEqual(self.words(**none, elsewhere="old_process"), ["waits", old])
        self.assertEqual(self.words(**none, elsewhere="old_process", stalled_seconds=60), ["blocked", old])
        self.assertEqual(self.words(**{**none, "waiting": 0}, elsewhere="other_replica", keeper="b (10.0.0.2:9902)", keeper_refuses=True),
                         ["blocked", "the keeper, b (10.0.0.2:9902), takes no requests of this replica: the log has the reason"])

    def test_how_long_a_newcomer_waits(self):
        self.open_page()
        numbers = "[aria-label='Queue cart'] .numbers"
        self.shows(numbers, "a newcomer waits\nnot at all")
        self.send("/first")
        self.shows(numbers, "a newcomer waits\nnobody knows how long")
        self.application.gate.set()
        self.shows(numbers, "a newcomer waits\nnot at all")
        self.application.gate.clear()
        self.send("/runs")
        self.shows(numbers, "a newcomer waits\nabout ")
        for words, shown in ((["pause", "cart"], "until somebody resumes the queue"),
                             (["pause", "cart", "--for", "1h"], "for the end of the pause, about "),
                             (["resume", "cart"], "about ")):
            subprocess.run([page_test.TICKETGATE, *words, "-c", str(self.config)], check=True, capture_output=True)
            self.shows(numbers, "a newcomer waits\n" + shown)

    def test_the_captions_of_the_charts_are_about_all_that_they_show(self):
        """A second step without a request, or with slower ones, does not take their place."""
        self.open_page()
        whole = dict.fromkeys([f"{kind}_p{share}" for kind in ("wait", "hold") for share in (50, 95, 99)], 0.02)
        whole |= {"admitted": 5, "refused": 0.5}
        lists = {name: [value, None if "_p" in name else 0, value * 3] for name, value in whole.items()}
        history = {"step_seconds": 10, "points": 90, "queues": {"cart": {**lists, "whole": whole, "seconds": 30}}}
        captions = self.drawn(f"drawHistory({json.dumps(history)})", "[aria-label='Queue cart'] .charts")
        self.assertIn("Waits, last 30 s: p50 20 ms, p95 20 ms, p99 20 ms; highest 10 s: 60 ms", captions)
        self.assertIn("Refused a second, last 30 s: mean 0.5; highest 10 s: 1.5", captions)

    def certificate(self, name, days):
        """Two files of one subject: a certificate that is renewed, or one for each kind of key."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", str(days), "-subj", "/CN=shop.example", "-keyout", self.folder / f"{name}.key",
                        "-out", self.folder / f"{name}.pem"], check=True, capture_output=True)
        return f"{{ certificate: {self.folder}/{name}.pem, key: {self.folder}/{name}.key }}"

    def test_every_certificate_with_its_listener(self):
        first, second = self.certificate("a", 9), self.certificate("b", 100)
        tls, other = free_port(), free_port()
        text = self.config.read_text().replace(f'[{{ address: "127.0.0.1:{self.port}" }}]', f"""
  - address: "127.0.0.1:{self.port}"
  - {{ address: "127.0.0.1:{tls}", tls: {{ certificates: [{first}, {second}] }} }}
  - {{ address: "127.0.0.1:{other}", name: inner, tls: {{ certificates: [{second}] }} }}""")
        self.config.write_text(text)
        self.restart()
        self.open_page()
        self.shows("#certificates h3", "TLS certificates")
        rows = self.browser.run("return [...document.querySelectorAll('#certificates tbody tr')]"
                                ".map((r) => [...r.cells].map((c) => c.innerText))")
        self.assertEqual(sorted(rows), sorted([[name, at, days] for at, days in (
            (f"127.0.0.1:{tls}", "8, renew it now"), (f"127.0.0.1:{tls}", "99"), (f"inner, 127.0.0.1:{other}", "99"))
            for name in [rows[0][0]]]))
        self.assertEqual(self.browser.run("return document.querySelectorAll('[title*=object]').length"), 0)
        draw = "drawTable(byId('workers'), 'Workers', {}, ['Worker'], [['1']])"
        self.assertEqual(self.drawn(draw.format(0), "#workers h3"), "Workers")
        self.assertEqual(self.drawn(draw.format(7), "#workers h3"), "Workers (and 7 more)")

    def test_a_viewer_too_many_is_told_why(self):
        self.config.write_text(self.config.read_text().replace(f'"127.0.0.1:{self.admin}" }}', f'"127.0.0.1:{self.admin}", max_viewers: 1 }}'))
        self.restart()
        with socket.create_connection(("127.0.0.1", self.admin)) as first:
            first.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b"200 OK", first.recv(100))
            self.browser.go(f"http://127.0.0.1:{self.admin}/")
            self.shows("#connection", "not live: as many viewers as admin.max_viewers allows look already; this page tries")
            self.assertNotIn("old", self.browser.text("#connection"), "there is no picture yet")
        self.shows("#connection", "live, ")
        self.gate.stop()
        self.shows("#connection", "no news from ticketgate; this picture is old")

    def test_a_search_says_when_it_shows_not_all(self):
        for count in (20, 1):
            for i in range(count):
                self.send(f"/cart/{i}")
            wait_for(lambda: self.queue()["waiting"] == len(self.clients) - 1, "they wait")
            if count == 20:
                self.open_page()
                self.browser.type("#id", self.queue()["tickets"]["in_flight"][0]["request_id"][:4] + ENTER)
                self.shows("#found", "#20 of queue cart")
                self.assertNotIn("More requests", self.browser.text("#found"))
        self.shows("#found", "More requests begin with this: these are the first 20. Give more characters of the id.")

    def test_a_search_without_an_answer_says_so(self):
        self.open_page()
        self.gate.stop()
        self.shows("#connection", "no news")
        self.browser.run("window.uncaught = 0; addEventListener('unhandledrejection', () => ++window.uncaught)")
        self.browser.type("#id", "d22jabcd" + ENTER)
        self.shows("#found", "ticketgate does not answer")
        self.assertEqual(self.browser.run("return window.uncaught"), 0)


class Done(PageCase):
    def test_a_wrong_token_is_told_from_a_missing_one(self):
        self.config.write_text(self.config.read_text().replace(f'"127.0.0.1:{self.admin}" }}', f'"127.0.0.1:{self.admin}", token: sesame }}'))
        self.restart()
        self.browser.go(f"http://ops.localhost:{self.admin}/")
        self.shows("#connection", "live")
        self.browser.click("[aria-label='Queue cart'] .head button")
        self.browser.click("#ask-yes")
        self.shows("#ask-error", "or admin.token")
        self.browser.type("#token", "sesam")
        self.browser.click("#ask-yes")
        self.shows("#ask-error", "the token is wrong: it is not the admin.token in force")
        self.browser.type("#token", "e")
        self.browser.click("#ask-yes")
        self.shows("[aria-label='Queue cart'] .state", "paused until")

    def test_a_release_is_about_the_request_that_is_shown_also_after_a_restart(self):
        """The numbers begin anew with a restart: number 1 is another request then."""
        self.stand_in_line(1)
        self.open_page()
        self.shows(".queue tbody tr", "item=1")
        self.restart()
        self.send("/second")
        wait_for(lambda: self.queue()["in_flight"] == 1, "it runs")
        self.shows(".queue tbody tr", "/second")
        self.browser.click(".queue tbody td.act button")
        self.shows("#ask-title", "Release #1 of cart?")
        self.shows("#ask-risk", "GET /second, request id " + self.queue()["tickets"]["in_flight"][0]["request_id"])
        self.restart()
        self.send("/third")
        self.shows("#ask-error", "Nothing was")
        self.assertTrue(self.browser.run("return document.getElementById('ask-yes').disabled"))
        self.assertEqual(self.browser.run("return document.activeElement.id"), "ask-no")
        self.browser.keys(ENTER)
        wait_for(lambda: not self.browser.run("return document.getElementById('ask').open"), "Cancel closes it")
        self.assertEqual(self.metric('ticketgate_exclusion_violations_total{queue="cart"}'), 0)
        self.shows(".queue tbody tr", "/third")
        # The answer may be quicker than the picture.
        self.browser.run("draw = () => {}; byId('queues').querySelector('tbody tr').ticket.request_id = 'of-another'")
        self.browser.click(".queue tbody td.act button")
        self.browser.click("#ask-yes")
        self.shows("#ask-error", "not released: number 1 of queue cart is another request now")
        self.assertEqual(self.metric('ticketgate_exclusion_violations_total{queue="cart"}'), 0)

    def test_a_question_says_when_somebody_else_was_quicker(self):
        self.open_page()
        self.browser.click("[aria-label='Queue cart'] .head button")
        subprocess.run([page_test.TICKETGATE, "pause", "cart", "-c", str(self.config)], check=True, capture_output=True)
        self.shows("#ask-error", "It is paused by now")
        self.browser.click("#ask-no")
        self.browser.click("[aria-label='Queue cart'] .head button:not([hidden])")
        self.shows("#ask-title", "Resume cart?")
        subprocess.run([page_test.TICKETGATE, "resume", "cart", "-c", str(self.config)], check=True, capture_output=True)
        self.shows("#ask-error", "It is not paused any more")
        self.browser.click("#ask-no")
        self.browser.click("#drain")
        self.restart()
        self.shows("#ask-error", "ticketgate has started anew")


if __name__ == "__main__":
    page_test.TICKETGATE = sys.argv.pop(1)
    unittest.main()
