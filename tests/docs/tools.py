"""Runs the programs that check the code on the pages, in temporary folders: ticketgate, nginx, Apache, php-fpm, bash."""
import configparser
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache, cached_property

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "real"))
from real_test import free_port  # noqa: E402

PATIENCE = 60
os.environ["PATH"] += ":/usr/sbin"

# A config with every feature that adds metrics.
RUNNING = """
listen:
  - {{ address: "127.0.0.1:0" }}
  - {{ address: "127.0.0.1:0", name: https, tls: {{ certificates: [{{ certificate: {folder}/cert.pem, key: {folder}/key.pem }}] }} }}
admin: {{ address: "unix:{folder}/admin" }}
upstreams:
  app: {{ url: "http://127.0.0.1:{nobody}" }}
  php:
    url: "fastcgi://127.0.0.1:{nobody}"
    fastcgi: {{ root: /tmp, status: {{ url: "fastcgi://127.0.0.1:{nobody}" }} }}
  own: {{ workers: {{ command: [/bin/false] }}, fastcgi: {{ root: /tmp }} }}
queues: {{ php: {{ release: worker_idle }}, one: {{ cluster: true, hold_timeout: never }} }}
cluster:
  name: docs
  store: {{ endpoints: ["http://127.0.0.1:{nobody}"] }}
  peer: {{ listen: "127.0.0.1:0", advertise: "127.0.0.1:1", secret: 0123456789abcdef }}
id_service: {{ address: "127.0.0.1:0", worker: 3, state_file: state }}
ids: {{ other: {{ more: {{ header: X-More, format: ulid }} }} }}
routes:
  - {{ prefix: /, upstream: app, queue: app }}
  - {{ prefix: /php, upstream: php, queue: php }}
  - {{ prefix: /own, upstream: own }}
  - {{ prefix: /one, upstream: app, queue: one }}
"""


