"""A browser without a screen: keeps cookies, follows no redirect by itself, and never gives up on an answer."""
import http.client
import json
import time
import urllib.parse


class Answer:
    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds
        self.text = body.decode("utf-8", "replace")

    def json(self):
        try:
            return json.loads(self.text)
        except ValueError:
            return {"not JSON": self.text[:200]}


class Browser:
    def __init__(self, host, port=80, headers=None):
        self.host, self.port, self.headers, self.cookies = host, port, headers or {}, {}
        self.nonce = self.rest_root = ""

    def request(self, method, path, body=None, headers=None):
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300,
                                                source_address=("127.0.0.9", 0))  # PHP calls from 127.0.0.1
        fields = {"Host": self.host, "User-Agent": "test-browser", "Connection": "close",
                  **self.headers, **(headers or {})}
        if self.cookies:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, fields)
        response = connection.getresponse()
        data = response.read()
        for line in response.headers.get_all("Set-Cookie") or []:
            name, _, value = line.split(";")[0].partition("=")
            self.cookies[name] = value
            if value == "deleted":  # PHP's word for an end
                del self.cookies[name]
        connection.close()
        return Answer(response.status, response.headers, data, time.monotonic() - began)

    def get(self, path):
        return self.request("GET", path)

    def form(self, path, fields):
        return self.request("POST", path, urllib.parse.urlencode(fields),
                            {"Content-Type": "application/x-www-form-urlencoded"})

    def upload(self, path, fields, name, filename, data):
        """A form with a file, as multipart/form-data."""
        mark = "end-of-a-part"
        parts = [f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
                 for key, value in fields.items()]
        parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n'
                     f'Content-Type: image/png\r\n\r\n'.encode() + data + f"\r\n--{mark}--\r\n".encode())
        return self.request("POST", path, b"".join(parts), {"Content-Type": f"multipart/form-data; boundary={mark}"})

    def rest(self, method, route, data=None, **headers):
        """A call as the block editor makes it: PUT is a POST that names PUT in a header."""
        fields = {"X-WP-Nonce": self.nonce, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if method == "PUT":
            method, fields["X-HTTP-Method-Override"] = "POST", "PUT"
        if isinstance(data, (dict, list)):
            data, fields["Content-Type"] = json.dumps(data), "application/json"
        return self.request(method, self.rest_path(route), data, fields)

    def rest_path(self, route):
        path = urllib.parse.urlsplit(self.rest_root)
        path = path.path + ("?" + path.query if path.query else "") + route
        return path if path.count("?") < 2 else "&".join(path.rsplit("?", 1))
