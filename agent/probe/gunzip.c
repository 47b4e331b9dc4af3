/* agent/probe/gunzip.c: a canonical Huffman code is read bit by bit: a kernel's configuration is
 * small, and read once. */
#include "agent/probe/gunzip.h"

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"

enum {
    MAX_BITS = 15,
    LITERALS = 288,
    DISTANCES = 32,
    MAX_CODES = LITERALS + DISTANCES,
    LENGTH_CODES = 19,
    END_OF_BLOCK = 256,
    HEAD_BYTES = 10,
    TAIL_BYTES = 8
};
enum { HAS_CRC = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16, RESERVED = 0xe0 };

/* How many codes there are of each length, and the symbols in the order of their codes. */
struct code {
    uint16_t count[MAX_BITS + 1], symbol[LITERALS];
};

struct reader {
    struct sl_bytes in;
    size_t at;     /* in bytes */
    uint32_t bits; /* of the byte before `at` that are left, in the low ones */
    unsigned left;
    bool ended; /* past the end something was asked for: zeros came */
    struct sl_buf *out;
    size_t start; /* of what is ours in `out` */
};

static unsigned bit(struct reader *r)
{
    if (r->left == 0) {
        r->ended = r->ended || r->at >= r->in.size;
        r->bits = r->ended ? 0 : r->in.data[r->at++];
        r->left = 8;
    }
    unsigned value = r->bits & 1;
    r->bits >>= 1;
    r->left--;
    return value;
}

static unsigned take(struct reader *r, unsigned count)
{
    unsigned value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= bit(r) << i;
    return value;
}

/* False: more codes than there is room for. Fewer are taken: what they lack, no symbol is found of.
 */
static bool make_code(struct code *code, const uint8_t *lengths, size_t count)
{
    uint16_t next[MAX_BITS + 2] = {0};
    int room = 1;
    *code = (struct code){.count = {0}};
    for (size_t i = 0; i < count; i++)
        code->count[lengths[i]]++;
    code->count[0] = 0;
    for (int length = 1; length <= MAX_BITS; length++) {
        room = 2 * room - code->count[length];
        if (room < 0)
            return false;
        next[length + 1] = (uint16_t)(next[length] + code->count[length]);
    }
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] != 0)
            code->symbol[next[lengths[i]]++] = (uint16_t)i;
    }
    return true;
}

/* -1: no code begins so. */
static int symbol(struct reader *r, const struct code *code)
{
    int value = 0, first = 0, index = 0;
    for (int length = 1; length <= MAX_BITS; length++) {
        value |= (int)bit(r);
        int count = code->count[length];
        if (value - first < count)
            return code->symbol[index + value - first];
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    return -1;
}

static int copy_back(struct reader *r, size_t distance, size_t length)
{
    uint8_t *to;
    if (distance > r->out->size - r->start)
        return SL_E_FORMAT;
    int rc = sl_buf_extend(r->out, length, &to);
    for (size_t i = 0; rc == 0 && i < length; i++)
        to[i] = *(to + i - distance);
    return rc;
}

/* A length or distance code: four (two) symbols for each number of extra bits, after the first. */
static unsigned span(struct reader *r, unsigned symbol_of, unsigned shift)
{
    unsigned group = 1U << shift;
    if (symbol_of < 2 * group)
        return symbol_of;
    unsigned extra = symbol_of / group - 1;
    return ((group + symbol_of % group) << extra) + take(r, extra);
}

static int coded_block(struct reader *r, const struct code *literals, const struct code *distances)
{
    for (;;) {
        int value = symbol(r, literals);
        if (value == END_OF_BLOCK)
            return 0;
        if (value < 0 || value > 285 || r->ended)
            return SL_E_FORMAT;
        int rc;
        if (value < END_OF_BLOCK) {
            uint8_t byte = (uint8_t)value;
            rc = sl_buf_append(r->out, &byte, 1);
        } else {
            size_t length = value == 285 ? 258 : 3 + span(r, (unsigned)value - 257, 2);
            int far = symbol(r, distances);
            if (far < 0 || far > 29)
                return SL_E_FORMAT;
            rc = copy_back(r, 1 + span(r, (unsigned)far, 1), length);
        }
        if (rc < 0)
            return rc;
    }
}

/* The lengths of both codes, themselves coded. */
static int read_codes(struct reader *r, struct code *literals, struct code *distances)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[MAX_CODES] = {0};
    size_t many = 257 + take(r, 5), far = 1 + take(r, 5), small = 4 + take(r, 4), at = 0;
    if (many > LITERALS)
        return SL_E_FORMAT;
    for (size_t i = 0; i < small; i++)
        lengths[order[i]] = (uint8_t)take(r, 3);
    if (!make_code(literals, lengths, LENGTH_CODES))
        return SL_E_FORMAT;
    for (size_t i = 0; i < LENGTH_CODES; i++)
        lengths[i] = 0;
    while (at < many + far) {
        int value = symbol(r, literals);
        uint8_t again = value == 16 && at > 0 ? lengths[at - 1] : value < 16 ? (uint8_t)value : 0;
        size_t times = value < 16    ? 1
                       : value == 16 ? 3 + take(r, 2)
                       : value == 17 ? 3 + take(r, 3)
                                     : 11 + take(r, 7);
        if (value < 0 || (value == 16 && at == 0) || at + times > many + far || r->ended)
            return SL_E_FORMAT;
        for (; times > 0; times--)
            lengths[at++] = again;
    }
    return make_code(literals, lengths, many) && make_code(distances, lengths + many, far)
               ? 0
               : SL_E_FORMAT;
}

