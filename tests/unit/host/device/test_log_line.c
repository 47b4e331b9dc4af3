/* tests/unit/host/device/test_log_line.c */
#include "host/device/log_line.h"

#include "tests/support/unit.h"

static struct sl_log_line line;

static int kind_of(const char *text)
{
    line = (struct sl_log_line){0};
    sl_log_line_parse(text, strlen(text), &line);
    return line.kind;
}

TEST(an_entered_block_has_its_code_and_its_address)
{
    assert_int_equal(kind_of("Trace 0: 0x7f12ab [80083009331/0000000000400abc/00000001/00000200] "
                             "main"),
                     SL_LOG_TRACE);
    assert_true(line.block == 0x7f12ab);
    assert_true(line.pc == 0x400abc);
    assert_int_equal(kind_of("Stopped execution of TB chain before 0x7f [00000000004000f0] main"),
                     SL_LOG_STOPPED);
    assert_true(line.block == 0x7f);
    assert_true(line.pc == 0x4000f0);
}

TEST(an_instruction_has_its_address_and_its_word)
{
    assert_int_equal(kind_of("0x00237d00:  d503201f  nop"), SL_LOG_INSN);
    assert_true(line.pc == 0x237d00);
    assert_true(line.word == 0xd503201f);
    assert_int_equal(kind_of("OBJD-T: 1f2003d5"), SL_LOG_RAW);
    assert_int_equal(line.raw_len, 8);
    assert_memory_equal(line.raw, "1f2003d5", 8);
}

TEST(other_lines_are_told_apart)
{
    assert_int_equal(kind_of(""), SL_LOG_BLANK);
    assert_int_equal(kind_of("IN: main"), SL_LOG_IN);
    assert_int_equal(line.raw_len, 4);
    assert_memory_equal(line.raw, "main", 4);
    assert_int_equal(kind_of("IN: "), SL_LOG_IN);
    assert_int_equal(line.raw_len, 0); /* a program without symbols */
    assert_int_equal(kind_of("----------------"), SL_LOG_OTHER);
    assert_int_equal(kind_of("trace 0: 0x1"), SL_LOG_OTHER);
}

TEST(lines_that_go_on_differently_are_bad)
{
    static const char *const lines[] = {
        "Trace ",
        "Trace 0: 0x",
        "Trace 0: 0x7f [1/2",                              /* cut */
        "Trace 0: 0x7F [1/2/3]",                           /* capital digits are QEMU's no more */
        "Trace 0: 0x11112222333344445 [1/2/3]",            /* seventeen digits */
        "Stopped execution of TB chain before 7f [40]",    /* no 0x */
        "Stopped execution of TB chain before 0x7f [40 x", /* no end */
        "0x00237d00",
        "0x00237d00:  d503201",   /* seven digits */
        "0x00237d00:  d503201ff", /* nine */
        "0x:  d503201f",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (kind_of(lines[i]) != SL_LOG_BAD)
            fail_msg("%s", lines[i]);
}

TEST(no_byte_behind_the_line_is_looked_at)
{
    const char text[] = "0x00237d00:  d503201f  nop";
    for (size_t len = 0; len < sizeof(text); len++) {
        sl_log_line_parse(text, len, &line);
        int kind = len == 0 ? SL_LOG_BLANK : len == 1 ? SL_LOG_OTHER : SL_LOG_BAD;
        assert_int_equal(line.kind, len < 21 ? kind : SL_LOG_INSN);
    }
}
