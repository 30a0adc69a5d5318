#!/usr/bin/env python3
"""deploy/kubernetes and deploy/compose.yaml are as the documentation describes them: manifests_test.py TICKETGATE SOURCE.

For each rule, a change to the file breaks it, and the test checks that the rule reports the change.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

TICKETGATE = SOURCE = None
UNITS = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "s": 1, "m": 60}
PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


def amount(text):
    """Bytes or seconds: 4Gi, 3GiB, 25s."""
    number, unit = re.fullmatch(r"(\d+)(\w*)", str(text)).groups()
    return int(number) * (UNITS[unit] if unit else 1)


class Pod:
    def __init__(self, text):
        found = {one["kind"]: one for one in yaml.safe_load_all(text)}
        self.text, self.policy = text, found["NetworkPolicy"]
        self.config_text = found["ConfigMap"]["data"]["ticketgate.yaml"]
        self.config = yaml.safe_load(self.config_text)
        self.deployment, template = found["Deployment"]["spec"], found["Deployment"]["spec"]["template"]
        self.annotations = template["metadata"].get("annotations", {})
        self.labels, self.spec = template["metadata"]["labels"], template["spec"]
        self.app = next((one for one in self.spec.get("initContainers", []) if one["name"] == "app"), None)
        self.gate = next(one for one in self.spec["containers"] if one["name"] == "ticketgate")
        self.volumes = {one["name"]: one for one in self.spec["volumes"]}

    @property
    def admin_port(self):
        return self.config["admin"]["address"].rpartition(":")[2]


def good(config):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(config)
        file.flush()
        return subprocess.run([TICKETGATE, "check", "-c", file.name], capture_output=True).returncode == 0


def pod_problems(text):
    pod = Pod(text)
    problems = []

    def rule(holds, what):
        if not holds:
            problems.append(what)

    rule(good(pod.config_text), "ticketgate check finds the ConfigMap bad")
    rule(pod.deployment["replicas"] == 1 and pod.deployment["strategy"]["type"] == "Recreate", "more than one queue")
    rule(pod.app and pod.app.get("restartPolicy") == "Always", "the application is no native sidecar")
    rule(pod.spec.get("automountServiceAccountToken") is False, "the pod has a token of the cluster")
    for container in [pod.app or {"name": "app"}, pod.gate]:
        rule(all(probe in container for probe in PROBES), f"{container['name']} lacks a probe")
        rule(container.get("securityContext", {}).get("allowPrivilegeEscalation") is False,
             f"{container['name']} may gain privileges")
        rule(all("subPath" not in mount for mount in container.get("volumeMounts", [])), "a subPath is never renewed")
    rule("/bin/sleep" not in text and not re.search(r'"sleep"|sh -c .?sleep', text), "a container sleeps by a program")
    stop = pod.gate.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds")
    rule(stop, "ticketgate refuses clients before the cluster knows that it stops")
    rule(pod.spec["terminationGracePeriodSeconds"] >= (stop or 0) + amount(pod.config["drain_timeout"]) + 10,
         "the drain has too little time")
    mounts = {one["mountPath"]: one["name"] for one in pod.gate["volumeMounts"]}
    spool = pod.config["spool"]
    limit = pod.volumes[mounts[spool["directory"]]]["emptyDir"].get("sizeLimit")
    rule(limit and amount(spool["max_disk"]) < amount(limit), "the spool is as large as its volume")
    rule(limit and amount(limit) < amount(pod.gate["resources"]["limits"]["ephemeral-storage"]),
         "the volume is larger than the container's storage")
    rule(pod.annotations.get("prometheus.io/scrape") == "true" and
         pod.annotations.get("prometheus.io/port") == pod.admin_port, "Prometheus scrapes nothing")
    rule(pod.policy["spec"]["podSelector"]["matchLabels"].items() <= pod.labels.items() and
         pod.policy["spec"]["policyTypes"] == ["Ingress"], "the NetworkPolicy selects another pod")
    ports = {port["name"]: str(port["containerPort"]) for port in pod.gate["ports"]}
    rule(ports["admin"] == pod.admin_port, "the admin port has another number")
    for entry in pod.policy["spec"]["ingress"]:
        open_to_all = {port["port"] for port in entry["ports"]} if not entry.get("from") else set()
        rule("admin" not in open_to_all, "anybody in the cluster may drain")
    return problems


POD_CHANGES = [
    ("      initContainers:\n", "      otherContainers:\n"), ("          restartPolicy: Always\n", ""),
    ("sleep: { seconds: 5 }", 'exec: { command: ["/bin/sleep", "5"] }'), ("max_disk: 3GiB", "max_disk: 4GiB"),
    ("sizeLimit: 4Gi", "sizeLimit: 6Gi"), ("terminationGracePeriodSeconds: 45", "terminationGracePeriodSeconds: 30"),
    ("automountServiceAccountToken: false", "automountServiceAccountToken: true"), ("  replicas: 1\n", "  replicas: 2\n"),
    ('prometheus.io/port: "9901"', 'prometheus.io/port: "9100"'), ("queue: app", "queue: [app]"),
    ("          startupProbe:\n            exec:", "          otherProbe:\n            exec:"),
    ("mountPath: /etc/ticketgate, ", "mountPath: /etc/ticketgate, subPath: x, "),
    ("    - ports:\n        - { port: http }\n", "    - ports:\n        - { port: http }\n        - { port: admin }\n"),
]


def compose_problems(text):
    services = yaml.safe_load(text)["services"]
    app, gate = services["app"], services["ticketgate"]
    problems = []
    if "healthcheck" not in app:
        problems.append("the application's health is not known")
    if gate.get("depends_on", {}) != {"app": {"condition": "service_healthy"}}:
        problems.append("ticketgate starts before the application answers")
    default = re.search(r"\$\{DRAIN_TIMEOUT:-(\w+)\}", (SOURCE / "deploy/ticketgate.yaml").read_text()).group(1)
    if amount(gate["stop_grace_period"]) <= amount(default):
        problems.append("the drain has too little time")
    if not gate.get("read_only") or gate.get("cap_drop") != ["ALL"]:
        problems.append("the container may do more than it needs")
    return problems


COMPOSE_CHANGES = [("    healthcheck:", "    x-healthcheck:"), ("condition: service_healthy", "condition: service_started"),
                   ("stop_grace_period: 30s", "stop_grace_period: 25s"), ("read_only: true", "read_only: false")]


class Manifests(unittest.TestCase):
    def try_file(self, path, problems, changes):
        text = (SOURCE / path).read_text(encoding="utf-8")
        self.assertEqual(problems(text), [])
        for old, new in changes:
            with self.subTest(change=old.strip()):
                self.assertIn(old, text)
                self.assertNotEqual(problems(text.replace(old, new, 1)), [])

    def test_every_rule_for_kubernetes_holds_and_detects_its_fault(self):
        self.try_file("deploy/kubernetes/sidecar.yaml", pod_problems, POD_CHANGES)

    def test_every_rule_for_compose_holds_and_detects_its_fault(self):
        self.try_file("deploy/compose.yaml", compose_problems, COMPOSE_CHANGES)

    def test_the_php_image_contains_the_program_of_the_health_check(self):
        text = "".join((SOURCE / path).read_text() for path in ("deploy/kubernetes/sidecar.yaml", "deploy/compose.yaml"))
        programs = re.findall(r'(?:command|test): \["(?:CMD", ")?([^"]+)"', text)
        self.assertEqual(set(programs), {"/bin/sh", "php"})


if __name__ == "__main__":
    TICKETGATE, SOURCE = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
