"""The emulated phones of scripts/lab, for who needs some of his own."""

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import tempfile

import lab

PROGRAM = lab.ROOT / "scripts/lab"
FIRST_PORT = 5601


def program_for(folder):
    """scripts/lab as a module, of the laboratory in that folder."""
    loader = importlib.machinery.SourceFileLoader("phone_lab_program", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    module.LAB = folder
    return module


class PhoneLab:
    """So many phones, numbered from 1, until it is left; their processes end with it."""

    def __init__(self, count):
        self.count = count
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sl-lab-"))
        self.program = program_for(self.folder)

    def __enter__(self):
        try:
            self.call("up", str(self.count))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.call("down")
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, *words):
        done = subprocess.run([PROGRAM, *words], env=os.environ | {"LAB_DIR": str(self.folder)}, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"scripts/lab {' '.join(words)}: {done.stdout}{done.stderr}")

    def fault(self, number, kind, wait=True):
        """`wait`: until the server knows."""
        try:
            self.program.fault(self.serial(number), kind, wait)
        except SystemExit as told:  # as a program it ends so
            raise AssertionError(str(told)) from None

    def unplug(self, number):
        (self.folder / f"device{number}/off").touch()
        self.program.ask(f"host:disconnect:{self.serial(number)}")

    def plug(self, number):
        (self.folder / f"device{number}/off").unlink()
        self.program.ask(f"host:connect:{self.serial(number)}")

    def processes(self):
        """Process ids of all that runs in it."""
        pids = [int((self.folder / "pid").read_text())]
        for pid in pids:
            try:
                pids += [int(child) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]
            except OSError:
                pass  # it has ended
        return pids

    def serial(self, number):
        return f"127.0.0.1:{FIRST_PORT + number - 1}"

    def link(self, number, served):
        """To the device through the lab's adb server, or to its adbd itself."""
        return f"adb:{self.serial(number)}" if served else "adb-tcp:" + (self.folder / f"device{number}/address").read_text()

    def server(self):
        """Its adb server, as adb's own variable names one."""
        return f"localfilesystem:{self.folder}/adb.sock"


def why_not():
    """One line, or None: such phones can be had here."""
    done = subprocess.run([PROGRAM, "check"], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout.strip()
