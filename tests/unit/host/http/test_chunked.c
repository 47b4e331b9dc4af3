/* tests/unit/host/http/test_chunked.c */
#include "host/http/chunked.h"

#include "common/base/error.h"
#include "tests/support/unit.h"

static char body[512];
static size_t left; /* bytes that belong to what follows */

/* 0, or a failure; SL_E_TRUNCATED: its end has not come. `step` bytes at a time. */
static int take(const char *text, size_t step)
{
    struct sl_http_chunks chunks = {0};
    struct sl_bytes piece;
    size_t size = strlen(text), used = 0, at = 0;
    while (at < size && !chunks.ended) {
        struct sl_bytes some = {(const uint8_t *)text + at, size - at < step ? size - at : step};
        int taken = sl_http_chunks_take(&chunks, some, &piece);
        if (taken < 0)
            return taken;
        assert_true(taken > 0);
        memcpy(body + used, piece.data ? piece.data : (const uint8_t *)"", piece.size);
        used += piece.size;
        at += (size_t)taken;
    }
    body[used] = '\0';
    left = size - at;
    return chunks.ended ? 0 : SL_E_TRUNCATED;
}

TEST(chunks_are_put_together_however_they_come)
{
    static const char text[] =
        "3\r\nabc\r\n0A;x=\"y\"\r\n0123456789\r\n000\r\nA: b\r\nC: d\r\n\r\nGET";
    for (size_t step = 1; step <= sizeof(text); step++) {
        assert_int_equal(take(text, step), 0);
        assert_string_equal(body, "abc0123456789");
        assert_int_equal(left, 3);
    }
}

TEST(a_body_without_its_end_goes_on)
{
    assert_int_equal(take("3\r\nabc\r\n0\r\n", 100), SL_E_TRUNCATED);
    assert_int_equal(take("3\r\nab", 100), SL_E_TRUNCATED);
}

TEST(wrong_chunks_are_refused)
{
    static const char *const texts[] = {"\r\n",
                                        "x\r\n",
                                        "-1\r\n",
                                        "0x1\r\n",
                                        " 1\r\n",
                                        "1\n",
                                        "1\r\r\n",
                                        "3\r\nabcd\r\n",
                                        "3\r\nabc\n",
                                        "1;\x01\r\n",
                                        "fffffffffffffffff\r\n",
                                        "8000000000000000\r\n",
                                        "0\r\nA\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(take(texts[i], 100), SL_E_FORMAT);
}

TEST(extensions_and_trailers_have_a_limit)
{
    static char text[SL_HTTP_MAX_TRAILER_BYTES + 64];
    memset(text, 'a', SL_HTTP_MAX_CHUNK_LINE_BYTES + 8);
    memcpy(text, "1;", 2);
    assert_int_equal(take(text, 100), SL_E_FORMAT);
    memset(text, 'a', sizeof(text) - 1);
    memcpy(text, "0\r\n", 3);
    assert_int_equal(take(text, 100), SL_E_FORMAT);
}
