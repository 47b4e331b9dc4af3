"""Durable submissions a second on either kind of store, beside single inserts of the same rows by pgbench: bench.py's part `store`."""

import contextlib
import json
import math
import pathlib
import re
import statistics
import sys
import tempfile

import host
from daemon import Daemon

sys.path.insert(0, str(host.ROOT / "tests/support"))

import postgres  # noqa: E402

SECONDS = 4
ROUNDS, ROUND_SECONDS, WARM_SECONDS = 7, 1.5, 0.5  # of the daemon and the server in turn: what else the machine does meanwhile both feel
AT_ONCE = 16
LEAST = 0.7  # of the server's own
# The rows that the daemon writes for a submission, as one prepared statement with a commit of its own; its key is as long as one of the daemon's.
INSERT = """\\set key random(100000000000000000, 999999999999999999)
WITH note AS (INSERT INTO audit ({audit_names}) VALUES ({audit_values})) INSERT INTO jobs (idempotency_key, {names}) VALUES ('sme2lab-bench--' || :key, {values}) RETURNING id;
"""


@contextlib.contextmanager
def daemon_with_job(url=None):
    """A daemon, and the file of a job that it takes."""
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        config = {"devices": []} | ({"store": url} if url else {})
        with Daemon(pathlib.Path(folder) / "state", config) as daemon:
            job = pathlib.Path(folder) / "job.json"
            job.write_text(json.dumps({"model": daemon.put_blob(host.TOY / "model.pte")}))
            yield daemon, job


def submissions(daemon, job, seconds, at_once):
    """Synced submissions a second over HTTP."""
    load = host.load(daemon, seconds, at_once, 0, job, "/api/v1/jobs")
    if load["failures"]:
        sys.exit(f"bench: {load['failures']} submissions failed")
    return load["rate"]


def first_row(server, database, table, *without):
    """The names and the values of what the daemon wrote first, as SQL has them."""
    rest = " ".join(f"- '{name}'" for name in ("id", *without))
    return server.sql(f"SELECT string_agg(quote_ident(key), ', '), string_agg(quote_nullable(value), ', ') FROM (SELECT * FROM {table} ORDER BY id LIMIT 1) AS r, "
                      f"jsonb_each_text(to_jsonb(r) {rest})", database=database)[0]


def inserts(server, database, clients):
    """The same rows by pgbench, into the daemon's own tables."""
    script = pathlib.Path(server.root) / "insert.sql"
    (names, values), (audit_names, audit_values) = (first_row(server, database, *table) for table in (("jobs", "idempotency_key"), ("audit",)))
    script.write_text(INSERT.format(names=names, values=values, audit_names=audit_names, audit_values=audit_values))
    said = server.run("pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, 2)), "-T", str(math.ceil(ROUND_SECONDS)), "-f", str(script),
                      "-h", server.root, "-p", str(server.port), "-U", "sme2lab", database)
    return float(re.search(r"tps = ([0-9.]+)", said).group(1))


def beside_the_server(server):
    """For one and for several at a time: pairs of the daemon's and the server's own rate, one right after the other. Each round has a daemon and a database
    of its own: a queue takes 100,000 jobs."""
    pairs = {1: [], AT_ONCE: []}
    for number in range(ROUNDS):
        database = f"round{number}"
        server.sql(f"CREATE DATABASE {database} OWNER sme2lab", database="postgres", user="postgres")
        with daemon_with_job(server.url(database)) as (daemon, job):
            for at_once, found in pairs.items():
                submissions(daemon, job, WARM_SECONDS, at_once)
                found.append((submissions(daemon, job, ROUND_SECONDS, at_once), inserts(server, database, at_once)))
    return pairs


def bench():
    with daemon_with_job() as (daemon, job):
        alone, together = (submissions(daemon, job, SECONDS, at_once) for at_once in (1, AT_ONCE))
    yield host.row("SQLite: submissions, each synced before its answer, one at a time", round(alone), "jobs/s", 200, "goal", least=True)
    yield host.row(f"  {AT_ONCE} at a time, synced in groups", round(together), "jobs/s", 5000, "goal", least=True)
    if not postgres.programs():
        sys.exit(f"bench: {postgres.MISSING}")
    server = postgres.Server(sync=True)
    try:
        pairs = beside_the_server(server)
    finally:
        server.close()
    for at_once, found in pairs.items():
        ours, theirs = (statistics.median(rates) for rates in zip(*found))
        ratio = statistics.median(our / their for our, their in found)
        what = "PostgreSQL: submissions, one at a time" if at_once == 1 else f"  {at_once} at a time"
        yield host.row(what, round(ours), "jobs/s", round(LEAST * ours / ratio),
                       f"goal: {LEAST} of pgbench's inserts by {at_once} clients, here {theirs:,.0f}; the median ratio of {ROUNDS} rounds is {ratio:.2f}", least=True)


PARTS = {"store": bench}
