#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/count_log.h"
#include "tests/support/test.h"

static const struct sl_count_marks marks = {.pause = 0x1000,
                                            .resume = 0x1010,
                                            .begin = 0x1020,
                                            .end = 0x1030,
                                            .zero = 0x1040,
                                            .one = 0x1050};

#define LISTING(pc, lines) "----------------\nIN: f\n" lines "\n"
#define TRACE(code, pc) "Trace 0: 0x" code " [80083009331/0000000000" pc "/00000001/00000200] f\n"
#define MARKS                                                                                      \
    LISTING("", "0x00001000:  d65f03c0  ret      \n")                                              \
    TRACE("a0", "001000")                                                                          \
    LISTING("", "0x00001020:  d65f03c0  ret      \n")                                              \
    TRACE("a2", "001020")                                                                          \
    LISTING("", "0x00001010:  d65f03c0  ret      \n")                                              \
    TRACE("a1", "001010")
/* Three instructions, one of them an outer product. */
#define WORK                                                                                       \
    LISTING("", "0x00002000:  80812000  fmopa \n0x00002004:  d503201f  nop \n0x00002008:  "        \
                "d65f03c0  ret \n")
#define RUN TRACE("b0", "002000")
#define PAUSE TRACE("a0", "001000")
#define RESUME TRACE("a1", "001010")
#define BEGIN TRACE("a2", "001020")
#define ZERO TRACE("a4", "001040")
#define ONE TRACE("a5", "001050")

static struct sl_count_log *read_log(const char *text)
{
    struct sl_count_log *log = NULL;
    struct sl_diag diag = {0};
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    assert_int_equal(sl_count_log_push(log, text, strlen(text), &diag), 0);
    assert_int_equal(sl_count_log_finish(log, &diag), 0);
    return log;
}

static int read_bad(const char *text, struct sl_diag *diag)
{
    struct sl_count_log *log = NULL;
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    int rc = sl_count_log_push(log, text, strlen(text), diag);
    int end = sl_count_log_finish(log, diag);
    assert_true(rc == 0 || rc == end);
    sl_count_log_free(log);
    return end;
}

TEST(blocks_count_by_their_listings)
{
    struct sl_count_log *log = read_log(WORK RUN RUN RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 9);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_OUTER), 3);
    assert_int_equal(sl_count_log_uncounted(log), 0);
    sl_count_log_free(log);
}

/* Blocks of 1, 2, 3, .. instructions, each in a function of its own, each entered once. */
static const struct {
    const char *function;
    bool packs;
} functions[] = {{"sl_pack_lhs_f32_sme2", true},
                 {"pack_rows", true},
                 {"sl_qd8_pack", true},
                 {"pack", true},
                 {"run_packed", false},
                 {"unpack_rows", false},
                 {"sl_packing", false},
                 {"packs", false},
                 {"pac", false},
                 {"", false}};

TEST(functions_that_pack_are_told_by_a_word_of_their_names)
{
    struct sl_count_log *log = NULL;
    uint64_t all = 0, packing = 0;
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    assert_false(sl_count_log_names_functions(log));
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        char text[1024];
        int len = snprintf(text, sizeof(text), "IN: %s\n", functions[i].function);
        for (size_t word = 0; word <= i; word++)
            len += snprintf(text + len, sizeof(text) - (size_t)len, "0x%08zx:  d503201f  nop\n",
                            0x3000 + 0x100 * i + 4 * word);
        len += snprintf(text + len, sizeof(text) - (size_t)len, "\nTrace 0: 0xc%zu [1/%zx/1/1] f\n",
                        i, 0x3000 + 0x100 * i);
        assert_int_equal(sl_count_log_push(log, text, (size_t)len, NULL), 0);
        all += i + 1;
        packing += functions[i].packs ? i + 1 : 0;
        assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), all);
        assert_int_equal(sl_count_log_counted(log, SL_INSN_PACKING), packing);
    }
    assert_true(sl_count_log_names_functions(log));
    sl_count_log_free(log);
}

TEST(a_log_without_symbols_knows_of_no_packing)
{
    struct sl_count_log *log =
        read_log("IN: \n0x00003000:  d503201f  nop\n\nTrace 0: 0xc0 [1/3000/1/1] \n");
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 1);
    assert_false(sl_count_log_names_functions(log));
    sl_count_log_free(log);
}

