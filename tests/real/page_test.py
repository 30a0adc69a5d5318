#!/usr/bin/env python3
"""The live page in Chromium, against the program with requests that run and wait.

Usage: page_test.py TICKETGATE [unittest's options]. Environment: SHOTS, a folder that gets screenshots.
"""
import http.client
import json
import os
import pathlib
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

from real_test import Process, answers, free_port, wait_for
from webdriver import ENTER, ESCAPE, TAB, Browser, missing

TICKETGATE = None
SHOTS = os.environ.get("SHOTS")
MANY = 10_000
# A target that would do something if it became HTML; a parser of URLs leaves it as it is.
HOSTILE = "/'-alert(1)-'?a=%3Cscript%3Ealert(1)%3C/script%3E&b=&lt;img+src=x+onerror=alert(1)&gt;"


class Application(threading.Thread):
    """Answers each request when it may: open() lets all of them go, close() holds those that come."""

    def __init__(self):
        super().__init__(daemon=True)
        self.door = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.door.getsockname()[1]
        self.gate = threading.Event()
        self.running = self.most = 0
        self.lock = threading.Lock()
        self.start()

    def run(self):
        while True:
            connection, _ = self.door.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as reader:
            while line := reader.readline():
                while line != b"\r\n":
                    line = reader.readline()
                with self.lock:
                    self.running += 1
                    self.most = max(self.most, self.running)
                self.gate.wait()
                with self.lock:
                    self.running -= 1
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


