#!/usr/bin/env python3
"""Uses a new MediaWiki: logs in, edits, uploads, and edits one page many times at once. drive.py HOST SETUP"""
import sys
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from application import Application, arguments  # noqa: E402
from checks import at_once, found, fragment, lines_as_promised, must, picture, run, until_true  # noqa: E402

AT_ONCE = 40
STEPS = ("log_in", "read", "edit", "upload", "files", "closed_folders", "append_at_once", "writes_need_post", "jobs", "in_a_browser", "tls",
         "queue", "every_request_queued")


class MediaWiki(Application):
    def api(self, web, write=False, **fields):
        fields["format"] = "json"
        if write:
            return web.form("/api.php", fields).json()
        return web.get("/api.php?" + urllib.parse.urlencode(fields)).json()

    def token(self, web, kind="csrf"):
        return self.api(web, action="query", meta="tokens", type=kind)["query"]["tokens"][f"{kind}token"]

    def log_in(self):
        said = self.api(self.web, True, action="clientlogin", username="Admin", password="another-password-of-yours",
                        loginreturnurl=f"http://{self.host}/", logintoken=self.token(self.web, "login"))
        assert said.get("clientlogin", {}).get("status") == "PASS", said
        self.csrf = self.token(self.web)

    def edit_page(self, web, title, **fields):
        return self.api(web, True, action="edit", title=title, token=self.csrf, **fields)

    def text(self, title):
        return self.web.get(f"/index.php?action=raw&title={title}").text

    def read(self):
        """An article, the REST API, and a redirect that names the right address."""
        must("Main Page" in self.web.get("/wiki/Main_Page").text, self.web.get("/wiki/Main_Page"))
        answer = self.web.get("/rest.php/v1/page/Main_Page")
        must(answer.json().get("title") == "Main Page", answer)
        answer = self.web.get("/")
        must(answer.status in (301, 302) and answer.headers["Location"] == f"http://{self.host}/wiki/Main_Page", answer)

    def edit(self):
        """With the form, as a browser does."""
        path = "/index.php?title=Proof&action="
        page = self.web.get(path + "edit").text
        names = ("wpEditToken", "wpStarttime", "wpEdittime", "editRevId", "wpUltimateParam", "model", "format", "oldid",
                 "parentRevId")
        fields = {name: found(rf'value="([^"]*)" name="{name}"', page, name) for name in names}
        answer = self.web.form(path + "submit", {**fields, "wpTextbox1": "the words [[File:Proof.png|200px]]", "wpSave": "1",
                                                 "wpUnicodeCheck": "ℳ𝒲♥𝓊𝓃𝒾𝒸ℴ𝒹ℯ"})
        must(answer.status == 302 and "the words" in self.text("Proof"), answer)

    def upload(self):
        answer = self.web.upload("/api.php", {"action": "upload", "filename": "Proof.png", "ignorewarnings": "1",
                                              "token": self.csrf, "format": "json"}, "file", "proof.png", picture(1400, 1000))
        must(answer.json().get("upload", {}).get("result") == "Success", answer)

    def files(self):
        self.web.form("/index.php?title=Proof&action=purge", {})
        page = self.web.get("/wiki/Proof").text
        thumb = found(r'src="(/images/thumb/[^"]*200px-Proof.png)"', page, "smaller picture")
        for path, kind in ((thumb, "image/png"), (thumb.replace("/thumb", "").rsplit("/", 1)[0], "image/png"),
                           ("/load.php?lang=en&modules=startup&only=scripts", "text/javascript"),
                           ("/resources/assets/licenses/cc-0.png", "image/png"), ("/wiki/File:Proof.png", "text/html")):
            answer = self.web.get(path)
            must(answer.status == 200 and answer.headers["Content-Type"].startswith(kind), answer)
        return thumb

    def closed_folders(self):
        for path in ("/maintenance/install.php", "/includes/WebStart.php", "/LocalSettings.php/x/../../etc",
                     "/skins/Vector/x.php", "/images/x.php", "/mw-config/index.php"):
            answer = self.web.get(path)
            must("$wg" not in answer.text and (answer.status in (400, 403, 404) or not answer.body), answer)

    def append_at_once(self):
        """By the API: MediaWiki reads the page, adds to it and writes it."""
        def lost(web):
            title = f"List{web.port}"
            self.edit_page(web, title, text="a list")
            said = at_once(AT_ONCE, lambda n: self.edit_page(web, title, appendtext=f"\nline{n}."))
            good = [n for n, answer in enumerate(said) if answer.get("edit", {}).get("result") == "Success"]
            text = self.text(title)
            missing = [n for n in good if f"line{n}." not in text]
            return f"{len(missing)} lost and {AT_ONCE - len(good)} refused of {AT_ONCE} appended"
        behind, note = self.both(lost)
        assert behind.startswith("0 lost and 0 refused"), note
        return note

    def writes_need_post(self):
        said = self.api(self.web, action="edit", title="Proof", text="by GET", token=self.csrf)
        assert said.get("error", {}).get("code", "").startswith("must") and "by GET" not in self.text("Proof"), said

    def jobs(self):
        """The service works them off."""
        def left():
            return self.api(self.web, action="query", meta="siteinfo", siprop="statistics")["query"]["statistics"]["jobs"]
        assert until_true(60, lambda: left() == 0, 1), f"{left()} jobs are left"

    def in_a_browser(self):
        return self.look_at("mediawiki", start="/wiki/Main_Page", edit="/index.php?title=Main_Page&action=edit",
                            picture="/wiki/File:Proof.png", changes="/wiki/Special:RecentChanges")

    def tls(self):
        """Links follow $wgServer, and the cookies are for HTTPS only."""
        web = self.behind_tls()
        answer = web.get("/index.php?title=Special:UserLogin")
        must(answer.status == 200, answer)
        cookies = [line.lower() for line in answer.headers.get_all("Set-Cookie") or [] if "session" in line]
        assert cookies and all("secure" in line for line in cookies), f"not for HTTPS only: {cookies}"

    def queue(self):
        return lines_as_promised(
            self.host,
            ["POST /index.php", "POST /api.php", "POST /wiki/Main_Page", "POST /rest.php/v1/page", "POST /images/x.png",
             "PUT /rest.php/v1/page/Main_Page"],
            ["GET /wiki/File:Photo.jpg", "GET /load.php", "HEAD /images/thumb/a/a8/Photo.jpg/200px-Photo.jpg",
             "GET /api.php?action=query"])

    def every_request_queued(self):
        return lines_as_promised(
            self.host,
            ["GET /wiki/File:Photo.jpg", "GET /api.php", "GET /index.php/images/x.png", "POST /images/x.png", "POST /load.php"],
            ["GET /images/thumb/a/a8/Photo.jpg/200px-Photo.jpg", "GET /extensions/foo-1.2/a.css", "GET /load.php"],
            fragment("mediawiki.md"))


if __name__ == "__main__":
    sys.exit(run(MediaWiki(*arguments()), STEPS))
