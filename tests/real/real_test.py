#!/usr/bin/env python3
"""ticketgate in front of real backends: Apache with mod_php, nginx with php-fpm, php-fpm itself, PHP's built-in server.

Each backend is a Debian package. It runs a small PHP application that is unsafe under parallel requests, in its own
folder and on its own loopback ports. Usage: real_test.py TICKETGATE [-k PATTERN]. A missing backend is skipped by name.
"""
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

TICKETGATE = None

# A client of the id service, written as an application would.
NOEQ = """<?php
$s = fsockopen('127.0.0.1', (int)$argv[1]);
fwrite($s, "\\0\\6sekrit");
$last = 0;
foreach ([1, 255, 16] as $n) {
    fwrite($s, chr($n));
    foreach (unpack('J*', stream_get_contents($s, 8 * $n)) as $id) {
        if ($id <= $last) exit(1);
        $last = $id;
    }
}
echo $last;
"""

# Spellings of /spelled.php, and paths that some servers map to it.
SPELLINGS = r"""
/spelled.php /spelled.php?x /spelled.php/ /spelled.php/extra /spelled.php/extra/../y /./spelled.php //spelled.php
///spelled.php /x/../spelled.php /x//../spelled.php /x/..//spelled.php /../spelled.php /%73pelled.php
/spelled%2Ephp /%2e/spelled.php /x/%2e%2e/spelled.php /x/.%2E/spelled.php /%2Fspelled.php /%2fspelled.php
/x%2F..%2Fspelled.php /x/..%2Fspelled.php /x%2f../spelled.php /spelled.php%2Fextra /spelled.php%2F..%2Fother
/spelled.php/..%2Fother /spelled.php/..%2F..%2Fother /spelled.php/%2e%2e%2Fother /spelled.php//../other
/spelled.php/../other /spelled.php/%2E%2E/other /spelled.php/..\other /spelled.php/..%5Cother
/spelled.php/..\..\other /spelled.php\other /spelled.php%5Cother /\spelled.php /x\..\spelled.php /%5Cspelled.php
/spelled.php;a /spelled.php;a/x /;a/spelled.php /x/..;/spelled.php /x/..;a/spelled.php /spelled.php/;a
/SPELLED.PHP /Spelled.php /spelled.php%00 /spelled.php%00.txt /spelled.php%20 /spelled.php%0A /spelled.php%0A/x
/spelled.php. /spelled.php:: /spelled.php~ /spelled.php%3F /spelled.php%3Fx /spelled.php%23 /%2573pelled.php
/spelled%252Ephp /x/%252e%252e/spelled.php /%c0%aespelled.php /x/%c0%ae%c0%ae/spelled.php /%c1%b3pelled.php
/%u0073pelled.php /spelled.php%u002f /spelled.php%FF /spelled /spelled/ /spelled.html /x/%3F/../../spelled.php
/spelled.php/%00 /spelled.php/.. /spelled.php/../ /spelled.php/. /spelled.php/./ /spelled.php//
/spelled.php/x.css /spelled.php/x/y.css /spelled.php//x.css /spelled%2Ephp/x.css /spelled.php%2Fx.css /spelled.php;x.css
/spelled.php;/x.css /spelled.php\x.css /spelled.php%5Cx.css /spelled.php%00.css /x/../spelled.php/x.css /x.css/../spelled.php
/x/..%2Fspelled.php%2Fx.css /spelled.php/../spelled.php/x.css /spelled.php?x.css /spelled.php/.css /spelled.css
""".split()

PHP = {
    "spelled.php": "<?php echo 'the script ran';",
    "show.php": "<?php header('Content-Type: application/json'); echo json_encode(['server' => $_SERVER,"
                " 'headers' => getallheaders(), 'body' => strlen(file_get_contents('php://input'))]);",
    "count.php": "<?php $f = getenv('STATE') ?: $_SERVER['STATE']; $n = (int)@file_get_contents($f); usleep(2000);"
                 " file_put_contents($f, $n + 1); echo $n + 1;",
}


RESERVED = []  # one socket for each reserved port; its abstract name disappears when this process ends


