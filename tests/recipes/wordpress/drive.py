#!/usr/bin/env python3
"""Uses a new WordPress as an administrator does, and tells of each step how long it took and whether it worked.

drive.py [--host HOST] [--port PORT] [--json FILE]

A visitor sends POST /visitor.php five times a second meanwhile: how long it waited is the last column. The script needs
/visitor.php in the document root, and the plugin proof/proof.php, which the user of PHP may write.
"""
import argparse
import datetime
import json
import re
import subprocess
import sys
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import Browser  # noqa: E402
from chromium import look_at  # noqa: E402
from checks import found, must, picture, until  # noqa: E402

PATIENCE = 62  # seconds; WordPress starts its cron at most once in 60
AT_ONCE = 20
PLUGIN = "proof/proof.php"


class Visitor(threading.Thread):
    """Asks again and again for a script that is done at once."""

    def __init__(self, host, port):
        super().__init__(daemon=True)
        self.browser, self.worst, self.lock = Browser(host, port), 0.0, threading.Lock()
        self.since = None  # when the request that now waits was sent
        self.looked = time.monotonic()  # a wait counts from here

    def run(self):
        while True:
            self.since = time.monotonic()
            try:
                self.browser.form("/visitor.php", {})
            except OSError:
                pass
            with self.lock:
                self.worst = max(self.worst, self.waited())
                self.since = None
            time.sleep(0.2)

    def take(self):
        with self.lock:
            worst = max(self.worst, self.waited())
            self.worst, self.looked = 0.0, time.monotonic()
        return worst

    def waited(self):
        return time.monotonic() - max(self.since, self.looked) if self.since else 0.0


