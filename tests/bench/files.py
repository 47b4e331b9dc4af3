"""Files of runs over HTTP, beside nginx with the same files: bench.py's part `files`."""

import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import host
from daemon import Daemon

SIZES = {"4 kB": 4_000, "256 kB": 256_000, "16 MB": 16_000_000}
ROUNDS, SECONDS, AT_ONCE = 7, 1, 16
LEAST = 0.5  # of nginx
DIRECTORY = "runs/2026-01-01/000000.000-1"  # of make_store's first run
MISSING = "nginx is not installed: apt-get install nginx-light"
CONFIG = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log; {user}
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; default_type application/octet-stream;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen unix:{folder}/nginx.sock; root {root}; }}
}}
"""


class Nginx:
    """The stock server on a Unix socket as the daemon is, with one worker, which is its default, as the daemon has one loop; sendfile is on, and
    nothing is logged."""

    def __init__(self, program, folder, root):
        self.socket = folder / "nginx.sock"
        config = folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=folder, root=root, user="user root;" if os.geteuid() == 0 else ""))
        self.process = subprocess.Popen([program, "-c", config, "-e", folder / "nginx.log"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 10
        while not self.socket.exists():
            if self.process.poll() is not None or time.monotonic() > limit:
                sys.exit(f"bench: nginx does not start: {(folder / 'nginx.log').read_text()[-500:]}")
            time.sleep(0.02)

    def close(self):
        self.process.terminate()
        self.process.wait()


def rate(server, path):
    load = host.load(server, SECONDS, AT_ONCE, 0, "-", path)
    if load["failures"]:
        sys.exit(f"bench: {load['failures']} requests for {path} failed")
    return load["rate"]


def bench():
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if not program:
        sys.exit(f"bench: {MISSING}")
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder, contextlib.ExitStack() as stack:
        state = pathlib.Path(folder) / "state"
        files = state / DIRECTORY
        files.mkdir(parents=True)
        host.output_of(host.HOST_BENCH / "make_store", state / "store.sqlite", 1)
        for size in SIZES.values():
            (files / str(size)).write_bytes(os.urandom(size))
        daemon = Daemon(state, {"devices": []})
        daemon.start()
        stack.callback(daemon.__exit__, AssertionError)  # its run is none of a model, and is not validated
        nginx = Nginx(program, pathlib.Path(folder), files)
        stack.callback(nginx.close)
        for name, size in SIZES.items():
            pairs = [(rate(daemon, f"/api/v1/runs/1/files/{size}"), rate(nginx, f"/{size}")) for _ in range(ROUNDS)]
            ours, theirs = (statistics.median(rates) for rates in zip(*pairs))
            ratio = statistics.median(our / their for our, their in pairs)
            yield host.row(f"files of {name}, {AT_ONCE} at a time", round(ours), "files/s", round(LEAST * ours / ratio, 1),
                           f"goal: {LEAST} of nginx with one worker, here {theirs:,.0f}; the median ratio of {ROUNDS} rounds is {ratio:.2f}", least=True)


PARTS = {"files": bench}
