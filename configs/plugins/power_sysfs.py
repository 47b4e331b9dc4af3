#!/usr/bin/env python3
"""Reports a board's power while runs are measured, from a file of sysfs such as hwmon's power1_input (of an INA219, say).

    power_sysfs.py FILE [UNITS_PER_WATT [INTERVAL_MS]]

The file holds a number: of microwatts for hwmon (1000000, as without the word). Standard library only."""

import json
import queue
import sys
import threading
import time


def say(**line):
    print(json.dumps(line), flush=True)


def listen(events):
    for line in sys.stdin:
        events.put(json.loads(line))
    events.put(None)


def follow(event, jobs):
    """Which jobs are measured after the event."""
    if event["event"] == "run_begins":
        jobs = jobs | {event["job"]}
    elif event["event"] == "run_ends":
        jobs = jobs - {event["job"]}
    if "id" in event:
        say(id=event["id"], ok=True)
    return jobs


def main():
    path = sys.argv[1]
    per_watt = float(sys.argv[2]) if len(sys.argv) > 2 else 1e6
    interval = float(sys.argv[3]) / 1000 if len(sys.argv) > 3 else 0.1
    events, jobs, due = queue.Queue(), set(), 0
    threading.Thread(target=listen, args=(events,), daemon=True).start()
    while True:
        try:
            event = events.get(timeout=max(0, due - time.monotonic()) if jobs else None)
            if event is None:
                return
            jobs = follow(event, jobs)
            due = max(due, time.monotonic())
        except queue.Empty:
            with open(path) as file:
                watts = float(file.read()) / per_watt
            for job in jobs:
                say(metric="power", unit="W", value=watts, at_ms=time.time_ns() // 1000000, job=job)
            due += interval


if __name__ == "__main__":
    main()
