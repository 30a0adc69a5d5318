#!/usr/bin/env python3
"""Redirects that Apache, nginx and PHP generate never lead a client to the backend's port.

Usage: redirect_test.py TICKETGATE [-k PATTERN]. A backend that is not installed is skipped by name.
"""
import http.client
import os
import sys
import unittest

import real_test
from real_test import Apache, Fpm, NginxFpm, Served

# Builds an absolute URL from $_SERVER, as many applications do.
AWAY = ("<?php $s = $_SERVER; $https = ($s['HTTPS'] ?? '') === 'on'; $port = ':' . $s['SERVER_PORT'];"
        " header('Location: ' . ($https ? 'https://' : 'http://') . $s['SERVER_NAME']"
        " . ($port === ($https ? ':443' : ':80') ? '' : $port) . '/elsewhere');")


class ApacheWithFolders(Apache):
    """A vhost without a ServerName, as Debian's default site: its redirects contain the port that it listens on."""

    @property
    def paths(self):
        return ("LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so\n"
                f"<VirtualHost 127.0.0.1:{self.port}>\nDocumentRoot {self.root}\n</VirtualHost>")


class NginxWithFolders(NginxFpm):
    def start_nginx(self, location):
        php = f"      root {self.root};\n      location ~ \\.php$ {{\n{location}\n      }}"
        super().start_nginx(php)


class Redirects(Served):
    @classmethod
    def config(cls):
        return ("clients: { trusted_proxies: [127.0.0.1] }\n"
                "routes: [{ prefix: /, queue: app, routes: [{ prefix: /free, queue: off }] }]\n")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.backend.root / "folder").mkdir()
        (cls.backend.root / "folder").chmod(0o755)
        (cls.backend.root / "away.php").write_text(AWAY)

    def location(self, port, path, host, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path, headers={"Host": host, **(headers or {})})
        response = connection.getresponse()
        response.read()
        connection.close()
        self.assertIn(response.status, (301, 302))
        return response.headers["Location"]

    def test_redirects_of_a_script_lead_to_the_clients_host(self):
        for host in ("shop.example", "shop.example:81", f"127.0.0.1:{self.port}"):
            self.assertEqual(self.location(self.port, "/away.php", host), f"http://{host}/elsewhere")


class OfFolders(Redirects):
    def test_without_ticketgate_a_redirect_shows_the_backends_port(self):
        """Without ticketgate the redirect shows the backend's port, so the tests below can fail."""
        self.assertEqual(self.location(self.backend.port, "/folder", "shop.example"),
                         f"http://shop.example:{self.backend.port}/folder/")

    def test_redirects_of_a_folder_lead_to_the_clients_host(self):
        for host in ("shop.example", "shop.example:81", f"127.0.0.1:{self.port}"):
            self.assertEqual(self.location(self.port, "/folder", host), f"http://{host}/folder/")

    def test_redirects_of_a_folder_keep_the_clients_https(self):
        there = self.location(self.port, "/folder", "shop.example", {"X-Forwarded-Proto": "https"})
        self.assertEqual(there, "https://shop.example/folder/")


class TestApache(OfFolders, unittest.TestCase):
    backend_type = ApacheWithFolders


class TestNginx(OfFolders, unittest.TestCase):
    """nginx drops the port of the client's Host. ticketgate puts its own port there."""
    backend_type = NginxWithFolders

    def test_redirects_of_a_script_lead_to_the_clients_host(self):
        self.skipTest("SERVER_NAME is empty without server_name; docs/recipes/nginx.md sets it")


class TestFpm(Redirects, unittest.TestCase):
    backend_type = Fpm

    def test_redirects_of_a_script_keep_the_clients_https(self):
        there = self.location(self.port, "/away.php", "shop.example", {"X-Forwarded-Proto": "https"})
        self.assertEqual(there, "https://shop.example/elsewhere")


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin"
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
