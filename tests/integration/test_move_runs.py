"""Runs moved from one daemon to another: exported to one file, imported with new numbers, the same in all else."""

import hashlib
import io
import json
import subprocess
import tarfile
import time

import lab
from daemon import SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
COUNTED = {"devices": [{"name": "here", "kind": "counted"}], "agents_on_demand": True}
LIST = "sme2lab-export.json"


def setUpModule():
    lab.need(SME2LABD, lab.AGENT, lab.EMULATOR)


def cli(daemon, *words):
    return lab.sme2lab("--server", f"unix:{daemon.socket}", *words)


def submit(daemon, **more):
    job = {"model": daemon.put_blob(TOY / "model.pte"), "runs": 2, "labels": {"commit": "abc"}} | more
    return daemon.wait(json.loads(daemon.submit(job)[2])["id"])


def unpacked(path):
    """The entries of an archive in their order: name and bytes."""
    tar = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        return [(entry, archive.extractfile(entry).read() if entry.isfile() else b"") for entry in archive]


def packed(path, entries):
    """An archive of entries that may lie."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry, data in entries:
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    path.write_bytes(subprocess.run(["zstd", "-cq"], input=tar.getvalue(), check=True, capture_output=True).stdout)
    return path


def empty(folder, patience_s=60):
    """What is left of refused imports goes beside the loop."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end and any(folder.iterdir()):
        time.sleep(0.05)
    return not any(folder.iterdir())