def free_port():
    """Reserves a free port outside the kernel's ephemeral range. Another test gets another port; without the reservation
    it could open this port before the tested program does."""
    for port in random.sample(range(14000, 20000), 6000):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0ticketgate-test-port-{port}")
            with socket.socket() as s:
                s.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        RESERVED.append(claim)
        return port
    raise AssertionError("no port is free")


def wait_for(condition, what, seconds=60):
    """`what`: a text, or a function that tells how it is at the end."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.02)  # conditions read /proc, logs and metrics of other processes, which send no event


def close_door(door):
    """Ends a listening socket at which a thread may wait in accept(). If it were only closed, that call could go on with
    the next socket that gets the same number, and take a client of another test."""
    door.shutdown(socket.SHUT_RDWR)
    door.close()


class Listening(threading.Thread):
    """A listening socket, and a thread that calls serve(connection) in a thread of its own for each connection. Derived
    classes start() it when they are ready."""

    def __init__(self):
        super().__init__(daemon=True)
        self.door = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.door.getsockname()[1]

    def run(self):
        while True:
            try:
                connection, _ = self.door.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()


def answers(*ports):
    """True when all accept connections. ticketgate opens its admin listener behind those for clients: a test that uses both
    waits for both."""
    for port in ports:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)):
                return False
    return True


class Process:
    """A child process in its own process group, since Apache signals its whole group. stop() ends the group."""

    def __init__(self, command, log, env=None):
        self.log = open(log, "ab")
        self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                      env={**os.environ, **(env or {})}, start_new_session=True)

    def stop(self):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(self.child.pid, signal.SIGKILL)
                self.child.wait()
        try:
            os.killpg(self.child.pid, signal.SIGKILL)  # the workers of php -S outlive it
        except ProcessLookupError:
            pass
        self.log.close()
        return self.child.returncode


class Backend:
    """The common part of all backends. A subclass defines how its server is started."""
    needs = []
    speaks_http = True

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.processes = []
        self.root = self.folder / "www"
        self.root.mkdir()
        # When the test runs as root, the workers run as another user.
        for path in (self.folder, self.root):
            path.chmod(0o777)
        self.state = self.folder / "count"
        self.state.write_text("0")
        self.state.chmod(0o666)
        for name, text in PHP.items():
            (self.root / name).write_text(text)
        self.start()
        wait_for(lambda: answers(self.port), f"{type(self).__name__} listens")

    def run(self, *command, env=None):
        self.processes.append(Process(command, self.folder / "backend.log", env))

    def start_nginx(self, location):
        """Starts nginx with one server that has one location with this content."""
        conf = self.folder / "nginx.conf"
        conf.write_text(f"""daemon off;
pid {self.folder}/nginx.pid;
error_log {self.folder}/nginx.err;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {self.folder}/body; fastcgi_temp_path {self.folder}/fcgi; proxy_temp_path {self.folder}/proxy;
  uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
  client_max_body_size 64m;
  server {{
    listen 127.0.0.1:{self.port};
    location / {{
{location}
    }}
  }}
}}
""")
        self.run("nginx", "-c", str(conf), "-e", str(self.folder / "nginx.err"))

    def upstream(self):
        return f'{{ url: "http://127.0.0.1:{self.port}" }}'

    def stop(self):
        for process in reversed(self.processes):
            process.stop()


class PhpServer(Backend):
    needs = ["php"]

    def start(self):
        self.run("php", "-S", f"127.0.0.1:{self.port}", "-t", str(self.root),
                 env={"PHP_CLI_SERVER_WORKERS": "8", "STATE": str(self.state)})


class Apache(Backend):
    needs = ["apache2", "/usr/lib/apache2/modules/libphp8.2.so"]
    paths = ""

    def start(self):
        conf = self.folder / "apache.conf"
        modules = ["mpm_prefork", "authz_core", "setenvif", "env"]
        loads = "".join(f"LoadModule {m}_module /usr/lib/apache2/modules/mod_{m}.so\n" for m in modules)
        conf.write_text(loads + f"""
