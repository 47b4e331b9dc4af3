"""Durable submissions a second on either kind of store, beside PostgreSQL's own single inserts of the same rows: bench.py's part `store`."""

import json
import pathlib
import re
import sys
import tempfile

import host
from daemon import Daemon

sys.path.insert(0, str(host.ROOT / "tests/support"))

import postgres  # noqa: E402

SECONDS = 4
AT_ONCE = 16
LEAST = 0.7  # of the server's own
# As the daemon inserts it (host/store/job_table.c), one transaction each.
INSERT = """INSERT INTO jobs (config, idempotency_key, state, cause, detail, priority, attempts, submitted_ms, started_ms, ended_ms, selector, device, run,
cancel_wanted, lease_until_ms) VALUES ('{config}', NULL, 0, 0, '', 0, 0, 1, 0, 0, '', '', 0, 0, 0) RETURNING id;"""


def submissions(url=None):
    """Synced submissions a second over HTTP, one and several at a time; and the configuration that a job has in the store."""
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        config = {"devices": []} | ({"store": url} if url else {})
        with Daemon(pathlib.Path(folder) / "state", config) as daemon:
            job = pathlib.Path(folder) / "job.json"
            job.write_text(json.dumps({"model": daemon.put_blob(host.TOY / "model.pte")}))
            loads = [host.load(daemon, SECONDS, connections, 0, job, "/api/v1/jobs") for connections in (1, AT_ONCE)]
            kept = json.dumps(daemon.get("/api/v1/jobs/1").get("config", {}))
    failed = sum(load["failures"] for load in loads)
    if failed:
        sys.exit(f"bench: {failed} submissions failed")
    return [load["rate"] for load in loads], kept


def inserts(server, config):
    """The same by pgbench, on the daemon's own table, once the daemon has ended."""
    script = pathlib.Path(server.root) / "insert.sql"
    script.write_text(INSERT.format(config=config.replace("'", "''").replace(":", "\\:")).replace("\n", " ") + "\n")
    rates = []
    for clients in (1, AT_ONCE):
        said = server.run("pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(SECONDS), "-f", str(script), "-h", server.root,
                          "-p", str(server.port), "-U", "sme2lab", "sme2lab")
        rates.append(float(re.search(r"tps = ([0-9.]+)", said).group(1)))
    return rates


def bench():
    (alone, together), _ = submissions()
    yield host.row("SQLite: submissions, each synced before its answer, one at a time", round(alone), "jobs/s", 200, "goal", least=True)
    yield host.row(f"  {AT_ONCE} at a time, synced in groups", round(together), "jobs/s", 5000, "goal", least=True)
    if not postgres.programs():
        sys.exit(f"bench: {postgres.MISSING}")
    server = postgres.Server(sync=True)
    try:
        (alone, together), config = submissions(server.url())
        own_alone, own_together = inserts(server, config)
    finally:
        server.close()
    yield host.row("PostgreSQL: submissions, one at a time", round(alone), "jobs/s", round(LEAST * own_alone),
                   f"goal: {LEAST} of pgbench's {own_alone:,.0f} inserts", least=True)
    yield host.noted(f"  {AT_ONCE} at a time, over one connection", round(together), "jobs/s", round(own_together), f"pgbench's inserts, {AT_ONCE} clients")


PARTS = {"store": bench}
