/* host/device/log_line.c */
#include "host/device/log_line.h"

#include <stdbool.h>
#include <string.h>

struct cursor {
    const char *at, *end;
};

/* -1 for what is no hexadecimal digit. */
static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* One to sixteen lower-case digits. */
static bool take_hex(struct cursor *in, uint64_t *out)
{
    uint64_t value = 0;
    const char *first = in->at;
    for (; in->at < in->end; in->at++) {
        int digit = digit_value(*in->at);
        if (digit < 0)
            break;
        value = value << 4 | (uint64_t)digit;
    }
    *out = value;
    return in->at != first && in->at - first <= 16;
}

static bool take(struct cursor *in, const char *text, size_t len)
{
    if ((size_t)(in->end - in->at) < len || memcmp(in->at, text, len) != 0)
        return false;
    in->at += len;
    return true;
}
#define TAKE(in, literal) take(in, literal, sizeof(literal) - 1)

static int parse_trace(struct cursor *in, struct sl_log_line *out)
{
    uint64_t number, cs_base;
    bool ok = take_hex(in, &number) && TAKE(in, ": 0x") && take_hex(in, &out->block) &&
              TAKE(in, " [") && take_hex(in, &cs_base) && TAKE(in, "/") && take_hex(in, &out->pc) &&
              TAKE(in, "/");
    return ok ? SL_LOG_TRACE : SL_LOG_BAD;
}

static int parse_stopped(struct cursor *in, struct sl_log_line *out)
{
    bool ok = TAKE(in, "0x") && take_hex(in, &out->block) && TAKE(in, " [") &&
              take_hex(in, &out->pc) && TAKE(in, "]");
    return ok ? SL_LOG_STOPPED : SL_LOG_BAD;
}

static int parse_instruction(struct cursor *in, struct sl_log_line *out)
{
    uint64_t word = 0;
    bool ok = take_hex(in, &out->pc) && TAKE(in, ":");
    while (ok && TAKE(in, " "))
        ;
    const char *first = in->at;
    ok = ok && take_hex(in, &word) && in->at - first == 8;
    out->word = (uint32_t)word;
    return ok ? SL_LOG_INSN : SL_LOG_BAD;
}

/* A block of a file without symbols has no name. */
static int parse_in(struct cursor *in, struct sl_log_line *out)
{
    while (TAKE(in, " "))
        ;
    out->raw = in->at;
    out->raw_len = (size_t)(in->end - in->at);
    return SL_LOG_IN;
}

void sl_log_line_parse(const char *text, size_t len, struct sl_log_line *out)
{
    struct cursor in = {text, text + len};
    out->kind = SL_LOG_OTHER;
    if (len == 0)
        out->kind = SL_LOG_BLANK;
    else if (TAKE(&in, "Trace "))
        out->kind = parse_trace(&in, out);
    else if (TAKE(&in, "0x"))
        out->kind = parse_instruction(&in, out);
    else if (TAKE(&in, "IN:"))
        out->kind = parse_in(&in, out);
    else if (TAKE(&in, "Stopped execution of TB chain before "))
        out->kind = parse_stopped(&in, out);
    else if (TAKE(&in, "OBJD-T: ")) {
        out->kind = SL_LOG_RAW;
        out->raw = in.at;
        out->raw_len = (size_t)(in.end - in.at);
    }
}
