#!/usr/bin/env python3
"""Uses a new DokuWiki: logs in, edits, uploads, indexes, and edits one page many times at once. drive.py HOST SETUP"""
import re
import shutil
import sys
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from application import Application, arguments  # noqa: E402
from browser import Browser  # noqa: E402
from checks import at_once, found, fragment, lines_as_promised, must, picture, run  # noqa: E402

SETTINGS = Path("/etc/dokuwiki/local.php")
PLUGIN = Path("/var/lib/dokuwiki/lib/plugins/slow")  # makes the task runner slow
AT_ONCE, EDITORS = 40, 8
STEPS = ("log_in", "edit", "upload", "files", "index", "closed_folders", "append_at_once", "save_at_once",
         "slot_of_the_index", "in_a_browser", "tls", "queue", "every_request_queued")


def page(name, **more):
    return "/doku.php?" + urllib.parse.urlencode({"id": name, **more})


class DokuWiki(Application):
    def log_in(self, web=None):
        web = web or self.web  # the first step, and each browser that comes later
        fields = {"id": "start", "do": "login", "u": "admin", "p": "a-password-of-yours",
                  "sectok": found(r'name="sectok" value="(\w*)"', web.get(page("start", do="login")).text, "token")}
        answer = web.form("/doku.php?id=start", fields)
        must(answer.status == 302, answer)
        must("do=logout" in web.get(page("start")).text, answer)
        return answer

    def open_editor(self, web, name):
        text = web.get(page(name, do="edit")).text
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
        assert "sectok" in fields, "no form to edit the page"
        return fields

    def save(self, web, fields, text):
        return web.form("/doku.php?id=" + fields["id"], {**fields, "wikitext": text, "do[save]": "1"})

    def edit(self):
        answer = self.save(self.web, self.open_editor(self.web, "proof"), "the first words")
        must(answer.status == 302, answer)
        answer = self.save(self.web, self.open_editor(self.web, "proof"), "{{proof.png?100}} unusualword")
        must(answer.status == 302 and "unusualword" in self.web.get(page("proof")).text, answer)

    def upload(self):
        fields = {"sectok": self.open_editor(self.web, "proof")["sectok"], "ns": "", "mediaid": "proof.png", "ow": "1"}
        answer = self.web.upload("/lib/exe/ajax.php?call=mediaupload", {**fields, "call": "mediaupload"}, "qqfile", "proof.png",
                                 picture(1400, 1000))
        must(answer.json().get("success"), answer)

    def files(self):
        """The picture, its smaller form, styles and scripts."""
        self.web.get(page("proof", purge="true"))
        thumb = found(r'src="(/lib/exe/fetch.php\?[^"]*w=100[^"]*)"', self.web.get(page("proof")).text, "thumbnail")
        for path, kind in ((thumb.replace("&amp;", "&"), "image/png"), ("/lib/exe/fetch.php?media=proof.png", "image/png"),
                           ("/lib/exe/css.php?t=dokuwiki", "text/css"), ("/lib/exe/js.php?t=dokuwiki", "application/javascript"),
                           ("/lib/images/throbber.gif", "image/gif"), ("/lib/tpl/dokuwiki/images/logo.png", "image/png")):
            answer = self.web.get(path)
            must(answer.status == 200 and (answer.headers["Content-Type"] or "").startswith(kind), answer)

    def index(self):
        """The browser asks for the index of each page that it shows, and the page is found then."""
        path = found(r'src="(/lib/exe/taskrunner.php\?[^"]*)"', self.web.get(page("proof")).text, "task runner")
        answer = self.web.get(path.replace("&amp;", "&"))
        must(answer.status == 200 and answer.headers["Content-Type"] == "image/gif", answer)
        assert "proof" in self.web.get(page("start", do="search", q="unusualword")).text, "the page is not found"

    def closed_folders(self):
        for path in ("/data/pages/proof.txt", "/conf/local.php", "/inc/init.php", "/bin/indexer.php", "/vendor/README"):
            answer = self.web.get(path)
            must(answer.status in (403, 404), answer)

    def call(self, web, method, *values):
        body = "".join(f"<param><value>{value}</value></param>" for value in values)
        return web.request("POST", "/lib/exe/xmlrpc.php", "<?xml version='1.0'?><methodCall><methodName>"
                           f"{method}</methodName><params>{body}</params></methodCall>", {"Content-Type": "text/xml"})

    def append_at_once(self):
        """A program's way to edit: XML-RPC, which is off by default. DokuWiki reads the page, adds to it and writes it."""
        if "remote" not in SETTINGS.read_text(encoding="utf-8"):
            with SETTINGS.open("a", encoding="utf-8") as file:
                file.write("$conf['remote'] = 1;\n$conf['remoteuser'] = '@admin';\n")
            time.sleep(3)  # PHP looks at the file again after two seconds

        def lost(web):
            name = f"list{web.port}"
            self.call(web, "wiki.putPage", name, "a list", "")
            answers = at_once(AT_ONCE, lambda n: self.call(web, "dokuwiki.appendPage", name, f"&#10;line{n}.", ""))
            good = [n for n, answer in enumerate(answers) if "<boolean>1</boolean>" in answer.text]
            text = self.call(web, "wiki.getPage", name).text
            missing = [n for n in good if f"line{n}." not in text]
            return f"{len(missing)} lost and {AT_ONCE - len(good)} refused of {AT_ONCE} appended"
        behind, note = self.both(lost)
        assert behind.startswith("0 lost and 0 refused"), note
        return note

    def save_at_once(self):
        """All have opened one version: one may save, and DokuWiki must tell each other one of the conflict."""
        def saved(first):
            webs = [Browser(self.host, first.port, first.headers) for _ in range(EDITORS)]
            for web in webs:  # PHP lets requests of one session wait for each other
                self.log_in(web)
            name = f"form{first.port}"
            self.save(self.web, self.open_editor(self.web, name), "one version")
            forms = [self.open_editor(web, name) for web in webs]
            time.sleep(1.1)  # a version's time has seconds
            answers = at_once(EDITORS, lambda n: self.save(webs[n], forms[n], f"text {n}"))
            return f"{[answer.status for answer in answers].count(302)} of {EDITORS} were told that they saved"
        behind, note = self.both(saved)
        assert behind.startswith("1 of"), note
        return note

    def slot_of_the_index(self):
        """Behind Apache the task runner answers before it works. Its slot lasts to its end nevertheless."""
        PLUGIN.mkdir()
        PLUGIN.joinpath("plugin.info.txt").write_text("base slow\nname slow\n", encoding="utf-8")
        PLUGIN.joinpath("action.php").write_text("""<?php
class action_plugin_slow extends DokuWiki_Action_Plugin {
    public function register(Doku_Event_Handler $controller) {
        $controller->register_hook('INDEXER_TASKS_RUN', 'BEFORE', $this, 'wait');
    }
    public function wait() { usleep(1500000); }
}
""", encoding="utf-8")
        SETTINGS.touch()  # DokuWiki looks for plugins again
        time.sleep(3)
        with ThreadPoolExecutor(1) as pool:
            runner = pool.submit(self.web.get, "/lib/exe/taskrunner.php?id=start")
            time.sleep(0.5)
            save = self.web.form("/doku.php?id=start", {})
        shutil.rmtree(PLUGIN)
        note = f"it answers after {runner.result().seconds:.1f} s, a POST meanwhile after {save.seconds:.1f} s"
        assert save.seconds >= 0.8, note
        return note

    def in_a_browser(self):
        return self.look_at("dokuwiki", start="/doku.php?id=proof", edit=page("proof", do="edit"),
                            media=page("start", do="media"), admin=page("start", do="admin", page="config"))

    def tls(self):
        web = self.behind_tls()
        answer = self.log_in(web)
        must(answer.headers["Location"].startswith(f"https://{self.host}/doku.php"), answer)
        assert all("secure" in line.lower() for line in answer.headers.get_all("Set-Cookie")
                   if line.startswith("DW")), "the cookie is not for HTTPS only"

    def queue(self):
        return lines_as_promised(
            self.host,
            ["POST /doku.php?id=start", "POST /lib/exe/ajax.php", "POST /lib/exe/xmlrpc.php", "GET /lib/exe/taskrunner.php?id=start",
             "GET /lib/exe/indexer.php", "GET /lib/exe/mediamanager.php", "POST /lib/tpl/dokuwiki/x.css", "POST /missing.png"],
            ["GET /doku.php?id=start", "HEAD /lib/exe/fetch.php?media=a.png", "GET /lib/exe/css.php",
             "GET /lib/tpl/dokuwiki/images/logo.png"])

    def every_request_queued(self):
        """The page's other routes."""
        return lines_as_promised(
            self.host,
            ["GET /doku.php?id=start", "GET /lib/exe/taskrunner.php", "GET /lib/exe/fetch.php/x.css", "POST /lib/exe/fetch.php",
             "GET /lib/plugins/acl/action.php/x.css", "POST /lib/images/x.png"],
            ["GET /lib/exe/fetch.php?media=a.png", "HEAD /lib/tpl/dokuwiki/images/logo.png", "GET /lib/images/throbber.gif"],
            fragment("dokuwiki.md"))


if __name__ == "__main__":
    sys.exit(run(DokuWiki(*arguments()), STEPS))
