"""Results of other benchmarks in the store: google/benchmark's JSON, as version 1.7.1 wrote it, and Bencher's."""

import json
import random
import re

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

GOOGLE = lab.ROOT / "tests/data/benchmark/google-1.7.1.json"
NAMES = ["BM_sum/1024/repeats:5", "BM_sum/4096/repeats:5", "BM_agg/repeats:3/threads:2"]  # one more was skipped with an error


def setUpModule():
    lab.need(lab.SME2LAB, SME2LABD, NATIVE_AGENT, lab.AGENT)


class TestBenchmarks(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon(self.scratch / "state", {"devices": [{"name": "counts", "kind": "counted", "svl": 256}]})
        self.enterContext(self.daemon)

    def cli(self, *words, code=0):
        done = lab.sme2lab("--server", f"unix:{self.daemon.socket}", *words, timeout=120)
        self.assertIn(done.returncode, code if isinstance(code, tuple) else (code,), done.stdout + done.stderr)
        return done

    def write(self, document, name="b.json"):
        path = self.scratch / name
        path.write_text(json.dumps(document))
        return path

    def test_what_google_benchmark_wrote_becomes_a_run_for_each_benchmark_once(self):
        done = self.cli("import", GOOGLE)
        self.assertEqual(re.findall(r"(?m)^(\S+) is run \d+ here$", done.stdout), NAMES)
        self.assertIn("1 benchmarks that failed or told no time are left out", done.stderr)
        runs = self.daemon.get("/api/v1/runs")["runs"]
        self.assertEqual([run["model"] for run in reversed(runs)], NAMES)
        self.assertEqual({(run["device"], run["device_kind"]) for run in runs}, {("import:vm", "unknown")})
        self.assertEqual(len({run["series"] for run in runs}), 3)
        self.assertIn("as it was before", self.cli("import", GOOGLE).stdout)
        self.assertEqual(len(self.daemon.get("/api/v1/runs?label=source=google/benchmark")["runs"]), 3)
        kept = self.daemon.get(f"/api/v1/runs/{runs[-1]['id']}/files/benchmark.json")
        written = [row["real_time"] * 1000 for row in json.loads(GOOGLE.read_text())["benchmarks"]
                   if row["run_name"] == NAMES[0] and row["run_type"] == "iteration"]
        self.assertEqual(len(written), 5)
        for is_, was in zip(kept["times_ns"], written, strict=True):
            self.assertAlmostEqual(is_, was, places=6)
        self.assertAlmostEqual(kept["median_ns"], sorted(written)[2], places=6)
        self.assertIn("BM_sum/1024", self.cli("history").stdout)
        self.assertIn("This is another tool's benchmark: it has times, but no operators", self.cli("compare", "1", code=2).stderr)
        findings = json.loads(self.cli("fsck", "--json").stdout)["findings"]
        self.assertEqual([row for row in findings if row["kind"] != "unused-blob"], [])

    def test_a_benchmark_that_got_slower_is_seen_in_its_history(self):
        for run in range(24):
            path = self.write({"bench::gemm": {"latency": {"value": (1000 + run % 3 + run / 1000) * (1.3 if run >= 12 else 1)}}}, f"{run}.json")
            self.cli("import", path, "--device", "ci-box")
        series = {run["series"] for run in self.daemon.get("/api/v1/runs")["runs"]}
        self.assertEqual(len(series), 1)
        done = self.cli("history", *series, "--threshold", "5", code=3)
        self.assertRegex(done.stdout, r"(?m) 12 +time +1\.0\d+ us *-?$")
        self.assertRegex(done.stdout, r"(?m) 12 +time +1\.30\d+ us +\+\d+\.\d+ %$")
        self.assertIn("gate: not passed: it takes longer,", done.stdout)
        told = json.loads(self.cli("history", *series, "--json").stdout)
        self.assertEqual([set(point) for point in told["points"]], [{"run", "started_ms", "time"}] * 24)
        self.assertEqual(len(told["changes"]), 1)
        self.assertAlmostEqual(told["changes"][0]["change_percent"], 30, delta=1)
        page = self.daemon.request("GET", f"/series/{next(iter(series))}")
        self.assertEqual(page[0], 200)
        self.assertIn("Time, run by run", page[2].decode())
        self.assertRegex(page[2].decode(), r"From run \d+ on time changed by \+3\d\.\d\d %: 1\.0\d+ us to 1\.3\d+ us\.")

    def google(self, name, times, file):
        rows = [{"name": name, "run_name": name, "run_type": "iteration", "real_time": time, "time_unit": "us"} for time in times]
        return self.write({"context": {"host_name": "vm"}, "benchmarks": rows}, file)

    def test_two_benchmarks_are_compared_by_their_repetitions_and_few_make_no_claim(self):
        draw = random.Random(3)
        slow = [100 * draw.uniform(0.99, 1.01) for _ in range(30)]
        for number, (name, times) in enumerate([("BM_gemm", slow), ("BM_gemm", [time / 2 for time in slow]), ("BM_gemm", slow[:3]), ("BM_add", slow)], 1):
            self.cli("import", self.google(name, times, f"{number}.json"))
        self.cli("import", self.write({"BM_gemm": {"latency": {"value": 1000.0}}}, "5.json"))
        done = self.cli("compare", "1", "2")
        self.assertRegex(done.stdout, r"BM_gemm  run runs/2 against runs/1: 2\.\d+x faster")
        self.assertIn("because unpaired: nothing tells that the runs were interleaved", done.stdout)
        told = json.loads(self.cli("compare", "1", "2", "--json").stdout)
        self.assertEqual((told["verdict"], told["method"]), ("faster", "block-bootstrap"))
        self.assertAlmostEqual(told["ratio"], 2, delta=0.05)
        self.assertEqual(self.daemon.get("/api/v1/compare?baseline=1&candidate=2"), told)
        self.assertEqual(self.daemon.get("/api/v1/compare?baseline=1&candidate=4&variant=off")["verdict"], "incomparable")
        status, _, body = self.daemon.request("GET", "/api/v1/compare?baseline=1&candidate=1")
        self.assertEqual((status, "another tool's benchmark" in body.decode()), (404, True), body)
        self.assertIn("slower", self.cli("compare", "2", "1", code=3).stdout)
        self.assertIn("inconclusive", self.cli("compare", "1", "3", code=4).stdout)
        alone = self.cli("compare", "1", "5", code=4).stdout
        self.assertIn("because the candidate tells one time and no repetitions: how much it varies is not known", alone)
        self.assertIn("the baseline is BM_gemm, and the candidate BM_add", self.cli("compare", "1", "4", code=4).stdout)

    def test_a_benchmark_is_compared_with_a_run_of_ours_of_the_same_name(self):
        toy = lab.MODELS / "toy_cnn_f32_xnnpack"
        here = self.scratch / "toy_cnn_f32_xnnpack.etdump"
        here.write_bytes((toy / "run.etdump").read_bytes())
        for file, name in (("1.json", "toy_cnn_f32_xnnpack"), ("2.json", "other")):
            self.cli("import", self.google(name, [5e6 * (1 + time * 7 % 30 / 1000) for time in range(30)], file))
        told = json.loads(self.cli("compare", "1", here, "--json", code=4).stdout)
        self.assertGreater(told["ratio"], 1000)
        self.assertEqual(told["verdict"], "inconclusive")  # the ETDump has few executions
        self.assertIn("the baseline is other", self.cli("compare", "2", here, code=4).stdout)
        self.cli("submit", toy / "model.pte", "--device", "counts", "--wait", "--out", self.scratch / "out", code=(0, 3, 4))
        status, _, body = self.daemon.request("GET", "/api/v1/compare?baseline=1&candidate=3")
        self.assertEqual((status, json.loads(body)["type"]), (422, "urn:sme2lab:problem:unsupported"), body)
        for kind, code, said in (("counted", 2, "The run counted instructions, and the benchmark tells times"),
                                 ("emulated", 4, "because times of an emulated CPU mean nothing")):
            out = self.scratch / kind
            ran = lab.sme2lab("run", toy / "model.pte", "--device", kind, "--runs", "20", "--out", out, timeout=300)
            self.assertIn(ran.returncode, (0, 3, 4), ran.stderr)
            done = self.cli("compare", "1", out, code=code)
            self.assertIn(said, done.stdout + done.stderr)

    def test_what_is_no_result_is_said(self):
        for document, text in (([], "object"), ({"benchmarks": [3]}, "/benchmarks/0"), ({}, "no time of a benchmark"),
                               ({"a": {"throughput": {"value": 3}}}, "no time of a benchmark")):
            self.assertIn(text, self.cli("import", self.write(document), code=2).stderr)
        self.assertIn("--device alone", self.cli("import", GOOGLE, "-o", self.scratch / "x", code=2).stderr)
        self.assertIn("benchmarks alone", self.cli("import", GOOGLE.parent, "-o", self.scratch / "x", "--device", "x", code=2).stderr)
        self.assertIn("cannot be read", self.cli("import", self.scratch / "none.json", code=2).stderr)
        self.assertEqual(self.daemon.get("/api/v1/runs")["runs"], [])


if __name__ == "__main__":
    lab.main()
