/* host/device/count_log.c */
#include "host/device/count_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/block_map.h"
#include "host/device/log_line.h"

enum {
    MAX_LINE = 200, /* bytes of a line that are looked at */
    MAX_BLOCKS = 1 << 22,
    MAX_WORDS = 1 << 26,
    MAX_MARKS = 1 << 24,
    MAX_PAUSES = 1 << 10, /* nested */
    MAX_ENTRIES = 1 << 26,
    MAX_SPANS = 1 << 24,
    MAX_PACKING = 1 << 12, /* functions of libraries that pack */
    TOLD_BITS = 128,
    NO_BLOCK = -1,
    NO_SWITCH = -1,
};

enum mark { MARK_NONE, MARK_PAUSE, MARK_RESUME, MARK_BEGIN, MARK_END, MARK_ZERO, MARK_ONE };

/* A function of a library; `end` is behind it. */
struct packing {
    uint64_t begin, end;
};

struct block {
    uint64_t pc;
    uint64_t counted, total; /* executions */
    uint32_t first_word, word_count;
    uint32_t classes[SL_INSN_CLASS_COUNT]; /* instructions by class */
    int mark;                              /* enum mark */
    int switches;                          /* streaming mode to 0 or 1, or NO_SWITCH */
    bool packs;                            /* the program's function that it begins in */
    uint32_t epoch;                        /* of the span whose entry `entry` is */
    size_t entry;
};

struct sl_count_log {
    struct sl_count_marks marks;
    int error;
    uint64_t lines;
    uint64_t counted[SL_INSN_CLASS_COUNT], uncounted;
    unsigned pauses;

    struct block *blocks; /* owned */
    size_t block_count, block_room;
    uint32_t *words; /* owned */
    size_t word_count, word_room;
    struct sl_count_mark *at_marks; /* owned */
    size_t mark_count, mark_room;
    struct sl_block_map by_code; /* host address of the code -> block */
    struct sl_block_map by_pc;   /* guest address -> latest listing */

    bool keeps, windowed;  /* spans are kept; of a window alone */
    bool streaming, ended; /* ended: the next block begins a span */
    uint32_t epoch;        /* of the open span; 0 is no span's */
    struct sl_count_span open;
    struct sl_count_entry *entries; /* owned */
    size_t entry_count, entry_room;
    struct sl_count_span *spans; /* owned */
    size_t span_count, span_room;

    struct packing *packing; /* owned */
    size_t packing_count, packing_room;
    struct packing told; /* so far */
    unsigned told_bits;

    bool named;          /* a listing had its function's name */
    bool listing;        /* between IN: and the blank line */
    int64_t pending;     /* block listed and not yet entered, or NO_BLOCK */
    int64_t last;        /* block entered last, or NO_BLOCK */
    char seen[MAX_LINE]; /* the TRACE line of `last` up to its pc */
    size_t seen_len;
    char carry[MAX_LINE]; /* begin of a line that the cut split */
    size_t carry_len;
    bool carrying;
};

int sl_count_log_new(const struct sl_count_marks *marks, struct sl_count_log **out)
{
    struct sl_count_log *log = sl_calloc(1, sizeof(*log));
    if (!log)
        return -ENOMEM;
    if (marks)
        log->marks = *marks;
    log->pending = log->last = NO_BLOCK;
    *out = log;
    return 0;
}

void sl_count_log_free(struct sl_count_log *log)
{
    if (!log)
        return;
    sl_block_map_fini(&log->by_code);
    sl_block_map_fini(&log->by_pc);
    sl_free(log->blocks);
    sl_free(log->words);
    sl_free(log->at_marks);
    sl_free(log->entries);
    sl_free(log->spans);
    sl_free(log->packing);
    sl_free(log);
}

void sl_count_log_keep_spans(struct sl_count_log *log, const struct sl_count_window *window)
{
    log->keeps = true;
    log->epoch = 1;
    log->open.times = 1;
    if (!window || (window->from == 0 && window->to == 0))
        return;
    log->windowed = true;
    log->pauses = 1;
    log->marks = (struct sl_count_marks){.begin = window->from, .end = window->to};
}

