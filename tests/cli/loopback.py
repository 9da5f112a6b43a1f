"""A server of files on this machine, with the faults that servers and networks have.

    python3 loopback.py FOLDER PORT_FILE LOG_FILE

Below /cut/N/ a file breaks off after N bytes though its whole length was said; below /plain/ nothing can be read from its
middle; below /moved/ everything is said to lie elsewhere; below /busy/ the server is out of order. Below /hub/ sizes and hashes are said
as the Hugging Face hub does, below /hub-etag/, /hub-hash/ and /hub-size/ one of them wrongly. Below /round/ everything lies where it was
asked for, and below /endless/ a card has no end.
"""

import hashlib
import http.server
import os
import pathlib
import re
import sys

FOLDER, PORT_FILE, LOG_FILE = map(pathlib.Path, sys.argv[1:4])


class Files(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def beginning(self, size):
        """The first byte that is wanted, None: all of them."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return min(int(asked[1]), size) if asked else None

    def redirect(self, place, more={}):
        self.send_response(302)
        self.send_header("Location", place)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_for_ever(self):
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"without end\n" * 5000)
        except OSError:
            self.close_connection = True

    def do_GET(self):
        fault, path = re.fullmatch(r"/(?:(cut/\d+|plain|moved|busy|hub(?:-\w+)?|round|endless)/)?(.*)", self.path).groups()
        with LOG_FILE.open("a") as log:
            print(self.path, self.headers.get("Range", "-"), file=log)
        file = FOLDER / path
        if fault == "busy":
            return self.send_error(503)
        if not file.is_file():
            return self.send_error(404)
        if fault in ("moved", "round"):
            return self.redirect(f"/{path}" if fault == "moved" else self.path)
        content = file.read_bytes()
        if fault == "endless" and path.endswith(".md"):
            return self.send_for_ever()
        etag = None
        if fault and fault.startswith("hub"):
            if path.endswith(".safetensors"):
                size = len(content) + (fault == "hub-size")
                digest = hashlib.sha256(content + b"?" * (fault == "hub-hash")).hexdigest()
                return self.redirect(f"http://localhost:{PORT}/{path}", {"X-Linked-Size": str(size), "X-Linked-ETag": f'"{digest}"'})
            etag = hashlib.sha1(f"blob {len(content)}\0".encode() + content + b"?" * (fault == "hub-etag")).hexdigest()
        begin = None if fault == "plain" else self.beginning(len(content))
        if begin is not None and begin == len(content):
            return self.send_error(416)
        self.send_response(200 if begin is None else 206)
        if begin is not None:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        if self.headers.get("Host", "").startswith("localhost"):  # another server, whose hash says nothing of the file
            etag = "0" * 64
        if etag:
            self.send_header("ETag", f'W/"{etag}"')
        content = content[begin or 0 :]
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault and fault.startswith("cut/"):
            content = content[: int(fault[4:])]
            self.close_connection = True
        self.wfile.write(content)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
PORT = server.server_address[1]
new = PORT_FILE.with_suffix(".new")
new.write_text(f"{PORT}\n")
os.replace(new, PORT_FILE)
server.serve_forever()
