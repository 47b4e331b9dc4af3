"""A daemon that is killed while it makes the files of a run: after the next start the job has ended, and no file is missing."""

import json
import random
import signal
import time

import lab
from daemon import NATIVE_AGENT, SME2LABD, Daemon

TOY = lab.MODELS / "toy_cnn_f32_xnnpack"
# Files in the order in which a run's are made: the daemon is killed when it has made one of them, or a moment later.
MILESTONES = ("streams/result", "*_sme2-off_t1.etdump", "manifest.json", "analysis_summary.json", "*_robust_stats.json", "report.md")


def setUpModule():
    lab.need(SME2LABD, NATIVE_AGENT, lab.AGENT, lab.EMULATOR)


def submit(daemon, device):
    job = {"model": daemon.put_blob(TOY / "model.pte"), "model_name": "toy.pte", "runs": 2, "device": device}
    status, _, body = daemon.submit(job)
    if status != 201:
        raise AssertionError(f"{status} {body!r}")
    return json.loads(body)["id"]


def files_of(daemon, record):
    """The names of what is promised of a run; streams are how it came here."""
    paths = [entry["path"] for entry in daemon.get(f"/api/v1/runs/{record['run']}/files")["files"]]
    return {path for path in paths if "streams/" not in path}


class TestFinishing(lab.Scratch):
    def kill_at(self, daemon, job, milestone, pause):
        """Ends the daemon as soon as the job's directory has such a file, and a pause later."""
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            folder = next(iter((daemon.state / "runs").glob(f"*/*-{job}")), None)
            if folder and next(iter(folder.glob(milestone) if "/" in milestone else folder.rglob(milestone)), None):
                time.sleep(pause)
                daemon.process.send_signal(signal.SIGKILL)
                daemon.process.wait()
                return
        raise AssertionError(f"job {job} makes no {milestone}")

    def check(self, device, milestones):
        draw = random.Random(device)
        config = {"devices": [{"name": device, "kind": device, "svl": 256}]}
        with Daemon(self.scratch / "state", config) as daemon:  # which holds every directory to `validate` when it ends
            undisturbed = files_of(daemon, daemon.wait(submit(daemon, device)))
            for milestone in milestones:
                job = submit(daemon, device)
                self.kill_at(daemon, job, milestone, draw.choice((0, 0.002, 0.01)))
                daemon.start()
                record = daemon.wait(job)
                self.assertEqual(record["state"], "done", (milestone, record))
                self.assertEqual(files_of(daemon, record), undisturbed, milestone)
            for folder in lab.run_directories(daemon.state / "runs"):
                lab.must_be_valid(folder)

    def test_counted(self):
        self.check("counted", MILESTONES)

    def test_in_time(self):
        self.check("emulated", MILESTONES[2:4])


if __name__ == "__main__":
    lab.main()