LoadModule php_module /usr/lib/apache2/modules/libphp8.2.so
ServerName localhost
Listen 127.0.0.1:{self.port}
PidFile {self.folder}/apache.pid
ErrorLog {self.folder}/apache.err
DefaultRuntimeDir {self.folder}
User www-data
Group www-data
StartServers 8
DocumentRoot {self.root}
{self.paths}
SetEnv STATE {self.state}
SetEnvIf Unique-Id "(.+)" UNIQUE_ID=$1
<Directory {self.root}>
  Require all granted
</Directory>
<FilesMatch "\\.php$">
  SetHandler application/x-httpd-php
</FilesMatch>
""")
        self.run("apache2", "-DFOREGROUND", "-f", str(conf))


class LenientApache(Apache):
    """Apache with the two settings that accept more spellings of a path."""
    paths = "AllowEncodedSlashes On\nMergeSlashes Off"


class Fpm(Backend):
    """php-fpm without a web server: ticketgate speaks FastCGI to it."""
    needs = ["php-fpm8.2"]
    speaks_http = False
    children = 8
    settings = ()  # php.ini's

    def start(self):
        self.status_port = free_port()
        self.start_again()

    def start_again(self):
        self.start_fpm(f"127.0.0.1:{self.port}", f"pm.status_listen = 127.0.0.1:{self.status_port}")

    def start_another_pool(self, status=None, name="other"):
        """A php-fpm of its own. Returns the port of its status page."""
        port, status = free_port(), status or free_port()
        other = self.folder / "other.conf"
        other.write_text((self.folder / "fpm.conf").read_text().replace("[www]", f"[{name}]")
                         .replace(f"listen = 127.0.0.1:{self.port}", f"listen = 127.0.0.1:{port}")
                         .replace(f"status_listen = 127.0.0.1:{self.status_port}", f"status_listen = 127.0.0.1:{status}"))
        self.run("php-fpm8.2", "-F", "-y", str(other))
        wait_for(lambda: answers(status), "the other pool listens")
        return status

    def start_fpm(self, listen, more=""):
        (self.folder / "fpm.conf").write_text(f"""[global]
error_log = {self.folder}/fpm.err
daemonize = no
[www]
user = www-data
group = www-data
listen = {listen}
listen.mode = 0666
pm = static
pm.max_children = {self.children}
pm.status_path = /status
{more}
env[STATE] = {self.state}
""")
        options = [word for setting in self.settings for word in ("-d", setting)]
        self.run("php-fpm8.2", "-F", "-y", str(self.folder / "fpm.conf"), *options)

    def upstream(self):
        return (f'{{ url: "fastcgi://127.0.0.1:{self.port}", fastcgi: {{ root: "{self.root}",'
                f' status: {{ url: "fastcgi://127.0.0.1:{self.status_port}" }} }} }}')


class NginxFpm(Fpm):
    needs = ["nginx", "php-fpm8.2"]
    speaks_http = True
    upstream = Backend.upstream

    def start(self):
        fpm = self.folder / "fpm.sock"
        self.start_fpm(fpm)
        wait_for(fpm.exists, "php-fpm's socket")
        self.start_nginx(f"""      include /etc/nginx/fastcgi_params;
      fastcgi_param UNIQUE_ID $http_unique_id;
      fastcgi_param SCRIPT_FILENAME {self.root}$fastcgi_script_name;
      fastcgi_pass unix:{fpm};""")


class NginxApache(Backend):
    """nginx with its default settings between ticketgate and mod_php. It drops headers with an underscore."""
    needs = ["nginx"] + Apache.needs

    def start(self):
        inner = self.folder / "inner"
        inner.mkdir()
        inner.chmod(0o777)
        self.inner = Apache(inner)
        for name in PHP:
            shutil.copy(self.root / name, self.inner.root / name)
        self.state = self.inner.state
        self.start_nginx(f"      proxy_pass http://127.0.0.1:{self.inner.port};")

    def stop(self):
        super().stop()
        self.inner.stop()


class Served:
    """A backend with ticketgate in front of it. A subclass selects the backend and the config."""
    backend_type = None

    @classmethod
    def config(cls):
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        for need in cls.backend_type.needs:
            if not (shutil.which(need, path=os.environ["PATH"] + ":/usr/sbin") or os.path.exists(need)):
                raise unittest.SkipTest(f"{need} is not installed")
        cls.temporary = tempfile.TemporaryDirectory(prefix="ticketgate-real-")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.folder.chmod(0o777)
        (cls.folder / "b").mkdir()
        cls.backend = cls.backend_type(cls.folder / "b")
        cls.port, cls.admin, cls.service = free_port(), free_port(), free_port()
        config = cls.folder / "ticketgate.yaml"
        config.write_text(f"""
