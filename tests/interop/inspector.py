"""What ExecuTorch's own Inspector says of an ETDump, in plain integers."""

from dataclasses import dataclass

from executorch.devtools import Inspector
from executorch.devtools.inspector import TimeScale


@dataclass
class Row:
    """One row of the Inspector's data frame: an event of a block, with a start and a duration for each run merged into it."""

    block: str
    name: str
    delegated: bool
    starts: list
    durations: list


def rows(path):
    """The data frame's rows. Source and target scale are equal, so that no digit is lost in a division."""
    frame = Inspector(etdump_path=path, source_time_scale=TimeScale.NS, target_time_scale=TimeScale.NS).to_dataframe(include_units=False)
    return [Row(row.event_block_name, row.event_name, bool(row.is_delegated_op), [int(t) for t in row.start_time], [int(t) for t in row.raw])
            for row in frame.itertuples()]


def blocks(path):
    """The rows by block: a list of lists. Two blocks of one name that follow each other are told apart by their first event."""
    found = []
    for row in rows(path):
        last = found[-1] if found else None
        ended = last is not None and last[-1].name == "Method::execute"
        if last is None or last[0].block != row.block or ended:
            found.append([])
        found[-1].append(row)
    return found
