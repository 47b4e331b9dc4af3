/* host/device/count_log.h: executed instructions from QEMU's log (`-d in_asm,exec,nochain`).
 *
 * A pure push parser: bytes in any cuts go in, counts at the agent's marks come out. The guest has
 * one thread. Blocks that QEMU reports as stopped before they ran are taken back. Instructions
 * between the marks pause and resume (they nest), and those of the marks themselves, are not
 * counted; all others are.
 *
 * Instructions are of class SL_INSN_PACKING by the function that their block begins in, which the
 * log names where the program has symbols: "pack" is a word of such a name, between underscores or
 * at its ends (sl_pack_lhs_f32_sme2, pack_rows; not run_packed). What such a function calls counts
 * by its own name. The log has no names of libraries' functions: where those that pack begin and
 * end, two numbers of 64 bits, the program tells with the marks zero and one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/device/insn_class.h"

struct sl_count_log;
struct sl_diag;

/* Guest addresses of the mark functions; all 0: no marks, everything is counted. */
struct sl_count_marks {
    uint64_t pause, resume, begin, end, zero, one;
};

/* Two guest addresses where blocks begin: what is called from there or jumped to. */
struct sl_count_window {
    uint64_t from, to; /* both 0: all that is executed */
};

/* The blocks that ran in a stretch without a mark and without a switch of streaming mode: `count`
 * entries of sl_count_log_entries() from `first` on, as often as `times` stretches were equal. */
struct sl_count_span {
    size_t first, count;
    uint64_t times;
    size_t mark; /* begin and end marks before it */
    int streaming;
};
struct sl_count_entry {
    uint32_t block;
    uint64_t times; /* counted executions of the block in the span */
};

/* The instructions of a block, borrowed until the next push. */
struct sl_count_block {
    uint64_t pc;
    const uint32_t *words;
    size_t count;
};

/* The state at a begin or end mark: counted instructions before it, by class. */
struct sl_count_mark {
    uint64_t insns[SL_INSN_CLASS_COUNT];
    int is_end;
};

/* One instruction of a block and how often it ran, counted and in all. An address may come several
 * times, once for each translation. */
struct sl_count_insn {
    uint64_t pc;
    uint32_t word;
    uint64_t counted, total;
};
typedef void (*sl_count_insn_fn)(void *user, const struct sl_count_insn *insn);

/* `marks` is copied; NULL as all 0. 0 or -ENOMEM. */
int sl_count_log_new(const struct sl_count_marks *marks, struct sl_count_log **out);
void sl_count_log_free(struct sl_count_log *log);

/* Before the first push: keeps what ran by span, which costs memory by the blocks of each. With a
 * window, only what is executed from the entry of the block at `from` to the entry of the one at
 * `to` counts, every time. */
void sl_count_log_keep_spans(struct sl_count_log *log, const struct sl_count_window *window);

/* 0, SL_E_FORMAT (`diag` names the line), SL_E_LIMIT or -ENOMEM. A failure sticks. */
int sl_count_log_push(struct sl_count_log *log, const void *bytes, size_t len,
                      struct sl_diag *diag);

/* At the end of the log: SL_E_TRUNCATED if it ends inside a line, or the failure that stuck. */
int sl_count_log_finish(struct sl_count_log *log, struct sl_diag *diag);

/* The begin and end marks in order: the n-th belongs to ordinal n. Borrowed until the next push. */
const struct sl_count_mark *sl_count_log_marks(const struct sl_count_log *log, size_t *out_count);

/* Counted instructions so far, and the others: together all that were executed. */
uint64_t sl_count_log_counted(const struct sl_count_log *log, int insn_class);
uint64_t sl_count_log_uncounted(const struct sl_count_log *log);

/* Did the log name any function? Else no instruction of the program's is known to pack. */
bool sl_count_log_names_functions(const struct sl_count_log *log);

/* Was it told of a library's function that packs? Else none of libraries' is known to. */
bool sl_count_log_told_packing(const struct sl_count_log *log);

/* Calls `visit` for every instruction of every block that was entered. */
void sl_count_log_each(const struct sl_count_log *log, sl_count_insn_fn visit, void *user);

/* With sl_count_log_keep_spans(), after sl_count_log_finish(): borrowed. */
const struct sl_count_span *sl_count_log_spans(const struct sl_count_log *log, size_t *out_count);
const struct sl_count_entry *sl_count_log_entries(const struct sl_count_log *log);
size_t sl_count_log_blocks(const struct sl_count_log *log);
struct sl_count_block sl_count_log_block(const struct sl_count_log *log, size_t index);
