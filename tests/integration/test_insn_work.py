"""Holds the table of instruction classes against LLVM's disassembler, for every instruction of the device's agent."""

import collections
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AGENT = os.path.join(ROOT, "build/agent-aarch64/bin/sme2lab-agent")
WORKS = os.path.join(ROOT, "build/host/tests/insn_works")
LINE = re.compile(r"^\s*([0-9a-f]{8})\s+(\S+)\s*(.*?)\s*(?://.*)?$")

NEON_MACS = r"f(n?m(add|sub)|ml[as]l?2?)|[su]dot|usdot|sudot|[su]s?mmla|usmmla|bf(mmla|dot|mlal[bt])|ml[as]|[su]ml[as]l2?"
SVE_MACS = r"fn?(ml[as]|mad|msb)|ml[as]|mad|msb|[su]dot|usdot|[su]ml[as]l[bt]|[su]mmla"
ALU = (r"(add|sub|and|bic|ands|bics|eor|eon|orr|orn|adc|sbc)s?|adds|subs|adcs|sbcs|ngcs?|negs?|mvn|mov[kznw]?|adrp?|asr|lsl|lsr|ror|extr|bfi|bfxil|bfc|[su]bfi?[xz]|[su]bfiz"
       r"|[su]xt[bhw]|cls|clz|rbit|rev(16|32)?|cmp|cmn|tst|ccmp|ccmn|c(sel|set|setm|inc|inv|neg)|cs(inc|inv|neg)|gmi|irg|addg|subg|subp"
       r"|add[vp]l|addsvl|addspl|rdvl|rdsvl|cnt[bhwd]|(inc|dec)[bhwd]|abs|cnt|crc32c?[bhwx]")
# Data by length, and tags of memory: nobody can say from the word what they take.
UNKNOWN = r"cpy\w+|set[pem]\w*|ld[gm]+|ldg|stz?2?g|stz?gm|udf"


def outer(mnemonic, operands):
    tile, source = re.search(r"za\d+\.([hsd])", operands).group(1), re.search(r"z\d+\.([bhsd])", operands).group(1)
    if mnemonic[0] in "fb" and not mnemonic.startswith("bmop"):
        return {"s": "outer_f32", "d": "outer_f64"}.get(source, "outer_f16")
    return "outer_i16_i64" if tile == "d" else "outer_i16" if source == "h" else "outer_i8"


def registers(operands):
    """How many vectors the list in braces has."""
    listed = re.search(r"\{([^}]*)\}", operands).group(1)
    ends = re.fullmatch(r"\s*[zv](\d+)\S*\s*-\s*[zv](\d+)\S*\s*", listed)
    return (int(ends.group(2)) - int(ends.group(1))) % 32 + 1 if ends else listed.count(",") + 1


def most(operands):
    """How many vectors the widest list of the operands has; 1 without any."""
    return max((registers(found) for found in re.findall(r"\{[^}]*\}", operands)), default=1)


def za_array(mnemonic, operands):
    group = re.search(r"vgx([24])", operands)
    vectors = group.group(1) if group else "1"
    wide = re.search(r"za\.s", operands) and re.search(r"z\d+\.h", operands)
    return f"za_dot16_{vectors}" if wide and re.match(r"b?f(dot|ml[as]l)", mnemonic) else f"za_mac_{vectors}"


def of_za(mnemonic, operands):
    if re.match(r"(ld1|ldr)", mnemonic):
        return "za_load", 1
    if re.match(r"(st1|str)", mnemonic):
        return "za_store", 1
    if "mop" in mnemonic:
        return outer(mnemonic, operands), 1
    if mnemonic in ("smstart", "smstop"):
        return "za_switch", 1
    named = {"zero": "za_zero", "mov": "za_move", "mova": "za_move", "addha": "za_add_slice", "addva": "za_add_slice"}
    return named.get(mnemonic) or za_array(mnemonic, operands), 1


def of_vectors(mnemonic, operands):
    """SVE and streaming code on Z registers."""
    if re.match(r"(st[1-4n]|str)", mnemonic):
        return "z_store", most(operands)
    if re.match(r"(ld[1-4n]|ldr)", mnemonic):
        return f"z_load_{ {1: 1, 2: 2, 3: 4, 4: 4}[most(operands)] }", 1
    several = {1: "z_1", 2: "z_2", 3: "z_4", 4: "z_4"}[most(operands)]
    if mnemonic.startswith("luti"):
        return "z_lookup", 1
    if several != "z_1" and mnemonic not in ("tbl", "ext", "splice"):
        return several, 1
    for pattern, work in ((r"movprfx", "z_prefix"), (r"b?fdot|bfmmla", "z_dot16"), (SVE_MACS, "z_mac"), (r"fdivr?|[su]divr?", "z_divide"), (r"fsqrt", "z_sqrt"),
                          (r"f(add|max|min|maxnm|minnm)v|[su](add|max|min)v|(and|or|eor)v|fadda", "z_reduce")):
        if re.fullmatch(pattern, mnemonic):
            return work, 1
    return ("z_to_core" if re.match(r"(last|clast)", mnemonic) and re.match(r"[wx]\d", operands) else "z_1"), 1


