#!/usr/bin/env python3
"""ticketgate in front of php-fpm, over FastCGI: the shipped config/php-fpm.yaml, and behaviour that only php-fpm has.

Usage: fpm_test.py TICKETGATE [-k PATTERN]. Skipped where php-fpm is not installed.
"""
import hashlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest

import real_test
from real_test import Fpm, Process, answers, free_port, wait_for

# A script that runs until the test calls Site.let_go, so that other requests arrive while it runs.
UNTIL_LET_GO = "while (!file_exists(getenv('STATE') . '.' . $_GET['until'])) { usleep(2000); clearstatcache(); }"

SCRIPTS = {
    "index.php": "<?php echo 'front ', $_SERVER['REQUEST_URI'], ' ', $_SERVER['SCRIPT_NAME'];",
    "blob.php": "<?php $n = (int)$_GET['n']; $s = '';"
                " for ($i = 0; strlen($s) < $n; $i++) $s .= hash('sha256', $i, true);"
                " $s = substr($s, 0, $n); header('X-Sum: ' . md5($s)); echo $s;",
    "sum.php": "<?php echo md5_file('php://input'), ' ', $_SERVER['CONTENT_LENGTH'] ?? '-';",
    "upload.php": "<?php echo md5_file($_FILES['f']['tmp_name']), ' ', $_POST['a'];",
    "slow.php": "<?php usleep(1000 * (int)$_GET['ms']); echo 'done';",
    "die.php": "<?php if (isset($_GET['begun'])) { echo 'begun'; ob_end_flush(); flush(); }"
               " posix_kill(posix_getpid(), 9);",
    "throw.php": "<?php error_log('first line' . \"\\n\" . 'second line'); throw new Exception('boom');",
    "moved.php": "<?php header('Location: /elsewhere');",
    "nothing.php": "<?php http_response_code(204);",
    "events.php": "<?php header('Content-Type: text/event-stream'); header('X-Accel-Buffering: no');"
                  " for ($i = 0; $i < 3; $i++) { echo \"data: $i\\n\\n\"; ob_get_level() && ob_flush(); flush();"
                  " if ($i == 0) { " + UNTIL_LET_GO + " } }",
    "held.php": "<?php " + UNTIL_LET_GO + " echo 'done';",
    # The usual use of fastcgi_finish_request(): the client gets its answer, and the script works on.
    "late.php": "<?php $f = getenv('STATE'); $n = (int)file_get_contents($f); echo $n; fastcgi_finish_request();"
                " usleep(20000); file_put_contents($f, $n + 1);",
    # Says nothing before its end.
    "silent.php": "<?php $f = getenv('STATE') . '.spans'; $b = hrtime(true);"
                  " if (isset($_GET['until'])) { touch(getenv('STATE') . '.begun'); " + UNTIL_LET_GO + " }"
                  " file_put_contents($f, $b . ' ' . hrtime(true) . \"\\n\", FILE_APPEND); echo 'ok';",
    "spans.php": "<?php $f = getenv('STATE') . '.spans'; $b = hrtime(true); echo 'ok'; fastcgi_finish_request();"
                 " if (isset($_GET['until'])) { " + UNTIL_LET_GO + " } else usleep(50000);"
                 " file_put_contents($f, $b . ' ' . hrtime(true) . \"\\n\", FILE_APPEND);",
}