/* Makes room for one more of `*array`. */
static int reserve(void **array, size_t count, size_t *room, size_t size, size_t limit)
{
    if (count < *room)
        return 0;
    if (count >= limit)
        return SL_E_LIMIT;
    size_t wider = *room ? *room * 2 : 1024;
    void *grown = sl_realloc(*array, wider, size);
    if (!grown)
        return -ENOMEM;
    *array = grown;
    *room = wider;
    return 0;
}

static int mark_of(const struct sl_count_marks *marks, uint64_t pc)
{
    if (pc == 0)
        return MARK_NONE;
    return pc == marks->pause    ? MARK_PAUSE
           : pc == marks->resume ? MARK_RESUME
           : pc == marks->begin  ? MARK_BEGIN
           : pc == marks->end    ? MARK_END
           : pc == marks->zero   ? MARK_ZERO
           : pc == marks->one    ? MARK_ONE
                                 : MARK_NONE;
}

/* Once the block's address is known, which is before it is executed. */
static void settle(const struct sl_count_log *log, struct block *block)
{
    block->mark = mark_of(&log->marks, block->pc);
    for (size_t i = 0; i < log->packing_count; i++)
        if (block->pc >= log->packing[i].begin && block->pc < log->packing[i].end)
            block->classes[SL_INSN_PACKING] = block->word_count;
}

static bool names_packing(const char *name, size_t len)
{
    static const char word[] = "pack";
    const size_t size = sizeof(word) - 1;
    for (size_t at = 0; at + size <= len; at++)
        if (memcmp(name + at, word, size) == 0 && (at == 0 || name[at - 1] == '_') &&
            (at + size == len || name[at + size] == '_'))
            return true;
    return false;
}

static int open_listing(struct sl_count_log *log, const struct sl_log_line *line)
{
    int rc = reserve((void **)&log->blocks, log->block_count, &log->block_room,
                     sizeof(*log->blocks), MAX_BLOCKS);
    if (rc < 0)
        return rc;
    log->blocks[log->block_count] =
        (struct block){.first_word = (uint32_t)log->word_count,
                       .switches = NO_SWITCH,
                       .packs = names_packing(line->raw, line->raw_len)};
    log->named = log->named || line->raw_len > 0;
    log->pending = (int64_t)log->block_count++;
    log->listing = true;
    return 0;
}

static int add_word(struct sl_count_log *log, uint32_t word)
{
    int rc = reserve((void **)&log->words, log->word_count, &log->word_room, sizeof(*log->words),
                     MAX_WORDS);
    if (rc < 0)
        return rc;
    struct block *block = &log->blocks[log->pending];
    int kind = sl_insn_classify(word);
    log->words[log->word_count++] = word;
    block->word_count++;
    block->classes[SL_INSN_ANY]++;
    block->classes[SL_INSN_PACKING] += block->packs;
    if ((word & 0xfffffaff) == 0xd503427f)
        block->switches = (word & 0x100) != 0; /* MSR SVCRSM and SVCRSMZA */
    if (kind != SL_INSN_ANY)
        block->classes[kind]++;
    return 0;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Bytes in memory order: four make a little-endian word. */
static int add_raw(struct sl_count_log *log, const char *digits, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i += 8) {
        uint32_t word = 0;
        for (size_t byte = 0; byte < 4; byte++) {
            int high = hex_digit(digits[i + 2 * byte]), low = hex_digit(digits[i + 2 * byte + 1]);
            if (high < 0 || low < 0)
                return SL_E_FORMAT;
            word |= (uint32_t)(high << 4 | low) << (8 * byte);
        }
        int rc = add_word(log, word);
        if (rc < 0)
            return rc;
    }
    return len % 8 == 0 ? 0 : SL_E_FORMAT;
}

/* Ends the open span; one that equals one of the two before it is counted there: sessions of
 * streaming mode alternate with what is between them. */
