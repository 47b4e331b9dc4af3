"""What a person meets in the first hour: where results go, what is refused before anything is measured, what verbs say without a daemon."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import lab
from daemon import SME2LABD

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
QUICK = ("--device", "counted", "--runs", "1", "--warmup", "0")


def setUpModule():
    lab.need(lab.SME2LAB, SME2LABD, lab.AGENT, lab.EMULATOR)


class Places(lab.Scratch):
    def inside(self, *words):
        """Runs the words with the scratch directory as the working directory."""
        return subprocess.run([lab.SME2LAB, *map(str, words)], env={**os.environ, "SME2LAB_STATE": str(lab.STATE)}, cwd=self.scratch,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=170)

    def test_what_inspect_refuses_run_refuses_alike_and_leaves_nothing(self):
        (self.scratch / "empty.pte").write_bytes(b"")
        (self.scratch / "noise.pte").write_bytes(b"\xff" * 4096)
        for name in ("empty.pte", "noise.pte"):
            inspected, ran = self.inside("inspect", name), self.inside("run", name, *QUICK)
            self.assertEqual((ran.returncode, ran.stderr), (inspected.returncode, inspected.stderr))
            self.assertEqual(ran.returncode, 2)
            self.assertIn(name, ran.stderr)
        self.assertEqual(sorted(path.name for path in self.scratch.iterdir()), ["empty.pte", "noise.pte"])

    def test_what_is_no_file_of_its_kind_is_refused_with_a_fix(self):
        for words, fix in ((("analyze", TOY / "model.pte"), "'sme2lab inspect'"), (("inspect", TOY / "run.etdump"), "'sme2lab analyze'"),
                           (("run", TOY / "run.etdump"), "'sme2lab analyze'"), (("run", TOY), "name a .pte file"), (("inspect", TOY), "name a .pte file")):
            done = self.inside(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("  fix: ", done.stderr)
            self.assertIn(fix, done.stderr)

    def test_a_lab_that_is_not_there_leaves_no_directory(self):
        done = self.inside("run", TOY / "model.pte", "--server", "unix:/nowhere/s.sock")
        self.assertEqual(done.returncode, 5)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_file_as_place_is_refused_before_measuring(self):
        (self.scratch / "taken").write_text("mine")
        for place in ("taken", "taken/below"):
            done = self.inside("run", TOY / "model.pte", *QUICK, "-o", place)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("taken", done.stderr)
        self.assertEqual((self.scratch / "taken").read_text(), "mine")

    def test_two_runs_at_once_do_not_share_a_place(self):
        words = [str(word) for word in (lab.SME2LAB, "run", TOY / "model.pte", "--device", "counted", "--runs", "4", "-o", "o", "-q")]
        runs = [subprocess.Popen(words, cwd=self.scratch, env={**os.environ, "SME2LAB_STATE": str(lab.STATE)}, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        said = [run.communicate(timeout=170)[1] for run in runs]
        self.assertEqual(sorted(run.returncode for run in runs), [0, 2], said)
        self.assertTrue(any("nother run" in words for words in said), said)

    def test_paths_of_a_configuration_are_relative_to_it(self):
        below = self.scratch / "below"
        below.mkdir()
        (below / "toy.pte").write_bytes((TOY / "model.pte").read_bytes())
        (below / "x.bin").write_bytes((TOY / "input-0.bin").read_bytes())
        (below / "c.json").write_text(json.dumps({"model": "toy.pte", "inputs": ["x.bin"], "output_root": "o", "device": "counted",
                                                  "runs": 1, "warmup": 0}))
        done = self.inside("run", "below/c.json", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((below / "o/manifest.json").is_file())
        self.assertEqual(sorted(path.name for path in self.scratch.iterdir()), ["below"])

    def test_a_wrong_number_of_expected_files_is_refused_before_measuring(self):
        file = TOY / "input-0.bin"
        done = self.inside("run", TOY / "model.pte", *QUICK, "--expected", f"{file},{file}")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("1 outputs, and 2 files", done.stderr.replace("\n", " "))
        self.assertEqual(list(self.scratch.iterdir()), [])


class Answers(lab.Scratch):
    """Each answer of --json says what it is; pages, versions and lists say enough."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="sme2lab-test-")
        cls.addClassCleanup(cls.holder.cleanup)
        cls.out = pathlib.Path(cls.holder.name) / "o"
        done = lab.sme2lab("run", TOY / "model.pte", *QUICK, "--out", cls.out, "-q")
        assert done.returncode == 0, done.stderr

    def test_every_json_answer_has_its_schema(self):
        etdump = next(self.out.glob("run_sme2-on/*.etdump"))
        off = next(self.out.glob("run_sme2-off/*.etdump"))
        cases = {"help": ("help",), "version": ("version",), "completion": ("completion", "bash"), "error": ("show", "x"),
                 "jobs": ("jobs",), "runs": ("runs",), "devices": ("devices",), "series": ("history",), "show": ("show", 1), "log": ("logs", 1),
                 "outcome": ("wait", 1), "tokens": ("token", "list"), "job": ("cancel", 1), "doctor": ("doctor",),
                 "inspection": ("inspect", TOY / "model.pte"), "analysis": ("analyze", etdump), "comparison": ("compare", off, etdump),
                 "validation": ("validate", self.out), "report": ("report", self.out, "-o", self.scratch / "r"),
                 "agent_kernels": ("kernels",), "kernels": ("kernels", "bench", "4x4x4"), "plan": ("run", TOY / "model.pte", "--explain"),
                 "submission": ("submit", TOY / "model.pte", *QUICK)}
        for name, words in cases.items():
            said = lab.call(*words, "--json").stdout
            answer = json.loads(said.splitlines()[0] if name == "log" else said)
            self.assertEqual((answer[0] if isinstance(answer, list) else answer).get("schema"), f"sme2lab.{name}/1", words)
        events = [json.loads(line) for line in lab.call("watch", 1, "--json").stdout.splitlines()]
        self.assertEqual({event["schema"] for event in events}, {"sme2lab.event/1", "sme2lab.outcome/1"})

    def test_help_is_json_where_that_is_asked_for(self):
        verbs = {row["verb"] for row in json.loads(lab.call("help", "--json").stdout)["verbs"]}
        self.assertLessEqual({"run", "jobs", "help"}, verbs)
        for words in (("help", "jobs"), ("jobs", "--help"), ("jobs", "-h")):
            page = json.loads(lab.call(*words, "--json").stdout)
            self.assertEqual(page["verb"], "jobs")
            self.assertIn("--state", [option["name"] for option in page["options"]])

    def test_help_and_readme_are_plain(self):
        """Sentences that readers stumbled over are gone, and no other is as long as those were."""
        verbs = [row["verb"] for row in json.loads(lab.call("help", "--json").stdout)["verbs"]]
        pages = {verb: json.loads(lab.call("help", verb, "--json").stdout) for verb in verbs}
        readme = (lab.ROOT / "README.md").read_text()
        for words in ("take the place of time", "A name is not an origin", "Killed at any instant", "of the lab's is started once",
                      "refused with a sentence", "is for are not proven", "itself not counted", "A against A"):
            self.assertNotIn(words, readme)
            self.assertNotIn(words, json.dumps(pages))
        self.assertNotIn("about", pages.pop("help"))  # the list of verbs
        self.assertLessEqual(max(len(line) for line in lab.call("help").stdout.splitlines()), 80)
        for verb, page in pages.items():
            self.assertTrue(page["about"], verb)
            options = page.get("options") or []
            lines = lab.call("help", verb).stdout.splitlines()[1:]
            self.assertLessEqual(max(len(line) for line in lines if "sme2lab" not in line), 80, verb)  # commands may be longer
            for text in (page["about"], page.get("notes") or "", *(option["help"] for option in options)):
                for sentence in re.split(r"(?<=[.:;])\s|\n  |\n\n", text):
                    self.assertLessEqual(len(sentence.split()), 30, f"{verb}: {sentence}")
            for option in options:
                self.assertRegex(option["help"], r"^\S+( \S+)+$", f"{verb} {option['name']}")

    def test_the_version_has_its_commit(self):
        said = json.loads(lab.call("version", "--json").stdout)["commit"]
        self.assertRegex(said, "^([0-9a-f]{12}(-dirty)?|unknown)$")
        self.assertIn(said, lab.call("version").stdout)

    def test_completion_offers_devices_jobs_and_runs(self):
        for words, expected in ((("run", "--device", ""), "counted-512"), (("watch", ""), "1"), (("show", ""), "1")):
            done = lab.call("completion", "words", "--", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(expected, done.stdout.split())

    def test_bash_completes_values(self):
        script = f"""source <({lab.SME2LAB} completion bash); COMP_WORDS=({lab.SME2LAB} jobs --state ''); COMP_CWORD=3; _sme2lab
                     echo "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.split(), ["queued", "running", "done", "failed", "cancelled"])

    def test_kernels_fit_the_terminal(self):
        environment = {**os.environ, "SME2LAB_STATE": str(lab.STATE), "TERM": "xterm"}
        for columns in (72, 90):
            code, text = lab.on_a_terminal(columns, [lab.SME2LAB, "kernels"], environment)
            self.assertEqual(code, 0)
            self.assertLessEqual(max(len(line) for line in text.splitlines()), columns)

    def test_a_run_prints_its_figures_in_ten_lines_and_the_verdict_last(self):
        for model in ("toy_cnn_f32_xnnpack", "kitchen_shape_portable", "transformer_dynq_xnnpack"):
            out = self.scratch / model
            done = lab.call("run", lab.MODELS / model / "model.pte", *QUICK, "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertRegex(lines[0], r"^our kernels: instructions \(emulated\), not time  +off  +on  +ratio  # on, \. off$")
            self.assertEqual([row.startswith("  ") for row in lines[1:6]], [False, False, True, True, True], done.stdout)  # categories, operators
            self.assertTrue(lines[6].startswith("estimated time off / on: "), done.stdout)
            self.assertTrue(lines[7].startswith("next: "), done.stdout)
            self.assertEqual(lines[8], f"outputs agree; report: {out}/report.html, or --full")
            self.assertRegex(lines[9], "^our kernels, sme2 on against off: executes [0-9.]+x fewer instructions at SVL 512 \\(not speed\\)$")
            self.assertEqual(len(lines), 10, done.stdout)
            self.assertLessEqual(max(len(line) for line in lines if str(out) not in line), 100, done.stdout)
        done = lab.call("run", TOY / "model.pte", *QUICK, "-o", self.scratch / "q", "-q")
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)

    def test_results_are_named_by_the_model_as_lists_are(self):
        done = subprocess.run([lab.SME2LAB, "run", TOY / "model.pte", *QUICK, "--runtime", "own"], cwd=self.scratch, capture_output=True, text=True,
                              env={**os.environ, "SME2LAB_STATE": str(lab.STATE)}, stdin=subprocess.DEVNULL, timeout=170)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(next((self.scratch / "out").iterdir()).name, r"^toy_cnn_f32_xnnpack-\d{8}T\d{6}Z$")
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 100, done.stdout)

    def test_levels_of_a_comparison_are_whole_words(self):
        dumps = [next(self.out.glob(f"run_sme2-{level}/*.etdump")) for level in ("off", "on")]
        for path, name in zip(dumps, ("a.etdump", "b.etdump")):
            (self.scratch / name).write_bytes(path.read_bytes())
        said = lab.call("compare", self.scratch / "a.etdump", self.scratch / "b.etdump").stdout
        self.assertNotIn("candidat:", said)

    def test_lists_that_leave_out_rows_say_how_to_see_them(self):
        etdump = lab.MODELS / "delegate_ops_f32_xnnpack/aarch64-sme2.etdump"
        self.assertIn("more (-v shows them)", lab.call("analyze", etdump).stdout)
        self.assertNotIn("more (-v", lab.call("analyze", etdump, "-v").stdout)
        lines = lambda *words: len(lab.call("analyze", etdump, *words).stdout.splitlines())
        self.assertEqual(lines("--top", 7) - lines("--top", 3), 4)

    def test_classes_of_junit_differ_by_model_and_tracks_have_names(self):
        done = lab.call("report", self.out, "--format", "junit,perfetto", "-o", self.scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('classname="sme2lab.toy_cnn_f32_xnnpack"', next(self.scratch.glob("*.xml")).read_text())
        for trace in self.scratch.rglob("*perfetto*"):
            self.assertNotIn(str(self.out).encode(), trace.read_bytes())


class Stores(lab.Scratch):
    """Without a daemon: what the last private one stored."""

    def call(self, *words, agent=None):
        more = {"SME2LAB_AGENT": str(agent)} if agent else {}
        return lab.call(*words, env={"SME2LAB_STATE": str(self.scratch / "s"), **more})

    def tearDown(self):
        lab.end_private_daemons(self.scratch / "s")

    def locks(self):
        return list((self.scratch / "s").glob("private/*/lock"))

    def end_daemon(self):
        for lock in self.locks():
            os.kill(int(lock.read_text()), signal.SIGTERM)
        limit = time.monotonic() + 60
        while any(path.exists() for path in (self.scratch / "s").glob("private/*/sme2labd.sock")):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.05)

    def test_submit_starts_a_daemon_and_other_tools_take_its_store_over(self):
        done = self.call("submit", TOY / "model.pte", "--runs", 1, "--warmup", 0)
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
        self.assertEqual(self.call("wait", 1).returncode, 0)
        self.end_daemon()
        found = json.loads(self.call("jobs", "--json").stdout)["jobs"]
        self.assertEqual([(job["id"], job["device"]) for job in found], [(1, "counted-512")])
        built = self.scratch / "sme2lab-agent"  # the same program in another build
        built.write_bytes(lab.AGENT.read_bytes())
        built.chmod(0o755)
        self.assertEqual(json.loads(self.call("jobs", "--json", agent=built).stdout)["jobs"], found)  # while the first build's daemon runs
        self.assertEqual(len(self.locks()), 1)
        self.end_daemon()
        for words, key in ((("runs",), "runs"), (("jobs",), "jobs"), (("devices",), "devices")):
            done = self.call(*words, "--json", agent=built)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(json.loads(done.stdout)[key])
        self.assertEqual(self.call("logs", 1, agent=built).returncode, 0)
        self.assertEqual(len(self.locks()), 1)
        done = self.call("submit", TOY / "model.pte", "--runs", 1, "--warmup", 0, agent=built)
        self.assertEqual(done.stdout, "2\n")
        self.assertEqual(self.call("wait", 2, agent=built).returncode, 0)

    def test_where_nothing_ever_ran_each_verb_answers_as_with_an_empty_store(self):
        for words, name, said in ((("jobs",), "jobs", "No jobs. 'sme2lab run MODEL.pte'"), (("runs",), "runs", "No runs. 'sme2lab run MODEL.pte'"),
                                  (("groups",), "groups", "No groups."), (("history",), "series", "No series."), (("runs", "--top", 3), "runs", "No runs."),
                                  (("jobs", "--filter", "x"), "jobs", "No jobs."), (("jobs", "--state", "done"), "jobs", "No jobs.")):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertIn(said, done.stdout)
            self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)
            done = self.call(*words, "--json")
            self.assertEqual((done.returncode, done.stderr, json.loads(done.stdout)[name]), (0, "", []), words)
        self.assertIn("counted-512", self.call("devices").stdout)
        self.assertRegex(self.call("query", "SELECT count(*) AS runs FROM runs").stdout, "runs\n *0\n")
        for words, what, fix in ((("jobs", "--state", "WRONG"), "'WRONG' is no state of a job", "queued, running"),
                                 (("show", 1), "no run 1", "'sme2lab runs' lists them"), (("show", 1, "--job"), "no job 1", "'sme2lab jobs' lists them"),
                                 (("logs", 1), "no run 1", "'sme2lab runs' lists them"), (("rm", 1), "no run 1", "'sme2lab runs' lists them"),
                                 (("report", 1, "-o", self.scratch / "r"), "no run 1", "'sme2lab runs' lists them"),
                                 (("export", 1, "-o", self.scratch / "e.tar.zst"), "no run 1", "'sme2lab runs' lists them"),
                                 (("compare", 1, 2), "no run 1", "'sme2lab runs' lists them"),
                                 (("wait", 1), "no job 1", "'sme2lab jobs' lists them"), (("watch", 1), "no job 1", "'sme2lab jobs' lists them"),
                                 (("cancel", 1), "no job 1", "'sme2lab jobs' lists them"), (("cancel", "g1"), "no group 1", "'sme2lab groups' lists them"),
                                 (("history", "X"), "no series", "'sme2lab history' lists"),
                                 (("history", "0123456789abcdef"), "no series 0123456789abcdef", "'sme2lab history' lists them"),
                                 (("token", "revoke", 1), "no token 1", "'sme2lab token list' lists them"),
                                 (("device", "release", "x"), "no device x", "'sme2lab devices' lists them")):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (words, done.stderr))
            self.assertIn(what, done.stderr)
            self.assertIn(fix, done.stderr)
        self.assertEqual(sorted(path.name for path in self.scratch.iterdir()), ["s"])

    def test_doctor_finds_a_fresh_home_well_and_completion_has_nothing_to_offer(self):
        found = json.loads(self.call("doctor", "--json").stdout)["findings"]
        self.assertEqual([row["level"] for row in found if row["name"] in ("daemon", "store")], ["ok", "ok"], found)
        done = self.call("completion", "words", "--", "show", "")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_daemon_that_is_named_or_has_stored_something_is_waited_for(self):
        self.assertEqual(self.call("jobs", "--server", f"unix:{self.scratch}/none.sock").returncode, 5)
        (self.scratch / "s").mkdir()
        (self.scratch / "s/store.sqlite").write_bytes(b"")  # of a daemon that does not run now
        for verb in ("jobs", "runs", "devices"):
            self.assertEqual(self.call(verb).returncode, 5, verb)

    def test_runs_are_filtered_labelled_and_removed(self):
        for label in ("main", "side"):
            done = self.call("submit", TOY / "model.pte", "--runs", 1, "--warmup", 0, "--label", f"branch={label}")
            self.assertEqual(self.call("wait", done.stdout.strip()).returncode, 0)
        ids = lambda *words: [row["id"] for row in json.loads(self.call(*words, "--json").stdout)[words[0]]]
        self.assertEqual(ids("runs"), [2, 1])
        self.assertEqual(ids("runs", "--label", "branch=main"), [1])
        self.assertEqual(ids("runs", "--label", "branch=none"), [])
        self.assertEqual(self.call("runs", "--label", "branch").returncode, 2)
        self.assertEqual(ids("runs", "--filter", "COUNTED"), [2, 1])
        self.assertEqual(ids("runs", "--filter", "phone"), [])
        self.assertEqual(ids("runs", "--top", 1), [2])
        self.assertEqual(ids("jobs", "--filter", "done", "--top", 1), [2])
        rows = lambda *words: len(json.loads(self.call(*words, "--json").stdout)[{"history": "series"}.get(words[0], words[0])])
        for words in (("devices",), ("history",)):
            self.assertGreaterEqual(rows(*words), 1, words)
            self.assertEqual(rows(*words, "--top", 1), 1, words)
            self.assertEqual(rows(*words, "--filter", "Counted-512"), 1, words)
            self.assertEqual(rows(*words, "--filter", "phone"), 0, words)
        folders = lambda: len(list((self.scratch / "s").glob("private/*/runs/*/*")))
        self.assertEqual(folders(), 2)
        self.assertEqual(self.call("gc").returncode, 2)
        self.assertIn("No run", self.call("gc", "--older-than", "1d").stdout)
        tomorrow = str(int((time.time() + 86400) * 1000))
        rehearsed = json.loads(self.call("gc", "--older-than", tomorrow, "--dry-run", "--json").stdout)
        self.assertEqual((rehearsed["schema"], rehearsed["rehearsal"], rehearsed["runs"]), ("sme2lab.removal/1", True, [1]))
        self.assertEqual(ids("runs"), [2, 1])
        self.assertEqual(self.call("gc", "--older-than", tomorrow).returncode, 0)
        self.assertEqual((ids("runs"), folders()), ([2], 1))
        self.assertEqual(self.call("rm", 2).stdout, "run 2 is removed\n")
        self.assertEqual((ids("runs"), folders()), ([], 0))
        for words in (("rm", 2), ("show", 2), ("rm", "x"), ("rm",)):
            self.assertEqual(self.call(*words).returncode, 2, words)
        done = self.call("submit", TOY / "model.pte", "--runs", 1, "--warmup", 0)
        self.assertEqual(self.call("wait", done.stdout.strip()).returncode, 0)
        self.assertEqual(ids("runs"), [3])  # numbers are not given out again

    def test_doctor_sees_the_private_daemon(self):
        self.assertEqual(self.call("submit", TOY / "model.pte", "--runs", 1, "--warmup", 0).returncode, 0)
        self.assertEqual(self.call("wait", 1).returncode, 0)
        for _ in range(2):  # while it runs, and when it has ended
            found = json.loads(self.call("doctor", "--json").stdout)["findings"]
            self.assertIn("private", next(row["text"] for row in found if row["name"] == "daemon"))
            self.assertLessEqual({("store", "ok"), ("device", "ok")}, {(row["name"], row["level"]) for row in found})
            self.end_daemon()


if __name__ == "__main__":
    lab.main()
