#!/usr/bin/env python3
"""Turns a file of docs/recipes/wordpress.md into a plain form: form.py FILE queued|inside|writes PAGE.

writes: reads are not queued anywhere, and no route has settings of its own. queued: nothing passes the queue.
inside: nothing passes the queue but the calls of WordPress to its own site, which run within their caller's slot. Also
installs the page's plugin, which gives these calls the id of their caller.
"""
import re
import sys
from pathlib import Path

READS = r"skip_methods: \[GET, HEAD, OPTIONS\].*"

path = Path(sys.argv[1])
text = path.read_text(encoding="utf-8")
text = re.sub(r"      - prefix: .*\n        " + READS + "\n", "", text)
text = re.sub(r"      - \{ prefix: (?!.*upstream).*\n", "", text)
text = re.sub(r"(?m)^      #.*\n", "", text)
text = text.replace(", skip_methods: [] }", " }")
text = re.sub(r"    routes:\n(?!      - )", "", text)
if sys.argv[2] != "writes":
    text = re.sub(r" *" + READS + "\n", "", text)
if sys.argv[2] == "inside":
    page = Path(sys.argv[3]).read_text(encoding="utf-8")
    plugins = Path("/var/lib/wordpress/wp-content/mu-plugins")
    plugins.mkdir(exist_ok=True)
    plugin = re.search(r"```php\n(<\?php\n// Gives the calls.*?)```", page, re.S)
    (plugins / "request-id.php").write_text(plugin[1], encoding="utf-8")
    text = "clients: { inside: [127.0.0.1] }\n" + text
    text = re.sub(r"(?m)^    queue: app\n", "    queue: app\n    inside_calls: pass\n", text, count=1)
    # The cron and a pingback run when their callers are over; the test of Site Health waits for its answer.
    cron = """      - { prefix: /wp-cron.php, inside_calls: accept }
      - { prefix: /xmlrpc.php, inside_calls: wait }
      - { prefix: /wp-cron.php, header: { Cache-Control: no-cache }, inside_calls: pass }
"""
    if "    routes:\n" in text:
        text = text.replace("    routes:\n", "    routes:\n" + cron, 1)
    else:
        text = re.sub(r"(?m)^    inside_calls: pass\n", "    inside_calls: pass\n    routes:\n" + cron, text)
path.write_text(text, encoding="utf-8")
