#!/usr/bin/env python3
"""Uses a small application behind a front controller: what it sees, many updates at once, methods that a form names,
work behind the response, uploads and files. drive.py HOST SETUP"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from application import Application, arguments  # noqa: E402
from checks import at_once, fragment, lines_as_promised, must, picture, run, until_true  # noqa: E402

AT_ONCE = 40
OTHER_METHOD = {"X-HTTP-Method-Override": "PUT"}
STEPS = ("variables", "append_at_once", "methods_at_once", "after_the_response", "upload", "files", "missing_files",
         "one_script", "tls", "queue", "every_request_queued")


class FrontController(Application):
    def variables(self):
        seen = self.web.get("/?a=1").json()
        expected = {"script": "/index.php", "HTTP_HOST": self.host, "SERVER_NAME": self.host, "SERVER_PORT": "80",
                    "REMOTE_ADDR": "127.0.0.9", "QUERY_STRING": "a=1"}
        wrong = {key: seen.get(key) for key, value in expected.items() if seen.get(key) != value}
        assert not wrong and seen.get("UNIQUE_ID") and "HTTPS" not in seen, f"{wrong} of {seen}"

    def kept(self, web, name, send, late=False):
        """How many of AT_ONCE values are in the list after send(web, number)."""
        web.form("/items", {"_method": "DELETE"})
        answers = at_once(AT_ONCE, lambda number: send(web, number))
        assert {answer.status for answer in answers} == {200}, {answer.status for answer in answers}
        if late:
            until_true(3, lambda: len(web.get("/items").json().get(name, [])) == AT_ONCE)
        return AT_ONCE - len(web.get("/items").json().get(name, []))

    def measure(self, name, send, strict=True, late=False):
        behind, note = self.both(lambda web: self.kept(web, name, send, late))
        assert behind == 0 or not strict, note
        return f"lost of {AT_ONCE}: {note}"

    def append_at_once(self):
        return self.measure("post", lambda web, n: web.form("/items", {"value": n}))

    def methods_at_once(self):
        """Half of the clients name PUT in the form, half in a header."""
        return self.measure("put", lambda web, n: web.form("/items", {"value": n, "_method": "PUT"}) if n % 2 else
                            web.request("POST", f"/items?value={n}", "", OTHER_METHOD))

    def after_the_response(self):
        """nginx cannot see work behind the response; the page says so."""
        return self.measure("late", lambda web, n: web.form("/late", {"value": n}), self.setup != "nginx", True)

    def upload(self):
        data = picture(1400, 1000)
        answer = self.web.upload("/files", {}, "file", "photo.png", data)
        must(answer.status == 200, answer)
        answer = self.web.get("/storage/photo.png")
        must(answer.status == 200 and answer.body == data and answer.headers["Content-Type"] == "image/png", answer)
        return f"{len(data)} bytes"

    def files(self):
        for path in ("/build/assets-1.2/app-4f3a.js", "/robots.txt"):
            answer = self.web.get(path)
            must(answer.status == 200 and answer.text in ("let built;\n", "User-agent: *\n"), answer)

    def missing_files(self):
        """A write to a path of a file waits, since the front controller may run for it."""
        must(self.web.get("/build/assets-1.2/none.js").status == 404, self.web.get("/build/assets-1.2/none.js"))
        must(self.web.form("/none.js", {}).status == 404, self.web.form("/none.js", {}))

    def one_script(self):
        """No other script in public/ runs, and no folder above it is served."""
        for path in ("/other.php", "/build/other.php", "/../state.json", "/%2e%2e/state.json"):
            answer = self.web.get(path)
            must("another script ran" not in answer.text and "post" not in answer.text and
                 answer.status in (400, 403, 404), answer)

    def tls(self):
        web = self.behind_tls()
        answer = web.form("/away", {})
        must(answer.headers["Location"] == f"https://{self.host}/items", answer)
        assert web.get("/").json().get("HTTPS") == "on", "PHP does not know of HTTPS"

    def queue(self):
        return lines_as_promised(
            self.host,
            ["POST /", "POST /items", "PUT /items", "DELETE /items", "POST /none.js", "POST /build/assets-1.2/app-4f3a.js",
             "GET /items?_method=PUT"],
            ["GET /", "GET /items", "HEAD /build/assets-1.2/app-4f3a.js", "GET /storage/photo.png"])

    def every_request_queued(self):
        return lines_as_promised(
            self.host,
            ["GET /", "GET /items", "POST /build/x.js", "GET /email/verify/1/2", "GET /robots.txt"],
            ["GET /build/assets-1.2/app-4f3a.js", "HEAD /storage/photo.png"], fragment("front-controller.md"))


if __name__ == "__main__":
    sys.exit(run(FrontController(*arguments()), STEPS))
