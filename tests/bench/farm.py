"""What a lab of months and many people asks of its daemon: bench.py's parts `lists` and `watchers`, at a million stored runs and with 500
who watch; `kills`, `soak` and `year`; and `farm`, which is all of them and their neighbours as one table."""

import functools
import json
import os
import pathlib
import re
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import devices
import files
import host
import ingest
import store
from daemon import Daemon

sys.path.insert(0, str(host.ROOT / "tests/support"))

import postgres  # noqa: E402

RUNS = 1_000_000
RUN_LISTS = [path.replace("50000", "500000") for path in host.RUN_LISTS]
LISTS_A_SECOND, SECONDS, ROWS = 500, 4, 50
WATCHERS, CHANGES = 500, 9


KILLS, ALL_KILLS = 20, 1000
SOAK_MINUTES, SOAK_RESTARTS = (5, 120), (5, 30)  # unless said otherwise, and the full length
DEFAULT_LEASE_S, FAILOVER_S = 30, 60
DAYS, YEAR_S, LEAST_USED_PERCENT = 365, 300, 95
FIRST_ROWS = 1000  # written by the daemon's own code; a server multiplies them


def start_and_lists(what, daemon):
    """Rows of a daemon that starts on a million runs and is asked for lists of them."""
    began = time.perf_counter()
    with daemon:
        start_s = time.perf_counter() - began
        reads = host.load(daemon, SECONDS, 16, LISTS_A_SECOND, "-", *RUN_LISTS)
    yield host.row(f"{what}: start to ready with {RUNS:,} runs", round(start_s, 3), "s", 1, "goal")
    yield host.row(f"{what}: lists of runs at {RUNS:,} runs, {LISTS_A_SECOND} a second: p99", reads["p99_ms"], "ms", 5, "goal, from when each was due")
    yield host.row("  failed requests", reads["failures"], "requests", 0, "goal")


