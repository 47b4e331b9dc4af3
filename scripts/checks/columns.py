"""A column of the daemon's records is described once, in host/spec/records.inc: how many files that carry records name it, and
that proto/openapi.yaml has what JSON shows."""

import re
import statistics
import sys

import sources

LIST = "host/spec/records.inc"
# From the daemon's memory through SQL and JSON to a terminal, and back from a run's directory.
WAY = ("host/records.h", LIST, "host/spec/columns", "host/store/", "host/http/record_json", "host/cli/ask", "host/cli/cmd_jobs.c",
       "host/cli/cmd_runs.c", "host/cli/cmd_token.c", "host/cli/cmd_devices.c")
MOST = 3  # the list, the migrations, and who asks for it by name: a filter, or what ended a job
SHARED = ("cancel_wanted", "lease_until_ms", "group_id", "written_ms")  # a host asks by them for jobs of others as well: one file more
SCHEMAS = {"JOB": "Job", "ATTEMPT": "Attempt", "GROUP": "Group", "RUN": "Run", "TOKEN": "Token", "DEVICE": "Device", "HOST": "Host"}
ONE_WORD = ("priority", "selector", "ratio", "baseline", "candidate")  # the other single words are names of other things, too
LISTS = re.compile(r"^#define SL_(\w+)_COLUMNS\(X\)(.*?)(?=^#define|\Z)", re.M | re.S)
COMMENT_OR_INCLUDE = re.compile(r"/\*.*?\*/|^#include[^\n]*", re.M | re.S)
COLUMN = re.compile(r"\bX\(\w+, (\w+), [^,]+, \w+, ([^,]+),")


def main():
    texts = {path: COMMENT_OR_INCLUDE.sub("", sources.text(path)) for path in sources.files(".c", ".h", ".inc") if path.startswith(WAY)}
    openapi, found, problems = sources.text("proto/openapi.yaml"), {}, []
    lists = [(record, COLUMN.findall(columns)) for record, columns in LISTS.findall(sources.text(LIST))]
    names = [name for _, columns in lists for name, _ in columns]
    for record, columns in lists:
        schema = SCHEMAS[record]
        described = re.search(rf"^    {schema}:\n(.*?)(?=^    \w)", openapi + "    x", re.M | re.S).group(1)
        for name, views in columns:
            if ("_" in name or name in ONE_WORD) and names.count(name) == 1:
                found[name] = [path for path, text in texts.items() if re.search(rf"\b{name}\b", text)]
            if "SL_IN_ROW" in views and not re.search(rf"^ +{name}:", described, re.M):
                problems.append(f"proto/openapi.yaml:1: the schema {schema} lacks '{name}'")
    problems += [f"{LIST}:1: the column '{name}' is named in {len(paths)} files, more than {MOST}: {', '.join(paths)}"
                 for name, paths in found.items() if len(paths) > MOST + (name in SHARED)]
    counts = [len(paths) for paths in found.values()]
    return sources.report(problems, f"a column is named in {statistics.median(counts):g} files at the median and {max(counts)} at most")


if __name__ == "__main__":
    sys.exit(main())
