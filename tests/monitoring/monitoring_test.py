#!/usr/bin/env python3
"""The alerts and the dashboard of deploy/monitoring, read by Debian's Prometheus from a running ticketgate:
monitoring_test.py TICKETGATE SOURCE.

Each alert has a case in which it fires and one in which it does not (cases.py, `promtool test rules`). A real Prometheus
scrapes the program, evaluates every expression, and every metric, label and label value that they name must be there.
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "real"), str(HERE.parent / "docs")]
import cases  # noqa: E402
from machine import Sink  # noqa: E402
from real_test import Process, answers, close_door, free_port, wait_for  # noqa: E402

TICKETGATE = SOURCE = None
os.environ["PATH"] += ":/usr/sbin"

# Every feature that adds metrics. Nobody listens at the upstreams but for `app`.
CONFIG = """
listen:
  - address: "127.0.0.1:{port}"
  - address: "127.0.0.1:{tls}"
    tls: {{ certificates: [{{ certificate: cert.pem, key: key.pem }}] }}
admin: {{ address: "127.0.0.1:{admin}" }}
upstreams:
  app: {{ url: "http://127.0.0.1:{sink}" }}
  php:
    url: "fastcgi://127.0.0.1:{nobody}"
    fastcgi: {{ root: /tmp, status: {{ url: "fastcgi://127.0.0.1:{nobody}" }} }}
  own: {{ workers: {{ command: [/bin/false] }}, fastcgi: {{ root: /tmp }} }}
queues:
  php: {{ release: worker_idle }}
  shared: {{ cluster: true, hold_timeout: never }}
cluster:
  name: shop
  store: {{ endpoints: ["http://127.0.0.1:{nobody}"] }}
  peer: {{ listen: "127.0.0.1:{peers}", advertise: "127.0.0.1:{peers}", secret: "0123456789abcdef" }}
id_service: {{ address: "127.0.0.1:{ids}", worker: 3, state_file: state }}
routes:
  - {{ prefix: /, upstream: app, queue: cart }}
  - {{ prefix: /php, upstream: php, queue: php }}
  - {{ prefix: /own, upstream: own }}
  - {{ prefix: /shared, upstream: app, queue: shared }}
