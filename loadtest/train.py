#!/usr/bin/env python3
"""The load that a profiled build is optimised for (cmake/profile.cmake): train.py BUILD

BUILD has ticketgate, tg_backend and tg_worker. Sends what most requests of a day are: browsers' GETs and some POSTs,
with few clients and with many, over HTTP, FastCGI and ticketgate's own workers, queued and not, over TLS, and files. It
measures nothing. Ends with an error if an answer is not as it should be, since a profile of faults helps nobody.
"""
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import time

FIELDS = """Host: app.example.test
User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*
Accept-Language: en-GB,en;q=0.8,de;q=0.5
Accept-Encoding: gzip, deflate, br, zstd
Referer: http://app.example.test/orders/list?page=3&sort=created&direction=descending
Cookie: session=5f2d1c0b9a8e7d6c5b4a39281706f5e4d3c2b1a0; theme=dark; csrf=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg
DNT: 1
Upgrade-Insecure-Requests: 1
Sec-Fetch-Dest: document
Sec-Fetch-Mode: navigate
Sec-Fetch-Site: same-origin
Priority: u=0, i
""".replace("\n", "\r\n")

CONFIG = """
listen:
  - address: "127.0.0.1:{plain}"
  - {{ address: "127.0.0.1:{tls}", tls: {{ certificates: [{{ certificate: "{folder}/cert.pem", key: "{folder}/key.pem" }}] }} }}
threads: 1
log: {{ access_file: "{folder}/access.log" }}
upstreams:
  http: {{ url: "http://127.0.0.1:{http}" }}
  php: {{ url: "fastcgi://127.0.0.1:{fcgi}", fastcgi: {{ root: "{folder}" }} }}
  php_new: {{ url: "fastcgi://127.0.0.1:{fcgi}", fastcgi: {{ root: "{folder}", keep_alive: false }} }}
  own: {{ workers: {{ command: ["{build}/tg_worker", "127.0.0.1:{fcgi}"], min: 4, max: 4 }}, fastcgi: {{ root: "{folder}" }} }}
queues: {{ q: {{ }}, workers: {{ max_in_flight: 4 }} }}
defaults: {{ upstream: http, queue: off }}
routes:
  - prefix: /
    routes:
      - {{ prefix: /line, queue: q }}
      - {{ prefix: /php, upstream: php }}
      - {{ prefix: /new, upstream: php_new }}
      - {{ prefix: /own, upstream: own, queue: workers }}
      - {{ prefix: /files, files: {{ root: "{folder}" }} }}
"""

# Target, number of connections, requests on each of them, TLS.
CASES = [("/page", 1, 2000, False), ("/page", 64, 200, False), ("/line/page", 1, 1000, False), ("/line/page", 64, 200, False),
         ("/php/index.php", 8, 1500, False), ("/new/index.php", 8, 500, False), ("/own/index.php", 8, 500, False),
         ("/files/small.css", 8, 1000, False), ("/files/large.bin", 4, 25, False), ("/line/page", 16, 200, True),
         ("POST /line/form", 16, 100, False), ("POST /php/form.php", 16, 100, False)]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def connect(port, tls, patience=30):
    end = time.monotonic() + patience
    while True:
        try:
            plain = socket.create_connection(("127.0.0.1", port), timeout=patience)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return tls.wrap_socket(plain) if tls else plain
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)  # it starts; nothing tells when it listens


def read_answer(connection, what):
    answer = b""
    while (end := answer.find(b"\r\n\r\n")) < 0:
        part = connection.recv(65536)
        if not part:
            sys.exit(f"train.py: {what}: the connection ended in {answer!r}")
        answer += part
    head = answer[:end].decode("latin-1").lower()
    if " 200 " not in head.split("\r\n", 1)[0]:
        sys.exit(f"train.py: {what}: {head}")
    if "\r\ncontent-length:" not in head:  # a FastCGI answer
        while not answer.endswith(b"\r\n0\r\n\r\n"):
            answer += connection.recv(65536)
        return
    left = int(head.split("\r\ncontent-length:", 1)[1].split("\r\n", 1)[0]) - (len(answer) - end - 4)
    while left > 0:
        left -= len(connection.recv(262144))


def send(port, target, connections, times, tls):
    method, path = target.split() if " " in target else ("GET", target)
    body = b"x" * 2000 if method == "POST" else b""
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    request = f"{method} {path} HTTP/1.1\r\n{FIELDS}{length}\r\n".encode() + body
    clients = [connect(port, tls) for _ in range(connections)]
    for _ in range(times):
        for client in clients:
            client.sendall(request)
        for client in clients:
            read_answer(client, target)
    for client in clients:
        client.close()


def main(build):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=app.example.test", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                       check=True, capture_output=True)
        (folder / "files").mkdir()
        (folder / "files/small.css").write_bytes(b"a { b: c }\n" * 90)
        (folder / "files/large.bin").write_bytes(b"0123456789abcdef" * 65536)
        ports = {each: free_port() for each in ("plain", "tls", "http", "fcgi")}
        config = folder / "ticketgate.yaml"
        config.write_text(CONFIG.format(folder=folder, build=build, **ports))
        backend = subprocess.Popen([build / "tg_backend", "--listen", str(ports["http"]), "--fastcgi", str(ports["fcgi"]),
                                    "--process", "--limit", "64", "--log-lines", "0"], stdout=subprocess.DEVNULL)
        with open(folder / "log", "w") as log:
            gate = subprocess.Popen([build / "ticketgate", "-c", config], stdout=subprocess.DEVNULL, stderr=log)
        trusting = ssl.create_default_context(cafile=folder / "cert.pem")
        trusting.check_hostname = False
        try:
            for target, connections, times, tls in CASES:
                send(ports["tls" if tls else "plain"], target, connections, times, trusting if tls else None)
        finally:
            gate.terminate()  # it writes its profile as it ends
            ended = gate.wait(60)
            backend.terminate()
            backend.wait(60)
        if ended != 0:
            sys.exit(f"train.py: ticketgate ended with {ended}\n{(folder / 'log').read_text()}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
