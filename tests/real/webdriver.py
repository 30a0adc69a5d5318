"""Debian's Chromium without a screen, driven over the WebDriver protocol (packages chromium, chromium-driver)."""
import atexit
import base64
import json
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

from real_test import answers, free_port, wait_for

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name of a reference to an element
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
ENTER, TAB, ESCAPE = "\ue007", "\ue004", "\ue00c"


def missing():
    return next((each for each in ("chromium", "chromedriver") if shutil.which(each) is None), None)


class Browser:
    shared = None

    @classmethod
    def fresh(cls):
        """The one of all tests of this program: its start takes seconds of a processor. Each test ends with forget()."""
        if cls.shared is None:
            cls.shared = cls()
            atexit.register(cls.shared.close)
        return cls.shared

    def __init__(self, width=1280, height=900):
        self.folder = tempfile.TemporaryDirectory()
        port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        wait_for(lambda: answers(port), "chromedriver listens")
        options = {"args": [*FLAGS, f"--user-data-dir={self.folder.name}", f"--window-size={width},{height}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()

    def forget(self):
        """It is as after its start."""
        self.go("about:blank")
        self.devtools("Emulation.clearDeviceMetricsOverride")
        self.devtools("Emulation.setEmulatedMedia", features=[])
        self.devtools("Network.clearBrowserCache")
        self.devtools("Storage.clearDataForOrigin", origin="*", storageTypes="all")
        self.complaints()

    def ask(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()[:500]}") from None

    def go(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, css):
        return self.ask("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def text(self, css):
        """As it is shown; empty if there is no such element."""
        return self.run("const e = document.querySelector(arguments[0]); return e ? e.innerText : ''", css)

    def click(self, css):
        self.ask("POST", f"/element/{self.find(css)}/click")

    def type(self, css, text):
        self.ask("POST", f"/element/{self.find(css)}/value", {"text": text})

    def keys(self, text):
        """Pressed one after the other, wherever the focus is."""
        actions = [step for key in text for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def dark(self, on):
        value = "dark" if on else "light"
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def shot(self, file):
        file.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self):
        """What the console says since the last question: errors of scripts, files that fail, what the policy forbids."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
