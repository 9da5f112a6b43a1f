"""A server of files on this machine, with the faults that servers and networks have.

    python3 loopback.py FOLDER PORT_FILE LOG_FILE

Below /cut/N/ a file breaks off after N bytes though its whole length was said; below /plain/ nothing can be read from its
middle; below /moved/ everything is said to lie elsewhere; below /busy/ the server is out of order.
"""

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

    def do_GET(self):
        fault, path = re.fullmatch(r"/(?:(cut/\d+|plain|moved|busy)/)?(.*)", self.path).groups()
        with LOG_FILE.open("a") as log:
            print(self.path, self.headers.get("Range", "-"), file=log)
        file = FOLDER / path
        if fault == "busy":
            return self.send_error(503)
        if not file.is_file():
            return self.send_error(404)
        if fault == "moved":
            self.send_response(302)
            self.send_header("Location", f"/{path}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        content = file.read_bytes()
        begin = None if fault == "plain" else self.beginning(len(content))
        if begin is not None and begin == len(content):
            return self.send_error(416)
        self.send_response(200 if begin is None else 206)
        if begin is not None:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        content = content[begin or 0 :]
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault and fault.startswith("cut/"):
            content = content[: int(fault[4:])]
            self.close_connection = True
        self.wfile.write(content)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
new = PORT_FILE.with_suffix(".new")
new.write_text(f"{server.server_address[1]}\n")
os.replace(new, PORT_FILE)
server.serve_forever()
