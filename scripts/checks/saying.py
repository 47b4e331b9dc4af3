"""Nothing from outside steers a terminal: programs write to one by common/base/say.h, which cleans, and by no call of the C library's."""

import re
import sys

import sources

# They clean themselves: say, JSON by the line, the log. The runner's outputs are numbers, and their writing is checked; a key is a file.
HOMES = ("common/base/say.c", "common/base/buf.c", "common/base/log.c", "agent/run/outputs.c", "host/device/adb/key.c")
SAYS = re.compile(r"(?<!\w)(v?f?printf|dprintf|puts|putchar|fputs|putc|fputc)\((?!printf|\(|')|fwrite\([^;]*\b(stdout|stderr)\)")


def main():
    paths = [path for path in sources.files(".c") if path.startswith(("agent/", "common/", "host/", "kernels/")) and path not in HOMES]
    says = [f"{path}:{number}: {line.strip()}: say it by sl_say(), sl_say_page() or sl_say_file()" for path in paths
            for number, line in enumerate(sources.text(path).split("\n"), 1) if SAYS.search(line) and "format(printf" not in line]
    return sources.report(says, "whatever is printed goes through common/base/say.h")


if __name__ == "__main__":
    sys.exit(main())
