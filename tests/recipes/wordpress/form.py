#!/usr/bin/env python3
"""Turns a file of docs/recipes/wordpress.md into a plain form: form.py FILE queued|writes.

writes: reads are not queued anywhere, and no route has settings of its own. queued: nothing passes the queue.
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
if sys.argv[2] == "queued":
    text = re.sub(r" *" + READS + "\n", "", text)
path.write_text(text, encoding="utf-8")
