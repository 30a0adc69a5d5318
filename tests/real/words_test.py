#!/usr/bin/env python3
"""Messages about a backend that cannot be reached, in the log and from check --connect.

Usage: words_test.py TICKETGATE
"""
import http.server
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import real_test
from real_test import Fpm, Process, answers, close_door, free_port, wait_for


class Words(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-words-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def config(self, upstreams, more=""):
        routes = ", ".join(f"{{ prefix: /{name}, upstream: {name} }}" for name in upstreams)
        named = ", ".join(f"{name}: {how}" for name, how in upstreams.items())
        self.port = free_port()
        file = self.folder / "c.yaml"
        file.write_text(f'listen: [{{ address: "127.0.0.1:{self.port}" }}]\nadmin: off\n'
                        f"upstreams: {{ {named} }}\nroutes: [{routes}]\n{more}")
        return file

    def start(self, file):
        gate = Process([real_test.TICKETGATE, "-c", str(file)], self.folder / "gate.log")
        self.addCleanup(gate.stop)
        wait_for(lambda: answers(self.port), "ticketgate listens")

    def logged_failure(self, upstream):
        """Sends a request that this upstream fails. Returns the log line about it."""
        with self.subTest(upstream), self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{upstream}", timeout=60)
        self.assertEqual(caught.exception.code, 502)

        def lines():
            log = (self.folder / "gate.log").read_text().splitlines()
            return [line for line in log if f" upstream={upstream} " in line]
        wait_for(lines, f"the log reports the failure of {upstream}")
        return lines()[0]

    def check(self, file):
        done = subprocess.run([real_test.TICKETGATE, "check", "--connect", "-c", file], text=True, timeout=60,
                              capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def backend(self):
        door = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(door.close)
        return door.getsockname()[1]

    def unix(self, name, listens=True):
        path = self.folder / name
        door = socket.socket(socket.AF_UNIX)
        door.bind(str(path))
        if listens:
            door.listen()
            self.addCleanup(door.close)
        else:
            door.close()
        return path

    def broken(self):
        """Upstreams that fail: for each its config, address, error and remedy."""
        port = free_port()
        absent, dead = self.folder / "absent.sock", self.unix("dead.sock", listens=False)
        return {
            "refused": (f'{{ url: "http://127.0.0.1:{port}" }}', f"127.0.0.1:{port}", "Connection refused",
                        f"nothing listens on 127.0.0.1:{port}: is the backend started"),
            "absent": (f'{{ url: "unix:{absent}" }}', f"unix:{absent}", "No such file or directory",
                       "is php-fpm (or another backend) running, is the socket's path right?"),
            "dead": (f'{{ url: "unix:{dead}" }}', f"unix:{dead}", "Connection refused",
                     "the socket's file is there, but nothing listens on it"),
            "name": (f'{{ url: "http://{"x" * 64}:80" }}', "x" * 64 + ":80",
                     f"the name {'x' * 64} cannot be resolved: ", "is the name right"),
        }

    def test_the_log_names_upstream_address_errno_and_remedy(self):
        broken = self.broken()
        self.start(self.config({n: b[0] for n, b in broken.items()}))
        for name, (_, address, why, remedy) in broken.items():
            line = self.logged_failure(name)
            self.assertIn(f"address={address} why=\"cannot connect to the backend: {why}", line)
            self.assertIn(f'remedy="{remedy}', line)

    def test_a_unix_socket_has_mode_660_with_any_umask(self):
        file = self.folder / "c.yaml"
        file.write_text(f'listen: [{{ address: "unix:{self.folder}/s" }}]\n'
                        f'admin: {{ address: "unix:{self.folder}/a" }}\n'
                        'upstreams: { app: { url: "http://127.0.0.1:9" } }\n'
                        "routes: [{ prefix: /, upstream: app }]\n")
        for umask in ("000", "077"):
            with self.subTest(umask):
                gate = Process(["sh", "-c", f'umask {umask}; exec "$0" "$@"', real_test.TICKETGATE, "-c", str(file)],
                               self.folder / f"gate{umask}.log")
                try:
                    wait_for(lambda: b" info admin " in (self.folder / f"gate{umask}.log").read_bytes(), "it listens")
                    for name in "sa":
                        self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o660, name)
                finally:
                    gate.stop()

    def speaker(self, words):
        """Starts a backend that answers any input with these bytes and closes. Returns its address."""
        door = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(close_door, door)

        def serve():
            while True:
                try:
                    one = door.accept()[0]
                except OSError:
                    return
                with one:
                    if one.recv(65536):
                        one.sendall(words)
        threading.Thread(target=serve, daemon=True).start()
        return f"127.0.0.1:{door.getsockname()[1]}"

    def test_the_log_names_the_protocol_that_the_backend_speaks(self):
        fpm, record, tls = self.speaker(b""), self.speaker(b"\1\3\0\1\0\0\0\0"), self.speaker(b"\x15\3\1\0\2\2\x46")
        web = self.speaker(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        old = self.speaker(b"<!DOCTYPE HTML>\n")  # HTTP 0.9, as Python's server answers what it does not understand
        mixed = {"silent": (f'{{ url: "http://{fpm}" }}', f"write url: fastcgi://{fpm} with"),
                 "record": (f'{{ url: "http://{record}" }}', f"write url: fastcgi://{record} with"),
                 "tls": (f'{{ url: "http://{tls}" }}', f"write url: https://{tls}"),
                 "plain": (f'{{ url: "https://{web}" }}', "write url: http://"),
                 "web": (f'{{ url: "fastcgi://{web}", fastcgi: {{ root: /w }} }}', f"write url: http://{web} "),
                 "old": (f'{{ url: "fastcgi://{old}", fastcgi: {{ root: /w }} }}', f"write url: http://{old} ")}
        file = self.config({n: b[0] for n, b in mixed.items()})
        self.start(file)
        for name, (_, remedy) in mixed.items():
            self.assertIn(remedy, self.logged_failure(name))
        code, _, err = self.check(file)
        self.assertEqual(code, 1)
        self.assertRegex(err, f"upstream web: failed: {web}: its answer is not FastCGI: .*write url: http://{web} ")
        self.assertRegex(err, f"upstream old: failed: {old}: its answer is not FastCGI: .*write url: http://{old} ")
        self.assertRegex(err, "upstream plain: failed: .*write url: http://")
        self.assertEqual(len(err.splitlines()), 3, err)

    def test_check_connect_reports_each_failure_and_exits_with_1(self):
        broken = self.broken()
        code, out, err = self.check(self.config({n: b[0] for n, b in broken.items()}))
        self.assertEqual(code, 1, err)
        self.assertIn(": good\n", out)
        self.assertEqual(len(err.splitlines()), len(broken), err)
        for name, (_, address, why, remedy) in broken.items():
            line = next(line for line in err.splitlines() if line.startswith(f"upstream {name}: failed: "))
            self.assertIn(f"{address}: {why}", line)
            self.assertIn(remedy, line)

    def test_check_connect_reports_the_address_that_it_reached(self):
        port, path = self.backend(), self.unix("live.sock")
        code, out, err = self.check(self.config({
            "tcp": f'{{ url: "http://127.0.0.1:{port}" }}', "named": f'{{ url: "http://localhost:{port}" }}',
            "sock": f'{{ url: "unix:{path}" }}'}))
        self.assertEqual((code, err), (0, ""), out)
        self.assertIn(f"upstream tcp: connected to 127.0.0.1:{port}\n", out)
        self.assertIn(f"upstream named: connected to 127.0.0.1:{port}\n", out)
        self.assertIn(f"upstream sock: connected to unix:{path}\n", out)

    def test_check_connect_verifies_the_certificate(self):
        key, chain = self.folder / "key.pem", self.folder / "chain.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", chain,
                        "-days", "2", "-subj", "/CN=shop", "-addext", "subjectAltName=DNS:shop"], check=True,
                       capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        door = socket.create_server(("127.0.0.1", 0))

        def serve():
            while True:
                try:
                    with context.wrap_socket(door.accept()[0], server_side=True) as one:
                        one.recv(1)
                except ssl.SSLError:
                    continue
                except OSError:
                    if door.fileno() < 0:
                        return
        threading.Thread(target=serve, daemon=True).start()
        self.addCleanup(close_door, door)
        url = f"https://127.0.0.1:{door.getsockname()[1]}"
        code, out, err = self.check(self.config({
            "good": f'{{ url: "{url}", tls: {{ ca_file: {chain}, server_name: shop }} }}',
            "other": f'{{ url: "{url}", tls: {{ ca_file: {chain}, server_name: mail }} }}',
            "unknown": f'{{ url: "{url}", tls: {{ server_name: shop }} }}'}))
        self.assertEqual(code, 1)
        self.assertRegex(out, "upstream good: connected to .* with TLS, its certificate is good\n")
        self.assertRegex(err, "upstream other: failed: .*(?i:host ?name mismatch).*tls: {server_name: ")
        self.assertRegex(err, "upstream unknown: failed: .*(?i:self.signed).*tls: {ca_file: ")

    def test_check_connect_asks_the_collector_of_traces(self):
        answers_of, posts = {"/v1/traces": 200, "/wrong": 404}, []

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                posts.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(answers_of[self.path])
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        collector = http.server.HTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        self.addCleanup(collector.shutdown)
        upstream, url = {"app": f'{{ url: "http://127.0.0.1:{self.backend()}" }}'}, f"http://127.0.0.1:{collector.server_port}"
        for path, code in (("/v1/traces", 0), ("/wrong", 1)):
            file = self.config(upstream, f'tracing: {{ endpoint: "{url}{path}" }}\n')
            got, out, err = self.check(file)
            self.assertEqual(got, code, out + err)
            if code == 0:
                self.assertIn(f"collector of traces: {url}{path}: takes spans\n", out)
            else:
                self.assertIn(f"collector of traces: failed: {url}{path}: it answers with status 404\n", err)
        self.assertEqual(posts, [b'{"resourceSpans":[]}'] * 2)
        file = self.config(upstream, f'tracing: {{ endpoint: "http://127.0.0.1:{free_port()}" }}\n')
        got, out, err = self.check(file)
        self.assertEqual(got, 1)
        self.assertIn("Connection refused", err)

    @unittest.skipUnless(all(shutil.which(n, path=os.environ["PATH"] + ":/usr/sbin") or os.path.exists(n)
                             for n in Fpm.needs), "php-fpm is not installed")
    def test_check_connect_asks_the_status_page(self):
        (self.folder / "b").mkdir()
        self.folder.chmod(0o777)
        backend = Fpm(self.folder / "b")
        self.addCleanup(backend.stop)
        at = backend.upstream()
        code, out, err = self.check(self.config({"fpm": at}))
        self.assertEqual(code, 0, err)
        self.assertRegex(out, "upstream fpm: connected to .*, it speaks FastCGI\n")
        self.assertIn("status page of upstream fpm: answers\n", out)
        bad = at.replace(str(backend.status_port), str(free_port()))
        code, out, err = self.check(self.config({"fpm": bad}))
        self.assertEqual(code, 1, out)
        self.assertRegex(err, "status page of upstream fpm: failed: no connection to .*: Connection refused: "
                              "check that php-fpm runs; if it does, put pm.status_listen = ")


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin"
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
