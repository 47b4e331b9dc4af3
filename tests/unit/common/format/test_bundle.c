/* tests/unit/common/format/test_bundle.c */
#include "common/format/bundle.h"

#include <errno.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

static struct sl_buf file;
static struct sl_bundle bundle;
static struct sl_diag diag;

static int parse(const char *path)
{
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &file), 0);
    return sl_bundle_parse((struct sl_bytes){file.data, file.size}, &bundle, &diag);
}

TEST(exported_bundle_has_its_program_and_case)
{
    assert_int_equal(parse(SL_TEST_DATA "/models/toy_cnn_bundled/model.bpte"), 0);
    assert_memory_equal(bundle.program.data + 4, "ET12", 4);
    assert_int_equal(bundle.program.size, 105768);
    assert_int_equal(bundle.suite_count, 1);
    const struct sl_bundle_case *test = sl_bundle_find(&bundle, "forward", 0);
    assert_non_null(test);
    assert_int_equal(test->input_count, 1);
    assert_int_equal(test->inputs[0].tensor.data.size, 49152);
    assert_int_equal(test->inputs[0].tensor.rank, 4);
    assert_int_equal(test->output_count, 1);
    assert_int_equal(test->outputs[0].tensor.data.size, 40);
    assert_null(sl_bundle_find(&bundle, "forward", bundle.suites[0].case_count));
    assert_null(sl_bundle_find(&bundle, "encode", 0));
    sl_bundle_fini(&bundle);
    sl_buf_fini(&file);
}

TEST(every_kind_of_value_is_read)
{
    assert_int_equal(parse(SL_TEST_DATA "/../fuzz/corpus/bundle/whole"), 0);
    const struct sl_bundle_case *test = sl_bundle_find(&bundle, "forward", 0);
    assert_int_equal(test->input_count, 5);
    assert_int_equal(test->inputs[0].kind, SL_BUNDLE_TENSOR);
    assert_int_equal(test->inputs[1].int_value, -7);
    assert_true(test->inputs[2].bool_value);
    assert_true(test->inputs[3].double_value > 0.4 && test->inputs[3].double_value < 0.6);
    assert_int_equal(test->inputs[4].int_value, 0); /* the schema's default */
    sl_bundle_fini(&bundle);
    sl_buf_fini(&file);
}

TEST(a_program_is_found_with_and_without_a_bundle_round_it)
{
    struct sl_bytes program;
    assert_int_equal(parse(SL_TEST_DATA "/models/toy_cnn_bundled/model.bpte"), 0);
    struct sl_bytes inside = bundle.program, whole = {file.data, file.size};
    assert_int_equal(sl_bundle_program(whole, &program, &diag), 0);
    assert_ptr_equal(program.data, inside.data);
    assert_int_equal(program.size, inside.size);
    assert_int_equal(sl_bundle_program(inside, &program, &diag), 0);
    assert_ptr_equal(program.data, inside.data);
    assert_int_equal(program.size, inside.size);
    whole.size = 40; /* still a bundle by its identifier */
    assert_true(sl_bundle_program(whole, &program, &diag) < 0);
    sl_bundle_fini(&bundle);
    sl_buf_fini(&file);
}

TEST(what_is_wrong_is_refused_in_words)
{
    static const char *const names[] = {"identifier", "no_program", "program_unaligned",
                                        "kind_0",     "kind_9",     "no_content",
                                        "no_method",  "few_bytes",  "type",
                                        "negative",   "order",      "product"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/../fuzz/corpus/bundle/%s", SL_TEST_DATA, names[i]);
        diag = (struct sl_diag){0};
        assert_int_equal(parse(path), SL_E_FORMAT);
        assert_true(diag.what[0] != '\0');
        sl_buf_fini(&file);
    }
}

TEST(no_memory_is_an_error)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        assert_int_equal(
            sl_buf_read_file(SL_TEST_DATA "/../fuzz/corpus/bundle/whole", 1 << 20, &file), 0);
        sl_mem_fail_nth(nth);
        rc = sl_bundle_parse((struct sl_bytes){file.data, file.size}, &bundle, &diag);
        if (rc == 0)
            sl_bundle_fini(&bundle);
        sl_buf_fini(&file);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}
