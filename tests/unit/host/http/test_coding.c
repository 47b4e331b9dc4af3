/* tests/unit/host/http/test_coding.c */
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "host/http/coding.h"
#include "tests/support/unit.h"

enum { TEXT_BYTES = 300000, ROOM = 1000 };

TEST(the_best_that_is_accepted_is_chosen)
{
    static const struct {
        const char *accepted;
        enum sl_http_coding coding;
    } cases[] = {
        {"", SL_HTTP_PLAIN},
        {"gzip", SL_HTTP_GZIP},
        {"gzip, deflate, br, zstd", SL_HTTP_ZSTD},
        {"GZIP;q=1.0,zstd;q=0.5", SL_HTTP_GZIP},
        {"zstd ; q=0.001, x-gzip;Q=0", SL_HTTP_ZSTD},
        {"zstd;q=0, gzip;q=0.000", SL_HTTP_PLAIN},
        {"zstd;q=2, gzip;q=-1", SL_HTTP_PLAIN},
        {"zstd;level=3, gzip;q", SL_HTTP_PLAIN},
        {"zst, gzipp, *", SL_HTTP_PLAIN},
        {",,;q=1, gzip", SL_HTTP_GZIP},
        {"identity, gzip;q=0.1", SL_HTTP_PLAIN},
        {"gzip, identity", SL_HTTP_GZIP},
        {"gzip;q=0.5, identity;q=0.2", SL_HTTP_GZIP},
        {"identity;q=0", SL_HTTP_PLAIN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (sl_http_coding_choose(cases[i].accepted) != cases[i].coding)
            fail_msg("%s", cases[i].accepted);
    }
}

/* Packs the text in pieces that end anywhere; how many bytes. */
static size_t pack(enum sl_http_coding coding, const uint8_t *text, uint8_t *out)
{
    struct sl_http_packer *packer = NULL;
    size_t at = 0, used = 0;
    bool ended = false;
    assert_int_equal(sl_http_packer_new(coding, TEXT_BYTES, &packer), 0);
    for (size_t turn = 0; !ended; turn++) {
        size_t size = TEXT_BYTES - at < 7000 ? TEXT_BYTES - at : 7000;
        struct sl_bytes plain = {text + at, size};
        enum sl_http_pack how = at + size == TEXT_BYTES ? SL_HTTP_PACK_END
                                : turn % 5 == 4         ? SL_HTTP_PACK_FLUSH
                                                        : SL_HTTP_PACK_MORE;
        bool done = false;
        int len = sl_http_packer_take(packer, &plain, how, out + used, ROOM, &done);
        assert_in_range(len, 0, ROOM);
        used += (size_t)len;
        at += size - plain.size;
        ended = done && how == SL_HTTP_PACK_END;
    }
    assert_int_equal(at, TEXT_BYTES);
    sl_http_packer_free(packer);
    return used;
}

TEST(what_was_packed_comes_out_again)
{
    static uint8_t text[TEXT_BYTES], packed[TEXT_BYTES + 9000], back[TEXT_BYTES];
    uint32_t seed = 1;
    for (size_t i = 0; i < TEXT_BYTES; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = (uint8_t)("json csv"[seed >> 29]);
    }
    size_t len = pack(SL_HTTP_ZSTD, text, packed);
    assert_int_equal(ZSTD_getFrameContentSize(packed, len), TEXT_BYTES);
    assert_int_equal(ZSTD_decompress(back, TEXT_BYTES, packed, len), TEXT_BYTES);
    assert_memory_equal(back, text, TEXT_BYTES);
    memset(back, 0, sizeof(back));
    len = pack(SL_HTTP_GZIP, text, packed);
    z_stream gzip = {
        .next_in = packed, .avail_in = (uInt)len, .next_out = back, .avail_out = TEXT_BYTES};
    assert_int_equal(inflateInit2(&gzip, 15 + 16), Z_OK);
    assert_int_equal(inflate(&gzip, Z_FINISH), Z_STREAM_END);
    inflateEnd(&gzip);
    assert_memory_equal(back, text, TEXT_BYTES);
    assert_true(len < TEXT_BYTES / 2);
}