def soon(seconds):
    return (datetime.datetime.utcnow() + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def scheduled_posts():
    """How many posts WordPress' list of events contains. All events are in one row of the database."""
    word = "publish_future_post"
    return int(subprocess.run(
        ["mysql", "-N", "wordpress", "-e", f"SELECT (LENGTH(option_value) - LENGTH(REPLACE(option_value, '{word}', '')))"
         f" DIV LENGTH('{word}') FROM wp_options WHERE option_name = 'cron'"],
        capture_output=True, text=True, check=True).stdout)


class Steps:
    def __init__(self, host, port):
        self.web, self.host, self.port = Browser(host, port), host, port
        self.first = self.later = self.due = 0

    def install(self):
        web = self.web
        page = web.get("/wp-admin/install.php?step=1")
        must("user_name" in page.text, page)
        answer = web.form("/wp-admin/install.php?step=2", {
            "weblog_title": "Proof", "user_name": "admin", "admin_password": "long-Pass-word-7", "pw_weak": "on",
            "admin_password2": "long-Pass-word-7", "admin_email": "admin@blog.example", "language": ""})
        must("Success!" in answer.text, answer)

    def permalinks(self):
        link = self.web.get("/").headers["Link"] or ""
        self.link = found(r"<([^>]*)>; rel=\"https://api.w.org/\"", link, "link to the REST API")
        assert self.link.endswith("/wp-json/"), f"only {self.link}"
        return self.link

    def log_in(self):
        self.web.get("/wp-login.php")
        answer = self.web.form("/wp-login.php", {"log": "admin", "pwd": "long-Pass-word-7", "testcookie": "1"})
        must(answer.status == 302 and any("logged_in" in name for name in self.web.cookies), answer)

    def dashboard(self):
        answer = self.web.get("/wp-admin/")
        must(answer.status == 200 and "Dashboard" in answer.text, answer)

    def open_editor(self):
        page = self.web.get("/wp-admin/post-new.php").text
        self.web.nonce = found(r'createNonceMiddleware\( "(\w+)" \)', page, "nonce")
        self.web.rest_root = found(r'createRootURLMiddleware\( "([^"]+)" \)', page, "root").replace("\\/", "/")

    def edit(self):
        made = self.web.rest("POST", "wp/v2/posts", {"title": "first", "content": "one", "status": "draft"})
        must(made.status == 201, made)
        self.first = made.json()["id"]
        saved = self.web.rest("PUT", f"wp/v2/posts/{self.first}", {"content": "two", "status": "publish"})
        must(saved.status == 200 and saved.json()["content"]["raw"] == "two", saved)

    def schedule(self):
        """A post for later, and one that links to the first: both are the cron's work. See cron and pingback."""
        self.due = time.time() + 62
        later = self.web.rest("POST", "wp/v2/posts", {"title": "later", "status": "future", "date_gmt": soon(62)})
        must(later.status == 201 and later.json()["status"] == "future", later)
        self.later = later.json()["id"]
        to = self.web.rest("GET", f"wp/v2/posts/{self.first}").json()["link"]
        second = self.web.rest("POST", "wp/v2/posts", {
            "title": "second", "status": "publish", "content": f'see <a href="{to}">the first post here</a> for more'})
        must(second.status == 201, second)

    def upload(self):
        answer = self.web.rest("POST", "wp/v2/media", picture(1400, 1000), Content_Type="image/png",
                               Content_Disposition='attachment; filename="proof.png"')
        must(answer.status == 201, answer)
        for path in (urllib.parse.urlsplit(answer.json()["source_url"]).path, "/wp-includes/css/dashicons.min.css"):
            file = self.web.get(path)
            must(file.status == 200 and file.headers["Content-Type"].split(";")[0] in ("image/png", "text/css"), file)
        return f"{len(answer.json()['media_details']['sizes'])} sizes"

    def in_a_browser(self):
        if "workers:" not in Path("/etc/ticketgate/ticketgate.yaml").read_text(encoding="utf-8"):
            return "only with ticketgate alone"
        return look_at(self.web.host, self.web.cookies,
                       {"start": "/", "post": f"/?p={self.first}", "dashboard": "/wp-admin/", "editor": "/wp-admin/post-new.php",
                        "media": "/wp-admin/upload.php?mode=list", "themes": "/wp-admin/themes.php"}, "wordpress")

    def cron(self):
        """The scheduled post appears at its time, since a page view starts the cron."""
        assert scheduled_posts() == 1 or time.time() > self.due, "the event of the post is lost"
        until(self.due + PATIENCE, lambda: self.web.rest(
            "GET", f"wp/v2/posts/{self.later}?context=edit").json().get("status") == "publish", "the scheduled post")
        return f"{time.time() - self.due:.1f} s after its time"

    def pingback(self):
        """The cron called xmlrpc.php for the second post, and xmlrpc.php read that post."""
        until(max(self.due + PATIENCE, time.time() + 5), lambda: self.web.rest(
            "GET", f"wp/v2/comments?post={self.first}&type=pingback&status=all").json(), "the pingback")

    def health(self, route):
        answer = self.web.rest("GET", f"wp-site-health/v1/tests/{route}")
        data = answer.json()
        # Without a page cache, and without HTTPS, the answers are not "good"; the test is whether the calls work.
        works = data.get("status") and "loopback request" not in data["description"].replace(data["label"], "")
        assert works or data.get("status") == "good", f"{data.get('status')}: {self.plain(data)}"
        return data["status"] + ("" if data["status"] == "good" else ": " + data["label"])

    @staticmethod
    def plain(data):
        return re.sub(r"<[^>]*>|\s+", " ", str(data.get("description", data)))[:260]

    def health_loopback(self):
        return self.health("loopback-requests")

    def health_page_cache(self):
        return self.health("page-cache")

    def health_https(self):
        return self.health("https-status")

    def health_page(self):
        page = self.web.get("/wp-admin/site-health.php")
        tests = json.loads(found(r"var SiteHealth = (\{.*\});", page.text, "tests"))["site_status"]["direct"]
        rest = next(test for test in tests if test["test"] == "rest_availability")
        assert rest["status"] == "good", self.plain(rest)
        return "REST API: good; critical: " + (", ".join(t["test"] for t in tests if t["status"] == "critical") or "-")

    def activate_plugin(self):
        """WordPress writes here on GET."""
        page = self.web.get("/wp-admin/plugins.php").text.replace("&amp;", "&")
        link = found(r'href="(plugins.php\?action=activate&plugin=proof[^"]*)"', page, "link to activate the plugin")
        answer = self.web.get("/wp-admin/" + link)
        must(answer.status == 302 and "activate=true" in (answer.headers["Location"] or ""), answer)

    def plugin_editor(self):
        query = urllib.parse.urlencode({"plugin": PLUGIN, "file": PLUGIN})
        page = self.web.get("/wp-admin/plugin-editor.php?" + query).text
        nonce = found(r'name="nonce" value="(\w+)"', page, "nonce")
        answer = self.web.form("/wp-admin/admin-ajax.php", {
            "action": "edit-theme-plugin-file", "nonce": nonce, "plugin": PLUGIN, "file": PLUGIN,
            "newcontent": f"<?php\n/* Plugin Name: proof */\n// saved at {time.time()}\n"})
        must(answer.json().get("success") is True, answer)

    def url_details(self):
        query = urllib.parse.urlencode({"url": f"http://{self.host}/"})
        answer = self.web.rest("GET", "wp-block-editor/v1/url-details?" + query)
        must(answer.json().get("title") == "Proof", answer)

    def schedule_at_once(self):
        """WordPress keeps all events in one row, and loses some when scripts run at once."""
        def one(number):
            return self.web.rest("POST", "wp/v2/posts", {"title": f"at once {number}", "status": "future",
                                                         "date_gmt": soon(86400 + number)}).status
        before = scheduled_posts()
        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(one, range(AT_ONCE)))
        count = scheduled_posts() - before
        assert count == AT_ONCE and set(statuses) == {201}, f"{count} of {AT_ONCE} events are left; answers {set(statuses)}"


STEPS = ("install", "permalinks", "log_in", "dashboard", "open_editor", "edit", "schedule", "upload",
         "health_loopback", "health_page_cache", "health_https", "health_page", "activate_plugin", "plugin_editor",
         "url_details", "cron", "pingback", "schedule_at_once", "in_a_browser")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="blog.example")
    parser.add_argument("--port", type=int, default=80)
    parser.add_argument("--json")
    options = parser.parse_args()
    steps, visitor, rows = Steps(options.host, options.port), Visitor(options.host, options.port), []
    visitor.start()
    for name in STEPS:
        visitor.take()
        began, wall, good, note = time.monotonic(), time.time(), True, ""
        try:
            note = getattr(steps, name)() or ""
        except (AssertionError, OSError, KeyError, TypeError, ValueError, subprocess.SubprocessError) as error:
            good, note = False, str(error) if isinstance(error, AssertionError) else repr(error)
        seconds = time.monotonic() - began
        rows.append({"step": name, "good": good, "seconds": round(seconds, 2), "at": wall, "note": note,
                     "visitor": round(visitor.take(), 2)})
        print(f"{'ok    ' if good else 'FAILED'} {name:18} {seconds:7.2f} s   visitor {rows[-1]['visitor']:6.2f} s   {note}",
              flush=True)
        if name == "install" and not good:
            return 1
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0 if all(row["good"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
