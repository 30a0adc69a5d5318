#!/usr/bin/env python3
"""Static files and front controllers beside nginx: the same folder, the same php-fpm, the same requests.

Every answer that differs has a reason in DIFFERENT, and the test fails if a reason is not needed any more.
Usage: files_test.py TICKETGATE [-k PATTERN]
"""
import json
import os
import pathlib
import re
import select
import shutil
import socket
import sys
import tempfile
import time
import unittest

import real_test
from machine import Sink
from real_test import SPELLINGS, Fpm, Process, answers, close_door, free_port, wait_for
from slow_disk import SlowDisk

TICKETGATE = None

SHOW = ("<?php header('Content-Type: application/json'); echo json_encode(['script' => $_SERVER['SCRIPT_NAME'],"
        " 'file' => basename($_SERVER['SCRIPT_FILENAME']), 'uri' => $_SERVER['REQUEST_URI'],"
        " 'info' => $_SERVER['PATH_INFO'] ?? '', 'query' => $_SERVER['QUERY_STRING'],"
        " 'method' => $_SERVER['REQUEST_METHOD']]);")

SITE = {
    "index.php": SHOW, "spelled.php": SHOW, "folder/index.php": SHOW, "folder/deep/index.php": SHOW,
    "plain.css": "a { b: c }\n" * 40, "page/index.html": "<h1>page</h1>", "page/more.html": "<p>more</p>",
    "both/index.php": SHOW, "both/index.html": "<h1>not this</h1>", "none/file.txt": "text",
    ".env": "secret", ".git/config": "secret", "copy.php.bak": "<?php secret", "copy.php~": "<?php secret",
    "upper.PHP": "<?php secret", "lib.inc": "<?php secret", "old.phtml": "<?php secret", "pack.phar": "<?php secret",
    "dump.sql": "secret", ".well-known/acme-challenge/token": "token", "sp ace.txt": "space", "per%cent.txt": "percent",
    "que?ry.txt": "query", "uml\u00e4ut.txt": "umlaut", "a+b&c=d.txt": "plus", "no_ending": "bytes", "empty.txt": "",
    "x/y.css": "y",
}

PATHS = """
/ /? /?a=b /index.php /folder /folder/ /folder?x=1 /folder/?x=1 /folder/index.php /folder/index.php/more /folder/deep
/folder/deep/ /folder//deep/ /folder/./deep/ /folder/nothing /page /page/ /page/index.html /page/more.html /page/more.html/
/page/more.html/x /both /both/ /none /none/ /none/file.txt /nothing /nothing/ /nothing.css /nothing.php /nothing.php/x
/.env /.git /.git/ /.git/config /.well-known/acme-challenge/token /.well-known/ /.nothing /x/.env /copy.php.bak /copy.php~
/upper.PHP /lib.inc /old.phtml /pack.phar /dump.sql /sp%20ace.txt /per%25cent.txt /que%3Fry.txt /uml%C3%A4ut.txt
/a+b&c=d.txt /a%2bb%26c%3dd.txt /no_ending /empty.txt /link_out /link_in /link_dir/ /link_dir/more.html /fifo
/plain.css?x /plain.css#x /plain.css%00 /plain.css%20 /plain.css. /plain.css/ /plain.css/.. /plain.css/../plain.css
//evil.example/../page /%2fevil.example/%2e%2e/page /\\evil.example/../page //page //page/ /page// /page/%2e /page/. /page/..
/wiki/Some:Page /wp-json/wp/v2/posts?per_page=1 /a/b/c/ /feed/ /index.php/a/b
""".split()