class Site:
    """php-fpm and ticketgate in front of it."""

    def __init__(self, fpm=Fpm, config=None):
        self.temporary = tempfile.TemporaryDirectory(prefix="ticketgate-fpm-")
        self.folder = pathlib.Path(self.temporary.name)
        self.folder.chmod(0o777)
        (self.folder / "b").mkdir()
        self.fpm = fpm(self.folder / "b")
        for name, text in SCRIPTS.items():
            (self.fpm.root / name).write_text(text)
        self.port, self.admin = free_port(), free_port()
        path = SHIPPED
        if config:
            path = self.folder / "ticketgate.yaml"
            path.write_text(config(self))
        self.config = path
        self.gate = Process([real_test.TICKETGATE, "-c", str(path)], self.folder / "gate.log",
                            {"LISTEN": f"127.0.0.1:{self.port}", "ADMIN": f"127.0.0.1:{self.admin}",
                             "FPM_URL": f"fastcgi://127.0.0.1:{self.fpm.port}", "FPM_ROOT": str(self.fpm.root),
                             "FPM_STATUS_URL": f"fastcgi://127.0.0.1:{self.fpm.status_port}"})
        wait_for(lambda: answers(self.port, self.admin), "ticketgate listens")

    def stop(self):
        code = self.gate.stop()
        self.fpm.stop()
        self.temporary.cleanup()
        assert code == 0, f"ticketgate ended with {code}"

    def ask(self, path, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    def server(self, path, headers=None):
        response, text = self.ask(path, headers=headers)
        assert response.status == 200, (response.status, text)
        return response, json.loads(text)["server"]

    def parallel(self, clients, each, path, method="GET"):
        statuses, lock = [], threading.Lock()

        def work():
            for _ in range(each):
                response, _ = self.ask(path, method)
                with lock:
                    statuses.append(response.status)

        threads = [threading.Thread(target=work) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return statuses

    def let_go(self, name):
        pathlib.Path(f"{self.fpm.state}.{name}").touch()

    def metric(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=30)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name + "{"))

    def reload(self):
        """Returns when the new file is in force."""
        loaded = self.log().count("config loaded")
        os.kill(self.gate.child.pid, signal.SIGHUP)
        wait_for(lambda: self.log().count("config loaded") > loaded, "the new file is in force")

    def log(self):
        return (self.folder / "gate.log").read_text()

    def wait_for_page(self, since):
        """Returns when the log, from its character `since` on, tells that the status page answers. Where the page was too
        slow for ticketgate's patience, as on a machine that stood still, another reload asks again."""
        good, bad = "php-fpm's status page answers", "php-fpm's status page cannot be read"
        while True:
            wait_for(lambda: good in self.log()[since:] or bad in self.log()[since:], "the page was asked")
            if good in self.log()[since:]:
                return
            since = len(self.log())
            self.reload()

    def wait_until_free(self):
        wait_for(lambda: self.metric("ticketgate_queue_in_flight") == 0, "every slot is back")


SHIPPED = pathlib.Path(real_test.__file__).parents[2] / "config" / "php-fpm.yaml"


def shipped_with_worker_idle(site):
    """The shipped file with its two optional lines for worker_idle uncommented."""
    text = SHIPPED.read_text()
    for line in ("status: {", "release: worker_idle\n"):
        assert text.count("# " + line) == 1, line
        text = text.replace("# " + line, line)
    return text


def queue_config(queue, routes="routes: [{ prefix: /, queue: q }]", fastcgi=""):
    """Makes a config with these queue settings, in place of the shipped one."""
    def config(site):
        return f"""
listen: [{{ address: "${{LISTEN}}" }}]
admin: {{ address: "${{ADMIN}}" }}
upstreams:
  php:
    url: "${{FPM_URL}}"
    fastcgi: {{ root: "${{FPM_ROOT}}", status: {{ url: "${{FPM_STATUS_URL}}" }} {fastcgi} }}
queues: {{ q: {{ {queue} }} }}
defaults: {{ upstream: php, response_timeout: 20s }}
{routes}
"""
    return config


class Case(unittest.TestCase):
    fpm, config = Fpm, None

    @classmethod
    def setUpClass(cls):
        if not shutil.which("php-fpm8.2"):
            raise unittest.SkipTest("php-fpm8.2 is not installed")
        cls.site = Site(cls.fpm, cls.config)

    @classmethod
    def tearDownClass(cls):
        cls.site.stop()


