/* host/device/adb/pack.c */
#include "host/device/adb/pack.h"

#include <errno.h>
#include <stdint.h>

#include <brotli/encode.h>
#include <lz4frame.h>
#include <zstd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"

/* The fastest levels: a cable is faster than the better ones. In a hurry zstd leaves literals as
 * they are: weights shrink by a third of what they would, in a fourth of the time, and a fifth of
 * the device's. */
enum { ZSTD_LEVEL = 1, ZSTD_HURRIED = -1, BROTLI_LEVEL = 1, PIECE_BYTES = 64 << 10 };

/* zstd works in a thread of its own, while others are sent; in pieces as small as it can, of which
 * it holds three at most. They are also where its level may change. */
enum { ZSTD_THREADS = 1, ZSTD_JOB_BYTES = 512 << 10 };

/* No block is of more than the window: adbd writes a block of 64 KiB as a whole, and takes the rest
 * of a record at once then. */
enum { ZSTD_WINDOW_LOG = 16 };

/* A record is what so many bytes of the file became, as far as is known. */
enum { RECORD_FROM_BYTES = 32 << 10, RECORD_LEAST_BYTES = 4 << 10 };

struct sl_adb_pack {
    int kind;
    uint64_t taken, made; /* bytes of the file, and what they became so far */
    ZSTD_CCtx *zstd;
    LZ4F_cctx *lz4;
    bool lz4_begun;
    BrotliEncoderState *brotli;
};

int sl_adb_pack_choose(unsigned kinds)
{
    static const int best[] = {SL_ADB_PACK_ZSTD, SL_ADB_PACK_LZ4, SL_ADB_PACK_BROTLI};
    for (size_t i = 0; i < sizeof(best) / sizeof(best[0]); i++) {
        if (kinds & (unsigned)best[i])
            return best[i];
    }
    return SL_ADB_PACK_NONE;
}

/* NULL: no memory. A library without threads goes on without: it never hurries then. */
static ZSTD_CCtx *new_zstd(void)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (!zstd)
        return NULL;
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_nbWorkers, ZSTD_THREADS);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_jobSize, ZSTD_JOB_BYTES);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, ZSTD_WINDOW_LOG);
    return zstd;
}

int sl_adb_pack_new(int kind, struct sl_adb_pack **out)
{
    struct sl_adb_pack *pack = sl_calloc(1, sizeof(*pack));
    bool made = pack != NULL;
    if (!pack)
        return -ENOMEM;
    pack->kind = kind;
    if (kind == SL_ADB_PACK_ZSTD) {
        pack->zstd = new_zstd();
        made = pack->zstd != NULL;
    } else if (kind == SL_ADB_PACK_LZ4) {
        made = !LZ4F_isError(LZ4F_createCompressionContext(&pack->lz4, LZ4F_VERSION));
    } else if (kind == SL_ADB_PACK_BROTLI) {
        pack->brotli = BrotliEncoderCreateInstance(NULL, NULL, NULL);
        made = pack->brotli &&
               BrotliEncoderSetParameter(pack->brotli, BROTLI_PARAM_QUALITY, BROTLI_LEVEL);
    }
    if (!made) {
        sl_adb_pack_free(pack);
        return -ENOMEM;
    }
    *out = pack;
    return 0;
}

void sl_adb_pack_free(struct sl_adb_pack *pack)
{
    if (!pack)
        return;
    ZSTD_freeCCtx(pack->zstd);
    LZ4F_freeCompressionContext(pack->lz4);
    if (pack->brotli)
        BrotliEncoderDestroyInstance(pack->brotli);
    sl_free(pack);
}

void sl_adb_pack_hurry(struct sl_adb_pack *pack, bool hurry)
{
    if (pack->zstd)
        ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_compressionLevel,
                               hurry ? ZSTD_HURRIED : ZSTD_LEVEL);
}

