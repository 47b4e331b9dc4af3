"""Outside host/device nobody asks which kind a device is: traits are asked (host/spec/device_kind.h). Counts the lines that do."""

import re
import sys

import sources

# Where kinds are at home: their names and traits, the operations behind them.
HOMES = ("host/device/", "host/spec/device_kind")
MOST = 0
NAMES = r"(LOCAL|EMULATED|COUNTED|TCP|ADB)"
ASKS = re.compile(rf"[=!]=\s*SL_DEVICE_{NAMES}\b|\bSL_DEVICE_{NAMES}\s*[=!]=|case\s+SL_DEVICE_{NAMES}\b|\[SL_DEVICE_{NAMES}\]"
                  r'|strn?cmp\([^;]*"(local|emulated|counted|tcp|adb)"')


def main():
    paths = [path for path in sources.files(".c", ".h") if path.startswith("host/") and not path.startswith(HOMES)]
    asks = [f"{path}:{number}: asks which kind the device is, not its traits: {line.strip()}" for path in paths
            for number, line in enumerate(sources.text(path).split("\n"), 1) if ASKS.search(line)]
    return sources.report(asks if len(asks) > MOST else [], f"{len(asks)} lines outside host/device look at a device's kind")


if __name__ == "__main__":
    sys.exit(main())
