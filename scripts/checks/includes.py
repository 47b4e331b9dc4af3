"""Who may include whom. The table below is the map of the repository; a folder that is not in it is an error."""

import os
import re
import sys

import sources

# Libraries by the headers that bring them. A header that is neither here nor in STANDARD is an error.
LIBRARIES = {
    "libuv": r"uv\.h|uv/.*",
    "sodium": r"sodium\.h|sodium/.*",
    "cjson": r"cjson/.*|cJSON\.h",
    "sqlite": r"sqlite3\.h",
    "libpq": r"libpq-fe\.h|postgresql/.*",
    "libusb": r"libusb.*",
    "curl": r"curl/.*",
    "openssl": r"openssl/.*",
    "zstd": r"zstd.*\.h",
    "zlib": r"zlib\.h",
    "lz4": r"lz4.*\.h",
    "brotli": r"brotli/.*",
    "archive": r"archive(_entry)?\.h",
    "protobuf": r"protobuf-c/.*",
    "cmocka": r"cmocka\.h",
    "sockets": r"sys/socket\.h|sys/sendfile\.h|sys/uio\.h|sys/un\.h|netinet/.*|arpa/.*|netdb\.h|net/.*",
}
STANDARD = (
    r"(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool"
    r"|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype"
    r"|dirent|dlfcn|fcntl|fnmatch|getopt|glob|libgen|link|malloc|poll|pthread|pwd|regex|sched|semaphore|spawn|strings|termios|ucontext|unistd|elf"
    r"|arm_neon|arm_sve|arm_sme|arm_acle|cpuid|immintrin)\.h"
    r"|sys/(auxv|eventfd|file|ioctl|mman|prctl|resource|select|stat|statvfs|syscall|sysctl|sysinfo|time|times|types|uio|utsname|wait)\.h"
    r"|(linux|asm)/[a-z0-9_]+\.h"
    r"|gethostuuid\.h|mach/mach\.h|mach-o/dyld\.h|sys/qos\.h")  # macOS

# folder: (folders of ours, libraries). A folder stands for itself and all below it unless one below has its own line; a line
# may as well name a module of a folder. The file's own line and its own folder are always allowed, but nobody gets a library
# through the headers of others that the file's own line forbids. Tests may include everything.
EVERYTHING_OF_COMMON = ["common/base", "common/format", "common/net", "proto"]
HOST_BUT_CLI = ["host/records.h", "host/daemon", "host/spec", "host/device", "host/job", "host/plugin", "host/ingest", "host/store", "host/analysis",
                "host/report", "host/http", "host/peer", "host/rundir"]
