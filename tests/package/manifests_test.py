#!/usr/bin/env python3
"""deploy/kubernetes and the compose files are as the documentation describes them: manifests_test.py TICKETGATE SOURCE.

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


def good(config, environment=None):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(config)
        file.flush()
        return subprocess.run([TICKETGATE, "check", "-c", file.name], capture_output=True,
                              env=environment).returncode == 0


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


class Replicas:
    """deploy/kubernetes/cluster.yaml: documents by kind and name."""

    def __init__(self, text):
        found = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(text)}
        self.found, self.config_text = found, found["ConfigMap", "ticketgate-cluster"]["data"]["ticketgate.yaml"]
        self.config = yaml.safe_load(self.config_text)
        self.deployment = found["Deployment", "ticketgate"]["spec"]
        self.spec = self.deployment["template"]["spec"]
        self.gate = self.spec["containers"][0]
        self.init = found["Job", "ticketgate-cluster-init"]["spec"]["template"]["spec"]["containers"][0]
        self.etcd = found["StatefulSet", "etcd"]["spec"]


def open_ports(policy, labels=None):
    """The ports that a NetworkPolicy opens to pods with these labels; without labels, to all."""
    found = set()
    for entry in policy["spec"]["ingress"]:
        peers = [one["podSelector"].get("matchLabels", {}) for one in entry.get("from", []) if "podSelector" in one]
        if not entry.get("from") or labels and any(one and one.items() <= labels.items() for one in peers):
            found |= {port["port"] for port in entry.get("ports", [])}
    return found


def replica_problems(text):
    all_of, problems = Replicas(text), []

    def rule(holds, what):
        if not holds:
            problems.append(what)

    config, cluster, gate = all_of.config, all_of.config["cluster"], all_of.gate
    queue = config["queues"]["app"]
    environment = {one["name"]: one["valueFrom"] for one in gate["env"]}
    rule(good(all_of.config_text, {"PEER_SECRET": "0123456789abcdef", "POD_IP": "10.0.0.1"}),
         "ticketgate check finds the ConfigMap bad")
    rule(queue.get("cluster") is True, "the queue is not one over all replicas")
    rule(all_of.deployment["replicas"] >= 2, "one replica")
    rule(all_of.deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 0, "an update stops a pod before it starts one")
    rule(environment.get("POD_IP", {}).get("fieldRef", {}).get("fieldPath") == "status.podIP" and
         "${POD_IP" in cluster["peer"]["advertise"], "the replicas do not reach each other")
    secrets = [one["valueFrom"]["secretKeyRef"] for job in (gate, all_of.init) for one in job["env"]
               if one["name"] == "PEER_SECRET"]
    rule(len(secrets) == 2 and secrets[0] == secrets[1], "the Job or a pod lacks the secret")
    stop = gate["lifecycle"]["preStop"]["sleep"]["seconds"]
    rule(amount(config["drain_timeout"]) > amount(config["routes"][0]["response_timeout"]), "a drain cuts slow requests")
    rule(all_of.spec["terminationGracePeriodSeconds"] >= stop + amount(config["drain_timeout"]) + 10,
         "the drain has too little time")
    rule(all_of.init["command"][:3] == ["ticketgate", "cluster", "init"], "the Job does not prepare etcd")
    rule("initContainers" not in all_of.spec, "each start prepares etcd, also one that has lost its data")
    names = [f"http://etcd-{i}.etcd:2379" for i in range(all_of.etcd["replicas"])]
    rule(cluster["store"]["endpoints"] == names and all_of.etcd["serviceName"] == "etcd", "a node of etcd is not named")
    members = [word for word in all_of.etcd["template"]["spec"]["containers"][0]["args"] if word.startswith("--initial-cluster=")]
    rule(members[0].count("=http://etcd-") == all_of.etcd["replicas"], "etcd does not know its nodes")
    service = all_of.found["Service", "etcd"]["spec"]
    rule(service.get("clusterIP") == "None" and service.get("publishNotReadyAddresses"), "etcd's nodes do not find each other")
    ports = {port["name"]: str(port["containerPort"]) for port in gate["ports"]}
    rule(ports["peer"] == cluster["peer"]["listen"].rpartition(":")[2] == cluster["peer"]["advertise"].rpartition(":")[2],
         "the peer port has another number")
    policy, labels = all_of.found["NetworkPolicy", "ticketgate"], all_of.deployment["template"]["metadata"]["labels"]
    rule(open_ports(policy) == {"http"} and "peer" in open_ports(policy, labels), "clients reach the peer port, or replicas do not")
    rule(open_ports(all_of.found["NetworkPolicy", "etcd"]) == set(), "anybody reaches etcd")
    rule(all(probe in gate for probe in PROBES), "ticketgate lacks a probe")
    return problems


REPLICA_CHANGES = [
    ("hold_timeout: never", "max_inside: 8"), ("        cluster: true\n", ""), ("  replicas: 2\n", "  replicas: 1\n"),
    ("maxUnavailable: 0", "maxUnavailable: 1"), ("fieldPath: status.podIP", "fieldPath: status.hostIP"),
    ("${POD_IP:-127.0.0.1}", "localhost"), ("terminationGracePeriodSeconds: 90", "terminationGracePeriodSeconds: 60"),
    ("drain_timeout: 70s", "drain_timeout: 25s"), ("cluster, init, -c", "cluster, status, -c"),
    ("          - http://etcd-2.etcd:2379\n", ""), (",etcd-2=http://etcd-2.etcd:2380", ""),
    ("  publishNotReadyAddresses: true\n", ""), ("listen: 0.0.0.0:8081", "listen: 0.0.0.0:8082"),
    ("    - from:\n        - podSelector: { matchLabels: { app: ticketgate } }\n      ports:\n        - { port: peer }",
     "    - ports:\n        - { port: peer }"),
    ("          startupProbe:", "          otherProbe:"),
    ("            - { name: PEER_SECRET, valueFrom: { secretKeyRef: { name: ticketgate-peer, key: secret } } }\n          ports",
     "          ports"),
]


def compose_replica_problems(text):
    services = yaml.safe_load(text)["services"]
    config = (SOURCE / "deploy/ticketgate-cluster.yaml").read_text()
    problems = []
    default = re.search(r"\$\{DRAIN_TIMEOUT:-(\w+)\}", config).group(1)
    for name in ("a", "b"):
        gate = services[name]
        if not good(config, gate["environment"] | {"PEER_SECRET": "0123456789abcdef"}):
            problems.append(f"ticketgate check finds the configuration of {name} bad")
        if gate["environment"].get("ADVERTISE") != f"{name}:8081":
            problems.append(f"the other replica does not reach {name}")
        if amount(gate["stop_grace_period"]) <= amount(default):
            problems.append("the drain has too little time")
        if not gate.get("read_only") or gate.get("cap_drop") != ["ALL"]:
            problems.append("the container may do more than it needs")
        if any("8081" in port for port in gate["ports"]):
            problems.append("the peer port is published")
    if "ports" in services["app"]:
        problems.append("clients reach the application past the queue")
    if services["init"]["entrypoint"][:3] != ["ticketgate", "cluster", "init"] or "profiles" not in services["init"]:
        problems.append("etcd is prepared never, or at each start")
    return problems


COMPOSE_REPLICA_CHANGES = [
    ("ADVERTISE: b:8081", "ADVERTISE: a:8081"), ("ADVERTISE: a:8081", "OTHER: a:8081"), ("stop_grace_period: 75s", "stop_grace_period: 10s"),
    ("read_only: true", "read_only: false"), ('"127.0.0.1:8090:8080"', '"8081:8081"'), ("    profiles: [init]", "    x-profiles: [init]"),
    ("    # No ports:", "    ports: [\"8000:80\"]\n    # No ports:"),
]


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

    def test_every_rule_for_replicas_in_kubernetes_holds_and_detects_its_fault(self):
        self.try_file("deploy/kubernetes/cluster.yaml", replica_problems, REPLICA_CHANGES)

    def test_every_rule_for_replicas_in_compose_holds_and_detects_its_fault(self):
        self.try_file("deploy/compose-cluster.yaml", compose_replica_problems, COMPOSE_REPLICA_CHANGES)

    def test_the_php_image_contains_the_program_of_the_health_check(self):
        text = "".join((SOURCE / path).read_text() for path in ("deploy/kubernetes/sidecar.yaml", "deploy/compose.yaml"))
        programs = re.findall(r'(?:command|test): \["(?:CMD", ")?([^"]+)"', text)
        self.assertEqual(set(programs), {"/bin/sh", "php"})


if __name__ == "__main__":
    TICKETGATE, SOURCE = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