class TestShippedConfig(Case):
    def test_server_variables_are_those_of_a_web_server(self):
        response, server = self.site.server("/show.php/a%20b/c?x=1&y=%2F", {"Host": "shop.example:81", "Cookie": "c=d"})
        root = str(self.site.fpm.root)
        for name, value in {
                "UNIQUE_ID": response.headers["Unique-Id"], "HTTP_X_REQUEST_ID": response.headers["X-Request-Id"],
                "REMOTE_ADDR": "127.0.0.1", "SERVER_ADDR": "127.0.0.1", "SERVER_PORT": "81",
                "SERVER_NAME": "shop.example", "HTTP_HOST": "shop.example:81", "HTTP_COOKIE": "c=d",
                "REQUEST_METHOD": "GET", "REQUEST_URI": "/show.php/a%20b/c?x=1&y=%2F", "QUERY_STRING": "x=1&y=%2F",
                "SCRIPT_NAME": "/show.php", "PATH_INFO": "/a b/c", "PHP_SELF": "/show.php/a b/c",
                "SCRIPT_FILENAME": root + "/show.php", "DOCUMENT_ROOT": root, "DOCUMENT_URI": "/show.php/a b/c",
                "SERVER_PROTOCOL": "HTTP/1.1", "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_SOFTWARE": "ticketgate",
                "REQUEST_SCHEME": "http", "REDIRECT_STATUS": "200"}.items():
            self.assertEqual(server.get(name), value, name)
        self.assertGreater(int(server["REMOTE_PORT"]), 0)
        self.assertNotIn("HTTPS", server)
        self.assertNotIn("CONTENT_LENGTH", server)

    def test_client_headers_cannot_set_trusted_variables(self):
        evil = {name: "evil" for name in ("Proxy", "UNIQUE_ID", "unique-id", "X_Request_Id", "X_Forwarded_For",
                                          "X-Forwarded-For", "X_Real_Ip", "Content_Length", "X-Forwarded-Proto")}
        _, server = self.site.server("/show.php", evil)
        self.assertNotIn("evil", json.dumps(server))

    def test_paths_without_a_script_go_to_the_front_controller(self):
        for path in ("/", "/shop/cart?id=1", "/picture.jpg", "/admin/"):
            response, text = self.site.ask(path)
            self.assertEqual((response.status, text.decode()), (200, f"front {path} /index.php"))

    def test_a_script_that_does_not_exist_is_404(self):
        response, text = self.site.ask("/nope.php")
        self.assertEqual((response.status, text), (404, b"File not found.\n"))

    def test_status_codes_and_locations_of_scripts_are_kept(self):
        response, _ = self.site.ask("/moved.php")
        self.assertEqual((response.status, response.headers["Location"]), (302, "/elsewhere"))
        response, text = self.site.ask("/nothing.php")
        self.assertEqual((response.status, text), (204, b""))

    def test_head_has_no_body(self):
        response, text = self.site.ask("/blob.php?n=100", "HEAD")
        self.assertEqual((response.status, text), (200, b""))
        self.assertIsNotNone(response.headers["X-Sum"])

    def test_output_of_error_log_becomes_one_line_of_our_log(self):
        response, _ = self.site.ask("/throw.php")
        self.assertEqual(response.status, 500)
        wait_for(lambda: "boom" in self.site.log(), "the log has it")
        line = next(line for line in self.site.log().splitlines() if "boom" in line)
        self.assertIn("first line\\nsecond line", line)
        self.assertIn(f"request_id={response.headers['X-Request-Id']}", line)


class TestShippedConfigWithWorkerIdle(Case):
    # It queues writes, so these are POSTs.
    config = staticmethod(shipped_with_worker_idle)

    def test_the_status_page_is_asked_at_the_start_and_at_a_reload(self):
        asked = "php-fpm's status page answers upstream=php"
        self.site.wait_for_page(0)
        self.assertEqual(self.site.log().count(asked), 1)
        start = len(self.site.log())
        self.site.reload()
        self.site.wait_for_page(start)
        self.assertEqual(self.site.log().count(asked), 2)

    def test_parallel_late_updates_lose_nothing(self):
        before = int(self.site.fpm.state.read_text())
        self.assertEqual(set(self.site.parallel(8, 5, "/late.php?a=%22b", "POST")), {200})
        self.site.wait_until_free()
        self.assertEqual(int(self.site.fpm.state.read_text()) - before, 40)
        self.assertEqual(self.site.metric("ticketgate_exclusion_violations_total"), 0)

    def test_work_after_the_answer_never_overlaps_and_clients_do_not_wait_for_it(self):
        spans = pathlib.Path(str(self.site.fpm.state) + ".spans")
        response, _ = self.site.ask("/spans.php?until=served", "POST")
        self.assertEqual(response.status, 200)  # while its script still works
        self.site.let_go("served")
        self.assertEqual(set(self.site.parallel(4, 1, "/spans.php", "POST")), {200})
        self.site.wait_until_free()
        seen = sorted(tuple(map(int, line.split())) for line in spans.read_text().splitlines())
        self.assertEqual(len(seen), 5)
        for (_, end), (begin, _) in zip(seen, seen[1:]):
            self.assertGreaterEqual(begin, end)


class TestWithoutAnAccessLog(Case):
    """worker_idle takes the method and path from the request, so it works with the access log off."""
    config = staticmethod(queue_config("release: worker_idle", "log: { access: off }\nroutes: [{ prefix: /, queue: q }]"))

    def test_late_updates_lose_nothing(self):
        self.assertEqual(set(self.site.parallel(8, 3, "/late.php")), {200})
        self.site.wait_until_free()
        self.assertEqual(int(self.site.fpm.state.read_text()), 24)