#define STOPPED(code, pc) "Stopped execution of TB chain before 0x" code " [0000000000" pc "] f\n"
#define BITS                                                                                       \
    PAUSE LISTING("", "0x00001040:  d65f03c0  ret      \n") ZERO STOPPED("a4", "001040")           \
        LISTING("", "0x00001050:  d65f03c0  ret      \n") ONE STOPPED("a5", "001050") RESUME

/* A log of a program that told of a function with so many bits. */
static struct sl_count_log *read_told(uint64_t begin, uint64_t end, int bits, int *out_rc)
{
    struct sl_count_log *log = NULL;
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    *out_rc = sl_count_log_push(log, MARKS BITS PAUSE, strlen(MARKS BITS PAUSE), NULL);
    for (int bit = 0; bit < bits && *out_rc == 0; bit++) {
        bool one = bit % 128 < 64 ? begin >> (63 - bit % 64) & 1 : end >> (63 - bit % 64) & 1;
        const char *line = one ? ONE : ZERO;
        *out_rc = sl_count_log_push(log, line, strlen(line), NULL);
    }
    if (*out_rc == 0)
        *out_rc = sl_count_log_push(log, RESUME WORK RUN RUN, strlen(RESUME WORK RUN RUN), NULL);
    return log;
}

/* The block of three instructions begins at 0x2000, in a function without a name. */
TEST(functions_of_libraries_pack_where_the_program_told)
{
    static const struct {
        uint64_t begin, end, packing;
    } cases[] = {{0x2000, 0x2004, 6},
                 {0x1ffc, 0x2010, 6},
                 {0x1000, 0x2000, 0},
                 {0x2004, 0x2010, 0},
                 {0xffff000000002000, UINT64_MAX, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int rc;
        struct sl_count_log *log = read_told(cases[i].begin, cases[i].end, 128, &rc);
        assert_int_equal(rc, 0);
        assert_true(sl_count_log_told_packing(log));
        assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
        assert_int_equal(sl_count_log_counted(log, SL_INSN_PACKING), cases[i].packing);
        sl_count_log_free(log);
    }
}

TEST(what_is_told_in_part_or_twice_at_once_is_no_log)
{
    static const int bits[] = {1, 64, 127, 129, 256};
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        int rc;
        struct sl_count_log *log = read_told(0x2000, 0x2004, bits[i], &rc);
        assert_int_equal(rc, SL_E_FORMAT);
        assert_false(sl_count_log_told_packing(log));
        sl_count_log_free(log);
    }
}

TEST(marks_see_what_ran_before_them_unpaused)
{
    struct sl_count_log *log =
        read_log(WORK RUN MARKS RUN PAUSE RUN RUN BEGIN RESUME RUN PAUSE BEGIN);
    size_t count = 0;
    const struct sl_count_mark *at = sl_count_log_marks(log, &count);
    assert_int_equal(count, 3);
    assert_int_equal(at[0].insns[SL_INSN_ANY], 3);
    assert_int_equal(at[1].insns[SL_INSN_ANY], 6);
    assert_int_equal(at[2].insns[SL_INSN_ANY], 9);
    assert_int_equal(at[2].insns[SL_INSN_OUTER], 3);
    assert_false(at[2].is_end);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 9);
    assert_int_equal(sl_count_log_uncounted(log), 6 + 8); /* two blocks paused, eight marks */
    sl_count_log_free(log);
}

TEST(pauses_nest)
{
    struct sl_count_log *log = read_log(WORK RUN MARKS PAUSE PAUSE RUN RESUME RUN RESUME RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
    sl_count_log_free(log);
}

TEST(any_cut_gives_the_same_counts)
{
    static const char text[] = WORK RUN MARKS RUN PAUSE RUN BEGIN RESUME RUN RUN;
    for (size_t step = 1; step < 120; step++) {
        struct sl_count_log *log = NULL;
        assert_int_equal(sl_count_log_new(&marks, &log), 0);
        for (size_t at = 0; at < sizeof(text) - 1; at += step) {
            size_t len = sizeof(text) - 1 - at < step ? sizeof(text) - 1 - at : step;
            assert_int_equal(sl_count_log_push(log, text + at, len, NULL), 0);
        }
        assert_int_equal(sl_count_log_finish(log, NULL), 0);
        assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 12);
        sl_count_log_free(log);
    }
}

