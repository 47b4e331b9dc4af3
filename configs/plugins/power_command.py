#!/usr/bin/env python3
"""Switches a device off and on by a command of yours: its last word is the device's name. What it prints goes into the log.

    power_command.py COMMAND [WORD...]        such as: power_command.py /usr/local/bin/hub-port cycle

Standard library only."""

import json
import subprocess
import sys

for line in sys.stdin:
    event = json.loads(line)
    if event["event"] != "power_cycle":
        continue
    answer = {"id": event["id"], "ok": True}
    try:
        subprocess.run(sys.argv[1:] + [event["device"]["name"]], check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr,
                       timeout=event["seconds"])
    except (OSError, subprocess.SubprocessError) as problem:
        answer = {"id": event["id"], "ok": False, "error": str(problem)[:150]}
    print(json.dumps(answer), flush=True)
