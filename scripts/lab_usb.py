"""`scripts/lab usb`: a machine with a USB bus of its own. Debian's kernel in QEMU, whose module dummy_hcd is a host controller and the devices'
end of it at once; real adbd makes phones there (FunctionFS), and the suite tests/integration/usb_guest.py plugs them in and out. The root of
the file system is this machine's, read only; what is written stays in the guest's memory. Emulated without KVM: times in it mean nothing."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
RIG = ROOT / "build/usb"
LIBRARIES = [RIG / "usr/lib/x86_64-linux-gnu", RIG / "lib/x86_64-linux-gnu"]
QEMU = RIG / "usr/bin/qemu-system-x86_64"
BUSYBOX = RIG / "bin/busybox"
MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay", "dummy_hcd", "libcomposite", "usb_f_fs", "binfmt_misc"]
PHONES = 2
LIMIT_S = 1500
SKIPPED = 77
END = re.compile(r"lab usb: the suite ends with (\d+)")

INIT = """#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /host /upper /new
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in $(cat /modules/order); do
  arguments=
  [ "$module" = dummy_hcd ] && arguments="num=PHONES is_super_speed=SUPER"
  insmod /modules/$module.ko $arguments || echo "lab usb: the module $module does not load"
done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,ro,cache=loose hostroot /host &&
mount -t tmpfs -o size=900m upper /upper && mkdir /upper/data /upper/work &&
mount -t overlay -o lowerdir=/host,upperdir=/upper/data,workdir=/upper/work root /new || { echo "lab usb: no root"; poweroff -f; }
mount -t tmpfs run /new/run
mount -t tmpfs tmp /new/tmp
mkdir -p /new/proc /new/sys /new/dev
for name in proc sys dev; do mount --move /$name /new/$name; done
mkdir -p /new/dev/pts
mount -t devpts devpts /new/dev/pts
mount -t configfs config /new/sys/kernel/config
ifconfig lo 127.0.0.1 up
chroot /new /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 /bin/sh -c \\
  "cd TREE/tests/integration && /usr/bin/python3 -u usb_guest.py WORDS; echo lab usb: the suite ends with \\$?"
poweroff -f
"""


def why_not():
    """One line, or None: it can be had. Fetches the machine at the first use."""
    if os.uname().machine != "x86_64":
        return "the machine is fetched for x86-64 alone"
    wanted = re.search(r"usb_packages=\((.*?)\)", (ROOT / "scripts/setup").read_text(), re.S).group(1).split()
    stamp = RIG / ".packages"
    if not stamp.exists() or stamp.read_text().split() != wanted:
        done = subprocess.run([ROOT / "scripts/setup", "--usb"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return f"the machine cannot be fetched: {(done.stderr.strip().splitlines() or ['scripts/setup --usb fails'])[-1]}"
    for program in (ROOT / "build/adb/usr/lib/android-sdk/platform-tools/adbd", ROOT / "build/host/bin/sme2labd", ROOT / "build/host/bench/adb_push",
                    ROOT / "build/agent-native/bin/sme2lab-agent", ROOT / "build/agent-aarch64/bin/sme2lab-agent", ROOT / "build/tools/qemu-aarch64"):
        if not os.access(program, os.X_OK):
            return f"{program} is missing; scripts/setup makes it"
    done = subprocess.run([QEMU, "--version"], env=environment(), capture_output=True, text=True)
    return None if done.returncode == 0 else f"QEMU does not start: {done.stderr.strip()}"


def environment():
    return os.environ | {"LD_LIBRARY_PATH": ":".join(map(str, LIBRARIES)), "QEMU_MODULE_DIR": str(LIBRARIES[0] / "qemu")}


def needs(module):
    """The modules that it names in itself."""
    found = re.search(rb"\0depends=([^\0]*)\0", module.read_bytes())
    return [name.replace("-", "_") for name in found.group(1).decode().split(",") if name] if found else []


def in_order(files, names, done):
    """The modules with all that they need, each behind that."""
    for name in names:
        if name in files and name not in done:
            in_order(files, needs(files[name]), done)
            done.append(name)
    return done


def make_initrd(kernel, super_speed, words):
    folder = RIG / "initrd"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "modules"):
        (folder / name).mkdir(parents=True)
    shutil.copy(BUSYBOX, folder / "bin/busybox")
    files = {path.stem.replace("-", "_"): path for path in (RIG / "lib/modules" / kernel).rglob("*.ko")}
    order = in_order(files, MODULES, [])
    for name in order:
        shutil.copy(files[name], folder / f"modules/{name}.ko")
    (folder / "modules/order").write_text(" ".join(order))
    text = INIT.replace("PHONES", str(PHONES)).replace("SUPER", "1" if super_speed else "0").replace("TREE", str(ROOT)).replace("WORDS", " ".join(words))
    (folder / "init").write_text(text)
    (folder / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(folder)) for path in sorted(folder.rglob("*")))
    with open(RIG / "initrd.cpio", "wb") as out:
        subprocess.run([BUSYBOX, "cpio", "-o", "-H", "newc"], input=names.encode(), stdout=out, stderr=subprocess.DEVNULL, cwd=folder, check=True)


def boot(kernel):
    """Prints what the guest says; the suite's exit code, or None where it did not come to its end."""
    words = [QEMU, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1800", "-display", "none", "-nodefaults", "-no-reboot", "-net", "none",
             "-serial", "stdio", "-L", RIG / "usr/share/qemu", "-L", RIG / "usr/share/seabios", "-kernel", RIG / f"boot/vmlinuz-{kernel}", "-initrd", RIG / "initrd.cpio",
             "-append", "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off",
             "-fsdev", "local,id=h,path=/,security_model=none,readonly=on,multidevs=remap", "-device", "virtio-9p-pci,fsdev=h,mount_tag=hostroot"]
    guest = subprocess.Popen([str(word) for word in words], env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    timer = threading.Timer(LIMIT_S, guest.kill)
    timer.start()
    code = None
    try:
        for line in guest.stdout:
            text = line.decode(errors="replace").rstrip()
            found = END.search(text)
            code = int(found.group(1)) if found else code
            if not found and text:
                print(text, flush=True)
        guest.wait()
    finally:
        timer.cancel()
        guest.kill()
    return code


def usb(words):
    """words: --super, and names of tests for unittest."""
    reason = why_not()
    if reason:
        print(f"lab usb: skipped: {reason}")
        return SKIPPED
    kernel = next((RIG / "lib/modules").iterdir()).name
    make_initrd(kernel, "--super" in words, [word for word in words if word != "--super"])
    print(f"lab usb: Linux {kernel}, {PHONES} phones at {'super' if '--super' in words else 'high'} speed, all of it emulated", flush=True)
    code = boot(kernel)
    if code is None:
        print("lab usb: the machine ended before the suite did", file=sys.stderr)
    return 1 if code is None else code
