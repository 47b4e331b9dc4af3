/* tests/unit/host/device/adb/test_pack.c: what was packed is what the libraries' own readers take.
 */
#include "host/device/adb/pack.h"

#include <stdlib.h>
#include <string.h>

#include <brotli/decode.h>
#include <lz4frame.h>
#include <zstd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/unit.h"

enum { BYTES = 700001 };

static void fill(uint8_t *bytes, bool noise)
{
    uint32_t seed = 1;
    for (size_t i = 0; i < BYTES; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(noise ? seed >> 24 : i / 1000);
    }
}

static size_t unpack(int kind, const struct sl_buf *packed, uint8_t *out)
{
    size_t size = BYTES, used = packed->size;
    if (kind == SL_ADB_PACK_ZSTD)
        return ZSTD_decompress(out, BYTES, packed->data, packed->size);
    if (kind == SL_ADB_PACK_BROTLI) {
        assert_int_equal(BrotliDecoderDecompress(packed->size, packed->data, &size, out), 1);
        return size;
    }
    if (kind == SL_ADB_PACK_NONE) {
        memcpy(out, packed->data, packed->size);
        return packed->size;
    }
    LZ4F_dctx *context;
    assert_false(LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)));
    size_t have = 0, at = 0, left = 1;
    while (left > 0 && at < packed->size) {
        size = BYTES - have;
        used = packed->size - at;
        left = LZ4F_decompress(context, out + have, &size, packed->data + at, &used, NULL);
        assert_false(LZ4F_isError(left));
        have += size;
        at += used;
    }
    assert_int_equal(left, 0); /* the frame is whole */
    LZ4F_freeDecompressionContext(context);
    return have;
}

static void pack_and_unpack(int kind, bool noise, size_t step)
{
    static uint8_t bytes[BYTES], back[BYTES];
    struct sl_adb_pack *pack;
    struct sl_buf packed;
    fill(bytes, noise);
    sl_buf_init(&packed, 2 * BYTES);
    assert_int_equal(sl_adb_pack_new(kind, &pack), 0);
    for (size_t at = 0; at < BYTES; at += step)
        assert_int_equal(sl_adb_pack_put(pack, bytes + at, step < BYTES - at ? step : BYTES - at,
                                         false, &packed),
                         0);
    assert_int_equal(sl_adb_pack_put(pack, NULL, 0, true, &packed), 0);
    sl_adb_pack_free(pack);
    if (!noise && kind != SL_ADB_PACK_NONE)
        assert_true(packed.size < BYTES / 10);
    assert_int_equal(unpack(kind, &packed, back), BYTES);
    assert_memory_equal(back, bytes, BYTES);
    sl_buf_fini(&packed);
}

TEST(every_kind_is_what_its_library_reads)
{
    static const int kinds[] = {SL_ADB_PACK_NONE, SL_ADB_PACK_BROTLI, SL_ADB_PACK_LZ4,
                                SL_ADB_PACK_ZSTD};
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        pack_and_unpack(kinds[i], false, SL_ADB_PACK_BYTES);
        pack_and_unpack(kinds[i], true, SL_ADB_PACK_BYTES);
        pack_and_unpack(kinds[i], false, 1001);
    }
}

TEST(an_empty_file_is_one_too)
{
    static const int kinds[] = {SL_ADB_PACK_BROTLI, SL_ADB_PACK_LZ4, SL_ADB_PACK_ZSTD};
    static uint8_t back[BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct sl_adb_pack *pack;
        struct sl_buf packed;
        sl_buf_init(&packed, 1 << 20);
        assert_int_equal(sl_adb_pack_new(kinds[i], &pack), 0);
        assert_int_equal(sl_adb_pack_put(pack, NULL, 0, true, &packed), 0);
        assert_true(packed.size > 0);
        assert_int_equal(unpack(kinds[i], &packed, back), 0);
        sl_adb_pack_free(pack);
        sl_buf_fini(&packed);
    }
}

/* Packs a file of sixteen values without order; in a hurry up to `hurried` bytes of it. */
static size_t pack_values(const uint8_t *bytes, size_t len, size_t hurried, struct sl_buf *packed)
{
    struct sl_adb_pack *pack;
    sl_buf_init(packed, len + SL_ADB_PACK_OUT_BYTES);
    assert_int_equal(sl_adb_pack_new(SL_ADB_PACK_ZSTD, &pack), 0);
    sl_adb_pack_hurry(pack, hurried > 0);
    for (size_t at = 0; at < len; at += SL_ADB_PACK_BYTES) {
        size_t before = packed->size;
        if (at == hurried)
            sl_adb_pack_hurry(pack, false);
        assert_int_equal(sl_adb_pack_put(pack, bytes + at, SL_ADB_PACK_BYTES, false, packed), 0);
        assert_true(packed->size - before <= SL_ADB_PACK_OUT_BYTES);
    }
    assert_int_equal(sl_adb_pack_put(pack, NULL, 0, true, packed), 0);
    sl_adb_pack_free(pack);
    return packed->size;
}