ALLOWED = {
    "proto": ([], ["protobuf"]),
    "common/base": ([], []),
    "common/base/socket": (["common/base"], ["sockets"]),
    "common/base/digest.c": (["common/base"], ["sodium"]),
    "common/format": (["common/base"], []),
    "common/net": (["common/base", "proto"], ["libuv", "sockets", "protobuf"]),
    "kernels": ([], []),
    "agent/trace": (["common/base", "common/format"], []),
    "agent/runtime": (["common/base", "common/format", "kernels", "agent/trace"], []),
    # ExecuTorch's headers too, in its one C++ file, which this check does not read.
    "agent/executorch": (["common/base", "common/format", "kernels/cpu", "agent/trace", "agent/run/run", "agent/runtime/runtime",
                          "agent/runtime/lockstep", "agent/runtime/workers", "agent/runtime/state", "agent/runtime/file_map"], []),
    "agent/executorch/apart.c": (["common/base", "agent/executorch"], ["sockets"]),  # to a process of its own
    "agent": (EVERYTHING_OF_COMMON + ["kernels", "agent"], ["libuv", "sockets", "protobuf"]),
    "host/records.h": (["common/base", "host/spec"], []),
    "host/spec": (["common/base", "host/records.h"], ["cjson"]),
    "host/analysis": (["common/base", "common/format", "host/records.h", "host/spec"], []),
    # One rule of shapes for who chooses a kernel and who says why.
    "host/analysis/small_shape": (["common/base", "common/format", "kernels/cpu/small"], []),
    "host/job/scheduler": (["common/base", "common/format", "host/records.h", "host/spec"], []),
    "host/ingest/assembler": (["common/base", "common/format", "host/records.h", "host/spec"], []),
    "host/device/adb/smart_socket": (["common/base"], []),
    "host/device/adb/shell_packet": (["common/base"], []),
    "host/device/adb/sync_record": (["common/base", "host/device/adb/smart_socket"], []),
    "host/device/adb/listing": (["common/base", "host/device/adb/smart_socket"], []),
    "host/device/adb/message": (["common/base", "host/device/adb/listing", "host/device/adb/pack"], []),
    "host/device/adb/pack": (["common/base"], ["zstd", "lz4", "brotli"]),
    "host/device/adb/pair_packet": (["common/base", "host/device/adb/smart_socket"], []),
    "host/device/adb/pair": (["common/base", "common/net/address", "host/device/adb"], ["openssl", "sockets"]),
    "host/device/adb/spake2": (["common/base"], ["sodium"]),
    "host/device/adb/usb_frames": (["common/base", "host/device/adb/message"], []),
    "host/device/adb/usb": (["common/base", "host/device/adb"], ["libuv", "libusb"]),
    "host/device/adb/key": (["common/base"], ["openssl"]),
    "host/device/adb/tls": (["common/base", "host/device/adb/key"], ["openssl"]),
    "host/device/count_log": (["common/base", "common/format", "host/records.h", "host/spec"], []),
    "host/store": (["common/base", "host/records.h", "host/spec"], ["libuv", "sqlite", "libpq"]),
    "host/device": (EVERYTHING_OF_COMMON + ["host/records.h", "host/spec"], ["libuv", "sockets", "protobuf"]),
    "host/ingest": (EVERYTHING_OF_COMMON + ["host/store", "host/records.h", "host/spec"], ["libuv", "protobuf"]),
    "host/plugin": (["common/base", "host/records.h", "host/spec"], ["cjson", "libuv"]),
    "host/plugin/record": (["common/base", "host/records.h", "host/plugin/line"], []),
    "host/job/run_lines": (["common/base"], []),
    "host/job/run_progress": (["common/base", "common/format"], []),
    "host/job": (["common/base", "host/records.h", "host/spec", "host/device", "host/ingest", "host/plugin", "host/store"], ["libuv"]),
    "host/peer": (["common/base", "host/records.h", "host/spec", "host/job", "host/store"], ["libuv", "curl"]),
    "host/http": (["common/base", "host/records.h", "host/spec", "host/job", "host/device", "host/peer", "host/plugin", "host/store", "host/analysis", "host/report"],
                  ["cjson", "libuv", "sockets"]),
    "host/http/coding": (["common/base"], ["zstd", "zlib"]),
    "host/http/tls": (["common/base"], ["openssl"]),
    "host/http/auth": (["common/base", "host/records.h", "host/spec"], ["sodium"]),  # base64
    "host/report": (["common/base", "common/format", "host/analysis", "host/records.h", "host/spec"], ["cjson"]),
    "host/inspect": (["common/base", "common/format", "host/records.h", "host/spec", "host/report"], ["cjson"]),
    "host/daemon": (EVERYTHING_OF_COMMON + HOST_BUT_CLI, ["libuv", "cjson", "sqlite", "libpq", "zstd", "protobuf", "sockets"]),
    # From what was recorded to a finished run directory: the command line and the daemon share it.
    "host/rundir/archive": (["common/base", "host/spec"], ["archive", "cjson"]),
    "host/rundir": (["common/base", "common/format", "host/records.h", "host/spec", "host/device/count_log", "host/device/launch",
                         "host/device/trace_resolve", "host/plugin/line", "host/plugin/record", "host/analysis", "host/report"], ["cjson"]),
    # What the command line includes of host/device is free of sockets and loops; it looks whether anybody listens.
    "host/cli/private_daemon": (["common/base", "host/spec", "host/device/launch", "host/cli/private_sweep"], ["sockets"]),
    "host/cli/import_benchmarks": (["common/base", "host/records", "host/report", "host/rundir", "host/spec", "host/cli/import_archive", "host/cli/cli"], ["cjson"]),
    "host/cli": (["common/base", "common/format", "common/net/process", "host/spec", "host/device/count_log", "host/device/launch",
                  "host/device/adb/look", "host/device/adb/listing", "host/device/adb/usb", "host/device/adb/pair",
                  "host/device/trace_resolve", "host/analysis", "host/report", "host/rundir", "host/inspect"],
                 ["libuv", "cjson", "curl"]),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def below(path, folder):
    """True for the folder itself, what lies in it, and files that begin with it (host/device/count_log -> count_log.c, count_log_parse.h)."""
    return path == folder or path.startswith((folder + "/", folder + ".", folder + "_"))


def home(path):
    """The most special line of the table that the path falls under."""
    lines = [line for line in ALLOWED if below(path, line)]
    return max(lines, key=len) if lines else None


def library_of(name):
    """The library that a system header brings: its name, "" for the language's and system's own, None for an unknown one."""
    if re.fullmatch(STANDARD, name):
        return ""
    return next((library for library, pattern in LIBRARIES.items() if re.fullmatch(pattern, name)), None)


def is_ours(name, known):
    """A file of the repository, or one that the build makes of it: messages from proto/*.proto."""
    return name in known or name.replace(".pb-c.h", ".proto") in known


def libraries_through(path, known, seen):
    """The libraries that a header of ours brings with it, whoever includes it."""
    if path in seen:
        return set()
    seen.add(path)
    if path.endswith(".pb-c.h"):
        return {"protobuf"}
    found = set()
    for kind, name in INCLUDE.findall(sources.text(path)) if path in known else []:
        found |= {library_of(name)} if kind == "<" else libraries_through(name, known, seen)
    return found - {"", None}


def check_include(path, line, kind, name, known):
    """What is wrong with one include, or None."""
    folders, libraries = ALLOWED[line]
    if kind == "<":
        library = library_of(name)
        if library is None:
            return f"<{name}> is in no list of this check; add it to LIBRARIES or STANDARD"
        return f"{line} may not use {library} (<{name}>)" if library and library not in libraries else None
    if not is_ours(name, known):
        return f'"{name}" is not a path of this repository'
    if not (home(name) == line or os.path.dirname(name) == os.path.dirname(path) or any(below(name, folder) for folder in folders)):
        return f'{line} may not include "{name}"'
    smuggled = libraries_through(name, known, set()) - set(libraries)
    return f'"{name}" brings {", ".join(sorted(smuggled))}, which {line} may not use' if smuggled else None


def check_file(path, known):
    line = home(path)
    if line is None:
        return [f"{path}:1: no line of the include table covers this folder"]
    found, content = [], sources.text(path)
    for match in INCLUDE.finditer(content):
        problem = check_include(path, line, *match.groups(), known)
        if problem:
            found.append(f"{path}:{content.count(chr(10), 0, match.start()) + 1}: {problem}")
    return found


def sides(path):
    """Host and agent never include each other, whatever the table says."""
    enemy = {"host": "agent/", "agent": "host/"}.get(path.split("/")[0])
    return [f'{path}: includes "{name}" of the other side' for kind, name in INCLUDE.findall(sources.text(path))
            if enemy and kind == '"' and name.startswith(enemy)]


def main():
    known = sources.files(".c", ".h", ".inc", ".S", ".proto")
    checked = [path for path in known if not path.startswith("tests/") and not path.endswith(".proto")]
    problems = [problem for path in checked for problem in check_file(path, set(known)) + sides(path)]
    return sources.report(problems, f"{len(checked)} files keep to the include table")


if __name__ == "__main__":
    sys.exit(main())