static int end_span(struct sl_count_log *log)
{
    struct sl_count_span span = log->open;
    span.count = log->entry_count - span.first;
    int rc = 0;
    bool known = span.count == 0;
    for (size_t back = 1; !known && back <= 2 && back <= log->span_count; back++) {
        struct sl_count_span *last = &log->spans[log->span_count - back];
        known = last->count == span.count && last->mark == span.mark &&
                last->streaming == span.streaming &&
                memcmp(log->entries + last->first, log->entries + span.first,
                       span.count * sizeof(*log->entries)) == 0;
        last->times += known;
    }
    if (known)
        log->entry_count = span.first;
    else
        rc = reserve((void **)&log->spans, log->span_count, &log->span_room, sizeof(*log->spans),
                     MAX_SPANS);
    if (!known && rc == 0)
        log->spans[log->span_count++] = span;
    log->open = (struct sl_count_span){.first = log->entry_count,
                                       .times = 1,
                                       .mark = log->mark_count,
                                       .streaming = log->streaming};
    log->ended = false;
    log->epoch++;
    return rc;
}

/* One more counted execution in the open span, or with `sign` minus one one less. */
static int keep_execution(struct sl_count_log *log, struct block *block, uint64_t sign)
{
    if (block->epoch != log->epoch) {
        int rc = reserve((void **)&log->entries, log->entry_count, &log->entry_room,
                         sizeof(*log->entries), MAX_ENTRIES);
        if (rc < 0)
            return rc;
        block->epoch = log->epoch;
        block->entry = log->entry_count++;
        memset(&log->entries[block->entry], 0, sizeof(*log->entries)); /* compared as bytes */
        log->entries[block->entry].block = (uint32_t)(block - log->blocks);
    }
    log->entries[block->entry].times += sign;
    return 0;
}

/* Takes one execution of the block into the sums, or back out of them. */
static int add_execution(struct sl_count_log *log, struct block *block, uint64_t sign)
{
    block->total += sign;
    if (log->pauses > 0 || (block->mark != MARK_NONE && !log->windowed)) {
        log->uncounted += sign * block->word_count;
        return 0;
    }
    block->counted += sign;
    for (int i = 0; i < SL_INSN_CLASS_COUNT; i++)
        log->counted[i] += sign * block->classes[i];
    return log->keeps ? keep_execution(log, block, sign) : 0;
}

/* Keeps what was told whole; the last bit could have been taken back until now. */
static int keep_told(struct sl_count_log *log)
{
    if (log->told_bits < TOLD_BITS)
        return log->told_bits == 0 ? 0 : SL_E_FORMAT;
    int rc = reserve((void **)&log->packing, log->packing_count, &log->packing_room,
                     sizeof(*log->packing), MAX_PACKING);
    if (rc == 0)
        log->packing[log->packing_count++] = log->told;
    log->told_bits = 0;
    return rc;
}

static int take_bit(struct sl_count_log *log, uint64_t bit)
{
    if (log->told_bits == TOLD_BITS)
        return SL_E_FORMAT;
    uint64_t *number = log->told_bits < TOLD_BITS / 2 ? &log->told.begin : &log->told.end;
    *number = *number << 1 | bit;
    log->told_bits++;
    return 0;
}

static int pass_mark(struct sl_count_log *log, int mark)
{
    if (mark == MARK_ZERO || mark == MARK_ONE)
        return take_bit(log, mark == MARK_ONE);
    int told = keep_told(log);
    if (told < 0)
        return told;
    if (mark == MARK_PAUSE)
        return ++log->pauses <= MAX_PAUSES ? 0 : SL_E_LIMIT;
    if (mark == MARK_RESUME)
        return log->pauses-- > 0 ? 0 : SL_E_FORMAT;
    int rc = reserve((void **)&log->at_marks, log->mark_count, &log->mark_room,
                     sizeof(*log->at_marks), MAX_MARKS);
    if (rc < 0)
        return rc;
    struct sl_count_mark *at = &log->at_marks[log->mark_count++];
    memcpy(at->insns, log->counted, sizeof(at->insns));
    at->is_end = mark == MARK_END;
    log->ended = log->keeps;
    if (log->windowed)
        log->pauses = mark == MARK_END ? 1 : 0;
    return 0;
}

