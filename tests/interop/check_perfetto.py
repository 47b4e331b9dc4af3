"""`sme2lab analyze --perfetto` read back with Perfetto's own message classes: every packet known, slices nested, the same sums."""

import os

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto

import check_tsv
import inspector
import programs

BEGIN, END, COUNTER = 1, 2, 4


def known(message):
    """Fails if a message has a field that Perfetto does not know: it would not come out again."""
    for packet in message.packet:
        kind = packet.WhichOneof("data")
        assert kind in ("track_event", "track_descriptor"), f"a packet of kind {kind}"
    copy = perfetto.Trace.FromString(message.SerializeToString())
    copy.DiscardUnknownFields()
    assert copy.ByteSize() == message.ByteSize(), "a packet has fields that Perfetto does not know"


def read(path):
    """({track: name}, {track: [(name, begin, end, depth)]}, {track: [values]}); slices must nest."""
    trace = perfetto.Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    known(trace)
    names, slices, counters, open_, last = {}, {}, {}, {}, {}
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == 1
        if packet.HasField("track_descriptor"):
            names[packet.track_descriptor.uuid] = packet.track_descriptor.name
            parent = packet.track_descriptor.parent_uuid
            assert parent == 0 or parent in names, "a track comes before its parent"
            continue
        event, at = packet.track_event, packet.timestamp
        assert event.track_uuid in names, "an event of a track without a description"
        if event.type == COUNTER:
            counters.setdefault(event.track_uuid, []).append(event.counter_value)
            continue
        assert at >= last.get(event.track_uuid, 0), f"{names[event.track_uuid]}: time goes back"
        last[event.track_uuid] = at
        stack = open_.setdefault(event.track_uuid, [])
        if event.type == BEGIN:
            stack.append((event.name, at))
        else:
            assert event.type == END and stack, "a slice ends that was not begun"
            name, begin = stack.pop()
            slices.setdefault(event.track_uuid, []).append((name, begin, at, len(stack)))
    assert not any(open_.values()), "a slice does not end"
    return names, slices, counters


def check_file(etdump, out):
    """Number of slices."""
    path = os.path.join(out, "trace.perfetto")
    analysis = programs.sme2lab_json("analyze", "--json", "--perfetto", path, "--force", etdump)
    names, slices, counters = read(path)
    insns = "_insns" if analysis["time_unit"] == "instructions" else "_ns"
    wanted = [(row.name, duration) for block in inspector.blocks(etdump) if any(row.name == "Method::execute" for row in block)
              for row in block for duration in row.durations]
    events = [one for track, found in slices.items() if not names[track].startswith("categories") for one in found]
    found = sorted((name, end - begin) for name, begin, end, _ in events)
    if len(found) == len(wanted):  # else runs with events of one signature, which the Inspector drops
        assert found == sorted(wanted), f"{etdump}: other slices than the Inspector's rows"
    assert len(found) >= len(wanted), f"{etdump}: {len(found)} slices, the Inspector has {len(wanted)}"
    by_name = {}
    for track, found in slices.items():
        for name, begin, end, _ in found if names[track].startswith("categories") else []:
            by_name[name] = by_name.get(name, 0) + end - begin
    for category in ("CONV", "GEMM", "Data Movement", "Elementwise", "Other", "Framework"):
        total = sum(run["categories" + insns][category] for run in analysis["runs"])
        assert by_name.get(category, 0) == total, f"{etdump}: {category} is {by_name.get(category, 0)} instead of {total}"
    ends = next(values for track, values in counters.items() if names[track] == "end to end")
    assert ends == [run["e2e" + insns] for run in analysis["runs"]], f"{etdump}: other end-to-end counters"
    return len(events)


def check(lab):
    out = os.path.join(lab.out, "perfetto")
    os.makedirs(out)
    files = list(check_tsv.real_files())
    slices = sum(check_file(path, out) for path in files)
    lab.say(f"{len(files)} ETDumps: {slices} slices nested, every packet known, sums equal")
