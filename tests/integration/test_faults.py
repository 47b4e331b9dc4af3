"""The short set of the fault suite: two cases of each kind. `scripts/test --long faults` runs 1,000."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

if __name__ == "__main__":
    words = [sys.executable, "-m", "faults", "--each", "--cases", "34", "--budget", "35", "--verbose"]
    sys.exit(subprocess.run(words, cwd=HERE).returncode)
