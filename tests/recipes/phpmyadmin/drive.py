#!/usr/bin/env python3
"""Uses a new phpMyAdmin: logs in, runs SQL, imports a file, and runs many scripts at once. drive.py HOST SETUP"""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from application import Application, arguments  # noqa: E402
from browser import Browser  # noqa: E402
from checks import at_once, found, lines_as_promised, must, run  # noqa: E402

AT_ONCE, BROWSERS = 40, 8
ADD_ONE = "SET @n = (SELECT n FROM counter); DO SLEEP(0.005); UPDATE counter SET n = @n + 1;"
STEPS = ("log_in", "read", "run_sql", "import_file", "files", "closed_folders", "get_runs_no_sql", "scripts_at_once", "in_a_browser", "tls", "queue")


def in_database(statement):
    return subprocess.run(["mysql", "-N", "shop", "-e", statement], capture_output=True, text=True, check=True).stdout.strip()


class PhpMyAdmin(Application):
    def log_in(self, web=None):
        web = web or self.web  # the first step, and each browser that comes later
        page = web.get("/").text
        fields = {name: found(rf'name="{name}" value="([^"]*)"', page, name) for name in ("token", "set_session")}
        answer = web.form("/index.php?route=/", {**fields, "server": "1", "pma_username": "editor", "pma_password": "a-password"})
        must(answer.status == 302, answer)
        web.token = found(r'name="token" value="([^"]+)"', web.get("/index.php?route=/server/sql").text, "token")
        return answer

    def sql(self, web, statement):
        """As the SQL box sends it."""
        answer = web.form("/index.php?route=/import", {"token": web.token, "server": "1", "db": "shop", "ajax_request": "1",
                                                       "is_js_confirmed": "0", "sql_query": statement, "sql_delimiter": ";"})
        must(answer.json().get("success") is True, answer)
        return answer

    def read(self):
        answer = self.web.get("/index.php?route=/database/structure&db=shop")
        must(answer.status == 200 and "counter" in answer.text, answer)

    def run_sql(self):
        self.sql(self.web, "INSERT INTO things VALUES ('by the box')")
        assert in_database("SELECT COUNT(*) FROM things WHERE name = 'by the box'") == "1", "the row is missing"

    def import_file(self):
        data = b"".join(b"INSERT INTO things VALUES ('imported %d');\n" % number for number in range(500))
        answer = self.web.upload("/index.php?route=/import", {
            "token": self.web.token, "server": "1", "db": "shop", "import_type": "database", "format": "sql",
            "charset_of_file": "utf-8", "ajax_request": "1"}, "import_file", "things.sql", data)
        must(answer.status == 200, answer)
        rows = in_database("SELECT COUNT(*) FROM things WHERE name LIKE 'imported%'")
        assert rows == "500", f"{rows} of 500 rows: {answer.text[:300]}"

    def files(self):
        for path, kind in (("/themes/pmahomme/css/theme.css", "text/css"), ("/favicon.ico", "image/"),
                           ("/js/vendor/jquery/jquery.min.js", ""), ("/themes/pmahomme/img/logo_right.png", "image/png")):
            answer = self.web.get(path)
            must(answer.status == 200 and (answer.headers["Content-Type"] or "").startswith(kind), answer)

    def closed_folders(self):
        for path in ("/libraries/vendor_config.php", "/templates/base.twig", "/sql/create_tables.sql"):
            answer = self.web.get(path)
            must(answer.status in (403, 404), answer)

    def get_runs_no_sql(self):
        before = in_database("SELECT COUNT(*) FROM things")
        for route in ("/sql", "/import"):
            self.web.get(f"/index.php?route={route}&server=1&db=shop&table=things&token={self.web.token}"
                         "&sql_query=DELETE+FROM+things&ajax_request=1&is_js_confirmed=1")
        assert in_database("SELECT COUNT(*) FROM things") == before, "a GET ran SQL"

    def scripts_at_once(self):
        """Eight people run a script that reads and writes back."""
        def lost(first):
            webs = [Browser(self.host, first.port, first.headers) for _ in range(BROWSERS)]
            for web in webs:  # PHP lets requests of one session wait for each other
                self.log_in(web)
            in_database("UPDATE counter SET n = 0")
            at_once(AT_ONCE, lambda number: self.sql(webs[number % BROWSERS], ADD_ONE))
            return AT_ONCE - int(in_database("SELECT n FROM counter"))
        behind, note = self.both(lost)
        assert behind == 0, note
        return f"lost of {AT_ONCE}: {note}"

    def in_a_browser(self):
        return self.look_at("phpmyadmin", start="/index.php?route=/", sql="/index.php?route=/server/sql",
                            table="/index.php?route=/sql&db=shop&table=things")

    def tls(self):
        answer = self.log_in(self.behind_tls())
        assert all("secure" in line.lower() for line in answer.headers.get_all("Set-Cookie") if line.startswith("pmaAuth")), \
            "the cookie is not for HTTPS only"
        return answer.headers["Location"]

    def queue(self):
        return lines_as_promised(self.host, ["POST /index.php?route=/import", "POST /", "POST /favicon.ico"],
                                 ["GET /index.php?route=/sql", "HEAD /js/vendor/jquery/jquery.min.js", "GET /favicon.ico"])


if __name__ == "__main__":
    sys.exit(run(PhpMyAdmin(*arguments()), STEPS))