"""

# The values that Grafana puts in place of its variables.
VARIABLES = {"$job": "ticketgate", "$instance": ".*", "$queue": ".*", "$__rate_interval": "1m"}
SELECTOR = re.compile(r"\b((?:ticketgate|process)_\w+|up)\b(\{[^}]*\})?")


def rules_file():
    return SOURCE / "deploy/monitoring/ticketgate.rules.yaml"


def rules():
    groups = yaml.safe_load(rules_file().read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard():
    return json.loads((SOURCE / "deploy/monitoring/grafana.json").read_text(encoding="utf-8"))


def panels():
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def expanded(text):
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def expressions():
    """Where each expression stands, and the expression."""
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], expanded(target["expr"])


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class OnPaper(unittest.TestCase):
    """What promtool and the files themselves tell."""

    def promtool(self, *arguments):
        return subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=600)

    def test_promtool_takes_the_rules_and_the_configuration(self):
        done = self.promtool("check", "config", str(SOURCE / "deploy/monitoring/prometheus.yaml"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{len(rules())} rules found", done.stdout)

    def run_cases(self, names):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(cases.test_file(rules_file(), names), file)
            file.flush()
            return self.promtool("test", "rules", file.name)

    def test_each_alert_fires_in_its_case_and_not_in_the_other(self):
        self.assertEqual({rule["alert"] for rule in rules()}, set(cases.CASES))
        done = self.run_cases(cases.CASES)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_case_can_fail(self):
        minutes, fires, quiet = cases.CASES["TicketgateLineBlocked"]
        self.addCleanup(cases.CASES.__setitem__, "TicketgateLineBlocked", (minutes, fires, quiet))
        cases.CASES["TicketgateLineBlocked"] = (minutes, quiet, fires)
        done = self.run_cases(["TicketgateLineBlocked"])
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_each_alert_says_what_it_is_and_what_to_do(self):
        for rule in rules():
            with self.subTest(rule["alert"]):
                self.assertEqual(set(rule["annotations"]), {"summary", "description"})
                self.assertIn(rule["labels"]["severity"], ("critical", "warning"))

    def test_the_dashboard_is_one_that_grafana_can_draw(self):
        ids = [panel["id"] for panel in dashboard()["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        taken = set()
        for panel in dashboard()["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, f"{panel['title']} lies over another panel")
            taken |= cells
        names = {variable["name"] for variable in dashboard()["templating"]["list"]}
        for panel in panels():
            self.assertEqual(panel["datasource"]["uid"], "${datasource}", panel["title"])
            for target in panel["targets"]:
                used = set(re.findall(r"\$(\w+)", target["expr"])) - {"__rate_interval"}
                self.assertLessEqual(used, names, panel["title"])

    def test_the_documentation_lists_each_alert(self):
        text = (SOURCE / "docs/operations.md").read_text(encoding="utf-8")
        for rule in rules():
            self.assertIn(f"`{rule['alert']}`", text)


class InPrometheus(unittest.TestCase):
    """A Prometheus that scrapes a ticketgate with traffic, a request that blocks its queue, and a release."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-monitoring-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.sink = Sink()
        cls.addClassCleanup(close_door, cls.sink.door)
        cls.port, cls.admin, cls.prometheus = free_port(), free_port(), free_port()
        cls.start_ticketgate()
        cls.start_prometheus()
        cls.make_events()

    @classmethod
    def start(cls, name, command):
        process = Process(command, cls.folder / f"{name}.log")
        cls.addClassCleanup(process.stop)
        return process

    @classmethod
    def start_ticketgate(cls):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=localhost", "-keyout", cls.folder / "key.pem", "-out", cls.folder / "cert.pem"],
                       check=True, capture_output=True)
        file = cls.folder / "c.yaml"
        file.write_text(CONFIG.format(port=cls.port, tls=free_port(), admin=cls.admin, sink=cls.sink.port,
                                      nobody=free_port(), ids=free_port(), peers=free_port()))
        cls.start("ticketgate", [TICKETGATE, "-c", str(file)])
        wait_for(lambda: answers(cls.admin) and answers(cls.port), "ticketgate listens")

    @classmethod
    def start_prometheus(cls):
        config = yaml.safe_load((SOURCE / "deploy/monitoring/prometheus.yaml").read_text(encoding="utf-8"))
        config["scrape_configs"][0]["static_configs"] = [{"targets": [f"127.0.0.1:{cls.admin}"]}]
        config["scrape_configs"][0]["scrape_interval"] = "1s"
        config["global"] = {"evaluation_interval": "1s"}
        shutil.copy(rules_file(), cls.folder)
        (cls.folder / "prometheus.yaml").write_text(yaml.safe_dump(config))
        cls.start("prometheus", ["prometheus", f"--config.file={cls.folder}/prometheus.yaml",
                                 f"--storage.tsdb.path={cls.folder}/data",
                                 f"--web.listen-address=127.0.0.1:{cls.prometheus}"])
        wait_for(lambda: answers(cls.prometheus) and get(cls.prometheus, "/-/ready")[0] == 200, "prometheus is ready")

    @classmethod
    def make_events(cls):
        """Two requests of one queue; the first blocks it until it is released."""
        for path in ("/", "/php"):
            get(cls.port, path)
        cls.sink.answers.clear()
        clients = [threading.Thread(target=get, args=(cls.port, "/held"), daemon=True) for _ in range(2)]
        for client in clients:
            client.start()
        wait_for(lambda: cls.value('ticketgate_queue_waiting{queue="cart"}') == 1, "one waits")
        wait_for(lambda: cls.value("ticketgate_queue_stalled_seconds{queue='cart'}") > 2, "the line stands")
        queue = json.loads(get(cls.admin, "/api/v1/queues/cart")[1])
        number = queue["tickets"]["in_flight"][0]["number"]
        subprocess.run([TICKETGATE, "release", "--admin", f"127.0.0.1:{cls.admin}", "cart", str(number)],
                       check=True, capture_output=True)
        cls.sink.answers.set()
        for client in clients:
            client.join(60)

    @classmethod
    def ask(cls, path, **query):
        status, text = get(cls.prometheus, f"/api/v1/{path}?" + urllib.parse.urlencode(query))
        answer = json.loads(text)
        if status != 200 or answer["status"] != "success":
            raise AssertionError(f"{query or path}: {text}")
        return answer["data"]

    @classmethod
    def query(cls, expression):
        return cls.ask("query", query=expression)["result"]

    @classmethod
    def value(cls, expression):
        found = cls.query(expression)
        return float(found[0]["value"][1]) if found else float("nan")

    def test_every_selector_finds_a_series_of_the_program(self):
        own = set(re.findall(r"^# TYPE (\S+)", get(self.admin, "/metrics")[1], re.M)) | {"up"}
        for place, expression in expressions():
            for name, labels in SELECTOR.findall(expression):
                with self.subTest(place, selector=name + labels):
                    self.assertIn(re.sub(r"_(bucket|sum|count)$", "", name) if name not in own else name, own)
                    self.assertTrue(self.query(name + labels), "no series")

    def test_every_panel_has_data(self):
        for panel in panels():
            for target in panel["targets"]:
                with self.subTest(panel["title"], expr=target["expr"]):
                    wait_for(lambda: self.query(expanded(target["expr"])), f"{panel['title']} has data")

    def test_the_variables_of_the_dashboard_have_values(self):
        for variable in dashboard()["templating"]["list"]:
            if variable["type"] == "query":
                series, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
                self.assertTrue([one for one in self.query(expanded(series)) if label in one["metric"]], series)

    def test_the_blocked_line_was_seen(self):
        held = 'max_over_time(ticketgate_queue_stalled_seconds{queue="cart"}[5m])'
        self.assertGreater(self.value(held), 2)
        seen = ('count_over_time((ticketgate_queue_stalled_seconds > 2 and ticketgate_queue_waiting > 0)'
                '[5m:1s])')
        self.assertGreater(self.value(seen), 0)

    def test_a_release_raises_the_alert_of_a_broken_promise(self):
        firing = 'ALERTS{alertname="TicketgateExclusionViolated",alertstate="firing",queue="cart"}'
        wait_for(lambda: self.value(firing) == 1, "the alert fires")

    def test_prometheus_evaluates_every_rule(self):
        def all_rules():
            return [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]
        wait_for(lambda: all(rule["health"] == "ok" for rule in all_rules()), "every rule is evaluated")
        self.assertEqual(len(all_rules()), len(rules()))


if __name__ == "__main__":
    TICKETGATE, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