class TestReleaseThatAReloadChanges(Case):
    """A running request asks the status page of the config in force, also after a reload."""
    config = staticmethod(lambda site: queue_config("release: response")(site).replace(
        ", status: { url: \"${FPM_STATUS_URL}\" }", ""))

    def test_running_requests_ask_the_status_page_of_the_new_config(self):
        old = self.site.config.read_text()
        held = threading.Thread(target=self.site.ask, args=("/held.php?until=reloaded",))
        held.start()
        wait_for(lambda: self.site.metric("ticketgate_queue_in_flight") == 1, "the first runs")
        late = threading.Thread(target=self.site.ask, args=("/late.php",))
        late.start()
        wait_for(lambda: self.site.metric("ticketgate_queue_waiting") == 1, "the second waits")
        self.site.config.write_text(queue_config("release: worker_idle")(self.site))
        start = len(self.site.log())
        self.site.reload()
        self.site.wait_for_page(start)
        self.site.let_go("reloaded")
        for thread in (held, late):
            thread.join()
        self.site.wait_until_free()
        self.site.config.write_text(old)
        self.site.reload()
        self.assertEqual(self.site.ask("/slow.php?ms=0")[1], b"done")
        self.site.wait_until_free()
        self.assertEqual(self.site.metric("ticketgate_exclusion_violations_total"), 0)


class TestStatusThatAReloadMends(Case):
    config = staticmethod(lambda site: queue_config("release: worker_idle")(site).replace(
        "${FPM_STATUS_URL}", f"fastcgi://127.0.0.1:{free_port()}"))

    def hold(self):
        self.assertEqual(self.site.ask("/slow.php?ms=0")[1], b"done")
        wait_for(lambda: self.site.metric("ticketgate_queue_status_failures_total") > 0, "the page was asked")
        self.assertEqual(self.site.metric("ticketgate_queue_in_flight"), 1)

    def load(self, text):
        old = self.site.config.read_text()
        self.site.config.write_text(text)
        self.site.reload()
        self.site.wait_until_free()
        self.site.config.write_text(old)
        self.site.reload()
        self.assertEqual(self.site.metric("ticketgate_exclusion_violations_total"), 0)

    def test_a_reload_with_the_right_address_frees_the_slot(self):
        self.hold()
        self.load(queue_config("release: worker_idle")(self.site))
        wait_for(lambda: "the workers' status can be read again" in self.site.log(), "the log tells the end, too")

    def test_a_worker_that_dies_needs_no_page(self):
        for _ in range(2):
            self.assertEqual(self.site.ask("/die.php")[0].status, 502)
            self.site.wait_until_free()

    def test_the_status_page_of_another_backend_does_not_count(self):
        self.hold()
        right = queue_config("release: worker_idle")(self.site)
        old = self.site.config.read_text()
        # The same php-fpm with another spelling of its URL: ticketgate must treat it as another backend.
        self.site.config.write_text(right.replace("${FPM_URL}", f"fastcgi://localhost:{self.site.fpm.port}"))
        start = len(self.site.log())
        self.site.reload()
        self.site.wait_for_page(start)
        failures = self.site.metric("ticketgate_queue_status_failures_total")
        wait_for(lambda: self.site.metric("ticketgate_queue_status_failures_total") > failures + 1,
                 "the old page is asked again")
        self.assertEqual(self.site.metric("ticketgate_queue_in_flight"), 1)
        self.site.config.write_text(old)
        self.load(right)

    def test_a_reload_without_worker_idle_frees_the_slot(self):
        self.hold()
        self.load(self.site.config.read_text().replace("release: worker_idle", "release: response"))


class TestStatusThatAReloadTakesAway(Case):
    """A request that was sent under worker_idle asks the page that it was sent with."""
    config = staticmethod(queue_config("release: worker_idle"))

    def test_the_slot_is_held_to_the_end_of_the_script(self):
        self.assertEqual(self.site.ask("/spans.php?until=moved")[1], b"ok")
        late = threading.Thread(target=self.site.ask, args=("/spans.php",))
        late.start()
        wait_for(lambda: self.site.metric("ticketgate_queue_waiting") == 1, "the second waits")
        one = self.site.config.read_text()
        status = 'status: { url: "${FPM_STATUS_URL}" }'
        other = 'other: { url: "${FPM_URL}", fastcgi: { root: "${FPM_ROOT}", ' + status + " } }"
        self.assertIn(status, one)
        self.site.config.write_text(one.replace(", " + status, "").replace(
            "queues:", f"  {other}\nqueues:").replace("upstream: php", "upstream: other"))
        self.site.wait_for_page(0)  # or the line of the start would be taken for that of the reload
        start = len(self.site.log())
        self.site.reload()
        self.site.wait_for_page(start)
        self.assertEqual(self.site.log().count("status page answers"), 2)
        for _ in range(50):  # the old page is asked every 50 ms or sooner
            self.assertEqual(self.site.metric("ticketgate_queue_waiting"), 1)
        self.site.let_go("moved")
        late.join()
        self.site.wait_until_free()
        self.site.config.write_text(one)
        self.site.reload()