class PageCase(unittest.TestCase):
    """A page, a program and its application; page_truth_test.py uses it as well."""

    def setUp(self):
        if missing():
            self.skipTest(f"no {missing()} here")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.application = Application()
        self.port, self.admin = free_port(), free_port()
        self.config = self.folder / "ticketgate.yaml"
        self.write_config()
        self.gate = Process([TICKETGATE, "-c", str(self.config)], self.folder / "gate.log")
        self.addCleanup(lambda: self.gate.stop())
        wait_for(lambda: answers(self.admin), "the admin listener")
        self.browser = Browser.fresh()
        self.addCleanup(self.browser.forget)
        self.clients = []

    def restart(self):
        self.gate.child.kill()  # as a crash: a drain would wait for the requests
        self.gate.stop()
        self.gate = Process([TICKETGATE, "-c", str(self.config)], self.folder / "gate.log")
        wait_for(lambda: answers(self.admin), "the admin listener")

    def write_config(self, more=""):
        self.config.write_text(f"""
listen: [{{ address: "127.0.0.1:{self.port}" }}]
admin: {{ address: "127.0.0.1:{self.admin}" }}
clients: {{ max_connections: 12000, max_connections_per_client: unlimited }}
upstreams: {{ app: {{ url: "http://127.0.0.1:{self.application.port}" }} }}
queues: {{ cart: {{ }}, other: {{ max_in_flight: 2 }} }}
defaults: {{ upstream: app, wait_timeout: 1h, max_waiting: 20000, response_timeout: 1h }}
routes: [{{ prefix: /, queue: cart, routes: [{{ prefix: /other, queue: other }}] }}]
drain_timeout: 5s
log: {{ access_file: "{self.folder}/access.log" }}
{more}
""")

    def send(self, target, method="GET"):
        """A client that waits for its answer."""
        client = socket.create_connection(("127.0.0.1", self.port))
        client.sendall(f"{method} {target} HTTP/1.1\r\nHost: shop.example\r\n\r\n".encode())
        self.clients.append(client)
        self.addCleanup(client.close)
        return client

    def queue(self, name="cart"):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin)
        connection.request("GET", f"/api/v1/queues/{name}?limit=1000")
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def stand_in_line(self, count):
        """The first runs, the others wait, in the order of their numbers."""
        self.send("/cart/add?item=1", "POST" if count < 0 else "GET")
        wait_for(lambda: self.queue()["in_flight"] == 1, "one runs")
        for i in range(2, count + 1):
            self.send(f"/cart/add?item={i}")
        wait_for(lambda: self.queue()["waiting"] == count - 1, "the others wait")

    def open_page(self):
        self.browser.go(f"http://127.0.0.1:{self.admin}/")
        self.shows("#connection", "live")

    def open_line(self, queue="cart"):
        """A new picture may move the page under a click."""
        details = f"[aria-label='Queue {queue}'] details"
        wait_for(lambda: self.browser.run("return document.querySelector(arguments[0]).open", details)
                 or self.browser.click(f"{details} summary"), "the line is open")

    def shows(self, css, text):
        def seen():
            asks = self.browser.run("return document.getElementById('ask').open")
            rest = {at: self.browser.text(at) for at in ("#connection", "#ask-error", "#told")}
            return f"{css} shows {text!r}; it shows {self.browser.text(css)!r}; a dialog is open: {asks}; {rest}; {self.gate_log()}"
        wait_for(lambda: text in self.browser.text(css), seen)

    def gate_log(self):
        return (self.folder / "gate.log").read_text()[-1000:]

    def shot(self, name):
        if SHOTS:
            self.browser.shot(pathlib.Path(SHOTS) / f"{name}.png")

    def metric(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        return float(next(line for line in lines if line.startswith(name)).rsplit(" ", 1)[1])


class PageTest(PageCase):
    # ── what it shows ──

    def test_the_line_and_who_blocks_it(self):
        self.stand_in_line(8)
        self.open_page()
        self.shows(".queue[aria-label='Queue cart'] .numbers", "1 of 1")
        self.shows(".slot", "#1 GET /cart/add?item=1")
        self.shows(".slot", "blocks 7")
        self.shows(".line .next", "#2 next")
        self.open_line()
        self.shows("details table", "GET /cart/add?item=8")
        self.shows("details table", self.queue()["tickets"]["waiting"][6]["request_id"])
        rows = self.browser.run("return [...document.querySelectorAll('details tbody tr')].map((r) => r.cells[0].innerText)")
        self.assertEqual(rows[:7], [f"#{i}" for i in range(2, 9)])
        self.shows(".state", "blocked: #1 GET /cart/add?item=1 has held its slot for 1")
        self.shot("blocked")
        # A FIN may be half a close while the request runs; a reset is a leave.
        self.clients[0].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.clients[0].close()
        self.shows(".slot", "client left")
        self.shot("orphan")
        self.application.gate.set()
        self.shows(".queue[aria-label='Queue cart'] .state", "idle")
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.application.most, 1)

    def test_texts_of_requests_stay_texts(self):
        self.send(HOSTILE)
        wait_for(lambda: self.queue()["in_flight"] == 1, "it runs")
        self.open_page()
        self.shows(".slot", HOSTILE[:60])
        self.shows(".queue[aria-label='Queue other'] h2", "other")
        self.assertEqual(self.browser.run("return document.querySelectorAll('main script, main img, main b').length"), 0)
        self.assertEqual(self.browser.complaints(), [])
        for attempt in ("const s = document.createElement('script'); s.textContent = 'window.bad = 1'; document.head.append(s)",
                        "document.body.setAttribute('onclick', 'window.bad = 1'); document.body.click()"):
            self.browser.run(f"try {{ {attempt} }} catch (e) {{}}")
            self.assertIsNone(self.browser.run("return window.bad || null"), "the policy forbids inline scripts")

    def test_ten_thousand_that_wait_are_summed_up(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        self.stand_in_line(MANY + 1)
        self.open_page()
        self.shows(".numbers", "10,000")
        self.shows(".line .more", "and 9,940 more")
        self.open_line()
        self.shows("details p", "And 9,900 more")
        self.assertLess(self.browser.run("return document.getElementsByTagName('*').length"), 3000)
        slowest = self.browser.run("""
            let most = 0;
            return new Promise((done) => {
              const source = new EventSource('/api/v1/events');
              let pictures = 0;
              source.addEventListener('message', (event) => {
                const begin = performance.now();
                draw(JSON.parse(event.data));
                most = Math.max(most, performance.now() - begin);
                if (++pictures === 4) { source.close(); done(most); }
              });
            });""")
        print(f"10,000 waiting: the slowest of four pictures took {slowest:.1f} ms to draw")
        last = self.queue()["tickets"]["waiting"][-1]["request_id"]
        self.browser.type("#id", last + ENTER)
        self.shows("#found", "999 requests ahead")
        self.shot("many")
        self.assertEqual(self.browser.complaints(), [])

    def test_a_search_finds_a_request_and_says_when_there_is_none(self):
        self.stand_in_line(4)
        self.open_page()
        ticket = self.queue()["tickets"]["waiting"][1]
        self.browser.keys("/")
        self.browser.keys(ticket["request_id"] + ENTER)
        self.shows("#found", f"#3 of queue cart: waiting")
        self.shows("#found", "1 request ahead")
        self.application.gate.set()
        self.shows("#found", "No request with this id waits or runs")
        self.assertEqual(self.browser.complaints(), [])

    def test_the_process_its_config_and_a_bad_reload(self):
        self.open_page()
        self.shows("#facts", "none since the start")
        self.shows("#facts", subprocess.run([TICKETGATE, "--version"], check=True, capture_output=True, text=True)
                   .stdout.split()[1])
        self.write_config("nonsense: 1")
        subprocess.run([TICKETGATE, "reload", "-c", str(self.config)], check=False, capture_output=True)
        self.shows("#facts", "refused, the old configuration stays")
        self.shows("#reload", "nonsense")
        self.write_config("threads: 2")
        subprocess.run([TICKETGATE, "reload", "-c", str(self.config)], check=False, capture_output=True)
        self.shows("#reload", "threads")
        self.shows("#facts", "needs a restart")

    def test_a_backend_that_fails_and_one_whose_workers_do_not_start(self):
        (self.folder / "fails").write_text("#!/bin/sh\necho no database >&2\nexit 3\n")
        (self.folder / "fails").chmod(0o755)
        closed = free_port()
        self.config.write_text(self.config.read_text().replace(
            "upstreams: { app:", f"""upstreams: {{ down: {{ url: "http://127.0.0.1:{closed}" }},
  own: {{ workers: {{ command: ["{self.folder}/fails"] }}, fastcgi: {{ root: "{self.folder}" }} }}, app:""").replace(
            "routes: [{ prefix: /other", "routes: [{ prefix: /down, upstream: down }, { prefix: /own, upstream: own }, { prefix: /other"))
        subprocess.run([TICKETGATE, "reload", "-c", str(self.config)], check=True, capture_output=True)
        self.open_page()
        self.shows("#upstreams", f"http://127.0.0.1:{closed}")
        self.send("/down/1")
        self.shows("#upstreams", "refused")
        self.send("/own/index.php")
        self.shows("#upstreams", "1 request; ")
        self.shot("upstreams")

    def test_a_long_target_leaves_the_page_as_wide_as_its_window(self):
        self.send("/" + 700 * "x")
        wait_for(lambda: self.queue()["in_flight"] == 1, "it runs")
        self.send("/next")
        self.open_page()
        request = self.queue()["tickets"]["in_flight"][0]["request_id"]
        self.browser.run(f"byId('id').value = '{request}'; return search()")
        self.shows("#found", "xxx")
        for width in (1280, 390):
            self.browser.size(width, 800)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
        self.browser.run("return document.querySelector('button[aria-label^=\"Release\"]').click()")
        self.assertLessEqual(self.browser.run("return document.getElementById('ask').getBoundingClientRect().right"), 390)

    def test_a_queue_that_the_old_process_of_an_upgrade_has(self):
        self.send("/cart/add?item=1")
        wait_for(lambda: self.queue()["in_flight"] == 1, "it runs")
        self.open_page()
        self.shows(".queue[aria-label='Queue cart'] .state", "nobody waits")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.place, .keeper, #cluster').length"), 0)
        subprocess.run([TICKETGATE, "upgrade", "-c", str(self.config)], check=True, capture_output=True, timeout=60)
        # The page has connected to the new process by itself.
        self.shows(".queue[aria-label='Queue cart'] .place", "the old process still has requests of this queue")
        self.shows(".queue[aria-label='Queue cart'] .place", "GET /cart/add?item=1, request id ")
        self.shows("#facts", "still finishes its requests; TERM to ")
        self.shot("elsewhere")
        self.application.gate.set()
        wait_for(lambda: not self.browser.run("return [...document.querySelectorAll('.place')].some((p) => !p.hidden)"),
                 "it has them no longer")
        self.shows(".queue[aria-label='Queue cart'] .state", "idle")

    def test_without_a_cluster_the_stream_and_the_page_have_nothing_of_one(self):
        self.open_page()
        picture = self.browser.run("""
            return new Promise((done) => {
              const source = new EventSource('/api/v1/events');
              source.addEventListener('message', (event) => { source.close(); done(event.data); });
            });""")
        self.assertNotIn("cluster", json.loads(picture))
        self.assertEqual([queue["name"] for queue in json.loads(picture)["queues"] if "elsewhere" in queue], [])
        loaded = self.browser.run("return performance.getEntriesByType('resource').map((r) => r.name)")
        self.assertEqual([name for name in loaded if "cluster" in name], [])

    # ── what it does ──

    def test_release_with_the_keyboard_alone(self):
        self.stand_in_line(3)
        self.open_page()
        wait_for(lambda: self.browser.run("return document.querySelector('td.act button') !== null"), "the button")
        for _ in range(30):
            self.browser.keys(TAB)
            if self.browser.run("return document.activeElement.getAttribute('aria-label')") == "Release #1":
                break
        self.browser.keys(ENTER)
        self.shows("#ask", "Release #1 of cart?")
        self.shows("#ask-risk", "exclusion violation")
        self.shot("release")
        self.browser.keys(ESCAPE)
        wait_for(lambda: not self.browser.run("return document.getElementById('ask').open"), "Escape closes it")
        self.assertEqual(self.browser.run("return document.activeElement.getAttribute('aria-label')"), "Release #1",
                         "the focus comes back, although pictures came meanwhile")
        self.browser.keys(ENTER)
        self.browser.keys(TAB + ENTER)
        self.shows("#told", "released; its backend may still be running")
        self.assertEqual(self.metric('ticketgate_exclusion_violations_total{queue="cart"}'), 1)
        self.shows(".queue[aria-label='Queue cart'] .numbers", "exclusion violations\n1")

    def test_pause_and_resume(self):
        self.open_page()
        self.browser.click("[aria-label='Queue cart'] .head button")
        self.shows("#ask-risk", "wait_timeout")
        self.browser.type("#time", "soon" + ENTER)
        self.shows("#ask-error", "1ms to 24h")
        self.browser.run("document.getElementById('time').value = '1h'")
        self.browser.click("#ask-yes")
        self.shows("[aria-label='Queue cart'] .state", "paused for")
        # The picture may come ahead of the answer, and until that has come the page behind the dialog takes no click.
        wait_for(lambda: not self.browser.run("return document.getElementById('ask').open"), "the dialog is closed")
        for i in range(3):
            self.send(f"/cart/add?item={i}")
        self.shows("[aria-label='Queue cart'] .line", "paused")
        # A paused queue with waiting requests comes first. The picture that puts it there must not come under the
        # click, which would hit the button of the queue that takes its place.
        self.shows("[aria-label='Queue cart'] .numbers", "waiting\n3")
        self.shot("paused")
        self.application.gate.set()
        self.browser.click("[aria-label='Queue cart'] .head button:not([hidden])")
        self.shows("#ask-title", "Resume cart?")
        self.browser.click("#ask-yes")
        self.shows("[aria-label='Queue cart'] .state", "idle")
        for client in self.clients:
            self.assertIn(b"200 OK", client.recv(1000))
        self.assertEqual(self.application.most, 1)

    def test_under_another_name_actions_need_the_token(self):
        self.write_config()
        text = self.config.read_text().replace(f'"127.0.0.1:{self.admin}" }}', f'"127.0.0.1:{self.admin}", token: sesame }}')
        self.config.write_text(text)
        done = subprocess.run([TICKETGATE, "reload", "-c", str(self.config)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.browser.go(f"http://ops.localhost:{self.admin}/")
        self.shows("#connection", "live")
        self.browser.click("[aria-label='Queue cart'] .head button")
        self.browser.click("#ask-yes")
        self.shows("#ask-error", "admin.token")
        self.browser.type("#token", "sesame")
        self.browser.click("#ask-yes")
        self.shows("[aria-label='Queue cart'] .state", "paused until")

    def test_drain(self):
        self.application.gate.set()
        self.open_page()
        self.browser.click("#drain")
        self.shows("#ask-risk", "Unless something starts it again")
        self.browser.click("#ask-yes")
        self.assertEqual(self.gate.child.wait(60), 0)
        self.shows("#connection", "no news from ticketgate")

    # ── how it looks ──

    def test_on_a_phone_in_the_dark_and_without_colours_nothing_is_lost(self):
        self.stand_in_line(30)
        self.send("/other/a")
        self.browser.size(360, 740)
        self.browser.dark(True)
        self.open_page()
        self.shows(".slot", "blocks 29")
        self.open_line()
        self.shows("details table", "item=30")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.shot("phone-dark")
        back, text = self.browser.run("const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]")
        self.assertLess(sum(map(int, back[4:-1].split(","))), 150, back)
        self.assertGreater(sum(map(int, text[4:-1].split(","))), 500, text)


if __name__ == "__main__":
    TICKETGATE = sys.argv.pop(1)
    unittest.main()