static int enter(struct sl_count_log *log, int64_t index)
{
    struct block *block = &log->blocks[index];
    int rc = log->ended ? end_span(log) : 0;
    log->last = index;
    if (rc == 0 && log->windowed && block->mark != MARK_NONE)
        rc = pass_mark(log, block->mark); /* first: what begins a window is in it */
    if (rc == 0)
        rc = add_execution(log, block, 1);
    if (rc == 0 && !log->windowed && block->mark != MARK_NONE)
        rc = pass_mark(log, block->mark);
    if (block->switches != NO_SWITCH) {
        log->streaming = block->switches;
        log->ended = log->keeps;
    }
    return rc;
}

/* The block that a TRACE line means: the one just listed, else the one known by its code's address,
 * else the last one listed for the guest address. */
static int64_t resolve(struct sl_count_log *log, const struct sl_log_line *line)
{
    if (log->pending != NO_BLOCK) {
        struct block *block = &log->blocks[log->pending];
        if (block->pc == 0)
            block->pc = line->pc; /* listed without addresses */
        if (block->pc == line->pc) {
            int64_t found = log->pending;
            settle(log, block);
            log->pending = NO_BLOCK;
            int rc = sl_block_map_set(&log->by_code, line->block, (uint32_t)found);
            return rc < 0 ? rc : found;
        }
    }
    uint32_t known = sl_block_map_get(&log->by_code, line->block);
    if (known != UINT32_MAX && log->blocks[known].pc == line->pc)
        return known;
    known = sl_block_map_get(&log->by_pc, line->pc);
    if (known == UINT32_MAX)
        return SL_E_FORMAT;
    settle(log, &log->blocks[known]);
    int rc = sl_block_map_set(&log->by_code, line->block, known);
    return rc < 0 ? rc : known;
}

static int take_trace(struct sl_count_log *log, const char *text, size_t len,
                      const struct sl_log_line *line)
{
    log->listing = false;
    int64_t index = resolve(log, line);
    if (index < 0)
        return (int)index;
    const char *end = memchr(text, ']', len);
    log->seen_len = end ? (size_t)(end - text) : 0;
    memcpy(log->seen, text, log->seen_len);
    return enter(log, index);
}

static void take_bit_back(struct sl_count_log *log)
{
    if (log->told_bits-- <= TOLD_BITS / 2)
        log->told.begin >>= 1;
    else
        log->told.end >>= 1;
}

static int take_stopped(struct sl_count_log *log, const struct sl_log_line *line)
{
    if (log->last == NO_BLOCK || log->blocks[log->last].pc != line->pc)
        return SL_E_FORMAT;
    struct block *block = &log->blocks[log->last];
    if (block->mark == MARK_PAUSE)
        log->pauses--;
    else if (block->mark == MARK_RESUME)
        log->pauses++;
    else if (block->mark == MARK_ZERO || block->mark == MARK_ONE)
        take_bit_back(log);
    else if (block->mark != MARK_NONE)
        log->mark_count--;
    int rc = add_execution(log, block, UINT64_MAX); /* minus one */
    if (log->windowed && block->mark != MARK_NONE)
        log->pauses = block->mark == MARK_BEGIN ? 1 : 0;
    if (block->switches != NO_SWITCH)
        log->streaming = !block->switches;
    log->last = NO_BLOCK; /* cannot be taken back twice */
    log->seen_len = 0;
    return rc;
}

static int take_insn(struct sl_count_log *log, const struct sl_log_line *line)
{
    struct block *block = &log->blocks[log->pending];
    int rc = 0;
    if (block->word_count == 0) {
        block->pc = line->pc;
        rc = sl_block_map_set(&log->by_pc, line->pc, (uint32_t)log->pending);
    } else if (line->pc != block->pc + 4 * (uint64_t)block->word_count) {
        return SL_E_FORMAT;
    }
    return rc < 0 ? rc : add_word(log, line->word);
}

static int take_line(struct sl_count_log *log, const char *text, size_t len)
{
    struct sl_log_line line;
    log->lines++;
    /* Loops enter one block again and again: an equal line needs no parsing. */
    if (log->seen_len > 0 && log->pending == NO_BLOCK && len > log->seen_len &&
        memcmp(text, log->seen, log->seen_len) == 0 && text[log->seen_len] == ']')
        return enter(log, log->last);
    sl_log_line_parse(text, len, &line);
    switch (line.kind) {
    case SL_LOG_TRACE:
        return take_trace(log, text, len, &line);
    case SL_LOG_STOPPED:
        return take_stopped(log, &line);
    case SL_LOG_IN:
        return open_listing(log, &line);
    case SL_LOG_INSN:
        return log->listing ? take_insn(log, &line) : 0;
    case SL_LOG_RAW:
        return log->listing ? add_raw(log, line.raw, line.raw_len) : 0;
    case SL_LOG_BLANK:
        log->listing = false;
        return 0;
    case SL_LOG_BAD:
        return SL_E_FORMAT;
    default:
        return 0;
    }
}

