#!/usr/bin/env python3
"""TLS with common programs: curl and openssl s_client as clients, nginx as the backend.

The test makes its certificates with the openssl program, in a temporary folder. Usage: tls_test.py TICKETGATE.
"""
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from real_test import Process, answers, free_port, wait_for

TICKETGATE = None


def run(*command, **options):
    return subprocess.run(command, capture_output=True, timeout=60, **options)


class Folder:
    """A CA, the certificates that it signed, and a page to fetch."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="ticketgate-tls-")
        self.path = pathlib.Path(self.temporary.name)
        self.path.chmod(0o755)  # for nginx's workers
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=authority",
            "-keyout", self / "ca.key", "-out", self / "ca.pem", check=True)

    def __truediv__(self, name):
        return str(self.path / name)

    def issue(self, name, *names):
        (self.path / "ext").write_text("subjectAltName=" + ",".join(f"DNS:{n}" for n in names))
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-keyout", self / f"{name}.key", "-out", self / f"{name}.csr", check=True)
        run("openssl", "x509", "-req", "-in", self / f"{name}.csr", "-CA", self / "ca.pem", "-CAkey", self / "ca.key",
            "-CAcreateserial", "-days", "30", "-extfile", self / "ext", "-out", self / f"{name}.pem", check=True)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder = Folder()
        folder.issue("one", "one.test", "localhost")
        folder.issue("two", "two.test", "*.two.test")
        cls.port, cls.backend_port = free_port(), free_port()
        body = hashlib.shake_256(b"x").digest(10_000_000)
        cls.body = body
        (folder.path / "www").mkdir()
        (folder.path / "www" / "big").write_bytes(body)
        (folder.path / "www" / "small").write_text("small")
        cls.nginx = cls.start_nginx()
        certificates = ", ".join(f"{{certificate: {n}.pem, key: {n}.key}}" for n in ("one", "two"))
        (folder.path / "gate.yaml").write_text(f"""
listen: [{{ address: "127.0.0.1:{cls.port}", tls: {{ certificates: [{certificates}] }} }}]
upstreams: {{ app: {{ url: "https://127.0.0.1:{cls.backend_port}", tls: {{ ca_file: ca.pem, server_name: one.test }} }} }}
routes: [{{ prefix: /, upstream: app, queue: q }}]
log: {{ access: off }}
""")
        cls.gate = Process([TICKETGATE, "-c", folder / "gate.yaml"], folder / "gate.log")
        wait_for(lambda: answers(cls.port) and answers(cls.backend_port), "both listen")

    @classmethod
    def tearDownClass(cls):
        cls.gate.stop()
        cls.nginx.stop()

    @classmethod
    def start_nginx(cls):
        folder = cls.folder
        user = "user root;" if os.geteuid() == 0 else ""
        (folder.path / "nginx.conf").write_text(f"""{user} daemon off; pid {folder / 'nginx.pid'}; error_log stderr;
events {{}}
http {{ access_log off;
  {' '.join(f"{k}_temp_path {folder / k};" for k in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))}
  server {{ listen 127.0.0.1:{cls.backend_port} ssl; root {folder / 'www'};
    ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate {folder / 'one.pem'}; ssl_certificate_key {folder / 'one.key'};
    location /ssl {{ return 200 "$ssl_protocol $ssl_session_reused $http_x_forwarded_proto"; }} }} }}
""")
        return Process(["nginx", "-c", folder / "nginx.conf"], folder / "nginx.log")

    def curl(self, path, *more, name="one.test"):
        return run("curl", "-sS", "--cacert", self.folder / "ca.pem", "--resolve", f"{name}:{self.port}:127.0.0.1", *more,
                   f"https://{name}:{self.port}{path}")

    def s_client(self, *more, said=b""):
        return run("openssl", "s_client", "-connect", f"127.0.0.1:{self.port}", "-CAfile", self.folder / "ca.pem", *more,
                   input=said)

    def test_curl_gets_a_page_with_tls_on_both_sides(self):
        got = self.curl("/big")
        self.assertEqual(got.stderr, b"")
        self.assertTrue(got.stdout == self.body)
        self.assertEqual(self.curl("/ssl").stdout.split()[0::2], [b"TLSv1.3", b"https"])

    def test_a_large_answer_arrives_whole_with_each_tls_version(self):
        for version in ("1.2", "1.3"):
            got = self.curl("/big", "--tlsv" + version, "--tls-max", version)
            self.assertTrue(got.stdout == self.body, version)

    def test_parallel_tls_clients_are_queued_and_all_served(self):
        urls = [f"https://one.test:{self.port}/small"] * 50
        got = run("curl", "-sS", "--cacert", self.folder / "ca.pem", "--resolve", f"one.test:{self.port}:127.0.0.1",
                  "--parallel", "--parallel-max", "20", "-w", "%{http_code}\n", *urls)
        self.assertEqual(got.stdout.count(b"200"), 50, got.stderr)

    def test_the_sni_selects_the_certificate(self):
        for name, subject in (("one.test", "one"), ("two.test", "two"), ("a.two.test", "two"), ("none.test", "one")):
            got = self.s_client("-servername", name)
            self.assertIn(f"subject=CN = {subject}".encode(), got.stdout, name)
        self.assertIn(b"subject=CN = one", self.s_client("-noservername").stdout)

    def test_sessions_are_resumed(self):
        for version in ("-tls1_2", "-tls1_3"):
            session = self.folder / "session"
            first = self.s_client(version, "-sess_out", session, "-ign_eof",
                                  said=b"GET /small HTTP/1.1\r\nHost: one.test\r\nConnection: close\r\n\r\n")
            self.assertIn(b"New, TLSv1", first.stdout)
            self.assertIn(b"Reused, TLSv1", self.s_client(version, "-sess_in", session).stdout, version)

    def test_weak_versions_and_ciphers_are_refused(self):
        for weak in (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], ["-tls1_2", "-cipher", "AES128-SHA:AES256-GCM-SHA384"],
                     ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"]):
            got = self.s_client(*weak)
            self.assertRegex(got.stdout + got.stderr, b"Cipher is \\(NONE\\)|alert", weak)
            self.assertNotEqual(got.returncode, 0, weak)

    def test_renegotiation_is_refused(self):
        got = self.s_client("-tls1_2", said=b"R\n")
        self.assertIn(b"RENEGOTIATING", got.stderr + got.stdout)
        self.assertIn(b"no renegotiation", got.stderr + got.stdout)

    def test_sighup_loads_a_renewed_certificate(self):
        self.folder.issue("two", "two.test", "*.two.test", "renewed.test")
        os.kill(self.gate.child.pid, signal.SIGHUP)
        wait_for(lambda: b"subject=CN = two" in self.s_client("-servername", "renewed.test").stdout, "it is shown")

    def test_plain_http_gets_400_with_an_explanation(self):
        got = run("curl", "-sS", "-i", f"http://127.0.0.1:{self.port}/x")
        self.assertTrue(got.stdout.startswith(b"HTTP/1.1 400 "), got)
        self.assertIn(b"plain HTTP was sent", got.stdout)


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin"
    TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