class Moved(lab.Scratch):
    def test_a_run_moves_to_another_lab_with_all_that_it_has(self):
        file = self.scratch / "runs.tar.zst"
        with Daemon(self.scratch / "there", COUNTED) as there:
            records = [submit(there), submit(there, runs=3)]
            runs = [str(record["run"]) for record in records]
            done = cli(there, "export", *runs, "-o", file, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            files = [len(there.get(f"/api/v1/runs/{run}/files")["files"]) for run in runs]
            self.assertEqual([(run["name"], run["run"], run["files"]) for run in json.loads(done.stdout)["runs"]],
                             [(f"run-{run}", int(run), count) for run, count in zip(runs, files)])
            again = cli(there, "export", runs[0], "-o", file)
            self.assertEqual(again.returncode, 2, "an archive is overwritten")
            analyses = [there.get(f"/api/v1/runs/{run}/analysis") for run in runs]
            series = there.get("/api/v1/series")["series"][0]["id"]
            points = there.get(f"/api/v1/series/{series}/points")["points"]
            rows = [there.get(f"/api/v1/runs/{run}") for run in runs]
        with Daemon(self.scratch / "here", COUNTED) as here:
            own = submit(here)
            done = cli(here, "import", file, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            moved = json.loads(done.stdout)["runs"]
            self.assertEqual([run["was"] for run in moved], [int(run) for run in runs])
            self.assertEqual([run["run"] for run in moved], [own["run"] + 1, own["run"] + 2])
            for run, row, analysis in zip(moved, rows, analyses):
                found = here.get(f"/api/v1/runs/{run['run']}")
                self.assertEqual(found | {"id": 0, "job": 0}, row | {"id": 0, "job": 0, "host": own["host"]})
                self.assertEqual(here.get(f"/api/v1/runs/{run['run']}/analysis"), analysis)
                job = here.get(f"/api/v1/jobs/{run['job']}")
                self.assertEqual((job["state"], job["run"], job["detail"]), ("done", run["run"], f"imported: run {run['was']} of another store"))
                self.assertTrue(job["owner"].startswith("uid:"), job)
            self.assertEqual(len(here.get(f"/api/v1/series/{series}/points")["points"]), len(points) + 1)  # they go on in the same series
            answer = json.loads(cli(here, "query", "SELECT count(*) FROM labels WHERE key = 'commit'", "--json").stdout)
            self.assertEqual(answer["rows"], [[3]])
            self.assertEqual(json.loads(cli(here, "fsck", "--json").stdout)["findings"], [])
            # A second time nothing is added.
            known = json.loads(cli(here, "import", file, "--json").stdout)["runs"]
            self.assertEqual(known, [run | {"new": False} for run in moved])
            self.assertEqual(len(here.get("/api/v1/runs")["runs"]), 3)
            # Numbers go on behind the new ones, also after the database is lost.
            self.assertEqual(submit(here)["run"], moved[-1]["run"] + 1)
            self.assertTrue(empty(self.scratch / "here/imports"))
        (self.scratch / "here/store.sqlite").unlink()
        with Daemon(self.scratch / "here", COUNTED) as here:
            self.assertEqual({run["id"] for run in here.get("/api/v1/runs")["runs"]}, {own["run"] + k for k in range(4)})
            self.assertEqual(here.get(f"/api/v1/runs/{moved[1]['run']}/analysis"), analyses[1])

    def test_a_directory_is_unpacked_elsewhere_and_no_daemon_takes_it(self):
        done = lab.sme2lab("run", TOY / "model.pte", "--device", "counted", "--runs", "2", "-o", self.scratch / "mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.scratch / "one.tar.zst"
        self.assertEqual(lab.sme2lab("export", f"{self.scratch}/mine/", "-o", file).returncode, 0)
        self.assertEqual(lab.sme2lab("export", f"{self.scratch}/mine", "-o", self.scratch / "two.tar.zst").returncode, 0)
        self.assertEqual(file.read_bytes(), (self.scratch / "two.tar.zst").read_bytes())
        done = lab.sme2lab("import", file, "-o", self.scratch / "new")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{self.scratch}/new/mine: {sum(path.is_file() for path in (self.scratch / 'mine').rglob('*'))} files\n")
        for path in (self.scratch / "mine").rglob("*"):
            if path.is_file():
                self.assertEqual((self.scratch / "new/mine" / path.relative_to(self.scratch / "mine")).read_bytes(), path.read_bytes())
        self.assertEqual(lab.sme2lab("validate", self.scratch / "new/mine").returncode, 0)
        self.assertEqual(lab.sme2lab("import", file, "-o", self.scratch / "new").returncode, 2, "a directory is overwritten")
        with Daemon(self.scratch / "here", COUNTED) as here:
            done = cli(here, "import", file)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("-o NEW", done.stderr)
            self.assertEqual(here.get("/api/v1/runs")["runs"], [])

    def test_an_archive_that_lies_is_refused_and_leaves_nothing(self):
        (self.scratch / "run").mkdir()
        (self.scratch / "run/a.txt").write_text("alpha")
        (self.scratch / "run/b.txt").write_text("beta")
        file = self.scratch / "good.tar.zst"
        self.assertEqual(lab.sme2lab("export", self.scratch / "run", "-o", file).returncode, 0)
        entries = unpacked(file)
        self.assertEqual([entry.name for entry, _ in entries], [LIST, "run/a.txt", "run/b.txt"])
        listed = json.loads(entries[0][1])
        self.assertEqual(listed["runs"][0]["files"][0], {"path": "a.txt", "bytes": 5, "sha256": hashlib.sha256(b"alpha").hexdigest()})

        def with_list(change):
            text = json.loads(entries[0][1])
            change(text["runs"][0])
            return [(entries[0][0], json.dumps(text).encode()), *entries[1:]]

        def linked():
            entry = tarfile.TarInfo("run/b.txt")
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            return entry

        lies = {
            "wrong digest": [entries[0], (entries[1][0], b"ALPHA"), entries[2]],
            "longer": [entries[0], (entries[1][0], b"alphas"), entries[2]],
            "missing": entries[:2],
            "more": [*entries, (tarfile.TarInfo("run/c.txt"), b"gamma")],
            "turned round": [entries[0], entries[2], entries[1]],
            "no list": entries[1:],
            "link": [*entries[:2], (linked(), b"")],
            "path up": with_list(lambda run: run["files"][0].update(path="../a.txt")),
            "absolute path": with_list(lambda run: run["files"][0].update(path="/tmp/a.txt")),
            "name up": with_list(lambda run: run.update(name="..")),
            "name below": with_list(lambda run: run.update(name="x/run")),
            "another list": [(entries[0][0], b'{"schema": "sme2lab.export/9", "runs": []}')],
        }
        for what, lie in lies.items():
            with self.subTest(what):
                done = lab.sme2lab("import", packed(self.scratch / "lie.tar.zst", lie), "-o", self.scratch / "out")
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertFalse((self.scratch / "out").exists())
        whole = file.read_bytes()
        for cut in (0, 10, len(whole) // 2, len(whole) - 3):
            (self.scratch / "cut.tar.zst").write_bytes(whole[:cut])
            self.assertEqual(lab.sme2lab("import", self.scratch / "cut.tar.zst", "-o", self.scratch / "out").returncode, 2, cut)
        self.assertFalse((self.scratch / "out").exists())

    def test_a_daemon_refuses_files_that_are_no_run(self):
        with Daemon(self.scratch / "state", COUNTED) as daemon:
            text = self.scratch / "file"
            text.write_text("{}")
            blob = daemon.put_blob(text)

            def post(*files):
                body = json.dumps({"files": [{"path": path, "sha256": sha256} for path, sha256 in files]})
                return daemon.request("POST", "/api/v1/runs", body, {"Content-Type": "application/json"})[0]

            rows = ("streams/rows.json", blob)
            self.assertEqual(post(rows), 422)  # rows without a run
            self.assertEqual(post(("a.txt", blob)), 422)
            self.assertEqual(post(rows, rows), 422)
            self.assertEqual(post(("a", blob), ("a/b", blob)), 422)
            self.assertEqual(post(rows, ("x", "0" * 64)), 422)
            for path in ("../x", "/x", "a//b", "a/./b", "a/b/c/d", "", "x" * 600):
                self.assertEqual(post(rows, (path, blob)), 422, path)
            self.assertTrue(empty(self.scratch / "state/imports"))
            self.assertEqual(daemon.get("/api/v1/runs")["runs"], [])
            self.assertEqual(json.loads(cli(daemon, "fsck", "--json").stdout)["findings"], [])
            self.assertEqual(daemon.request("GET", "/readyz")[0], 200)


if __name__ == "__main__":
    lab.main()
