"""A small run of what `scripts/test --long device-faults` does: each kind of fault at least once."""

import sys

from faults import devices

SEED = 552
WORDS = ["--faults", "12", "--runs", "4", "--devices", "2", "--executions", "6", "--pause", "0.7", "--verbose", "--seed", str(SEED)]

if __name__ == "__main__":
    sys.exit(devices.main(WORDS))