class Relay:
    """A balancer between ticketgate and php-fpm, which cuts connections."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.to, self.pairs = self.listener.getsockname()[1], port, []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            backend = socket.create_connection(("127.0.0.1", self.to))
            self.pairs.append((client, backend))
            for one, other in ((client, backend), (backend, client)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    @staticmethod
    def pump(one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        """Ends the connections to ticketgate; php-fpm learns nothing."""
        for client, _ in self.pairs:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def behind_a_relay(site):
    site.relay = Relay(site.fpm.port)
    return queue_config("release: worker_idle")(site).replace("${FPM_URL}", f"fastcgi://127.0.0.1:{site.relay.port}")


class TestAConnectionThatIsCut(Case):
    """The end of a connection is not the end of its script: php-fpm's page is asked first."""
    config = staticmethod(behind_a_relay)

    def test_the_slot_is_held_to_the_end_of_the_script(self):
        status = []
        first = threading.Thread(target=lambda: status.append(self.site.ask("/silent.php?until=ended")[0].status))
        first.start()
        wait_for(pathlib.Path(str(self.site.fpm.state) + ".begun").exists, "the script runs")
        self.site.relay.cut()
        first.join()
        self.assertEqual(status, [502])
        second = threading.Thread(target=self.site.ask, args=("/silent.php",))
        second.start()
        wait_for(lambda: self.site.metric("ticketgate_queue_waiting") == 1, "the second waits")
        for _ in range(50):  # the page is asked every 50 ms or sooner
            self.assertEqual(self.site.metric("ticketgate_queue_waiting"), 1)
        self.site.let_go("ended")
        second.join()
        self.site.wait_until_free()
        spans = pathlib.Path(str(self.site.fpm.state) + ".spans").read_text().splitlines()
        (_, end), (begin, _) = sorted(tuple(map(int, line.split())) for line in spans)
        self.assertGreaterEqual(begin, end)


class TestBodies(Case):
    config = staticmethod(queue_config("", "routes: [{ prefix: / }, { regex: queued, queue: q }]"))

    def test_uploads_arrive_whole(self):
        body = os.urandom(20_000_000)
        want = f"{hashlib.md5(body).hexdigest()} {len(body)}".encode()
        for path in ("/sum.php", "/sum.php/queued"):
            self.assertEqual(self.site.ask(path, "POST", body)[1], want, path)

    def test_chunked_uploads_arrive_with_a_length(self):
        parts = [os.urandom(n) for n in (1, 70_000, 300_000)]
        body = b"".join(parts)
        want = f"{hashlib.md5(body).hexdigest()} {len(body)}".encode()
        for path in ("/sum.php", "/sum.php/queued"):
            self.assertEqual(self.site.ask(path, "POST", iter(parts))[1], want, path)
        self.assertEqual(self.site.ask("/sum.php", "POST", iter([]))[1], hashlib.md5(b"").hexdigest().encode() + b" 0")

    def test_forms_are_parsed_by_php(self):
        body = (b'--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nhello\r\n--B\r\nContent-Disposition: form-data;'
                b' name="f"; filename="x"\r\n\r\n' + b"y" * 100_000 + b"\r\n--B--\r\n")
        _, text = self.site.ask("/upload.php", "POST", body, {"Content-Type": "multipart/form-data; boundary=B"})
        self.assertEqual(text.decode(), hashlib.md5(b"y" * 100_000).hexdigest() + " hello")

    def test_downloads_arrive_whole(self):
        for path in ("/blob.php", "/blob.php/queued"):
            for size in (0, 1, 65535, 65536, 10_000_000):
                response, text = self.site.ask(f"{path}?n={size}")
                self.assertEqual((len(text), hashlib.md5(text).hexdigest()), (size, response.headers["X-Sum"]))

    def test_events_are_relayed_as_they_are_written(self):
        with socket.create_connection(("127.0.0.1", self.site.port), timeout=30) as client:
            client.sendall(b"GET /events.php?until=seen HTTP/1.1\r\nHost: a\r\n\r\n")
            seen = b""
            while b"data: 0" not in seen:
                seen += client.recv(65536)
            self.assertNotIn(b"data: 1", seen)
            self.site.let_go("seen")
            while not seen.endswith(b"0\r\n\r\n"):
                seen += client.recv(65536)
            self.assertIn(b"data: 2", seen)