static int put_zstd(struct sl_adb_pack *pack, const void *bytes, size_t len, bool last,
                    struct sl_buf *out)
{
    ZSTD_inBuffer in = {bytes, len, 0};
    size_t left;
    do {
        uint8_t *piece;
        int rc = sl_buf_extend(out, PIECE_BYTES, &piece);
        if (rc < 0)
            return rc;
        ZSTD_outBuffer to = {piece, PIECE_BYTES, 0};
        left = ZSTD_compressStream2(pack->zstd, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        out->size -= PIECE_BYTES - to.pos;
        if (ZSTD_isError(left))
            return -ENOMEM;
    } while (last ? left > 0 : in.pos < in.size);
    return 0;
}

static int put_lz4(struct sl_adb_pack *pack, const void *bytes, size_t len, bool last,
                   struct sl_buf *out)
{
    size_t most = LZ4F_compressBound(SL_ADB_PACK_BYTES, NULL) + LZ4F_HEADER_SIZE_MAX, used = 0;
    size_t before = out->size;
    uint8_t *at;
    int rc = sl_buf_extend(out, 2 * most, &at);
    if (rc < 0)
        return rc;
    size_t put = pack->lz4_begun ? 0 : LZ4F_compressBegin(pack->lz4, at, most, NULL);
    pack->lz4_begun = true;
    if (!LZ4F_isError(put)) {
        used = put;
        put = LZ4F_compressUpdate(pack->lz4, at + used, most, bytes, len, NULL);
    }
    if (!LZ4F_isError(put) && last) {
        used += put;
        put = LZ4F_compressEnd(pack->lz4, at + used, 2 * most - used, NULL);
    }
    out->size = before + used + (LZ4F_isError(put) ? 0 : put);
    return LZ4F_isError(put) ? -ENOMEM : 0;
}

static int put_brotli(struct sl_adb_pack *pack, const void *bytes, size_t len, bool last,
                      struct sl_buf *out)
{
    const uint8_t *in = bytes;
    size_t left = len;
    do {
        uint8_t piece[PIECE_BYTES], *to = piece;
        size_t room = sizeof(piece);
        if (!BrotliEncoderCompressStream(pack->brotli,
                                         last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS,
                                         &left, &in, &room, &to, NULL))
            return -ENOMEM;
        int rc = sl_buf_append(out, piece, sizeof(piece) - room);
        if (rc < 0)
            return rc;
    } while (left > 0 || BrotliEncoderHasMoreOutput(pack->brotli) ||
             (last && !BrotliEncoderIsFinished(pack->brotli)));
    return 0;
}

static int put(struct sl_adb_pack *pack, const void *bytes, size_t len, bool last,
               struct sl_buf *out)
{
    switch (pack->kind) {
    case SL_ADB_PACK_ZSTD:
        return put_zstd(pack, bytes, len, last, out);
    case SL_ADB_PACK_LZ4:
        return put_lz4(pack, bytes, len, last, out);
    case SL_ADB_PACK_BROTLI:
        return put_brotli(pack, bytes, len, last, out);
    default:
        return sl_buf_append(out, bytes, len);
    }
}

int sl_adb_pack_put(struct sl_adb_pack *pack, const void *bytes, size_t len, bool last,
                    struct sl_buf *out)
{
    size_t before = out->size;
    if (len > SL_ADB_PACK_BYTES)
        return SL_E_LIMIT;
    int rc = put(pack, bytes, len, last, out);
    pack->taken += len;
    pack->made += out->size - before;
    return rc;
}

size_t sl_adb_pack_record(const struct sl_adb_pack *pack)
{
    if (pack->kind == SL_ADB_PACK_NONE || pack->taken == 0)
        return SL_ADB_PACK_BYTES;
    uint64_t bytes = RECORD_FROM_BYTES * pack->made / pack->taken;
    return bytes < RECORD_LEAST_BYTES  ? RECORD_LEAST_BYTES
           : bytes > SL_ADB_PACK_BYTES ? SL_ADB_PACK_BYTES
                                       : (size_t)bytes;
}