CONDITIONS = [
    {}, {"Range": "bytes=0-9"}, {"Range": "bytes=5-"}, {"Range": "bytes=-5"}, {"Range": "bytes=0-0,10-19"},
    {"Range": "bytes=500-"}, {"Range": "bytes=9-5"}, {"Range": "lines=0-1"}, {"Range": "bytes=0-5", "If-Range": "ETAG"},
    {"Range": "bytes=0-5", "If-Range": '"other"'}, {"Range": "bytes=0-5", "If-Range": "DATE"},
    {"If-None-Match": "ETAG"}, {"If-None-Match": "W/ETAG"}, {"If-None-Match": '"other", ETAG'}, {"If-None-Match": "*"},
    {"If-None-Match": '"other"'}, {"If-Modified-Since": "DATE"}, {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"If-Match": "ETAG"}, {"If-Match": '"other"'}, {"If-Match": "*"}, {"If-Unmodified-Since": "DATE"},
    {"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"If-None-Match": '"other"', "If-Modified-Since": "DATE"},
]



def folder_without_index(path):
    return path.split("?")[0] in ("/none", "/none/", "/.well-known/")


# Where ticketgate answers otherwise than nginx: the reason, and which requests it is for.
DIFFERENT = {
    "a POST is the backend's, also where a file or a folder has this name; a redirect of it keeps it a POST":
        lambda method, path, fields, ours, nginxs: method == "POST" and nginxs[0] in (301, 405) and ours[0] in (200, 308),
    "a folder without an index is not shown, and its path is the fallback's":
        lambda method, path, fields, ours, nginxs: folder_without_index(path) and ours[0] == 200,
    "RFC 9110 14.2: ranges are for GET; a HEAD has the fields of the whole file":
        lambda method, path, fields, ours, nginxs: method == "HEAD" and "Range" in fields and ours[0] == 200,
    "RFC 9110 14.2: a malformed range does not count":
        lambda method, path, fields, ours, nginxs: fields.get("Range") == "bytes=9-5" and ours[0] == 200,
    "RFC 9110 15.5.17: an empty file has no such range":
        lambda method, path, fields, ours, nginxs: path == "/empty.txt" and "Range" in fields and ours[0] == 416,
    "the root is above itself, as RFC 3986 5.2.4 has it; no other file is reached":
        lambda method, path, fields, ours, nginxs: path.startswith("/../") or "..%2F..%2F" in path,
    "a backslash is a slash for the routing, so that no server behind it reads another path":
        lambda method, path, fields, ours, nginxs: "\\" in path or "%5C" in path,
    "a script is never text, in whatever case, nor is a link followed that leads out of the root":
        lambda method, path, fields, ours, nginxs: path in ("/upper.PHP", "/link_out") and b"secret" == nginxs[1][-6:],
    "a FIFO is not there":
        lambda method, path, fields, ours, nginxs: path == "/fifo" and ours[0] == 200,
    "a path with # or a control character is refused, or is the fallback's":
        lambda method, path, fields, ours, nginxs: "#" in path or "%0A" in path,
    "what follows a script is not the name of a file, so nothing of it is hidden":
        lambda method, path, fields, ours, nginxs: path == "/spelled.php/.css" and ours[0] == 200,
}


class Answer:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1])
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            self.fields[name.lower()] = value
        if self.fields.get("transfer-encoding") == "chunked":
            rest, self.body = self.body, b""
            while rest:
                size, _, rest = rest.partition(b"\r\n")
                self.body += rest[:int(size, 16)]
                rest = rest[int(size, 16) + 2:]

    def summary(self):
        """What a user of the site sees of it; the pages of errors differ in their text."""
        if 300 <= self.status < 400:
            return self.status, self.fields.get("location", "")
        if self.status >= 400:
            return self.status, ""
        if self.body and self.fields.get("content-type", "").startswith("application/json"):
            shown = json.loads(self.body)
            return self.status, shown["script"] + "|" + shown["info"] + "|" + shown["uri"] + "|" + shown["query"]
        return self.status, self.body


def ask(port, path, method="GET", fields=None):
    lines = "".join(f"{name}: {value}\r\n" for name, value in (fields or {}).items())
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(f"{method} {path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n{lines}\r\n".encode())
        raw = b""
        while piece := client.recv(1 << 16):
            raw += piece
    return Answer(raw)


