/* tests/unit/host/report/test_silicon_file.c */
#include "host/report/silicon_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/silicon.h"
#include "tests/support/test.h"

static const char path[] = SL_TEST_DATA "/../../configs/silicon/arm-x925.json";

/* The profile with one place replaced: what parsing it gives, and where the fault is. */
static int parse_with(const char *old, const char *new, struct sl_silicon *out,
                      struct sl_diag *diag)
{
    struct sl_buf file, changed;
    assert_int_equal(sl_buf_read_file(path, SL_SILICON_MAX_BYTES, &file), 0);
    sl_buf_init(&changed, SL_SILICON_MAX_BYTES);
    char *at = strstr((char *)file.data, old);
    assert_non_null(at);
    size_t before = (size_t)(at - (char *)file.data);
    sl_buf_append(&changed, file.data, before);
    sl_buf_append(&changed, new, strlen(new));
    sl_buf_append(&changed, at + strlen(old), file.size - before - strlen(old));
    int rc = sl_silicon_parse((struct sl_bytes){changed.data, changed.size}, "x.json", out, diag);
    sl_buf_fini(&file);
    sl_buf_fini(&changed);
    return rc;
}

static void refused(const char *old, const char *new, const char *pointer, const char *word)
{
    struct sl_silicon silicon;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(parse_with(old, new, &silicon, &diag), SL_E_FORMAT);
    if (!strstr(diag.where, pointer) || !strstr(diag.what, word))
        fail_msg("%s: %s, expected %s: %s", diag.where, diag.what, pointer, word);
}

TEST(every_built_in_profile_reads)
{
    size_t count = 0;
    for (const char *name; (name = sl_silicon_built_in(count)); count++) {
        struct sl_silicon silicon;
        struct sl_diag diag = {.what = ""};
        if (sl_silicon_load(name, &silicon, &diag) < 0)
            fail_msg("%s: %s: %s", name, diag.where, diag.what);
        assert_string_equal(silicon.name, name);
        assert_int_equal(strlen(silicon.sha256), 64);
        assert_int_equal(silicon.has_unit, silicon.unit_level_count > 0);
    }
    assert_int_equal(count, 7);
}

TEST(a_file_reads_by_its_path)
{
    struct sl_silicon silicon;
    assert_int_equal(sl_silicon_load(path, &silicon, NULL), 0);
    assert_string_equal(silicon.name, "arm-x925");
    assert_false(silicon.has_unit);
}

TEST(names_that_nobody_has_are_refused_with_those_there_are)
{
    struct sl_silicon silicon;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_silicon_load("apple-m99", &silicon, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.hint, "apple-m4"));
    assert_true(sl_silicon_load("/nowhere/x.json", &silicon, &diag) < 0);
}

TEST(bad_figures_are_refused_with_their_pointer)
{
    refused("\"value\": 3.6", "\"value\": -3.6", "/figures/0/value", "number");
    refused("\"value\": 3.6", "\"value\": 3600", "/figures/0/value", "number");
    refused("\"value\": 3.6", "\"value\": \"3.6\"", "/figures/0/value", "number");
    refused("\"value\": 3.6, ", "", "/figures/0/value", "no value");
    refused("\"GHz\"", "\"MHz\"", "/figures/0/unit", "GHz");
    refused("core.clock", "core.clocks", "/figures/0/name", "no figure");
    refused("core.width", "core.clock", "/figures/1/name", "twice");
    refused("core.call", "unit.drain", "/figures", "missing");
    refused("\"confidence\": \"V\"", "\"confidence\": \"X\"", "/figures/0/confidence", "M (");
    refused("\"source\": \"example of a phone\"", "\"source\": \"\"", "/figures/0/source", "text");
    refused("\"source\"", "\"sauce\"", "/figures/0/sauce", "sauce");
    refused("sme2lab.silicon/1", "sme2lab.silicon/2", "/schema", "expected");
    refused("\"side\": \"core\"", "\"side\": \"moon\"", "/memory/0/side", "core or unit");
    refused("\"bytes\": 65536", "\"bytes\": 65536000", "/memory/1/bytes", "order");
    refused("\"GB/s\"", "\"MB/s\"", "/memory/0/unit", "GB/s");
    refused("\"memory\"", "\"memories\"", "/memories", "memories");
}

TEST(no_text_is_no_profile)
{
    struct sl_silicon silicon;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(
        sl_silicon_parse((struct sl_bytes){(const uint8_t *)"[]", 2}, "x", &silicon, &diag),
        SL_E_FORMAT);
    assert_int_equal(
        sl_silicon_parse((struct sl_bytes){(const uint8_t *)"", 0}, "x", &silicon, &diag),
        SL_E_FORMAT);
}