static void fixed_codes(struct code *literals, struct code *distances)
{
    uint8_t lengths[LITERALS];
    for (int i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(literals, lengths, LITERALS);
    for (int i = 0; i < DISTANCES; i++)
        lengths[i] = 5;
    make_code(distances, lengths, DISTANCES);
}

static int stored_block(struct reader *r)
{
    r->left = 0;
    if (r->in.size - r->at < 4)
        return SL_E_FORMAT;
    uint16_t len = sl_load_u16(r->in.data + r->at), not_len = sl_load_u16(r->in.data + r->at + 2);
    r->at += 4;
    if ((len ^ not_len) != 0xffff || r->in.size - r->at < len)
        return SL_E_FORMAT;
    int rc = sl_buf_append(r->out, r->in.data + r->at, len);
    r->at += len;
    return rc;
}

static int inflate(struct reader *r)
{
    struct code literals, distances;
    for (bool last = false; !last;) {
        last = bit(r);
        unsigned kind = take(r, 2);
        int rc = kind == 0 ? stored_block(r) : kind == 2 ? read_codes(r, &literals, &distances) : 0;
        if (kind == 1)
            fixed_codes(&literals, &distances);
        if (rc == 0 && kind != 0)
            rc = kind == 3 ? SL_E_FORMAT : coded_block(r, &literals, &distances);
        if (rc < 0)
            return rc;
    }
    return r->ended ? SL_E_FORMAT : 0;
}

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/* Returns where the compressed bytes begin; 0: this is no gzip file. */
static size_t skip_head(struct sl_bytes file)
{
    const uint8_t *b = file.data;
    if (file.size < HEAD_BYTES || b[0] != 0x1f || b[1] != 0x8b || b[2] != 8 || b[3] & RESERVED)
        return 0;
    size_t at = HEAD_BYTES;
    if (b[3] & HAS_EXTRA)
        at += file.size - at < 2 ? file.size : 2U + sl_load_u16(b + at);
    for (unsigned flag = HAS_NAME; flag <= HAS_COMMENT; flag <<= 1) {
        if (!(b[3] & flag))
            continue;
        while (at < file.size && b[at] != 0)
            at++;
        at++;
    }
    at += b[3] & HAS_CRC ? 2 : 0;
    return at < file.size ? at : 0;
}

int sl_gunzip(struct sl_bytes file, struct sl_buf *out)
{
    struct reader r = {.in = file, .at = skip_head(file), .out = out, .start = out->size};
    int rc = r.at == 0 ? SL_E_FORMAT : inflate(&r);
    if (rc < 0)
        return rc;
    size_t size = out->size - r.start;
    const uint8_t *tail = file.data + r.at;
    if (file.size - r.at < TAIL_BYTES || sl_load_u32(tail + 4) != (uint32_t)size ||
        sl_load_u32(tail) != crc32_of(out->data + r.start, size))
        return SL_E_FORMAT;
    return 0;
}