def multiply(server, table, with_id):
    """The first rows of a table again and again, until there are RUNS. `with_id`: SQL for the columns that count on."""
    columns = [row[0] for row in server.sql(f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}' ORDER BY 1")]
    values = ", ".join(with_id.get(column, column) for column in columns)
    server.sql(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table}, generate_series(1, {RUNS // FIRST_ROWS - 1}::bigint) AS again"
               f" ORDER BY again, id; SELECT setval('{table}_id_seq', {RUNS})")


def fill(server):
    host.output_of(host.HOST_BENCH / "make_store", server.url(), FIRST_ROWS)
    step = {"id": f"id + again * {FIRST_ROWS}", "started_ms": f"started_ms + again * {FIRST_ROWS} * 60000", "ended_ms": f"ended_ms + again * {FIRST_ROWS} * 60000"}
    # A daemon hears of what others wrote lately, which is not all of it.
    multiply(server, "jobs", step | {"run": f"run + again * {FIRST_ROWS}", "written_ms": "written_ms - again * 60000", "submitted_ms": f"submitted_ms + again * {FIRST_ROWS} * 60000"})
    multiply(server, "runs", step | {"job": f"job + again * {FIRST_ROWS}", "directory": "directory || '-' || again"})
    for table in ("jobs", "runs"):
        server.sql(f"VACUUM ANALYZE {table}")


def server_lists(server):
    """How soon pgbench has the same rows at the same rate, without a daemon: p99 in ms, from when each was due."""
    conditions = ("TRUE", "model = 'model_3_f32_xnnpack'", "device = 'counted-2'", "id < 500000")
    scripts = [pathlib.Path(server.root) / f"list{number}.sql" for number in range(len(conditions))]
    for script, condition in zip(scripts, conditions):
        script.write_text(f"SELECT * FROM runs WHERE {condition} ORDER BY id DESC LIMIT {ROWS + 1};\n")
    server.run("pgbench", "-n", "-M", "prepared", "-c", "4", "-R", str(LISTS_A_SECOND), "-T", str(SECONDS), "-l", "--log-prefix", f"{server.root}/lists",
               *(word for script in scripts for word in ("-f", str(script))), "-h", server.root, "-p", str(server.port), "-U", "sme2lab", "sme2lab")
    lines = [line.split() for log in pathlib.Path(server.root).glob("lists.*") for line in log.read_text().splitlines()]
    times_us = sorted(int(line[2]) for line in lines)
    return times_us[len(times_us) * 99 // 100] / 1000


def bench_lists():
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        state = pathlib.Path(folder) / "state"
        state.mkdir()
        host.output_of(host.HOST_BENCH / "make_store", state / "store.sqlite", RUNS)
        yield from start_and_lists("SQLite", Daemon(state, {"devices": []}))
    if not postgres.programs():
        sys.exit(f"bench: {postgres.MISSING}")
    server = postgres.Server(sync=True)
    try:
        fill(server)
        with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
            yield from start_and_lists("PostgreSQL", Daemon(pathlib.Path(folder) / "state", {"devices": [], "store": server.url()}))
        yield host.noted("  pgbench asks the server for the same rows at that rate: p99", server_lists(server), "ms", 5, "the goal of the lists, from when each was due")
    finally:
        server.close()


def watch(door):
    """Somebody who follows all that happens in the lab."""
    watcher = socket.socket(socket.AF_UNIX)
    watcher.connect(str(door))
    watcher.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    head = watcher.recv(4096)
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"bench: a watcher is refused: {head!r}")
    return watcher


def told_last_ms(daemon, selector, job):
    """From a submission until the last of the watchers was told of the job."""
    waiting = set(selector.get_map())
    began = time.perf_counter()
    status, _, body = daemon.submit(job)
    if status != 201:
        raise SystemExit(f"bench: submission: {status} {body!r}")
    mark, told = b'"job":%d,' % json.loads(body)["id"], {}
    while waiting:
        for key, _ in selector.select(10) or ([] if time.perf_counter() - began < 10 else [(None, None)]):
            if key is None:
                raise SystemExit(f"bench: {len(waiting)} watchers were told nothing")
            told[key.fd] = told.get(key.fd, b"") + key.fileobj.recv(65536)
            if mark in told[key.fd]:
                waiting.discard(key.fd)
    return (time.perf_counter() - began) * 1e3


def watched(daemon):
    with daemon:
        job = {"model": daemon.put_blob(host.TOY / "model.pte")}
        selector = selectors.DefaultSelector()
        for _ in range(WATCHERS):
            selector.register(watch(daemon.socket), selectors.EVENT_READ)
        times = [told_last_ms(daemon, selector, job) for _ in range(CHANGES)]
        for key in list(selector.get_map().values()):
            key.fileobj.close()
    yield host.row(f"from a submission until the last of {WATCHERS} watchers at one door is told of it", round(statistics.median(times), 1), "ms", 50, "goal, median")


def bench_watchers():
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory(prefix="sme2lab-bench-") as folder:
        yield from watched(Daemon(pathlib.Path(folder) / "state", {"devices": []}))


def said_by(command, env=None):
    """What a test of the repository prints, what it says beside that, and its exit code."""
    done = subprocess.run([sys.executable, *map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=os.environ | (env or {}))
    if done.returncode == 77:
        sys.exit(f"bench: {(done.stderr + done.stdout).strip().splitlines()[-1]}")
    return done.stdout, done.stderr, done.returncode


def numbers_in(line):
    return {word: int(count) for count, word in re.findall(r"(\d+) ([a-z]+)", line)}


SHARED = host.ROOT / "tests/integration/test_shared_queue.py"


def bench_kills(kills=KILLS):
    """Two daemons on one PostgreSQL, killed at random with their connections and their server; then how soon a dead host's job goes on."""
    said, beside, rc = said_by([SHARED, kills, "TestSharedQueue.test_every_job_ends_once_whoever_is_killed"])
    line = re.search(r"shared queue: .* kills, .*", said)
    if not line:
        sys.exit(f"bench: kills: {(said + beside).strip()[-500:]}")
    ledger = numbers_in(line.group(0))
    what = f"{kills} kills of two daemons, their connections and their server: jobs"
    yield host.row(f"{what} that did not end", ledger["submitted"] - ledger["done"] - ledger["failed"], f"of {ledger['submitted']}", 0, "goal")
    yield host.row("  checks of the ledger that failed: one end, one run, nothing lost", rc, "checks", 0, "goal")
    yield host.noted("  jobs that all three attempts of were hurt", ledger["failed"], "jobs", None, "no goal; they say so")
    said, beside, rc = said_by([SHARED, 0, "TestSharedQueue.test_a_job_of_a_host_that_died_goes_to_the_other_within_its_lease"], {"SL_LEASE_SECONDS": str(DEFAULT_LEASE_S)})
    found = re.search(r"failover after ([0-9.]+) s", said)
    if rc or not found:
        sys.exit(f"bench: kills: {(said + beside).strip()[-500:]}")
    yield host.row(f"  failover with the lease that daemons have, {DEFAULT_LEASE_S} s", float(found.group(1)), "s", FAILOVER_S, "goal")


def bench_soak(minutes=SOAK_MINUTES[0], restarts=SOAK_RESTARTS[0]):
    """tests/integration/soak_farm.py: full load, faults and restarts; what must not grow, and the ledger."""
    said, beside, rc = said_by([host.ROOT / "tests/integration/soak_farm.py", "--minutes", minutes, "--restarts", restarts, "--json"])
    lines = [line for line in said.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"bench: soak: exit {rc}: {beside.strip()[-500:]}")
    found = json.loads(lines[-1])
    what = f"soak of {minutes} minutes, {restarts} restarts, {found['faults']} faults"
    yield host.row(f"{what}: jobs submitted and not stored, or stored and not submitted", found["ledger_difference"], f"of {found['submitted']}", 0, "goal")
    yield host.row("  done jobs without their one run, runs without their job or directory", found["without_run"], f"of {found['done']}", 0, "goal")
    yield host.row("  daemon's memory after warm-up: most beside the median", round(found["memory_spread_mb"], 2), "MB", 2, "goal, +-2 MB")
    yield host.row("  descriptors and threads: most beside the least", found["handles_spread"], "handles", 0, "goal: flat")
    yield host.row("  files outside runs: most beside the least", found["files_spread"], "files", 0, "goal: flat")
    yield host.row("  other sentences of the soak", len(found["wrong"]), "sentences", 0, "goal" if not found["wrong"] else "; ".join(found["wrong"])[:200])


def bench_year(days=DAYS):
    command = [host.ROOT / "build/host/tests/lab_year", str(days)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"bench: year: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    what = f"{days} days of {found['phones']} phones, {found['submitted']:,} jobs"
    yield host.row(f"{what}: simulated in", found["seconds"], "s", YEAR_S, "goal")
    yield host.row("  submitters passed over for a day", found["starved"], "times", 0, f"goal: nothing starves; {found['longest_passed_over_minutes']} minutes at most")
    yield host.row("  used of the phones' time, which jobs could always use all of", round(100 * found["used"], 2), "%", LEAST_USED_PERCENT, "goal: of the best possible", least=True)
    yield host.row(f"  lost, or ended twice, over {found['restarts']} restarts", found["lost"] + found["ended_twice"], "jobs", 0, "goal")


PARTS = {"lists": bench_lists, "watchers": bench_watchers, "kills": bench_kills, "soak": bench_soak, "year": bench_year}

# --- farm: all of it ---

HERE, AGENTS, PHONES = "this machine", "this machine; devices are its own processes", "emulated phones"
# part: what it runs on
FIGURES = {"store": (store.bench, HERE), "lists": (bench_lists, HERE), "watchers": (bench_watchers, HERE), "files": (files.bench, HERE),
           "stream": (host.bench_stream, AGENTS), "ingest": (ingest.bench, AGENTS), "devices": (devices.bench, PHONES),
           "kills": (bench_kills, "emulated devices"), "soak": (bench_soak, AGENTS), "year": (bench_year, "simulated: phones and clock")}


def add_options(parser):
    parser.add_argument("--full", action="store_true", help=f"of the part farm: {ALL_KILLS:,} kills, a soak of {SOAK_MINUTES[1]} minutes with {SOAK_RESTARTS[1]} restarts")
    parser.add_argument("--kills", type=int, metavar="N", help=f"of the part farm, kills ({KILLS})")
    parser.add_argument("--soak", type=int, metavar="MINUTES", help=f"of the part farm, minutes of the soak ({SOAK_MINUTES[0]})")
    parser.add_argument("--restarts", type=int, metavar="N", help=f"of the part farm, restarts in the soak ({SOAK_RESTARTS[0]})")


def check_options(options):
    """A sentence, or None."""
    unknown = [name for name in options.only if name not in FIGURES]
    if unknown:
        return f"farm has no part '{unknown[0]}'; there are: {', '.join(FIGURES)}"
    if any(number is not None and number < 1 for number in (options.kills, options.soak, options.restarts)):
        return "--kills, --soak and --restarts are 1 or more"
    return None


def chosen(options):
    """The parts that are asked for, each as a call."""
    calls = {name: bench for name, (bench, _) in FIGURES.items() if not options.only or name in options.only}
    if "kills" in calls:
        calls["kills"] = functools.partial(bench_kills, options.kills or (ALL_KILLS if options.full else KILLS))
    if "soak" in calls:
        calls["soak"] = functools.partial(bench_soak, options.soak or SOAK_MINUTES[options.full], options.restarts or SOAK_RESTARTS[options.full])
    return calls


def rows_of(name, call):
    """Those that the part yields; where it ends early, one that says why: the figures after it are missing."""
    rows, why = [], None
    try:
        rows.extend(call())
    except (SystemExit, AssertionError, OSError, RuntimeError, subprocess.SubprocessError) as told:
        why = " ".join(str(told).split())[:300] or type(told).__name__
    if not rows and not why:
        why = "it said nothing"
    if why:
        rows.append({"what": f"{name}: could not run, or not to its end", "measured": None, "unit": "", "reference": None, "source": why, "ratio": None, "met": False})
    return [row | {"on": FIGURES[name][1]} for row in rows]


def goal_of(row):
    if row["reference"] is None:
        return "-"
    if not row["source"].startswith("goal"):
        return f"({row['reference']:,})"
    return f"{'>=' if row.get('least') else '<='} {row['reference']:,}"


def verdict_of(row):
    if row["measured"] is None:
        return "NOT RUN"
    return "compared" if not row["source"].startswith("goal") else "met" if row["met"] else "MISSED"


HEAD = "| figure | measured | goal | reference | verdict | measured on |\n|---|--:|--:|---|---|---|"


def line_of(row):
    measured = "-" if row["measured"] is None else f"{row['measured']:,} {row['unit']}"
    source = re.sub(r"^goal(: |, |$)", "", row["source"]) or "the goal"
    return f"| {row['what'].strip()} | {measured} | {goal_of(row)} | {source} | {verdict_of(row)} | {row['on']} |"


def run(options):
    """Prints a line when it is known; every part's rows."""
    rows = []
    if not options.json:
        print(HEAD, flush=True)
    for name, call in chosen(options).items():
        began = time.monotonic()
        more = rows_of(name, call)
        print(f"bench: {name} took {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        if not options.json:
            print("\n".join(map(line_of, more)), flush=True)
        rows += more
    return rows