class TestFaults(Case):
    config = staticmethod(queue_config("max_in_flight: 1"))

    def test_a_worker_that_dies_gives_502_or_a_cut_answer_and_frees_the_slot(self):
        self.assertEqual(self.site.ask("/die.php")[0].status, 502)
        with self.assertRaises((http.client.HTTPException, ConnectionError)):
            self.site.ask("/die.php?begun")
        self.assertEqual(self.site.ask("/slow.php?ms=0")[1], b"done")

    def test_a_head_for_an_event_stream_gives_its_slot_back_as_a_get_does(self):
        with socket.create_connection(("127.0.0.1", self.site.port), timeout=30) as client:
            client.sendall(b"HEAD /events.php?until=head HTTP/1.1\r\nHost: a\r\n\r\n")
            seen = b""
            while not seen.endswith(b"\r\n\r\n"):
                seen += client.recv(65536)
            self.assertIn(b"text/event-stream", seen)
            self.assertEqual(self.site.ask("/slow.php?ms=0")[1], b"done")
            self.site.let_go("head")

    def test_the_slot_of_a_client_that_left_is_held_until_the_script_ends(self):
        with socket.create_connection(("127.0.0.1", self.site.port)) as client:
            client.sendall(b"GET /held.php?until=left HTTP/1.1\r\nHost: a\r\n\r\n")
            wait_for(lambda: self.site.metric("ticketgate_queue_in_flight") == 1, "it runs")
        answers_got = []
        other = threading.Thread(target=lambda: answers_got.append(self.site.ask("/slow.php?ms=0")[1]))
        other.start()
        wait_for(lambda: self.site.metric("ticketgate_queue_waiting") == 1, "the next one waits")
        self.assertEqual(answers_got, [])
        self.site.let_go("left")
        other.join()
        self.assertEqual(answers_got, [b"done"])

    def test_a_restart_of_php_fpm_under_load_fails_only_running_requests(self):
        statuses, stop = [], threading.Event()

        def work():
            while not stop.is_set():
                try:
                    statuses.append(self.site.ask("/slow.php?ms=5")[0].status)
                except (http.client.HTTPException, ConnectionError):
                    statuses.append(0)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        wait_for(lambda: len(statuses) > 20, "load")
        self.site.fpm.processes.pop().stop()
        self.site.fpm.start()
        wait_for(lambda: answers(self.site.fpm.port), "php-fpm is back")
        good = statuses.count(200)
        wait_for(lambda: statuses.count(200) > good + 20, "it serves again")
        stop.set()
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(statuses), {0, 200, 502})
        self.site.wait_until_free()
        self.assertEqual(self.site.metric("ticketgate_exclusion_violations_total"), 0)


class TestKeptConnections(Case):
    config = staticmethod(queue_config("max_in_flight: 1, release: worker_idle", fastcgi=", keep_alive: true"))

    def test_the_status_page_shows_each_finished_worker_as_idle(self):
        # With kept connections, the status page counts more workers than it lists.
        self.assertEqual(self.site.parallel(8, 25, "/slow.php?ms=1"), [200] * 200)
        self.site.wait_until_free()
        unreadable = [line for line in self.site.log().splitlines() if "status cannot be read" in line]
        self.assertEqual([line for line in unreadable if "does not answer in time" not in line], [])
        if not unreadable:  # a loaded machine may take its time
            self.assertEqual(self.site.metric("ticketgate_queue_status_failures_total"), 0)


class OneChild(Fpm):
    children = 1


class TestExhausted(Case):
    fpm = OneChild
    config = staticmethod(queue_config("max_in_flight: 4"))

    def test_more_requests_than_workers_wait_in_php_fpms_backlog(self):
        began = time.monotonic()
        self.assertEqual(self.site.parallel(4, 2, "/slow.php?ms=50"), [200] * 8)
        self.assertGreater(time.monotonic() - began, 0.35)


class TestTheOnlyWorkerGivesThePages(Case):
    fpm = OneChild
    config = staticmethod(queue_config("release: worker_idle"))

    def test_when_php_fpm_starts_later(self):
        fpm = self.site.fpm
        fpm.processes.pop().stop()
        config = self.site.config.read_text()
        self.site.config.write_text(config.replace("${FPM_STATUS_URL}", f"fastcgi://127.0.0.1:{fpm.port}"))
        self.site.reload()
        wait_for(lambda: "php-fpm's status page cannot be read" in self.site.log(), "nothing is compared")
        fpm.start_again()
        wait_for(lambda: answers(fpm.port), "php-fpm is back")
        self.assertEqual(self.site.ask("/slow.php?ms=0")[0].status, 200)
        self.site.wait_until_free()


class WithoutFixPathinfo(Fpm):
    settings = ["cgi.fix_pathinfo=0"]


