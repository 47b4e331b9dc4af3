"""A parameter of a run is described once, in host/spec/spec.inc, and goes from the command line to the agent by that list: how many files
on the way name it. Each stood in about thirty before there was the list."""

import re
import statistics
import sys

import sources

LIST = "host/spec/spec.inc"
# From the command line over HTTP, queue and link to the options of the agent's run.
WAY = ("host/cli/run_request", "host/cli/job_sender", "host/cli/cmd_run", "host/cli/cmd_submit", "host/http/", "host/job/run.", "host/job/run_send", "host/job/lab", "host/daemon/",
       "host/device/link", "host/spec/", "agent/serve/", "agent/run/options", "proto/job.proto")
MOST = 4  # the list, the message, the agent's options; and who acts on it
ROW = re.compile(r"^[A-Z]+\((\w+_\w+),(.*?)(?=^[A-Z]+\(|^#undef)", re.M | re.S)
ATTRIBUTE = re.compile(r'\.(?:key|alias|job_key|wire) = "(\w+_\w+)"')


def main():
    texts = {path: sources.text(path) for path in sources.files(".c", ".h", ".inc", ".proto") if path.startswith(WAY)}
    found = {}
    for match in ROW.finditer(sources.text(LIST)):  # those of one word are other things' names, too
        words = {match.group(1), *ATTRIBUTE.findall(match.group(2))}
        names = re.compile(rf"\b({'|'.join(sorted(words))})\b")
        found[match.group(1)] = [path for path, text in texts.items() if names.search(text)]
    problems = [f"{LIST}:1: on its way '{name}' is named in {len(paths)} files, more than {MOST}: {', '.join(paths)}"
                for name, paths in found.items() if len(paths) > MOST]
    counts = [len(paths) for paths in found.values()]
    sample = "weight_cache"
    return sources.report(problems, f"on its way a parameter is named in {statistics.median(counts):g} files at the median and {max(counts)} at "
                                    f"most; {sample} in {', '.join(found[sample])}")


if __name__ == "__main__":
    sys.exit(main())
