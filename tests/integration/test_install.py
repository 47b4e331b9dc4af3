"""What `cmake --install` puts on a machine: it runs from there alone, its pages and units are right, and systemd's ways of talking to a
daemon work with it."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import unittest

import lab

CMAKE = "/usr/bin/cmake" if os.access("/usr/bin/cmake", os.X_OK) else "cmake"


def setUpModule():
    lab.need(lab.SME2LAB, lab.AGENT, lab.EMULATOR)


class Installed(lab.Scratch):
    def setUp(self):
        super().setUp()
        self.prefix = self.scratch / "usr"
        self.install()

    def install(self):
        subprocess.run([CMAKE, "--install", lab.HOST, "--prefix", self.prefix], check=True, stdout=subprocess.DEVNULL)

    def run_installed(self, *words, **options):
        """Without a way back to the tree that it came from."""
        state = self.scratch / "state"
        self.addCleanup(lab.end_private_daemons, state)
        environment = {"PATH": "/usr/bin:/bin", "SME2LAB_STATE": str(state), "SME2LAB_EMULATOR": str(lab.EMULATOR)}
        return subprocess.run([self.prefix / "bin/sme2lab", *map(str, words)], env=environment, cwd=self.scratch, capture_output=True, text=True, **options)

    def test_a_model_is_measured_by_what_is_installed(self):
        model = lab.MODELS / "toy_cnn_f32_xnnpack"
        done = self.run_installed("run", model / "model.pte", "--inputs", model / "input-0.bin", "--device", "counted", "--runtime", "own", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        manifest = json.loads((self.scratch / "out/manifest.json").read_text())
        self.assertTrue(str(manifest["agent"]).startswith(str(self.prefix)), manifest["agent"])

    def test_every_verb_has_its_page_and_each_shell_its_completion(self):
        pages = self.prefix / "share/man/man1"
        verbs = [verb["verb"] for verb in json.loads(self.run_installed("help", "--json").stdout)["verbs"]]
        self.assertEqual({page.name for page in pages.iterdir()}, {"sme2lab.1", *(f"sme2lab-{verb}.1" for verb in verbs)})
        page = (pages / "sme2lab-run.1").read_text()
        said = self.run_installed("run", "--help").stdout
        self.assertEqual([line.lstrip() for line in page.split(".nf\n")[1].split(".fi\n")[0].replace("\\-", "-").replace("\\&", "").replace("\\e", "\\").splitlines()],
                         [line.lstrip() for line in said.splitlines()])
        if shutil.which("groff"):
            for page in (*pages.iterdir(), self.prefix / "share/man/man8/sme2labd.8"):
                done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)
        completion = self.prefix / "share/bash-completion/completions/sme2lab"
        subprocess.run(["bash", "-n", completion], check=True)
        self.assertIn("complete ", completion.read_text())

    def test_what_a_ci_server_and_the_daemon_execute_can_be_executed(self):
        for path in ("ci/check.sh", "plugins/power_sysfs.py", "plugins/power_command.py", "plugins/notify_webhook.sh"):
            self.assertTrue(os.access(self.prefix / "share/sme2lab" / path, os.X_OK), path)
        job = (lab.ROOT / "configs/ci/gitlab.yml").read_text() + (lab.ROOT / "configs/ci/README.md").read_text()
        paths = re.findall(r"/usr/(share/sme2lab/[a-z./]*[a-z])", job)
        self.assertTrue(paths)
        for path in paths:
            self.assertTrue((self.prefix / path).exists(), path)

    def test_a_configuration_that_is_there_stays(self):
        config = self.prefix / "etc/sme2lab/host.json"
        self.assertEqual(json.loads(config.read_text()), json.loads((lab.ROOT / "configs/host.json").read_text()))
        config.write_text("{}")
        self.install()
        self.assertEqual(config.read_text(), "{}")
        self.assertEqual((self.prefix / "lib/udev/rules.d/60-sme2lab-phones.rules").read_text(),
                         (lab.ROOT / "configs/service/60-sme2lab-phones.rules").read_text())
        self.made_by_systemd_tmpfiles(self.prefix / "lib/tmpfiles.d/sme2lab.conf")
        units = self.prefix / "lib/systemd/system"
        self.assertIn(f"ExecStart={self.prefix}/bin/sme2labd --config {config} ", (units / "sme2labd.service").read_text())
        self.assertIn(f"ExecStart={self.prefix}/bin/sme2lab submit {self.prefix}/etc/sme2lab/schedules/%i.json ",
                      (units / "sme2lab-schedule@.service").read_text())
        self.assertIn("ExecReload=/bin/sh -c 'kill -HUP $MAINPID'\n", (units / "sme2labd.service").read_text())  # no /bin/kill without procps
        shutil.copy(units / "sme2lab-schedule@.timer", units / "sme2lab-schedule@nightly.timer")
        shutil.copy(units / "sme2lab-schedule@.service", units / "sme2lab-schedule@nightly.service")
        if shutil.which("systemd-analyze"):
            for unit in (units / "sme2labd.service", units / "sme2lab-schedule@nightly.timer"):
                done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
                self.assertNotIn(f"{unit.name}:", done.stderr)
                self.assertNotIn("nightly.service:", done.stderr)


    def made_by_systemd_tmpfiles(self, config):
        """Whom the directories belong to it is not asked here: the package's test does, where the user is."""
        lines = [line.split() for line in config.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(lines, [["d", "/var/lib/sme2lab", "0700", "sme2lab", "sme2lab", "-"], ["d", "/run/sme2lab", "0755", "root", "root", "-"]])
        tool = shutil.which("systemd-tmpfiles")
        if not tool or os.getuid() != 0:
            return
        root = self.scratch / "root"
        (root / "etc").mkdir(parents=True)
        (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nsme2lab:x:987:987::/:/bin/false\n")
        (root / "etc/group").write_text("root:x:0:\nsme2lab:x:987:\n")
        (root / "usr/lib/tmpfiles.d").mkdir(parents=True)
        shutil.copy(config, root / "usr/lib/tmpfiles.d/sme2lab.conf")
        subprocess.run([tool, "--create", f"--root={root}", "sme2lab.conf"], check=True)
        made = {name: (root / name).stat() for name in ("var/lib/sme2lab", "run/sme2lab")}
        self.assertEqual({name: (info.st_mode & 0o7777, info.st_uid, info.st_gid) for name, info in made.items()},
                         {"var/lib/sme2lab": (0o700, 987, 987), "run/sme2lab": (0o755, 0, 0)})


class ServiceManager(lab.Scratch):
    """systemd's side of sd_listen_fds(3) and sd_notify(3)."""

    def setUp(self):
        super().setUp()
        self.told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.told.close)
        self.told.bind(str(self.scratch / "notify"))
        self.told.settimeout(60)

    def hear(self):
        return self.told.recv(100).decode()

    def test_its_socket_is_taken_and_it_hears_how_the_daemon_is(self):
        path = str(self.scratch / "lab.sock")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        os.chmod(path, 0o660)
        listener.listen()
        waiting = socket.socket(socket.AF_UNIX)  # a client that came before the daemon
        self.addCleanup(waiting.close)
        waiting.connect(path)
        waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
        words = [str(lab.HOST / "bin/sme2labd"), "--state", str(self.scratch / "state"), "--listen", f"unix:{path}"]
        environment = {**os.environ, "LISTEN_FDS": "1", "NOTIFY_SOCKET": str(self.scratch / "notify"), "WATCHDOG_USEC": "200000"}
        script = 'exec 3<&"$0"; export LISTEN_PID=$$ WATCHDOG_PID=$$; exec "$@"'
        daemon = subprocess.Popen(["bash", "-c", script, str(listener.fileno()), *words], env=environment, pass_fds=[listener.fileno()],
                                  stderr=subprocess.DEVNULL)
        try:
            while (heard := self.hear()) != "READY=1":
                self.assertEqual(heard, "WATCHDOG=1")
            waiting.settimeout(60)
            self.assertTrue(waiting.recv(100).startswith(b"HTTP/1.1 200"))
            while self.hear() != "WATCHDOG=1":
                pass
            daemon.terminate()
            while self.hear() != "STOPPING=1":
                pass
            self.assertEqual(daemon.wait(60), 0)
        finally:
            daemon.kill()
            daemon.wait()
        self.assertEqual(pathlib.Path(path).stat().st_mode & 0o777, 0o660)  # it is systemd's, and stays


if __name__ == "__main__":
    unittest.main(verbosity=2)
