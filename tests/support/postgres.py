"""A real PostgreSQL server for tests: private directory, Unix socket, stopped at the end.

    postgres.py start FILE [--sync]   starts one and writes its URL to FILE; where the Debian package is missing, the reason instead
    postgres.py stop FILE             stops it and removes its directory

As root it runs as the user `postgres`, which the package makes: the server refuses root. The user `sme2lab` owns the database
`sme2lab` and needs no password; `guarded` needs the password `secret`; `reader` has no rights."""

import glob
import json
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIFETIME = 3600  # seconds: a test that was killed leaves no server behind for longer
SETTINGS = """
listen_addresses = ''
max_connections = 40
shared_buffers = 32MB
log_min_messages = fatal
"""


def programs():
    """The folder of initdb and postgres; None: the package is missing."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    return os.path.dirname(found[-1]) if found else None


MISSING = "PostgreSQL's server is not installed: apt install postgresql (scripts/setup does)"


class Server:
    """`sync`: as on a real host; without it tests are faster, and nothing here loses power."""

    def __init__(self, sync=False, lifetime=LIFETIME):
        self.bin = programs()
        if not self.bin:
            raise RuntimeError(MISSING)
        self.root = tempfile.mkdtemp(prefix="sl-postgres-")
        self.port = 5432 + secrets.randbelow(20000)
        self.process = None
        self.lifetime = lifetime
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            entry = pwd.getpwnam(self.user)
            os.chown(self.root, entry.pw_uid, entry.pw_gid)
        os.chmod(self.root, 0o755)
        data = f"{self.root}/data"
        self.run("initdb", "-D", data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions")
        with open(f"{data}/postgresql.conf", "a", encoding="utf-8") as file:
            file.write(SETTINGS + f"unix_socket_directories = '{self.root}'\nport = {self.port}\n")
            if not sync:
                file.write("fsync = off\n")
        with open(f"{data}/pg_hba.conf", "w", encoding="utf-8") as file:
            file.write("local all guarded scram-sha-256\nlocal all all trust\n")
        self.start()
        self.sql("CREATE ROLE sme2lab LOGIN; CREATE ROLE guarded LOGIN PASSWORD 'secret' IN ROLE sme2lab; CREATE ROLE reader LOGIN;", database="postgres", user="postgres")
        self.sql("CREATE DATABASE sme2lab OWNER sme2lab", database="postgres", user="postgres")

    def command(self, program, *words):
        path = [f"{self.bin}/{program}", *words]
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--", *path] if self.user else path

    def run(self, program, *words, **more):
        return subprocess.run(self.command(program, *words), check=True, capture_output=True, text=True, cwd=self.root, **more).stdout

    def start(self):
        with open(f"{self.root}/log", "ab") as log:
            self.process = subprocess.Popen(["timeout", "--signal=INT", str(self.lifetime), *self.command("postgres", "-D", f"{self.root}/data")],
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True, cwd=self.root)
        for _ in range(600):
            ready = subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", self.root, "-p", str(self.port)], check=False)
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        raise RuntimeError(f"the server does not start: {open(f'{self.root}/log', encoding='utf-8').read()[-2000:]}")

    def pid(self):
        with open(f"{self.root}/data/postmaster.pid", encoding="utf-8") as file:
            return int(file.readline())

    def stop(self, how=signal.SIGINT):
        """SIGINT: connections are ended; SIGQUIT: as if it had crashed."""
        pid = self.pid()
        os.kill(pid, how)
        if self.process:
            self.process.wait(timeout=30)
            self.process = None
        for _ in range(600):
            if not os.path.exists(f"/proc/{pid}"):
                return
            time.sleep(0.05)

    def sql(self, text, database="sme2lab", user="sme2lab"):
        """Rows as lists of words."""
        done = subprocess.run([f"{self.bin}/psql", "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", self.root, "-p", str(self.port), "-U", user, "-d", database, "-c", text],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def url(self, database="sme2lab", user="sme2lab", password=""):
        return f"postgresql://{user}{':' if password else ''}{password}@/{database}?host={self.root}&port={self.port}"

    def close(self):
        if os.path.exists(f"{self.root}/data/postmaster.pid"):
            self.stop()
        shutil.rmtree(self.root, ignore_errors=True)


def main(words):
    if len(words) >= 2 and words[0] == "start":
        os.makedirs(os.path.dirname(os.path.abspath(words[1])), exist_ok=True)
        known = {"missing": MISSING}
        if programs():
            server = Server(sync="--sync" in words, lifetime=900)
            known = {"url": server.url(), "root": server.root, "pid": server.pid()}
        with open(words[1] + ".json", "w", encoding="utf-8") as file:
            json.dump(known, file)
        with open(words[1], "w", encoding="utf-8") as file:
            file.write(known.get("url", MISSING))
        return 0
    if len(words) == 2 and words[0] == "stop":
        with open(words[1] + ".json", encoding="utf-8") as file:
            known = json.load(file)
        if "pid" in known:
            try:
                os.kill(known["pid"], signal.SIGQUIT)
            except ProcessLookupError:
                pass
            time.sleep(0.2)
            shutil.rmtree(known["root"], ignore_errors=True)
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