class TestWithoutFixPathinfo(Case):
    """With cgi.fix_pathinfo=0 the status page shows PATH_INFO in place of SCRIPT_NAME."""
    fpm = WithoutFixPathinfo
    config = staticmethod(queue_config("release: worker_idle"))

    def test_late_updates_lose_nothing(self):
        self.assertEqual(set(self.site.parallel(8, 3, "/late.php/some/info?q=1")), {200})
        self.site.wait_until_free()
        self.assertEqual(int(self.site.fpm.state.read_text()), 24)

    def test_a_file_without_php_extension_is_never_run(self):
        (self.site.fpm.root / "upload.jpg").write_text("<?php echo 'this', '-script-', 'runs';")
        for path in ("/upload.jpg/x.php", "/upload.jpg", "/upload.jpg%00.php"):
            self.assertNotIn(b"this-script-runs", self.site.ask(path)[1])


class TestPathInfoOfTheConfig(Case):
    """With cgi.fix_pathinfo=0 the status page shows the PATH_INFO that the request had."""
    fpm = WithoutFixPathinfo
    config = staticmethod(queue_config("release: worker_idle"))

    def test_a_path_info_of_the_config_hides_no_worker(self):
        for value in ("/p", ""):
            with self.subTest(value=value):
                self.site.config.write_text(queue_config(
                    "release: worker_idle", fastcgi=f', params: {{ PATH_INFO: "{value}" }}')(self.site))
                self.site.reload()
                self.site.fpm.state.write_text("0")
                for path in ("/late.php", "/late.php/some/info?q=1"):
                    self.assertEqual(set(self.site.parallel(4, 2, path)), {200})
                self.site.wait_until_free()
                self.assertEqual(int(self.site.fpm.state.read_text()), 16)


class TestKeepAlive(Case):
    config = staticmethod(queue_config("release: worker_idle", fastcgi=", keep_alive: true"))

    def test_late_updates_lose_nothing(self):
        self.assertEqual(set(self.site.parallel(4, 5, "/late.php")), {200})
        self.site.wait_until_free()
        self.assertEqual(int(self.site.fpm.state.read_text()), 20)

    def test_a_connection_serves_many_requests(self):
        for n in range(20):
            self.assertEqual(self.site.ask(f"/slow.php?ms=0&n={n}")[1], b"done")
        body = os.urandom(100_000)
        self.assertEqual(self.site.ask("/sum.php", "POST", body)[1].split()[0].decode(), hashlib.md5(body).hexdigest())


class TestBehindATrustedProxy(Case):
    """PHP sees the client's address, not the proxy's, as with nginx's set_real_ip_from."""
    config = staticmethod(queue_config("", "clients: { trusted_proxies: [127.0.0.1] }\nroutes: [{ prefix: / }]"))

    def test_php_sees_the_client_and_its_https(self):
        _, server = self.site.server("/show.php", {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https",
                                                   "X-Forwarded-Port": "443", "X-Forwarded-Host": "shop.example"})
        for name, value in {"REMOTE_ADDR": "203.0.113.9", "HTTPS": "on", "REQUEST_SCHEME": "https",
                            "SERVER_PORT": "443", "HTTP_X_FORWARDED_FOR": "203.0.113.9, 127.0.0.1"}.items():
            self.assertEqual(server.get(name), value, name)
        self.assertNotIn("REMOTE_PORT", server)


class TestStatusThatIsGone(Case):
    """With an unreachable status page the slot stays held until hold_timeout releases it."""
    config = staticmethod(lambda site: queue_config(
        "release: worker_idle, hold_timeout: 6s, on_hold_timeout: release")(site).replace(
            "${FPM_STATUS_URL}", f"fastcgi://127.0.0.1:{free_port()}"))

    def test_the_slot_stays_held_until_hold_timeout(self):
        began = time.monotonic()
        self.assertEqual(self.site.ask("/slow.php?ms=0")[1], b"done")
        self.assertEqual(self.site.metric("ticketgate_queue_in_flight"), 1)
        self.assertEqual(self.site.ask("/slow.php?ms=0")[1], b"done")
        self.assertGreaterEqual(time.monotonic() - began, 6)
        self.assertGreater(self.site.metric("ticketgate_queue_status_failures_total"), 0)
        wait_for(lambda: "the workers' status cannot be read" in self.site.log(), "the log says why")
        self.assertIn("Connection refused", self.site.log())
        self.assertEqual(self.site.metric("ticketgate_exclusion_violations_total"), 1)
        self.site.wait_until_free()


