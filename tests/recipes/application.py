"""A test of a real application, after the steps of its recipe: the arguments, and what each such test needs."""
import subprocess
import sys
import time
from pathlib import Path

from browser import Browser
from chromium import look_at

CONFIG = Path("/etc/ticketgate/ticketgate.yaml")
BACKEND = 8000


class Application:
    """SETUP is nginx, apache, fpm or alone. With the last two ticketgate itself asks PHP: no port leads past it."""

    def __init__(self, host, setup):
        self.host, self.setup, self.web = host, setup, Browser(host)

    def past(self):
        """A browser that asks the web server itself, as ticketgate would. It has the cookies of self.web."""
        browser = Browser(self.host, BACKEND, {"X-Forwarded-Proto": "http", "X-Forwarded-Port": "80",
                                               "X-Forwarded-For": "127.0.0.9"})
        browser.cookies = dict(self.web.cookies)
        return browser

    def both(self, measure):
        """What measure(browser) counts without and with ticketgate; returns the second and a sentence."""
        alone = None if self.setup in ("fpm", "alone") else measure(self.past())
        behind = measure(self.web)
        return behind, f"without ticketgate {'-' if alone is None else alone}, with it {behind}"

    def look_at(self, application, **pages):
        """Pages, NAME=PATH, in a real browser with the cookies of self.web. Only where ticketgate sends the files."""
        if self.setup != "alone":
            return "only with ticketgate alone"
        return look_at(self.host, self.web.cookies, pages, application)

    def behind_tls(self):
        """A browser that a trusted proxy with HTTPS stands before. The configuration changes for it."""
        text = CONFIG.read_text(encoding="utf-8")
        if "trusted_proxies" not in text:
            CONFIG.write_text("clients: { trusted_proxies: [127.0.0.9] }\n" + text, encoding="utf-8")
            subprocess.run(["ticketgate", "reload"], check=True, capture_output=True)
            time.sleep(1)
        return Browser(self.host, headers={"X-Forwarded-Proto": "https"})


def arguments():
    """HOST and SETUP of the command line."""
    if len(sys.argv) != 3:
        raise SystemExit(f"usage: {sys.argv[0]} HOST nginx|apache|fpm|alone")
    return sys.argv[1:]