TEST(a_stopped_block_is_taken_back)
{
    struct sl_count_log *log = read_log(
        WORK RUN RUN "Stopped execution of TB chain before 0xb0 [0000000000002000] f\n" RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
    sl_count_log_free(log);
}

TEST(a_stopped_mark_is_taken_back)
{
    struct sl_count_log *log =
        read_log(WORK RUN MARKS PAUSE
                 "Stopped execution of TB chain before 0xa0 [0000000000001000] f\n" RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
    sl_count_log_free(log);
}

TEST(code_at_a_reused_address_counts_by_its_new_listing)
{
    struct sl_count_log *log =
        read_log(WORK RUN RUN LISTING("", "0x00002000:  80812000  fmopa \n") RUN RUN RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 2 * 3 + 3);
    sl_count_log_free(log);
}

TEST(one_address_may_have_two_translations)
{
    struct sl_count_log *log = read_log(WORK RUN LISTING("", "0x00002000:  80812000  fmopa \n")
                                            TRACE("c0", "002000") RUN TRACE("c0", "002000"));
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 3 + 1 + 3 + 1);
    sl_count_log_free(log);
}

TEST(a_block_listed_but_first_entered_later_is_found_by_address)
{
    struct sl_count_log *log =
        read_log(WORK LISTING("", "0x00003000:  d503201f  nop \n") TRACE("d0", "003000") RUN RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 1 + 6);
    sl_count_log_free(log);
}

TEST(listings_without_disassembler_count)
{
    struct sl_count_log *log =
        read_log("----------------\nIN: \nOBJD-T: 002081801f2003d5\nOBJD-T: c0035fd6\n\n" RUN RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_OUTER), 2);
    sl_count_log_free(log);
}

struct tally {
    uint64_t outer, all;
};

static void add_insn(void *user, const struct sl_count_insn *insn)
{
    struct tally *tally = user;
    tally->all += insn->total;
    if (sl_insn_classify(insn->word) == SL_INSN_OUTER)
        tally->outer += insn->counted;
}

TEST(each_gives_executions_of_every_instruction)
{
    struct sl_count_log *log = read_log(WORK RUN MARKS RUN PAUSE RUN);
    struct tally tally = {0};
    sl_count_log_each(log, add_insn, &tally);
    assert_int_equal(tally.outer, 2);
    assert_int_equal(tally.all,
                     sl_count_log_counted(log, SL_INSN_ANY) + sl_count_log_uncounted(log));
    sl_count_log_free(log);
}

TEST(foreign_lines_are_passed_over)
{
    struct sl_count_log *log =
        read_log("page layout changed\n\n" WORK RUN "123 openat(AT_FDCWD)\n" RUN);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
    sl_count_log_free(log);
}

TEST(a_block_never_listed_is_refused)
{
    struct sl_diag diag = {0};
    assert_int_equal(read_bad(WORK RUN TRACE("e0", "009000"), &diag), SL_E_FORMAT);
    assert_string_equal(diag.where, "emulator's log, line 8");
}

TEST(damaged_lines_are_refused)
{
    static const char *const bad[] = {
        "Trace 0\n",
        "Trace 0: 0xb0 [1/2]\n",
        "Trace 0: 0x [1/2/3/4] f\n",
        "Trace 0: 0x11112222333344445 [1/2/3/4] f\n",
        "IN: f\n0x00002000:  80812000\n0x00002008:  d503201f  gap\n",
        "IN: f\n0x00002000:  zz\n",
        "IN: f\nOBJD-T: 00208\n",
        "IN: f\nOBJD-T: 0020818g\n",
        "Stopped execution of TB chain before 0xb0 [0000000000002000] f\n",
        "Stopped execution of TB chain before b0\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_diag diag = {0};
        assert_int_equal(read_bad(bad[i], &diag), SL_E_FORMAT);
    }
}

TEST(a_resume_without_pause_is_refused)
{
    struct sl_diag diag = {0};
    assert_int_equal(read_bad(WORK RUN MARKS RESUME, &diag), SL_E_FORMAT);
}

TEST(a_log_that_ends_inside_a_line_is_truncated)
{
    struct sl_diag diag = {0};
    assert_int_equal(read_bad(WORK RUN "Trace 0: 0xb0", &diag), SL_E_TRUNCATED);
}