class TestStatusThatCannotBeRead(Case):
    """The log reports an unusable status page before the first request, with a remedy."""
    config = staticmethod(queue_config("release: worker_idle"))

    def told(self, status, remedy):
        """Checks the one log line that a reload writes about this status page."""
        config = self.site.config.read_text()
        self.site.config.write_text(config.replace("url: \"${FPM_STATUS_URL}\"", status))
        before = len(self.site.log())
        self.site.reload()

        def lines():
            new = self.site.log()[before:].splitlines()
            return [line for line in new if "php-fpm's status page cannot be read" in line]

        wait_for(lines, "the log has it")
        self.site.config.write_text(config)
        self.assertIn(" error ", lines()[0])
        self.assertIn("upstream=php", lines()[0])
        self.assertIn(remedy, lines()[0])

    def test_pm_status_path_is_not_set(self):
        self.told('url: "${FPM_STATUS_URL}", path: /fpm-status', "put pm.status_path = /fpm-status into the pool's file")

    def test_nothing_listens_on_the_status_address(self):
        port = free_port()
        self.told(f'url: "fastcgi://127.0.0.1:{port}"', f"put pm.status_listen = 127.0.0.1:{port} into the pool's file")

    def test_the_status_socket_does_not_exist(self):
        self.told(f'url: "fastcgi+unix:{self.site.folder}/none"', f"put pm.status_listen = {self.site.folder}/none into")

    def test_the_status_address_belongs_to_another_server(self):
        with socket.create_server(("127.0.0.1", 0)) as web:
            def answer():
                client, _ = web.accept()
                with client:
                    client.recv(1 << 16)
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            threading.Thread(target=answer, daemon=True).start()
            self.told(f'url: "fastcgi://127.0.0.1:{web.getsockname()[1]}"', "check that ")

    def fails_closed(self):
        self.assertEqual(self.site.ask("/slow.php?ms=0")[0].status, 200)
        wait_for(lambda: "the slot stays held" in self.site.log(), "the log tells")
        self.assertEqual(self.site.metric("ticketgate_queue_in_flight"), 1)
        self.site.reload()  # the right page again
        self.site.wait_until_free()

    def test_the_status_page_is_of_another_pool(self):
        status = self.site.fpm.start_another_pool()
        self.told(f'url: "fastcgi://127.0.0.1:{status}"', "the pm.status_listen of the pool that listens at url")
        self.fails_closed()

    def test_the_status_page_is_of_another_php_fpm_with_a_pool_of_that_name(self):
        second = int(time.time())
        wait_for(lambda: int(time.time()) > second, "the next second: the pages tell when php-fpm has started")
        status = self.site.fpm.start_another_pool(name="www")
        self.told(f'url: "fastcgi://127.0.0.1:{status}"', "the pm.status_listen of the pool that listens at url")
        self.fails_closed()

    def test_the_status_page_is_of_another_pool_and_the_scripts_php_fpm_starts_later(self):
        fpm = self.site.fpm
        status = fpm.start_another_pool()
        fpm.processes.pop(0).stop()
        config = self.site.config.read_text()
        self.site.config.write_text(config.replace("${FPM_STATUS_URL}", f"fastcgi://127.0.0.1:{status}"))
        before = len(self.site.log())
        self.site.reload()
        self.site.wait_for_page(before)  # there is nothing to compare it with
        fpm.start_again()
        wait_for(lambda: answers(fpm.port), "php-fpm is back")
        self.site.config.write_text(config)
        self.fails_closed()
        told = [line for line in self.site.log()[before:].splitlines() if "the slot stays held" in line]
        self.assertIn("its page is of pool other", told[0])

    def test_a_restart_gives_the_status_address_to_another_pool(self):
        fpm = self.site.fpm
        self.assertEqual(self.site.ask("/slow.php?ms=0")[0].status, 200)
        self.site.wait_until_free()
        fpm.processes.pop().stop()
        status, fpm.status_port = fpm.status_port, free_port()
        fpm.start_again()
        fpm.start_another_pool(status)
        fpm.status_port = status
        wait_for(lambda: answers(fpm.port), "php-fpm is back")
        before = len(self.site.log())
        self.assertEqual(self.site.ask("/spans.php?until=seen")[0].status, 200)
        wait_for(lambda: "its page is of pool other" in self.site.log()[before:], "the log tells")
        self.assertEqual(self.site.metric("ticketgate_queue_in_flight"), 1)
        self.site.let_go("seen")
        for _ in range(2):
            fpm.processes.pop().stop()
        fpm.start_again()
        wait_for(lambda: answers(fpm.port, fpm.status_port), "the pools are one again")
        self.site.wait_until_free()

    def test_the_status_page_does_not_answer(self):
        with socket.create_server(("127.0.0.1", free_port())) as silent:
            self.told(f'url: "fastcgi://127.0.0.1:{silent.getsockname()[1]}"', "pm.status_listen")


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin"
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