enum { LEN = 8 << 20 };

static const uint8_t *sixteen_values(void)
{
    static uint8_t bytes[LEN];
    uint32_t seed = 1;
    for (size_t i = 0; i < LEN; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(seed >> 28);
    }
    return bytes;
}

TEST(zstd_in_a_hurry_compresses_less_and_can_change_its_mind)
{
    static uint8_t back[LEN];
    const uint8_t *bytes = sixteen_values();
    (void)state;
    struct sl_buf packed[3];
    size_t well = pack_values(bytes, LEN, 0, &packed[0]);
    size_t half = pack_values(bytes, LEN, LEN / 2, &packed[1]);
    size_t hurried = pack_values(bytes, LEN, LEN, &packed[2]);
    assert_in_range(well, LEN * 49 / 100, LEN * 52 / 100); /* four bits of eight */
    assert_in_range(half, LEN * 65 / 100, LEN * 85 / 100);
    assert_in_range(hurried, LEN * 95 / 100, LEN * 101 / 100);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ZSTD_decompress(back, LEN, packed[i].data, packed[i].size), LEN);
        assert_memory_equal(back, bytes, LEN);
        sl_buf_fini(&packed[i]);
    }
}

/* How many bytes wait at the most at a reader as adbd is: with each record it calls zstd once, for
 * 64 KiB, and gives it no more than what is left of the oldest record. `most`: of a record; 0: as
 * the packer says. */
static size_t waiting(const uint8_t *bytes, size_t most)
{
    static uint8_t out[64 << 10];
    static size_t ends[LEN / 1024];
    size_t count = 0, front = 0, at = 0, worst = 0;
    struct sl_adb_pack *pack;
    struct sl_buf packed;
    ZSTD_DCtx *reader = ZSTD_createDCtx();
    sl_buf_init(&packed, LEN + SL_ADB_PACK_OUT_BYTES);
    assert_int_equal(sl_adb_pack_new(SL_ADB_PACK_ZSTD, &pack), 0);
    assert_int_equal(sl_adb_pack_record(pack), SL_ADB_PACK_BYTES);
    for (size_t put = 0; put <= LEN; put += SL_ADB_PACK_BYTES) {
        size_t len = put < LEN ? SL_ADB_PACK_BYTES : 0;
        assert_int_equal(sl_adb_pack_put(pack, bytes + put, len, len == 0, &packed), 0);
        for (size_t sent; (sent = count ? ends[count - 1] : 0) < packed.size;) {
            size_t record = most ? most : sl_adb_pack_record(pack), left = packed.size - sent;
            ends[count++] = sent + (record < left ? record : left);
            ZSTD_inBuffer in = {packed.data + at, ends[front] - at, 0};
            ZSTD_outBuffer to = {out, sizeof(out), 0};
            assert_false(ZSTD_isError(ZSTD_decompressStream(reader, &to, &in)));
            at += in.pos;
            front += at == ends[front];
            worst = ends[count - 1] - at > worst ? ends[count - 1] - at : worst;
        }
    }
    ZSTD_freeDCtx(reader);
    sl_adb_pack_free(pack);
    sl_buf_fini(&packed);
    return worst;
}

TEST(records_are_so_small_that_nothing_piles_up_at_the_device)
{
    const uint8_t *bytes = sixteen_values();
    (void)state;
    assert_true(waiting(bytes, SL_ADB_PACK_BYTES) > 1 << 20);
    assert_true(waiting(bytes, 0) < SL_ADB_PACK_BYTES);
}

TEST(what_goes_as_it_is_goes_in_the_largest_records)
{
    struct sl_adb_pack *pack;
    struct sl_buf packed;
    (void)state;
    sl_buf_init(&packed, LEN);
    assert_int_equal(sl_adb_pack_new(SL_ADB_PACK_NONE, &pack), 0);
    assert_int_equal(sl_adb_pack_put(pack, "abc", 3, true, &packed), 0);
    assert_int_equal(sl_adb_pack_record(pack), SL_ADB_PACK_BYTES);
    sl_adb_pack_free(pack);
    sl_buf_fini(&packed);
}

TEST(the_best_of_what_the_device_has_is_chosen)
{
    (void)state;
    assert_int_equal(sl_adb_pack_choose(0), SL_ADB_PACK_NONE);
    assert_int_equal(sl_adb_pack_choose(1), SL_ADB_PACK_BROTLI);
    assert_int_equal(sl_adb_pack_choose(3), SL_ADB_PACK_LZ4);
    assert_int_equal(sl_adb_pack_choose(7), SL_ADB_PACK_ZSTD);
}
