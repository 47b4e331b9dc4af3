/* tests/unit/host/spec/test_json_doc.c */
#include "host/spec/json_doc.h"

#include <time.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

static char text[SL_JSON_DOC_MAX_BYTES + 200];

static int parse(size_t len, struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    *diag = (struct sl_diag){0};
    int rc = sl_json_doc_parse((struct sl_bytes){(const uint8_t *)text, len}, "f", &document, diag);
    if (rc == 0)
        sl_json_doc_free(document);
    return rc;
}

static int parse_text(const char *json, struct sl_diag *diag)
{
    snprintf(text, sizeof(text), "%s", json);
    return parse(strlen(text), diag);
}

TEST(a_key_that_stands_twice_is_refused_with_its_place)
{
    struct sl_diag diag;
    assert_int_equal(parse_text("{\"a\":[1,{\"c\":1,\"b/\":{},\"d\":3,\"b/\":2}]}", &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "/a/1/b~1");
    assert_int_equal(parse_text("{\"a\":{\"b\":1},\"c\":{\"b\":1},\"A\":1}", &diag), 0);
    assert_int_equal(parse_text("[{},{\"a\":1,\"a\":1}]", &diag), SL_E_FORMAT);
    assert_string_equal(diag.where, "/1/a");
}

TEST(nothing_is_no_document_wherever_it_lies)
{
    struct sl_diag diag = {0};
    struct cJSON *document = NULL;
    assert_int_equal(sl_json_doc_parse((struct sl_bytes){NULL, 0}, "f", &document, &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "f:1:1");
    assert_int_equal(parse_text("", &diag), SL_E_FORMAT);
}

TEST(the_character_0_is_refused_and_what_only_looks_like_it_is_not)
{
    struct sl_diag diag;
    assert_int_equal(parse_text("{\"a\":\"b\\u0000c\"}", &diag), SL_E_FORMAT);
    assert_string_equal(diag.where, "f:1:8");
    assert_int_equal(parse_text("{\"a\\u0000\":1}", &diag), SL_E_FORMAT);
    assert_int_equal(parse_text("{\"a\":\"\\\\u0000\"}", &diag), 0);
    assert_int_equal(parse_text("{\"a\":\"\\\\\\u0000\"}", &diag), SL_E_FORMAT);
    assert_int_equal(parse_text("{\"a\":\"\\u0001\\\"\"}", &diag), 0);
}

TEST(more_values_than_the_limit_are_refused_and_texts_do_not_count)
{
    struct sl_diag diag;
    size_t used = 1;
    text[0] = '[';
    while (used < 2 * SL_JSON_DOC_MAX_VALUES) {
        text[used++] = '0';
        text[used++] = ',';
    }
    text[used - 1] = ']';
    assert_int_equal(parse(used, &diag), SL_E_LIMIT);
    used -= 4;
    text[used - 1] = ']';
    assert_int_equal(parse(used, &diag), 0);
    memset(text, ',', SL_JSON_DOC_MAX_BYTES);
    text[0] = text[SL_JSON_DOC_MAX_BYTES - 1] = '"';
    assert_int_equal(parse(SL_JSON_DOC_MAX_BYTES, &diag), 0);
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* A document of a mebibyte, of as many of these as are allowed; "%zu" in one is its number. */
static size_t fill(const char *open, const char *unit, size_t values, const char *close)
{
    size_t used = (size_t)snprintf(text, sizeof(text), "%s", open);
    for (size_t i = 0;
         used < SL_JSON_DOC_MAX_BYTES - 64 && (i + 2) * values < SL_JSON_DOC_MAX_VALUES; i++) {
        const char *number = strstr(unit, "%zu");
        size_t before = number ? (size_t)(number - unit) : strlen(unit);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s", i ? "," : "",
                                 (int)before, unit);
        if (number)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%zu%s", i, number + 3);
    }
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", close);
    memset(text + used, ' ', SL_JSON_DOC_MAX_BYTES - used);
    return SL_JSON_DOC_MAX_BYTES;
}

TEST(a_mebibyte_of_the_worst_takes_50_ms_at_most)
{
    static const struct {
        const char *open, *unit, *close;
        size_t values;
    } kinds[] = {{"[", "0", "]", 1},
                 {"[", "1e-300", "]", 1},
                 {"[", "{\"a\":[1]}", "]", 3},
                 {"[", "[[[[]]]]", "]", 5},
                 {"{", "\"%zu\":0", "}", 1},
                 {"{", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%zu\":\"\"", "}", 1},
                 {"[", "\"\\u00e9\\u00e9\\u00e9\\ud83d\\ude00\"", "]", 1}};
    const double limit_ms =
#if SL_SANITIZED
        1000;
#else
        50;
#endif
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        double best_ms = 1e9;
        for (int round = 0; round < 5; round++) {
            struct sl_diag diag;
            size_t len = fill(kinds[i].open, kinds[i].unit, kinds[i].values, kinds[i].close);
            double before = cpu_ms();
            int rc = parse(len, &diag);
            double taken = cpu_ms() - before;
            if (rc < 0)
                fail_msg("%s: %s", kinds[i].unit, diag.what);
            best_ms = taken < best_ms ? taken : best_ms;
        }
        if (best_ms > limit_ms)
            fail_msg("%s takes %.1f ms", kinds[i].unit, best_ms);
    }
}