def of_predicates(mnemonic, operands):
    if mnemonic in ("ldr", "str"):
        return {"ldr": "z_load_1", "str": "z_store"}[mnemonic], 1
    return ("z_to_core" if mnemonic in ("ptest", "cntp", "incp", "decp") else "predicate"), 1


def of_memory(mnemonic, operands):
    """Loads and stores of the core, NEON's too; None for anything else."""
    structure = re.fullmatch(r"(ld|st)[1-4]r?", mnemonic)
    if structure:
        return {"ld": "load", "st": "store"}[structure.group(1)], registers(operands)
    if re.match(r"(ldn?pp?(sw)?|ldp|ldaxp|ldxp)$", mnemonic):
        return "load", 2
    if mnemonic in ("stp", "stnp"):
        return "store", 2
    if re.match(r"(ld|cas|swp|prf)", mnemonic):
        return ("store" if re.match(r"cas(l|b|h|lb|lh)?$", mnemonic) else "load"), 1
    return ("store", 1) if mnemonic.startswith("st") else None


def of_floats(mnemonic, operands):
    if re.fullmatch(r"fdiv|fsqrt", mnemonic):
        return "neon_divide", 1
    if re.fullmatch(r"fc?cmpe?|fcmpe?", mnemonic) or re.match(r"[wx](\d|zr)", operands):
        return "neon_to_core", 1
    return ("neon_mac" if re.fullmatch(NEON_MACS, mnemonic) else "neon"), 1


def expected(mnemonic, operands):
    if re.fullmatch(UNKNOWN, mnemonic):
        return "unclassified", 1
    if mnemonic in ("smstart", "smstop") and "za" not in operands:
        return {"smstart": "sm_start", "smstop": "sm_stop"}[mnemonic], 1
    if re.match(r"(b|bl|br|blr|ret|cbn?z|tbn?z|b\.\w+|bc\.\w+|ret\w+|bl?ra\w+)$", mnemonic):
        return "branch", 1
    if re.match(r"(nop|yield|hint|mrs|msr|d[ms]b|isb|ssbb|dc|ic|at|tlbi|sys|svc|hvc|smc|brk|hlt|bti|aut|pac|xpac|wf[ei]|sev|clrex|csdb|esb|chkfeat|gcs|sb$|cfinv)", mnemonic):
        return "system", 1
    if re.search(r"\bza\d?[hv]?\b|\bzt0\b(?=\s*[,}]?\s*\[)", operands):
        return of_za(mnemonic, operands)
    if re.search(r"\bz\d", operands):
        return of_vectors(mnemonic, operands)
    if re.search(r"\bpn?\d", operands):
        return of_predicates(mnemonic, operands)
    memory = of_memory(mnemonic, operands)
    if memory:
        return memory
    if re.search(r"\b[vqdshb]\d", operands):
        return of_floats(mnemonic, operands)
    if re.fullmatch(r"[su]div", mnemonic):
        return "divide", 1
    if re.fullmatch(r"m(add|sub|ul|neg)|[su]m(add|sub|neg)l|[su]mul[lh]", mnemonic):
        return "multiply", 1
    return ("alu" if re.fullmatch(ALU, mnemonic) else f"no class of {mnemonic}"), 1


def main():
    disassembler = shutil.which("llvm-objdump-19") or shutil.which("llvm-objdump")
    program = sys.argv[1] if len(sys.argv) > 1 else AGENT
    for needed in (disassembler, program, WORKS):
        if not needed or not os.path.exists(needed):
            print(f"skipped: {needed or 'llvm-objdump-19'} is not there")
            return 77
    listing = subprocess.run([disassembler, "-d", "--no-leading-addr", "--mattr=+all", program], capture_output=True, text=True, check=True).stdout
    wanted = {m.group(1): m.group(2, 3) for m in map(LINE.match, listing.splitlines()) if m and not m.group(2).startswith((".word", "<unknown>"))}
    answers = subprocess.run([WORKS], input="\n".join(wanted), capture_output=True, text=True, check=True).stdout
    differ, shown = collections.Counter(), {}
    for line in answers.splitlines():
        word, work, units = line.split()
        mnemonic, operands = wanted[word]
        right = expected(mnemonic, operands.strip())
        if (work, int(units)) != right:
            differ[mnemonic] += 1
            shown.setdefault(mnemonic, f"{word} {mnemonic} {operands.strip()}: {work} {units}, expected {right[0]} {right[1]}")
    for mnemonic, count in differ.most_common():
        print(f"{count}: {shown[mnemonic]}")
    print(f"{len(wanted)} different instructions of {program}, {sum(differ.values())} with another class than LLVM's reading gives")
    return 1 if differ or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