listen: [{{ address: "127.0.0.1:{cls.port}" }}]
admin: {{ address: "127.0.0.1:{cls.admin}" }}
log: {{ access_file: "{cls.folder}/access.log" }}
upstreams: {{ app: {cls.backend.upstream()} }}
defaults: {{ upstream: app }}
""" + cls.config())
        cls.gate = Process([TICKETGATE, "-c", str(config)], cls.folder / "gate.log")
        wait_for(lambda: answers(cls.port, cls.admin), "ticketgate listens")

    @classmethod
    def tearDownClass(cls):
        code = cls.gate.stop()
        cls.backend.stop()
        cls.temporary.cleanup()
        assert code == 0, f"ticketgate ended with {code}"


class Behind(Served):
    """The tests; one subclass for each backend."""

    @classmethod
    def config(cls):
        return rf"""
routes:
  - prefix: /
  - regex: count
    queue: app
  - prefix: /spelled.php
    queue: spelled
  - regex: ^(/[^./]+)*/[^/]+\.(css|js|png|jpg|svg|woff2)$
    queue: off
  - prefix: /show.php/ulid
    ids: {{ request_id: {{ format: ulid }}, other: {{ row: {{ policy: disable }} }} }}
ids:
  other:
    trace: {{ header: X-Trace-Id, format: uuidv7, keep_client_in: X-Client-Trace-Id }}
    row: {{ header: X-Row-Id, format: snowflake }}
  machine: {{ worker: 1 }}
id_service:
  address: "127.0.0.1:{cls.service}"
  worker: 2
  token: sekrit
  state_file: "{cls.folder}/id_service.state"