TEST(each_failed_allocation_is_reported)
{
    static const char text[] = WORK RUN MARKS RUN;
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc != 0; nth++) {
        struct sl_count_log *log = NULL;
        sl_mem_fail_nth(nth);
        rc = sl_count_log_new(&marks, &log);
        if (rc == 0)
            rc = sl_count_log_push(log, text, sizeof(text) - 1, NULL);
        assert_true(rc == 0 || rc == -ENOMEM);
        sl_count_log_free(log);
    }
    sl_mem_fail_nth(0);
}

#define SESSION                                                                                    \
    LISTING("", "0x00003000:  d503477f  smstart \n")                                               \
    TRACE("c0", "003000")                                                                          \
    RUN RUN LISTING("", "0x00003010:  d503467f  smstop \n") TRACE("c1", "003010")

static struct sl_count_log *read_spans(const char *text, const struct sl_count_window *window)
{
    struct sl_count_log *log = NULL;
    struct sl_diag diag = {0};
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    sl_count_log_keep_spans(log, window);
    assert_int_equal(sl_count_log_push(log, text, strlen(text), &diag), 0);
    assert_int_equal(sl_count_log_finish(log, &diag), 0);
    return log;
}

TEST(spans_end_where_streaming_mode_switches)
{
    struct sl_count_log *log = read_spans(WORK RUN SESSION RUN, NULL);
    size_t count;
    const struct sl_count_span *spans = sl_count_log_spans(log, &count);
    const struct sl_count_entry *entries = sl_count_log_entries(log);
    assert_int_equal(count, 3);
    assert_false(spans[0].streaming);
    assert_true(spans[1].streaming);
    assert_int_equal(spans[1].count, 2);
    assert_int_equal(entries[spans[1].first].times, 2);
    struct sl_count_block block = sl_count_log_block(log, entries[spans[1].first].block);
    assert_int_equal(block.pc, 0x2000);
    assert_int_equal(block.count, 3);
    assert_int_equal(block.words[0], 0x80812000);
    assert_false(spans[2].streaming);
    sl_count_log_free(log);
}

TEST(equal_sessions_are_one_span_that_came_often)
{
#define AGAIN TRACE("c0", "003000") RUN RUN TRACE("c1", "003010")
    struct sl_count_log *log = read_spans(WORK RUN SESSION AGAIN AGAIN AGAIN, NULL);
    size_t count;
    uint64_t total = 0;
    const struct sl_count_span *spans = sl_count_log_spans(log, &count);
    assert_true(count <= 4);
    for (size_t i = 0; i < count; i++)
        total += spans[i].streaming ? spans[i].times : 0;
    assert_int_equal(total, 4);
    sl_count_log_free(log);
}

TEST(a_stopped_session_is_taken_back)
{
    struct sl_count_log *log = read_spans(
        WORK RUN LISTING("", "0x00003000:  d503477f  smstart \n") TRACE(
            "c0", "003000") "Stopped execution of TB chain before 0xc0 [0000000000003000] f\n" RUN,
        NULL);
    size_t count;
    const struct sl_count_span *spans = sl_count_log_spans(log, &count);
    for (size_t i = 0; i < count; i++)
        assert_false(spans[i].streaming);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
    sl_count_log_free(log);
}

TEST(marks_end_spans_and_number_them)
{
    struct sl_count_log *log = read_spans(MARKS WORK RUN BEGIN RUN RUN, NULL);
    size_t count;
    const struct sl_count_span *spans = sl_count_log_spans(log, &count);
    assert_int_equal(count, 2);
    assert_int_equal(spans[0].mark, 1);
    assert_int_equal(spans[1].mark, 2);
    sl_count_log_free(log);
}

TEST(a_window_counts_from_its_begin_to_its_end_every_time)
{
    static const struct sl_count_window window = {.from = 0x2000, .to = 0x4000};
#define OTHER                                                                                      \
    LISTING("", "0x00004000:  d503201f  nop \n0x00004004:  d65f03c0  ret \n")                      \
    TRACE("d0", "004000")
    struct sl_count_log *log =
        read_spans(OTHER WORK RUN OTHER TRACE("d0", "004000") RUN TRACE("d0", "004000"), &window);
    size_t count;
    sl_count_log_marks(log, &count);
    assert_int_equal(sl_count_log_counted(log, SL_INSN_ANY), 6);
    assert_true(count >= 4);
    sl_count_log_free(log);
}