static int describe(const struct sl_count_log *log, struct sl_diag *diag)
{
    char where[64];
    snprintf(where, sizeof(where), "emulator's log, line %" PRIu64, log->lines);
    const char *what = log->error == SL_E_FORMAT
                           ? "The emulator's log does not read as executed blocks"
                           : "The emulator's log could not be counted";
    return sl_diag_set(diag, log->error, where, "%s (%s)", what, sl_strerror(log->error));
}

/* Adds to the carried line; what is beyond MAX_LINE is not looked at. */
static void carry(struct sl_count_log *log, const char *text, size_t len)
{
    size_t room = MAX_LINE - log->carry_len;
    memcpy(log->carry + log->carry_len, text, len < room ? len : room);
    log->carry_len += len < room ? len : room;
    log->carrying = true;
}

int sl_count_log_push(struct sl_count_log *log, const void *bytes, size_t len, struct sl_diag *diag)
{
    const char *at = bytes, *end = at + len;
    while (log->error == 0 && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line_len = newline ? (size_t)(newline - at) : (size_t)(end - at);
        if (!newline || log->carrying)
            carry(log, at, line_len);
        if (!newline)
            break;
        if (log->carrying)
            log->error = take_line(log, log->carry, log->carry_len);
        else
            log->error = take_line(log, at, line_len < MAX_LINE ? line_len : MAX_LINE);
        log->carrying = false;
        log->carry_len = 0;
        at = newline + 1;
    }
    return log->error == 0 ? 0 : describe(log, diag);
}

int sl_count_log_finish(struct sl_count_log *log, struct sl_diag *diag)
{
    if (log->error == 0 && log->carrying)
        log->error = SL_E_TRUNCATED;
    if (log->error == 0 && log->keeps)
        log->error = end_span(log);
    return log->error == 0 ? 0 : describe(log, diag);
}

const struct sl_count_mark *sl_count_log_marks(const struct sl_count_log *log, size_t *out_count)
{
    *out_count = log->mark_count;
    return log->at_marks;
}

uint64_t sl_count_log_counted(const struct sl_count_log *log, int insn_class)
{
    return log->counted[insn_class];
}

uint64_t sl_count_log_uncounted(const struct sl_count_log *log)
{
    return log->uncounted;
}

bool sl_count_log_names_functions(const struct sl_count_log *log)
{
    return log->named;
}

bool sl_count_log_told_packing(const struct sl_count_log *log)
{
    return log->packing_count > 0;
}

void sl_count_log_each(const struct sl_count_log *log, sl_count_insn_fn visit, void *user)
{
    for (size_t i = 0; i < log->block_count; i++) {
        const struct block *block = &log->blocks[i];
        for (uint32_t w = 0; w < block->word_count && block->total > 0; w++) {
            struct sl_count_insn insn = {.pc = block->pc + 4 * (uint64_t)w,
                                         .word = log->words[block->first_word + w],
                                         .counted = block->counted,
                                         .total = block->total};
            visit(user, &insn);
        }
    }
}

const struct sl_count_span *sl_count_log_spans(const struct sl_count_log *log, size_t *out_count)
{
    *out_count = log->span_count;
    return log->spans;
}

const struct sl_count_entry *sl_count_log_entries(const struct sl_count_log *log)
{
    return log->entries;
}

size_t sl_count_log_blocks(const struct sl_count_log *log)
{
    return log->block_count;
}

struct sl_count_block sl_count_log_block(const struct sl_count_log *log, size_t index)
{
    const struct block *block = &log->blocks[index];
    return (struct sl_count_block){
        .pc = block->pc, .words = log->words + block->first_word, .count = block->word_count};
}