"""

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body=body, headers=headers or {})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response, text

    def test_php_sees_the_ids_that_the_client_gets(self):
        spoof = {"UNIQUE_ID": "evil", "unique-id": "evil", "X_Request_Id": "evil", "x-request-id": "evil"}
        response, text = self.ask("GET", "/show.php", headers=spoof)
        server = json.loads(text)["server"]
        self.assertEqual(response.status, 200)
        self.assertEqual(server["HTTP_X_REQUEST_ID"], response.headers["X-Request-Id"])
        self.assertEqual(server["HTTP_UNIQUE_ID"], response.headers["Unique-Id"])
        self.assertEqual(len(response.headers["Unique-Id"]), 27)
        self.assertNotIn(b"evil", text)
        if self.backend_type is not PhpServer:
            self.assertEqual(server["UNIQUE_ID"], response.headers["Unique-Id"])

    def decoded(self, text):
        run = subprocess.run([TICKETGATE, "id", "decode", text], capture_output=True, text=True, check=True)
        return run.stdout

    def test_php_sees_ids_of_every_format_and_id_decode_reads_them(self):
        _, text = self.ask("GET", "/show.php", headers={"X-Trace-Id": "theirs-1", "x_request-id": "evil"})
        server = json.loads(text)["server"]
        hours = "|".join(time.strftime("%Y-%m-%dT%H:", time.gmtime(server["REQUEST_TIME"] - s)) for s in (0, 5))
        for name, form in (("HTTP_X_REQUEST_ID", "txid"), ("HTTP_UNIQUE_ID", "httpd_2_4_47"),
                           ("HTTP_X_TRACE_ID", "uuidv7"), ("HTTP_X_ROW_ID", "snowflake")):
            said = self.decoded(server[name])
            self.assertIn(form, said)
            self.assertRegex(said, hours)
        self.assertEqual(server["HTTP_X_CLIENT_TRACE_ID"], "theirs-1")
        self.assertNotIn(b"evil", text)

    def test_php_sees_the_id_formats_of_its_route(self):
        _, text = self.ask("GET", "/show.php/ulid", headers={"X-Row-Id": "evil"})
        server = json.loads(text)["server"]
        self.assertRegex(server["HTTP_X_REQUEST_ID"], "^[0-7][0-9A-HJKMNP-TV-Z]{25}$")
        self.assertNotIn("HTTP_X_ROW_ID", server)

    def test_php_gets_numbers_from_the_id_service(self):
        if not shutil.which("php"):
            self.skipTest("php is not installed")
        script = self.folder / "noeq.php"
        script.write_text(NOEQ)
        run = subprocess.run(["php", str(script), str(self.service)], capture_output=True, text=True, check=True)
        self.assertIn("worker      2", self.decoded(run.stdout))

    def test_php_sees_the_whole_body_with_length_and_chunked(self):
        body = os.urandom(3_000_000)
        for path in ("/show.php", "/show.php?count"):
            _, text = self.ask("POST", path, body)
            self.assertEqual(json.loads(text)["body"], len(body), path)
        # On a queued route a chunked body arrives with a Content-Length, which every PHP understands. (The regex of the
        # route matches the path, so /count is queued; PHP sees it as PATH_INFO.)
        _, text = self.ask("POST", "/show.php/count", iter([body[:100], body[100:]]))
        self.assertEqual(json.loads(text)["body"], len(body))

    def raw(self, port, path):
        """The head and the body of the answer. http.client would reject some of these paths."""
        with socket.create_connection(("127.0.0.1", port), 30) as s:
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            with s.makefile("rb") as answer:
                return answer.read().partition(b"\r\n\r\n")

    def test_no_spelling_of_the_path_bypasses_the_queue(self):
        reached, refused, served = [], [], {}
        for path in SPELLINGS:
            runs = self.backend.speaks_http and b"the script ran" in self.raw(self.backend.port, path)[2]
            head, _, body = self.raw(self.port, path)
            if runs:
                reached.append(path)
            if b" 400 " in head.partition(b"\r\n")[0]:
                refused.append(path)
            if b"the script ran" in body:
                served[head.split(b"X-Request-Id: ")[1].partition(b"\r\n")[0].decode()] = path
        lines = []

        def logged():
            lines[:] = map(json.loads, (self.folder / "access.log").read_text().splitlines())
            return set(served) <= {line["request_id"] for line in lines}

        wait_for(logged, "access log")
        queues = {served[line["request_id"]]: line.get("queue") for line in lines if line["request_id"] in served}
        self.assertEqual({path: queue for path, queue in queues.items() if queue != "spelled"}, {})
        self.assertGreater(len(queues), 5)
        # A path that runs the script without ticketgate is queued or refused by ticketgate, never passed unqueued.
        self.assertEqual(set(reached) - set(queues) - set(refused), set())
        print(f"\n{self.backend_type.__name__}: {len(reached)} of {len(SPELLINGS)} spellings run the script, "
              f"{len(queues)} queued, refused: {' '.join(sorted(set(reached) & set(refused)))}", file=sys.stderr)

    def test_parallel_updates_lose_nothing(self):
        before = int(self.backend.state.read_text())
        failures = []

        def work():
            for _ in range(10):
                response, _ = self.ask("POST", "/count.php", "")
                if response.status != 200:
                    failures.append(response.status)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(int(self.backend.state.read_text()) - before, 160)


class TestPhpServer(Behind, unittest.TestCase):
    backend_type = PhpServer


class TestApache(Behind, unittest.TestCase):
    backend_type = Apache


class TestLenientApache(Behind, unittest.TestCase):
    backend_type = LenientApache


class TestNginxApache(Behind, unittest.TestCase):
    backend_type = NginxApache


class TestFpm(Behind, unittest.TestCase):
    backend_type = Fpm


class TestNginxFpm(Behind, unittest.TestCase):
    backend_type = NginxFpm


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin"
    TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
