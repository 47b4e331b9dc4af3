/* tests/unit/host/rundir/test_import.c */
#include "host/rundir/import.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/analysis/agreement.h"
#include "host/analysis/rounds.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define RUN_TEST(name) TEST_WITH(name, sl_run_case_begin, sl_run_case_end)

RUN_TEST(only_our_form_is_read)
{
    struct sl_run_case *c = *state;
    struct sl_diag diag = {.what = ""};
    cJSON *import = NULL;
    assert_true(sl_import_read(c->folder, &import) < 0);
    sl_run_case_write(c, "import.json", "{\"schema\":\"sme2lab.import/2\"}");
    assert_int_equal(sl_import_read(c->folder, &import), SL_E_FORMAT);
    assert_int_equal(sl_import_check(c->folder, &diag), SL_E_FORMAT);
    sl_run_case_write(c, "import.json", "{\"schema\":\"sme2lab.import/1\"}");
    assert_int_equal(sl_import_read(c->folder, &import), 0);
    cJSON_Delete(import);
}

static const char runs[] =
    "{\"runs\":[{\"experiment\":\"a\",\"threads\":1},{\"experiment\":\"b\",\"threads\":1},"
    "{\"experiment\":\"b\",\"threads\":4,\"mode\":\"xnntrace\"}],";

/* Which of the runs are pairs: "01" says that the first and the second are. */
static void assert_pairs(const char *declared, const char *wanted)
{
    char text[512], found[64] = "";
    snprintf(text, sizeof(text), "%s%s}", runs, declared);
    cJSON *import = cJSON_Parse(text);
    assert_non_null(import);
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(import, "runs");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (sl_import_pair(import, cJSON_GetArrayItem(all, i), cJSON_GetArrayItem(all, k)))
                snprintf(found + strlen(found), sizeof(found) - strlen(found), "%d%d ", i, k);
    assert_string_equal(found, wanted);
    assert_int_equal(sl_import_has_pairs(import), wanted[0] != '\0');
    assert_true(sl_import_traced(cJSON_GetArrayItem(all, 2)));
    assert_false(sl_import_traced(cJSON_GetArrayItem(all, 1)));
    cJSON_Delete(import);
}

TEST(a_pair_of_experiments_is_one_at_equal_threads)
{
    assert_pairs("\"pair\":{\"baseline\":\"a\",\"candidate\":\"b\"}", "01 ");
}

TEST(pairs_name_their_threads)
{
    assert_pairs("\"pairs\":[{\"baseline\":{\"experiment\":\"a\",\"threads\":1},"
                 "\"candidate\":{\"experiment\":\"b\",\"threads\":4}}]",
                 "02 ");
}

TEST(without_a_declaration_nothing_is_a_pair)
{
    assert_pairs("\"pairs\":[]", "");
}

RUN_TEST(what_it_says_of_an_etdump_is_found_by_its_hash_here_or_one_above)
{
    struct sl_run_case *c = *state;
    static const char etdump[] = "an ETDump";
    const struct sl_bytes bytes = {(const uint8_t *)etdump, sizeof(etdump)};
    char text[512], path[128], hash[SL_SHA256_HEX_SIZE];
    struct sl_import_said said;
    sl_sha256_hex(bytes.data, bytes.size, hash);
    snprintf(path, sizeof(path), "%s/run_sme2-on/x.etdump", c->folder);
    snprintf(text, sizeof(text),
             "{\"schema\":\"sme2lab.import/"
             "1\",\"runs\":[{\"etdump_sha256\":\"%s\",\"warmup\":2,\"cold\":5,"
             "\"together\":true,\"rounds\":[{\"executions\":3},{\"executions\":4}]}]}",
             hash);
    sl_import_find(path, bytes, &said);
    assert_true(said.rounds.count == 0 && !said.has_cold);
    sl_run_case_write(c, "import.json", text);
    sl_import_find(path, bytes, &said);
    assert_int_equal(said.rounds.count, 2);
    assert_int_equal(said.rounds.executions[1], 4);
    assert_int_equal(said.rounds.warmup, 2);
    assert_true(said.rounds.together);
    assert_true(said.has_cold && said.cold == 5);
    sl_import_find(path, (struct sl_bytes){bytes.data, 3}, &said);
    assert_true(said.rounds.count == 0 && !said.has_cold);
    sl_run_case_replace(c, "import.json", "\"executions\":4", "\"executions\":0");
    sl_run_case_replace(c, "import.json", "\"cold\":5", "\"cold\":-5");
    sl_import_find(path, bytes, &said);
    assert_true(said.rounds.count == 0 && !said.has_cold);
}

RUN_TEST(outputs_agree_only_where_both_have_them)
{
    struct sl_run_case *c = *state;
    struct sl_agreement found;
    cJSON *a = cJSON_Parse("{\"outputs\":[{\"type\":\"Float\",\"file\":\"a.bin\"}]}");
    cJSON *b = cJSON_Parse("{\"outputs\":[{\"type\":\"Float\",\"file\":\"b.bin\"}]}");
    cJSON *none = cJSON_Parse("{}"), *other = cJSON_Parse("{\"outputs\":[{\"type\":\"Int\","
                                                          "\"file\":\"b.bin\"}]}");
    assert_false(sl_import_outputs(c->folder, a, b, &found)); /* neither file is there */
    sl_run_case_write(c, "a.bin", "\x01\x01\x01\x41");
    sl_run_case_write(c, "b.bin", "\x01\x01\x01\x41");
    assert_true(sl_import_outputs(c->folder, a, b, &found));
    assert_true(found.agree);
    sl_run_case_write(c, "b.bin", "\x01\x01\x01\x42");
    assert_true(sl_import_outputs(c->folder, a, b, &found));
    assert_false(found.agree);
    assert_false(sl_import_outputs(c->folder, a, none, &found));
    assert_false(sl_import_outputs(c->folder, a, other, &found));
    cJSON_Delete(a);
    cJSON_Delete(b);
    cJSON_Delete(none);
    cJSON_Delete(other);
}