class BesideNginx(Fpm):
    needs = ["nginx", "php-fpm8.2"]

    def start(self):
        for name, text in SITE.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            os.utime(path, (1_700_000_000, 1_700_000_000))
        for folder, _, _ in os.walk(self.root):
            os.chmod(folder, 0o755)
        (self.folder / "outside").write_text("secret")
        (self.root / "link_out").symlink_to("../outside")
        (self.root / "link_in").symlink_to("page/more.html")
        (self.root / "link_dir").symlink_to("page")
        os.mkfifo(self.root / "fifo")
        super().start()
        self.nginx = free_port()
        conf = self.folder / "nginx.conf"
        conf.write_text(f"""daemon off;
user www-data;
pid {self.folder}/nginx.pid;
error_log {self.folder}/nginx.err;
events {{ }}
http {{
  access_log off;
  include /etc/nginx/mime.types;
  disable_symlinks if_not_owner from=$document_root;
  client_body_temp_path {self.folder}/body; fastcgi_temp_path {self.folder}/fcgi; proxy_temp_path {self.folder}/proxy;
  uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
  server {{
    listen 127.0.0.1:{self.nginx};
    root {self.root};
    index index.php index.html;
    absolute_redirect off;
    location ~ /\\.(?!well-known/) {{ return 404; }}
    location ~* (\\.bak|\\.sql|~)$ {{ return 404; }}
    location ~* \\.(phtml|phar|inc)$ {{ try_files /none /index.php$is_args$args; }}
    location ~ ^.+?\\.php(/|$) {{
      fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param PATH_INFO $fastcgi_path_info;
      fastcgi_pass 127.0.0.1:{self.port};
    }}
    location / {{ try_files $uri $uri/ /index.php$is_args$args; }}
  }}
}}
""")
        self.run("nginx", "-c", str(conf), "-e", str(self.folder / "nginx.err"))
        wait_for(lambda: answers(self.nginx), "nginx listens")


class TestBesideNginx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for need in BesideNginx.needs:
            if not shutil.which(need, path=os.environ["PATH"] + ":/usr/sbin"):
                raise unittest.SkipTest(f"{need} is not installed")
        cls.temporary = tempfile.TemporaryDirectory(prefix="ticketgate-real-")
        folder = pathlib.Path(cls.temporary.name)
        folder.chmod(0o777)
        (folder / "b").mkdir()
        cls.backend = BesideNginx(folder / "b")
        cls.port = free_port()
        config = folder / "ticketgate.yaml"
        config.write_text(f"""
listen: [{{ address: "127.0.0.1:{cls.port}" }}]
log: {{ access_file: "{folder}/access.log" }}
upstreams:
  php:
    url: "fastcgi://127.0.0.1:{cls.backend.port}"
    fastcgi: {{ root: "{cls.backend.root}" }}
    files: {{ root: "{cls.backend.root}", try: [path, path/, /index.php] }}
routes: [{{ prefix: /, upstream: php, queue: q }}]
""")
        cls.gate = Process([TICKETGATE, "-c", str(config)], folder / "gate.log")
        wait_for(lambda: answers(cls.port), "ticketgate listens")
        wait_for(lambda: answers(cls.backend.port), "php-fpm listens")

    @classmethod
    def tearDownClass(cls):
        code = cls.gate.stop()
        cls.backend.stop()
        cls.temporary.cleanup()
        assert code == 0, f"ticketgate ended with {code}"
        unused = set(DIFFERENT) - cls.used
        assert not unused, f"nothing differs so any more: {unused}"

    used = set()

    def compare(self, method, path, ours, nginxs, fields=None):
        ours, nginxs = ours.summary(), nginxs.summary()
        if ours == nginxs:
            return
        reasons = {why for why, holds in DIFFERENT.items() if holds(method, path, fields or {}, ours, nginxs)}
        self.assertTrue(reasons, f"{method} {path} {fields}: {ours}, nginx: {nginxs}")
        self.used.update(reasons)

    def test_paths_are_answered_as_by_nginx(self):
        corpus = PATHS + SPELLINGS + [path.replace("spelled.php", "plain.css") for path in SPELLINGS]
        corpus += [path.replace("spelled.php", "folder") for path in SPELLINGS]
        for path in dict.fromkeys(corpus):
            for method in ("GET", "HEAD", "POST"):
                with self.subTest(path=path, method=method):
                    ours, nginxs = (ask(port, path, method, {"Content-Length": "0"} if method == "POST" else None)
                                    for port in (self.port, self.backend.nginx))
                    self.assertNotIn(b"secret", ours.body)
                    self.compare(method, path, ours, nginxs)

    def test_conditions_are_judged_as_by_nginx(self):
        for path in ("/plain.css", "/empty.txt"):
            plain = {port: ask(port, path) for port in (self.port, self.backend.nginx)}
            for fields in CONDITIONS:
                for method in ("GET", "HEAD"):
                    with self.subTest(path=path, fields=fields, method=method):
                        got = []
                        for port in (self.port, self.backend.nginx):
                            sent = {name: value.replace("ETAG", plain[port].fields["etag"])
                                    .replace("DATE", plain[port].fields["last-modified"])
                                    for name, value in fields.items()}
                            answer = ask(port, path, method, sent)
                            if boundary := re.search("boundary=(.*)", answer.fields.get("content-type", "")):
                                answer.body = answer.body.replace(boundary[1].encode(), b"BOUNDARY").strip()
                            if 200 <= answer.status < 300:
                                answer.body += answer.fields.get("content-range", "").encode()
                            answer.body = answer.body.replace(b"; charset=utf-8", b"")
                            got.append(answer)
                        self.compare(method, path, *got, fields)


