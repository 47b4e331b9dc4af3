/* host/http/coding.c */
#include "host/http/coding.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include <zlib.h>
#include <zstd.h>

#include "common/base/error.h"
#include "common/base/mem.h"

/* The loop packs: the fastest levels. */
enum { ZSTD_LEVEL = 1, GZIP_LEVEL = 1, GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8 };

static const struct {
    const char *name;
    enum sl_http_coding coding;
} codings[] = {{"identity", SL_HTTP_PLAIN},
               {"gzip", SL_HTTP_GZIP},
               {"x-gzip", SL_HTTP_GZIP},
               {"zstd", SL_HTTP_ZSTD}};

struct sl_http_packer {
    ZSTD_CCtx *zstd; /* NULL: gzip */
    z_stream gzip;
};

/* Thousandths of a weight "0.5"; whoever writes it otherwise wants nothing. */
static int read_weight(const char *text, size_t len)
{
    int weight = 0, digit = 1000;
    for (size_t i = 0; i < len && i < 5; i++) {
        bool is_point = i == 1 && text[i] == '.';
        if (!is_point && (text[i] < '0' || text[i] > '9'))
            return 0;
        if (is_point)
            continue;
        weight += (text[i] - '0') * digit;
        digit /= 10;
    }
    return weight <= 1000 ? weight : 0;
}

/* One of the list, "gzip;q=0.5". */
static int weight_of(const char *item, size_t len, size_t name_len)
{
    static const char key[] = "q=";
    const char *at = item + name_len, *end = item + len;
    while (at < end && strchr("; \t", *at))
        at++;
    if (at == end)
        return 1000;
    if (end - at < 2 || strncasecmp(at, key, 2) != 0)
        return 0;
    at += 2;
    return read_weight(at, strcspn(at, " \t,"));
}

enum sl_http_coding sl_http_coding_choose(const char *accepted)
{
    enum sl_http_coding best = SL_HTTP_PLAIN;
    int best_weight = 0;
    while (*accepted) {
        accepted += strspn(accepted, ", \t");
        size_t len = strcspn(accepted, ","), name_len = strcspn(accepted, ",; \t");
        for (size_t i = 0; i < sizeof(codings) / sizeof(codings[0]); i++) {
            if (strlen(codings[i].name) != name_len ||
                strncasecmp(accepted, codings[i].name, name_len) != 0)
                continue;
            int weight = weight_of(accepted, len, name_len);
            if (weight > best_weight ||
                (weight > 0 && weight == best_weight && codings[i].coding > best)) {
                best = codings[i].coding;
                best_weight = weight;
            }
        }
        accepted += len;
    }
    return best;
}

const char *sl_http_coding_name(enum sl_http_coding coding)
{
    return coding == SL_HTTP_GZIP ? "gzip" : coding == SL_HTTP_ZSTD ? "zstd" : "";
}

int sl_http_packer_new(enum sl_http_coding coding, uint64_t size, struct sl_http_packer **out)
{
    struct sl_http_packer *packer = sl_calloc(1, sizeof(*packer));
    bool made = packer != NULL;
    if (!packer)
        return -ENOMEM;
    if (coding == SL_HTTP_ZSTD) {
        packer->zstd = ZSTD_createCCtx();
        made = packer->zstd &&
               !ZSTD_isError(
                   ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
               !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(packer->zstd, size));
    } else {
        made = deflateInit2(&packer->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                            Z_DEFAULT_STRATEGY) == Z_OK;
    }
    if (!made) {
        ZSTD_freeCCtx(packer->zstd);
        sl_free(packer);
        return -ENOMEM;
    }
    *out = packer;
    return 0;
}

void sl_http_packer_free(struct sl_http_packer *packer)
{
    if (!packer)
        return;
    if (packer->zstd)
        ZSTD_freeCCtx(packer->zstd);
    else
        deflateEnd(&packer->gzip);
    sl_free(packer);
}

static int pack_zstd(ZSTD_CCtx *zstd, struct sl_bytes *plain, enum sl_http_pack how, uint8_t *at,
                     size_t room, bool *out_done)
{
    static const ZSTD_EndDirective ends[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
    ZSTD_inBuffer in = {plain->data, plain->size, 0};
    ZSTD_outBuffer out = {at, room, 0};
    size_t left = ZSTD_compressStream2(zstd, &out, &in, ends[how]);
    if (ZSTD_isError(left))
        return SL_E_FORMAT;
    *plain = (struct sl_bytes){plain->data + in.pos, plain->size - in.pos};
    *out_done = how == SL_HTTP_PACK_MORE ? plain->size == 0 : left == 0;
    return (int)out.pos;
}

static int pack_gzip(z_stream *gzip, struct sl_bytes *plain, enum sl_http_pack how, uint8_t *at,
                     size_t room, bool *out_done)
{
    static const int ends[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
    uInt size = plain->size < INT32_MAX ? (uInt)plain->size : (uInt)INT32_MAX;
    gzip->next_in = (Bytef *)(uintptr_t)plain->data;
    gzip->avail_in = size;
    gzip->next_out = at;
    gzip->avail_out = (uInt)room;
    int rc = deflate(gzip, ends[how]);
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        return SL_E_FORMAT;
    size_t taken = size - gzip->avail_in;
    *plain = (struct sl_bytes){plain->data + taken, plain->size - taken};
    *out_done =
        how == SL_HTTP_PACK_END ? rc == Z_STREAM_END : plain->size == 0 && gzip->avail_out > 0;
    return (int)(room - gzip->avail_out);
}

int sl_http_packer_take(struct sl_http_packer *packer, struct sl_bytes *plain,
                        enum sl_http_pack how, uint8_t *at, size_t room, bool *out_done)
{
    *out_done = false;
    return packer->zstd ? pack_zstd(packer->zstd, plain, how, at, room, out_done)
                        : pack_gzip(&packer->gzip, plain, how, at, room, out_done);
}
