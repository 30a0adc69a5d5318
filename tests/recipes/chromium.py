"""Looks at pages with Debian's Chromium, without a screen: which of their files fail, and what their consoles say."""
import base64
import json
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

PATIENCE = 60  # seconds for a page
QUIET = 0.5  # seconds without traffic: the page is there
SHOTS = Path("/var/tmp/screenshots")


def install():
    subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium", "python3-websocket", "fonts-dejavu-core"],
                   check=True, capture_output=True)


class Chromium:
    """Talks to one tab (Chrome DevTools Protocol)."""

    def __init__(self, host, port=80):
        import websocket  # here, because install() brings it
        self.host, self.number, self.events = host, 0, []
        self.child = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--window-size=1280,1000",
             f"--user-data-dir={tempfile.mkdtemp()}", f"--host-resolver-rules=MAP {host} 127.0.0.1:{port}", "about:blank"],
            stderr=subprocess.PIPE, text=True)
        tools = next(urllib.parse.urlsplit(line.rsplit(" ", 1)[1]).port for line in self.child.stderr
                     if "DevTools listening on" in line)
        with urllib.request.urlopen(f"http://127.0.0.1:{tools}/json", timeout=PATIENCE) as answer:
            tab = next(each for each in json.load(answer) if each["type"] == "page")
        self.socket = websocket.create_connection(tab["webSocketDebuggerUrl"], suppress_origin=True, timeout=PATIENCE)
        for domain in ("Network", "Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.child.kill()
        self.child.wait()

    def read(self, seconds):
        """The next message; None if none comes in this time."""
        self.socket.settimeout(seconds)
        try:
            return json.loads(self.socket.recv())
        except OSError:  # websocket's own time-out is one as well
            return None
        except Exception as error:  # noqa: BLE001  the class is in a module that is imported late
            if "Timeout" in type(error).__name__:
                return None
            raise

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = self.read(PATIENCE)
            assert message is not None, f"{method}: no answer"
            if message.get("id") == self.number:
                return message.get("result", {})
            self.events.append(message)

    def ours(self, url):
        """Pages name pictures of other hosts, which a test without a network cannot load. No page names /favicon.ico: the
        browser tries it."""
        parts = urllib.parse.urlsplit(url)
        return parts.hostname == self.host and parts.path != "/favicon.ico"

    def look(self, path, cookies, name):
        """What went wrong with the page and everything it loads: a list of sentences."""
        for key, value in cookies.items():
            self.call("Network.setCookie", name=key, value=value, url=f"http://{self.host}/")
        wrong, urls, _ = self.load(path)
        SHOTS.mkdir(exist_ok=True)
        shot = self.call("Page.captureScreenshot", format="png")
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))
        return wrong, len(urls)

    def load(self, path):
        """What went wrong, the URLs, and the milliseconds from the navigation to the load event."""
        self.events.clear()
        self.call("Page.navigate", url=f"http://{self.host}{path}")
        wrong, urls, loaded, waiting = [], {}, False, set()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            message = self.events.pop(0) if self.events else self.read(QUIET)
            if message is None:
                if loaded and not waiting:
                    break
                continue
            loaded = self.note(message, urls, waiting, wrong) or loaded
        else:
            wrong.append(f"not loaded within {PATIENCE} s; waits for {[urls[each] for each in waiting]}")
        timing = self.call("Runtime.evaluate", returnByValue=True,
                           expression="performance.timing.loadEventStart - performance.timing.navigationStart")
        return wrong, list(urls.values()), timing["result"]["value"]

    def note(self, message, urls, waiting, wrong):
        """True at the page's load event."""
        what, about = message.get("method"), message.get("params", {})
        if what == "Network.requestWillBeSent" and self.ours(about["request"]["url"]):
            urls[about["requestId"]] = about["request"]["url"]  # after a redirect, the new one
            waiting.add(about["requestId"])
        url = urls.get(about.get("requestId"), "")
        if what == "Network.responseReceived" and url and about["response"]["status"] >= 400:
            wrong.append(f"{about['response']['status']} for {url}")
        if what in ("Network.loadingFinished", "Network.loadingFailed"):
            waiting.discard(about["requestId"])
        if what == "Network.loadingFailed" and url and not about.get("canceled"):
            wrong.append(f"{about.get('errorText')} for {url}")
        if what == "Runtime.exceptionThrown":
            wrong.append("exception: " + json.dumps(about["exceptionDetails"])[:300])
        if what == "Runtime.consoleAPICalled" and about["type"] in ("error", "assert"):
            wrong.append("console: " + json.dumps(about["args"])[:300])
        if what == "Log.entryAdded" and about["entry"]["level"] == "error" and (
                not about["entry"].get("url") or self.ours(about["entry"]["url"])):
            wrong.append("log: " + about["entry"]["text"][:200] + " " + about["entry"].get("url", ""))
        return what == "Page.loadEventFired"


def look_at(host, cookies, pages, application):
    """Each of the pages, {NAME: PATH}; a sentence. AssertionError: what went wrong."""
    install()
    loaded, faults = 0, []
    with Chromium(host) as browser:
        for name, path in pages.items():
            wrong, count = browser.look(path, cookies, f"{application}-{name}")
            loaded += count
            faults += [f"{name}: {each}" for each in wrong]
    assert not faults, "; ".join(faults)
    return f"{len(pages)} pages, {loaded} files, none failed, consoles clean"
