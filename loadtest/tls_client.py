#!/usr/bin/env python3
"""A TLS client for loadtest/tls.sh. It makes N connections with one request on each.

  tls_client.py PORT full N      N connections, each with a whole handshake
  tls_client.py PORT resumed N   N connections that resume the session of the one before
  tls_client.py PORT bulk N      one connection, N answers of 10 MB
  tls_client.py PORT idle N      N connections that stay open; prints "holding", ends at the end of standard input
  It prints the number of connections. It does not verify the certificate.
"""
import socket
import ssl
import sys
import threading

REQUEST = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
BULK = 10_000_000


def settings():
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    return made


def connect(made, port, session=None):
    return made.wrap_socket(socket.create_connection(("127.0.0.1", port)), session=session)


def ask(connection, path=b"/"):
    connection.sendall(REQUEST % path)
    got = b""
    while b"\r\n\r\n" not in got:
        piece = connection.recv(65536)
        if not piece:
            raise SystemExit("the connection ended")
        got += piece
    head, body = got.split(b"\r\n\r\n", 1)
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    left, room = length - len(body), bytearray(1 << 18)
    while left > 0:
        n = connection.recv_into(room)
        if n == 0:
            raise SystemExit("the body was cut")
        left -= n


def hand_shakes(port, count, resumed):
    made, session, again = settings(), None, 0
    for _ in range(count):
        connection = connect(made, port, session if resumed else None)
        ask(connection)
        again += connection.session_reused
        session = connection.session
        connection.close()
    return again


def main():
    port, mode, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    if mode == "idle":
        made = settings()
        held = [connect(made, port) for _ in range(count)]
        for connection in held:
            ask(connection)
        print("holding", flush=True)
        sys.stdin.read()
    elif mode == "bulk":
        connection = connect(settings(), port)
        for _ in range(count):
            ask(connection, b"/?size=%d" % BULK)
    else:
        again = []
        workers = [threading.Thread(target=lambda: again.append(hand_shakes(port, count // 4, mode == "resumed")))
                   for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        expected = count // 4 * 4 - 4 if mode == "resumed" else 0
        if len(again) != 4 or sum(again) != expected:
            raise SystemExit(f"{sum(again)} of {count} were resumed")
    print(count)


if __name__ == "__main__":
    main()
