"""Questions in SQL to the daemon's store: by the command line, over HTTP, and the example of host/store/README.md."""

import csv
import io
import json
import re
import sqlite3

import lab
from daemon import SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
COUNTED = {"devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}
MARCH_MS = 1772323200000  # 2026-03-01


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


def example():
    """The SELECT of the README."""
    return re.search(r"```sql\n(.*?)```", (lab.ROOT / "host/store/README.md").read_text(), re.S).group(1)


def put_run(db, device, started_ms, operators):
    """A row of a run on `device` with its operators' medians in ns."""
    run = db.execute("INSERT INTO runs (job, started_ms, ended_ms, device_kind, model, model_sha256, device, verdict, ratio, directory) "
                     "VALUES (0, ?, ?, 1, 'net', '', ?, '', 0, '') RETURNING id", (started_ms, started_ms, device)).fetchone()[0]
    db.execute("INSERT INTO variants (run, variant, unit, n) VALUES (?, 'on', 'ns', 20)", (run,))
    for position, (name, median) in enumerate(operators.items()):
        db.execute("INSERT INTO operators (run, variant, position, name, category, instances, n, median) VALUES (?, 'on', ?, ?, 'GEMM', 1, 20, ?)",
                   (run, position, name, median))


class TestQuery(lab.Scratch):
    def cli(self, daemon, *words):
        return lab.sme2lab("--server", f"unix:{daemon.socket}", "query", *words)

    def rows(self, daemon, sql, code=0):
        done = self.cli(daemon, sql, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "sme2lab.query/1")
        return answer["rows"]

    def test_a_run_can_be_asked_for_once_it_is_stored(self):
        with Daemon(self.scratch / "state", COUNTED) as daemon:
            job = {"model": daemon.put_blob(TOY / "model.pte"), "runs": 2, "labels": {"commit": "abc", "=sum": "x,y"}}
            record = daemon.wait(json.loads(daemon.submit(job)[2])["id"])
            analysis = daemon.get(f"/api/v1/runs/{record['run']}/analysis")
            whole = [["off", "instructions", analysis["comparison"]["baseline"]["median_insns"]],
                     ["on", "instructions", analysis["comparison"]["candidate"]["median_insns"]]]
            self.assertEqual(self.rows(daemon, "SELECT variant, unit, median FROM variants ORDER BY variant"), whole)
            self.assertEqual(self.rows(daemon, "SELECT variant, sum(median) FROM categories GROUP BY variant"),
                             [[variant, median] for variant, _, median in whole])
            self.assertEqual(self.rows(daemon, "SELECT name, category, kernel, median FROM operators WHERE variant = 'on' ORDER BY position"),
                             [[o["name"], o["category"], o["kernel"], o["self"]["median_insns"]] for o in analysis["analyses"][1]["operators"]])
            self.assertEqual(self.rows(daemon, "SELECT name, delta FROM changes WHERE kind = 'category' ORDER BY position"),
                             [[c["name"], c["delta_insns"]] for c in analysis["comparison"]["categories"]])
            self.assertEqual(self.rows(daemon, "SELECT number, device, cause, run FROM attempts"), [[1, "here", 0, record["run"]]])
            self.assertEqual(self.rows(daemon, "SELECT svl_bits, isa LIKE '%sme2%' FROM devices"), [[512, 1]])
            done = self.cli(daemon, "SELECT key, value, -1.5 AS figure FROM labels ORDER BY key", "--csv")
            self.assertEqual(list(csv.reader(io.StringIO(done.stdout))),
                             [["key", "value", "figure"], [" =sum", "x,y", "-1.5"], ["commit", "abc", "-1.5"]])
            done = self.cli(daemon, "SELECT name, runs FROM commits")
            self.assertRegex(done.stdout, r"name +runs\nabc +1\n")
            self.assertEqual(self.cli(daemon, "SELECT * FROM tokens").returncode, 2)
            self.assertEqual(daemon.request("POST", "/api/v1/query", '{"sql": "DELETE FROM runs"}', {"Content-Type": "application/json"})[0], 422)
            self.assertEqual(self.rows(daemon, "SELECT count(*) FROM runs"), [[1]])
            status, _, _ = daemon.request("DELETE", f"/api/v1/runs/{record['run']}")
            self.assertEqual(status, 204)
            self.assertEqual(self.rows(daemon, "SELECT (SELECT count(*) FROM operators) + (SELECT count(*) FROM labels)"), [[0]])

    def test_the_example_names_the_operator_that_got_slower_and_its_soc(self):
        state = self.scratch / "state"
        with Daemon(state, COUNTED) as daemon:
            daemon.terminate()
            with sqlite3.connect(state / "store.sqlite") as db:
                for device, soc in (("a", "SoC-1"), ("b", "SoC-1"), ("c", "SoC-2")):
                    db.execute("INSERT INTO devices (name, kind, soc, first_ms, last_ms) VALUES (?, 1, ?, 0, 0)", (device, soc))
                    for day in range(-5, 5):
                        slow = soc == "SoC-2" and day >= 0
                        put_run(db, device, MARCH_MS + day * 86400000, {"FC": 100 + day, "Conv": 300 if slow else 200})
            daemon.start()
            self.assertEqual(self.rows(daemon, example()), [["SoC-2", "net", "Conv", "ns", 200, 300],
                                                            ["SoC-1", "net", "FC", "ns", 97, 102],
                                                            ["SoC-2", "net", "FC", "ns", 97, 102]])


if __name__ == "__main__":
    lab.main()