class TestASlowDisk(unittest.TestCase):
    """Reads that hang hold up the requests that need them, and nothing else."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="ticketgate-real-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "disk").mkdir()
        contents = {"index.html": b"<h1>at once</h1>", "late.css": b"lost", "shut.css": b"open", "denied.css": b"", "told.css": b"closed"}
        contents |= {f"slow{n}.bin": bytes([n]) * 300_000 for n in range(8)}
        contents |= {"direct.css": b"a { b: c }\n" * 20_000, "direct.bin": bytes(5 << 20)}
        try:
            self.disk = SlowDisk(self.folder / "disk", contents)
        except OSError as why:
            self.skipTest(f"a file system cannot be mounted here: {why}")
        self.addCleanup(self.disk.stop)
        self.sink = Sink()
        self.addCleanup(close_door, self.sink.door)
        self.port, self.admin = free_port(), free_port()

    def start(self, more=""):
        config = self.folder / "ticketgate.yaml"
        config.write_text(f"""
listen: [{{ address: "127.0.0.1:{self.port}" }}]
admin: {{ address: "127.0.0.1:{self.admin}" }}
log: {{ access_file: "{self.folder}/access.log" }}
upstreams: {{ app: {{ url: "http://127.0.0.1:{self.sink.port}", files: {{ root: "{self.folder}/disk" }} }} }}
defaults: {{ upstream: app }}
routes:
  - {{ prefix: /, queue: q, response_timeout: 30s }}
{more}""")
        self.gate = Process([TICKETGATE, "-c", str(config)], self.folder / "gate.log")
        self.addCleanup(self.gate.stop)
        wait_for(lambda: answers(self.port, self.admin), "ticketgate listens")

    def hang(self, paths):
        """Clients whose requests wait for the disk."""
        clients = []
        for path in paths:
            client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            self.addCleanup(client.close)
            clients.append(client)
        return clients

    @staticmethod
    def rest_of(client):
        raw = b""
        while piece := client.recv(1 << 16):
            raw += piece
        return Answer(raw)

    def test_holds_up_nothing_else(self):
        self.start("file_io: { threads: 4, max_waiting: 16 }")
        self.assertEqual(ask(self.port, "/").body, b"<h1>at once</h1>")
        clients = self.hang(f"/slow{n}.bin" for n in range(3))
        wait_for(lambda: self.disk.waiting >= 3, "reads hang")
        waits = []
        for n in range(200):
            begin = time.monotonic()
            self.assertEqual(ask(self.port, "/x.php").body, b"ok")
            waits.append(time.monotonic() - begin)
        print(f"\n{self.disk.waiting} reads hang: 200 requests of the backend took at most {max(waits) * 1000:.1f} ms")
        self.assertEqual(ask(self.port, "/").body, b"<h1>at once</h1>", "another file of the same disk")
        self.disk.release()
        for n, client in enumerate(clients):
            self.assertEqual(self.rest_of(client).body, bytes([n]) * 300_000)

    # The kernel knows the name, so the look at it is over at once; the open of the file is what waits.
    def test_that_opens_no_file_holds_up_nothing_else(self):
        self.start("threads: 1")
        os.stat(self.folder / "disk" / "shut.css")
        [client] = self.hang(["/shut.css"])
        wait_for(lambda: self.disk.waiting >= 1, "the open hangs")
        self.assertEqual(ask(self.port, "/x.php").body, b"ok")
        self.disk.release()
        self.assertEqual(self.rest_of(client).body, b"open")

    def test_that_closes_no_file_holds_up_nothing_else(self):
        self.start("threads: 1")
        self.assertEqual(ask(self.port, "/told.css").body, b"closed")
        try:
            wait_for(lambda: self.disk.waiting >= 1, "the close hangs")
        except AssertionError:  # once, beside busy loops: was the file still open?
            opened = pathlib.Path(f"/proc/{self.gate.child.pid}/fd")
            raise AssertionError([os.readlink(one) for one in opened.iterdir()])
        self.assertEqual(ask(self.port, "/x.php").body, b"ok")

    def test_that_denies_a_file_changes_nothing_for_others(self):
        healthy = self.folder / "healthy"
        healthy.mkdir()
        (healthy / "real.txt").write_text("healthy")
        (healthy / "link.txt").symlink_to("real.txt")
        self.start(f"""  - {{ prefix: /healthy, files: {{ root: "{self.folder}" }} }}""")
        self.assertEqual(ask(self.port, "/healthy/link.txt").body, b"healthy")
        os.stat(self.folder / "disk" / "denied.css")
        ask(self.port, "/denied.css")
        self.assertEqual(ask(self.port, "/healthy/link.txt").body, b"healthy")

    def test_holds_up_no_other_root(self):
        healthy = self.folder / "healthy"
        healthy.mkdir()
        self.start(f"""  - {{ prefix: /healthy, files: {{ root: "{self.folder}", try: [path] }} }}
