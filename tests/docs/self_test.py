"""Each check must be able to fail: each case is a small tree with one fault. Good pages must pass."""
import tempfile
from pathlib import Path

from docs_test import CHECKS, problems
from pages import Site
from tools import Tools

PLAIN = """listen: [{ address: "127.0.0.1:0" }]
upstreams: { app: { url: "http://127.0.0.1:8000" } }
routes: [{ prefix: /, upstream: app, queue: app }]
"""
TITLE = "# Page\n\nThis page explains nothing.\n\n## A heading, with `code`\n\n"
WHOLE = """```yaml
listen: [{ address: "127.0.0.1:0", tls: { certificates: [{ certificate: a/b.pem, key: c.pem }] } }]
upstreams: { app: { url: "http://127.0.0.1:8000" } }
routes: [{ prefix: /, upstream: app, queue: app }]
```
"""
GOOD = {
    "README.md": "# A gate\n\n[A page](docs/page.md#a-heading-with-code), [generated](docs/reference.md#any),\n"
                 "[operations](docs/operations.md), [the file](config/a.yaml), [out](https://example.org/x#y)\n\n"
                 "`./dev test`\n",
    "dev": "run_test() {\n}\n",
    "config/a.yaml": "a: 1\n",
    "deploy/ticketgate.yaml": "threads: ${THREADS:-1}\n",
    # run() fills in the names for METRICS
    "docs/operations.md": "# Operations\n\nThis page explains operations. [Back](../README.md) `THREADS` METRICS\n",
    "docs/page.md": TITLE + "[Here](#page)\n\n" + WHOLE,
}

TABLE = "| setting | default |\n|---|---|\n"


def page(text):
    return {"docs/page.md": TITLE + text}


def block(info, text):
    return page(f"```{info}\n{text}\n```\n")


def decision(text):
    return page("[a](decisions/0001-a.md)") | {"docs/decisions/0001-a.md": f"# 1. A\n\n{text}"}