class AdminConnection(http.client.HTTPConnection):
    """An HTTP connection to a listener on a unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Tools:
    def __init__(self, ticketgate):
        self.ticketgate = os.path.abspath(ticketgate)
        self.temporary = tempfile.TemporaryDirectory(prefix="ticketgate-docs-")
        self.folder = pathlib.Path(self.temporary.name)
        self.child = None
        self.skipped = set()

    def close(self):
        if self.child:
            self.child.terminate()
            self.child.wait(PATIENCE)
        self.temporary.cleanup()

    def run(self, *command, text=None, env=None):
        """Runs a program. Returns its output if it fails, else None."""
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=PATIENCE, cwd=self.folder,
                              env=env)
        return None if done.returncode == 0 else (done.stdout + done.stderr).strip() or f"exit {done.returncode}"

    def installed(self, program):
        if shutil.which(program):
            return True
        self.skipped.add(program)
        return False

    @cache
    def help(self, *words):
        return subprocess.run([self.ticketgate, *words, "--help"], capture_output=True, text=True,
                              timeout=PATIENCE).stdout

    @cached_property
    def schema(self):
        return json.loads(subprocess.run([self.ticketgate, "schema"], capture_output=True, text=True,
                                         timeout=PATIENCE, check=True).stdout)

    @cached_property
    def certificate(self):
        """Writes a certificate and its key into one file, which serves for both settings."""
        file = self.folder / "any.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=localhost", "-keyout", file, "-out", self.folder / "cert"],
                       check=True, capture_output=True)
        file.write_text(file.read_text() + (self.folder / "cert").read_text())
        return file

    def check_config(self, text):
        """Runs ticketgate check. Creates every file that the configuration names, and sets every variable."""
        for key, name in re.findall(r"\b(certificate|key|ca_file|client_ca|body_file|token_file): ([\w./-]+)", text):
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if key in ("body_file", "token_file"):
                place.write_text("text")
            elif not place.exists():
                shutil.copy(self.certificate, place)
        (self.folder / "var/lib/ticketgate").mkdir(parents=True, exist_ok=True)
        file = self.folder / "page.yaml"
        file.write_text(text.replace("/var/lib/", f"{self.folder}/var/lib/"))
        variables = {name: "documented" for name in re.findall(r"\$\{([A-Z][A-Z0-9_]*)\}", text)}
        return self.run(self.ticketgate, "check", "-c", str(file), env={"PATH": os.environ["PATH"], **variables})

    def check_nginx(self, text):
        if not self.installed("nginx"):
            return None
        shutil.copy("/etc/nginx/fastcgi_params", self.folder)
        text = re.sub(r"\blisten [^;]+;", lambda _: f"listen 127.0.0.1:{free_port()};", text)
        if not re.search(r"^server\b", text, re.M):
            text = f"server {{ listen 127.0.0.1:{free_port()};\n{text}}}\n"
        file = self.folder / "nginx.conf"
        file.write_text(f"pid {self.folder}/nginx.pid;\nevents {{ }}\nhttp {{\naccess_log off;\n{text}}}\n")
        return self.run("nginx", "-t", "-p", str(self.folder), "-c", str(file), "-e", str(self.folder / "nginx.err"))

    def check_apache(self, text):
        if not self.installed("apache2"):
            return None
        modules = ["mpm_prefork", "authz_core", "alias", "dir", "setenvif", "env", "remoteip", "rewrite"]
        loads = "".join(f"LoadModule {m}_module /usr/lib/apache2/modules/mod_{m}.so\n" for m in modules)
        port, file = free_port(), self.folder / "apache.conf"
        text = re.sub(r"<VirtualHost [^>]+>", f"<VirtualHost 127.0.0.1:{port}>", text)
        if "<VirtualHost" not in text:
            text = f"<VirtualHost 127.0.0.1:{port}>\nDocumentRoot {self.folder}\n{text}</VirtualHost>\n"
        file.write_text(f"{loads}ServerName localhost\nListen 127.0.0.1:{port}\nPidFile {self.folder}/apache.pid\n"
                        f"ErrorLog {self.folder}/apache.err\nDefaultRuntimeDir {self.folder}\n{text}")
        return self.run("apache2", "-t", "-f", str(file))

    def check_fpm_pool(self, text):
        if not self.installed("php-fpm8.2"):
            return None
        listen = "" if re.search(r"^listen =", text, re.M) else f"listen = {self.folder}/fpm.sock\n"
        file = self.folder / "fpm.conf"
        file.write_text(f"[global]\nerror_log = {self.folder}/fpm.err\n[www]\nuser = www-data\ngroup = www-data\n"
                        f"pm = static\npm.max_children = 2\n{listen}{text}")
        return self.run("php-fpm8.2", "-t", "-y", str(file))

    def check_php(self, text):
        if not self.installed("php8.2"):
            return None
        file = self.folder / "page.php"
        file.write_text(text)
        return self.run("php8.2", "-l", str(file))

    def check_systemd(self, text):
        """Sections and settings must occur in the units of this repository or be allowed in a drop-in for them."""
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str
        try:
            parser.read_string(text)
        except configparser.Error as error:
            return str(error)
        known = {"Unit", "Service", "Install"}, {
            "SupplementaryGroups", "AmbientCapabilities", "CapabilityBoundingSet", "DynamicUser", "User", "MemoryDenyWriteExecute",
            "ReadWritePaths"}
        wrong = [s for s in parser.sections() if s not in known[0]]
        wrong += [key for s in parser.sections() for key in parser[s] if key not in known[1]]
        return f"not known: {', '.join(wrong)}" if wrong else None

    def check_shell(self, text):
        return self.run("bash", "-n", text=text)

    def start(self):
        """Starts ticketgate on loopback and a unix socket. Returns when its log reports that it listens."""
        if self.child:
            return
        nobody = free_port()  # bound and not listening, so connections are refused
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=localhost", "-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem"],
                       check=True, capture_output=True)
        (self.folder / "running.yaml").write_text(RUNNING.format(folder=self.folder, nobody=nobody))
        self.child = subprocess.Popen([self.ticketgate, "-c", str(self.folder / "running.yaml")], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        told = self.read_until(self.child.stderr, "info id service address=")
        self.port = int(re.search(r"info listening address=127\.0\.0\.1:(\d+)", told)[1])
        threading.Thread(target=self.child.stderr.read, daemon=True).start()

    def read_until(self, stream, what):
        """Reads the output up to and including the line that contains this text."""
        timer = threading.Timer(PATIENCE, self.child.kill)
        timer.start()
        told = ""
        while what not in told and (line := stream.readline()):
            told += line
        timer.cancel()
        assert what in told, f"ticketgate does not print '{what}': {told}"
        return told

    def ask(self, path):
        self.start()
        connection = AdminConnection(str(self.folder / "admin"))
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    @cached_property
    def metrics(self):
        """The labels of each metric of a running ticketgate."""
        page = self.ask("/metrics")[1]
        found = {name: set() for name in re.findall(r"^# TYPE (\S+)", page, re.M)}
        for name, labels in re.findall(r"^(\w+)\{(.*)\} ", page, re.M):
            family = re.sub(r"_(bucket|sum|count)$", "", name)
            found.setdefault(name if name in found else family, set()).update(re.findall(r'(\w+)="', labels))
        return found

    @cached_property
    def log_fields(self):
        """The fields of the access log's line about a queued request that the backend refused."""
        self.start()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", "/")
        connection.getresponse().read()
        connection.close()
        return list(json.loads(self.read_until(self.child.stdout, "}\n")))