file_io: {{ threads: 2, max_waiting: 2 }}""")
        clients = self.hang(f"/slow{n}.bin" for n in range(8))
        wait_for(lambda: self.disk.waiting >= 2, "both threads of the root hang")
        for n in range(10):
            (healthy / f"new{n}.txt").write_text("healthy")
            self.assertEqual(ask(self.port, f"/healthy/new{n}.txt").body, b"healthy")
        self.disk.release()
        del clients

    def test_has_bounded_places(self):
        self.start("file_io: { threads: 2, max_waiting: 2 }")
        clients = self.hang(f"/slow{n}.bin" for n in range(8))
        wait_for(lambda: len(select.select(clients, [], [], 0)[0]) >= 4, "all but four are refused")
        refused = select.select(clients, [], [], 0)[0]
        # a look-up that is just over may still have a place
        self.assertEqual({self.rest_of(client).status for client in refused}, {503})
        # what the backend answers without a look at the disk goes on
        self.assertEqual(ask(self.port, "/x.php").body, b"ok")
        self.disk.release()
        served = [answer for client in set(clients) - set(refused)
                  for answer in [self.rest_of(client)] if answer.status != 503]
        self.assertIn(len(served), range(1, 5))
        for answer in served:
            self.assertEqual(len(answer.body), 300_000)

    def is_read_for_each(self, path, times):
        """Whether each of so many requests read the file from the disk."""
        read = self.disk.reads[path]
        for n in range(times):
            self.assertEqual(ask(self.port, f"/{path}").body, self.disk.files[path])
            if self.disk.reads[path] == read:
                return False
            read = self.disk.reads[path]
        return True

    def test_is_not_read_for_each_client_of_a_file(self):
        self.start()
        wait_for(lambda: not self.is_read_for_each("direct.css", 10), "an answer comes from a copy")
        self.assertEqual(ask(self.port, "/direct.css", fields={"Range": "bytes=11-21"}).body, b"a { b: c }\n")
        self.assertTrue(self.is_read_for_each("direct.bin", 10), "5 MiB: more than an eighth of 32 MiB")

    def test_is_read_for_each_client_where_no_memory_is_given(self):
        self.start("file_io: { max_memory: 0 }")
        self.assertTrue(self.is_read_for_each("direct.css", 20))

    def test_is_left_by_clients_that_leave_and_by_the_end(self):
        self.start("drain_timeout: 1s")
        for client in self.hang(["/slow1.bin", "/lost", "/slow2.bin"]):
            wait_for(lambda: self.disk.waiting >= 1, "they hang")
            client.close()
        self.assertEqual(ask(self.port, "/x.php").body, b"ok")
        self.hang(["/slow3.bin"])
        begin = time.monotonic()
        self.gate.child.terminate()
        self.gate.child.wait(60)
        self.assertEqual(self.gate.child.returncode, 0)
        print(f"\nthe end took {time.monotonic() - begin:.1f} s while reads hung")


if __name__ == "__main__":
    TICKETGATE = real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