# check, files that break it
BAD = [
    ("links", page("[none](nowhere.md)")),
    ("links", page("[no heading](../README.md#nothing)")),
    ("links", page("[no heading](#nothing)")),
    ("links", page("[a folder](../config)")),
    ("links", {"README.md": GOOD["README.md"].replace("#a-heading-with-code", "#a-heading")}),
    ("links", {"lib/README.md": "[gone](../docs/gone.md)\n"}),
    ("files", page("`config/b.yaml`")),
    ("files", page("`config/*.json`")),
    ("reachable", {"docs/alone.md": "# Alone\n\nThis page explains what none leads to. [Back](../README.md)\n"}),
    ("blocks", block("", "anything")),
    ("blocks", block("perl", "anything")),
    ("blocks", block("yaml", "listen: [{ address: nowhere }]")),
    ("blocks", block("yaml", "queues: { app: {} }")),  # a fragment without the word
    ("blocks", block("yaml fragment", "queues: { app: { max_in_fligth: 1 } }")),
    ("blocks", block("yaml fragment", "- { prefix: /, upsteam: app }")),
    ("blocks", block("yaml fragment", "a: [")),
    ("blocks", block("yaml other", "a: [")),
    ("blocks", block("json", "{'a': 1}")),
    ("blocks", block("nginx", "server { listen 127.0.0.1:8000; location / { proxy_pas http://a; } }")),
    ("blocks", block("apache", "RemoteIPHeadr X-Forwarded-For")),
    ("blocks", block("ini pool", "pm.status_paht = /status")),
    ("blocks", block("php", "<?php\nreturn [1;")),
    ("blocks", block("ini systemd", "[Service]\nAmbientCapabilites=CAP_NET_BIND_SERVICE")),
    ("blocks", block("ini systemd", "SupplementaryGroups=www-data")),
    ("blocks", block("sh", "if true; then")),
    ("blocks", block("console", "$ echo 'one\nwhat it prints")),
    ("steps", {"docs/recipes/apache.md": TITLE.replace("page", "recipe") + "[Back](../page.md)\n"} | page("[a](recipes/apache.md)")),
    ("steps", {"docs/recipes/apache.md": "# R\n\nThis recipe explains a thing. [Back](../page.md)\n\nSay:\n\n" + WHOLE}
     | page("[a](recipes/apache.md)")),
    ("quickstart", {"config/quickstart.yaml": "threads: 2\n"}),
    ("commands", page("`ticketgate explode GET /`")),
    ("commands", page("`ticketgate id --fromat txid`")),
    ("commands", page("`ticketgate id decode -n 3 --from-lag`")),
    ("commands", block("sh", "cat log | ticketgate id decode --from-lag")),
    ("commands", block("console", "$ ticketgate chekc")),
    ("commands", block("text", "ticketgate queus [QUEUE]   tells the queues")),
    ("options", page("`--from-lag`")),
    ("options", page("`-z N`")),
    ("verbs", page("`./dev tset`")),
    ("verbs", block("sh", "./dev bench")),
    ("metrics", page("`ticketgate_queue_wating`")),
    ("metrics", page("`ticketgate_queue_waiting{line}`")),
    ("metrics", page("`ticketgate_spool_bytes_bucket{place,queue}`")),
    ("settings", page(TABLE + "| `max_in_fligth` | 1 |\n")),
    ("settings", page(TABLE + "| `fastcgi.max_head` | 64KiB |\n")),
    ("settings", page(TABLE + "| `max_in_flight` | 2 |\n")),
    ("settings", page(TABLE + "| `max_waiting`, `wait_timeout` | 1024, 61s |\n")),
    ("settings", page("| setting, under `upstreams: NAME: fastcgi:` |\n|---|\n| `max_idle` |\n")),
    ("named_settings", page("`clients.max_boddy`")),
    ("named_settings", page("`log.acess: combined`")),
    ("admin_pages", page("`GET /api/v1/ids?format=uuidv9&n=10`")),
    ("documented", {"docs/operations.md": GOOD["docs/operations.md"].replace("METRICS", "")}),
]
# The sources that the checks of sources.py compare pages with.
LISTS = "# Configuration\n\nThis page explains more lists.\n\n"
HEADERS = {"lib/config/proxy_headers.cpp": 'addresses{"A-B",\n"C"};\nconstexpr int paths{"D"};\n',
           "docs/recipes/behind-another-proxy.md":
               "# Behind\n\nThis recipe explains lists. [Back](../../README.md)\n\n> `A-B`\n> `C`\n",
           "docs/configuration.md": LISTS + "> `D`\n", **page("[a](recipes/behind-another-proxy.md)"
           " [b](configuration.md) [c](comparison.md)")}
FIGURES = {"loadtest/RESULTS.md": "| a | 1234 [1000-1500] | 1.5 |\n",
           "docs/comparison.md": "# Comparison\n\nThis page compares figures.\n\n"
                                 "| a | b |\n|---|---|\n| 64 | 1,234 (1.5) |\n"}
