/* host/device/log_line.h: one line of QEMU's log under `-d in_asm,exec,nochain`. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum sl_log_line_kind {
    SL_LOG_OTHER,   /* anything else: notes, symbols, rules */
    SL_LOG_IN,      /* "IN: symbol": the instructions of a block just translated follow */
    SL_LOG_INSN,    /* "0x00237d00:  d503201f  nop" */
    SL_LOG_RAW,     /* "OBJD-T: 1f2003d5...": words as bytes, from a QEMU without disassembler */
    SL_LOG_BLANK,   /* ends a listing */
    SL_LOG_TRACE,   /* "Trace 0: 0x7f… [cs_base/pc/flags/cflags] symbol": the block is entered */
    SL_LOG_STOPPED, /* "Stopped execution of TB chain before 0x7f… [pc] symbol": it was not */
    SL_LOG_BAD,     /* begins like one of these and goes on differently */
};

struct sl_log_line {
    int kind;        /* enum sl_log_line_kind */
    uint64_t block;  /* TRACE, STOPPED: host address of the block's code, unique while it lives */
    uint64_t pc;     /* TRACE, STOPPED, INSN: guest address */
    uint32_t word;   /* INSN */
    const char *raw; /* RAW: the hexadecimal digits; IN: the function's name; borrowed */
    size_t raw_len;
};

/* `text` is the line without its newline; a line longer than 200 bytes may be given cut there. */
void sl_log_line_parse(const char *text, size_t len, struct sl_log_line *out);