BAD += [
    ("header_lists", HEADERS | {"docs/configuration.md": LISTS + "> `D` `E`\n"} | FIGURES),
    ("header_lists", HEADERS | {"docs/configuration.md": LISTS + "`D`\n"} | FIGURES),
    ("header_lists", {**HEADERS, **FIGURES, "lib/config/proxy_headers.cpp": 'addresses{"A-B"};\npaths{"D"};\n'}),
    ("openings", {"docs/page.md": TITLE.replace("This page explains nothing.", "Nothing.") + "[Here](#page)\n"}),
    ("openings", decision("**Context.** A.\n\n**Decision.** B.\n")),
    ("openings", decision("**Context.** A.\n\n**Decision.** B.\n\n**Consequence.** C.\n" + "D.\n" * 25)),
    ("plain_words", page("Whoever asks for what is no script gets none.")),
    ("code_map", {"lib/README.md": "`gate/gone`\n"}),
    ("code_map", {"lib/README.md": "`Gate::gone`\n", "lib/gate/gate.hpp": "class Gate {};\nint gone_by;\n"}),
    ("container", {"deploy/ticketgate.yaml": "threads: ${LOOPS:-1}\n"}),
    ("figures", HEADERS | FIGURES | {"loadtest/RESULTS.md": "| 123 | 1.5 |\n"}),
]
# Good pages that a check with a fault could reject.
FINE = [
    HEADERS | FIGURES,
    decision("**Context.** A.\n\n**Decision.** B.\n\n**Consequence.** C.\n"),
    {"lib/README.md": "`gate/gate`, `Gate::take`, `Gate::~Gate`\n",
     "lib/gate/gate.hpp": "class Gate { ~Gate(); int take; };\n"},
    page("[brackets `in [code](nowhere.md)`](page.md) and `[code](nowhere.md)`"),
    page("# Page\n\n[the second](#page-1)"),
    {"config/quickstart.yaml": "# other words\n" + PLAIN.replace("\n", "  # more\n"),
     "README.md": GOOD["README.md"] + f"```yaml fragment\nthreads: 2\n```\n\n```yaml\n{PLAIN}```\n"},
    page("1. In a list:\n\n   ```sh\n   ticketgate check   # ticketgate chekc\n   ```\n"),
    block("yaml fragment", "- { prefix: /, upstream: php }\n- { regex: '^/x', queue: off }"),
    block("yaml fragment", "id_service:\n  address: '127.0.0.1:0'\n  worker: 8\n  token: ${TOKEN}\n"
          "  state_file: /var/lib/ticketgate/x"),
    block("nginx", "location ~ \\.css$ { try_files $uri =404; }"),
    block("nginx", "server {\n    listen 80;\n    location / { include fastcgi_params; fastcgi_pass unix:/x; }\n}"),
    block("apache", "RewriteEngine On\nRewriteRule \\.css$ - [L]"),
    block("ini pool", "; a comment\nlisten = 127.0.0.1:9000"),
    block("console", "$ ticketgate id -n 3\nticketgate answers"),
    page("`ticketgate id -f snowflake --worker N`, `-n`, `--admin ADDRESS`, `ticketgate -c FILE`"),
    page("`ticketgate_queue_waiting{queue}`, `ticketgate_queue_wait_seconds_bucket{queue,outcome,le}`"),
    page(TABLE + "| `clients.max_head`, `clients.max_uri` | 32KiB, 8KiB |\n| `max_body` | 128MiB, and more |\n"
         "| `upstreams.*.max_head` | 64KiB |\n"),
    page("`clients.trusted_proxies: [unix]`, `upstreams.*.idle_timeout`, `log.access`, `config/*.yaml`"),
    page("`GET /api/v1/ids?format=uuidv7&n=10`, `/livez`"),
]


def problems_of(files, tools):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (GOOD | files).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return problems(Site(Path(folder).resolve()), tools)


def run(binary):
    tools, failures = Tools(binary), []
    try:
        GOOD["docs/operations.md"] = GOOD["docs/operations.md"].replace(
            "METRICS", " ".join(f"`{name}`" for name in [*tools.metrics, *tools.log_fields]))
        for files in [{}, *FINE]:
            if blamed := problems_of(files, tools):
                failures.append(f"good pages are blamed: {blamed}\n{files}")
        for check, files in BAD:
            caught = {problem[0] for problem in problems_of(files, tools)}
            if caught != {check}:
                failures.append(f"[{check}] should be caught, alone; caught: {sorted(caught)}\n{files}")
        for check in {c.__name__ for c in CHECKS} - {check for check, _ in BAD}:
            failures.append(f"[{check}] has no case that breaks it")
    finally:
        tools.close()
    for failure in failures:
        print(failure)
    print(f"docs --self-test: {len(BAD)} faults, {len(FINE) + 1} good trees, {len(failures)} failures")
    return 1 if failures else 0
