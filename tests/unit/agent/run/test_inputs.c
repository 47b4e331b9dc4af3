/* tests/unit/agent/run/test_inputs.c */
#include "agent/run/inputs.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

#define FILE_A SL_TEST_DATA "/probe/holes/sys/devices/system/cpu/online" /* "0,4\n" */

TEST(shapes_are_read_and_empty_places_kept)
{
    struct sl_input_shape shapes[4];
    assert_int_equal(sl_input_shapes_parse("1x3x32x32;;7", shapes, 4, NULL), 3);
    assert_int_equal(shapes[0].rank, 4);
    assert_int_equal(shapes[0].sizes[3], 32);
    assert_int_equal(shapes[1].rank, 0);
    assert_int_equal(shapes[2].rank, 1);
    assert_int_equal(shapes[2].sizes[0], 7);
    assert_int_equal(sl_input_shapes_parse("2x5,,7;1", shapes, 4, NULL), 4);
    assert_int_equal(shapes[0].rank, 2);
    assert_int_equal(shapes[1].rank, 0);
    assert_int_equal(shapes[2].sizes[0], 7);
    assert_int_equal(shapes[3].sizes[0], 1);
    assert_int_equal(sl_input_shapes_parse("", shapes, 4, NULL), 0);
}

TEST(what_is_no_shape_is_refused)
{
    const char *const bad[] = {"x", "1x", "x1", "1xx2", "1x-2", "1 x2", "a", "1;2x"};
    struct sl_input_shape shapes[4];
    struct sl_diag diag;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(sl_input_shapes_parse(bad[i], shapes, 4, &diag), SL_E_FORMAT);
    assert_int_equal(sl_input_shapes_parse("2147483648", shapes, 4, &diag), SL_E_LIMIT);
    assert_int_equal(sl_input_shapes_parse("1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", shapes, 4, &diag),
                     SL_E_LIMIT);
    assert_int_equal(sl_input_shapes_parse("1;2;3", shapes, 2, &diag), SL_E_LIMIT);
}

TEST(files_are_read_in_order)
{
    struct sl_input_files files = {0};
    char name[512];
    assert_int_equal(sl_input_files_read("", &files, name, sizeof(name)), 0);
    assert_int_equal(files.count, 0);
    sl_input_files_fini(&files);
    assert_int_equal(sl_input_files_read(FILE_A "," FILE_A, &files, name, sizeof(name)), 0);
    assert_int_equal(files.count, 2);
    assert_int_equal(files.files[1].size, 4);
    assert_memory_equal(files.files[1].data, "0,4\n", 4);
    sl_input_files_fini(&files);
}

TEST(file_that_fails_is_named)
{
    struct sl_input_files files = {0};
    char name[512];
    assert_int_equal(sl_input_files_read(FILE_A ",no-such-file", &files, name, sizeof(name)),
                     -ENOENT);
    assert_string_equal(name, "no-such-file");
    assert_int_equal(sl_input_files_read("much-too-long", &files, name, 5), -ENAMETOOLONG);
    assert_null(files.files);
}

TEST(reading_survives_each_failed_allocation)
{
    char name[512];
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_input_files files = {0};
        sl_mem_fail_nth(nth);
        rc = sl_input_files_read(FILE_A "," FILE_A, &files, name, sizeof(name));
        assert_int_equal(files.files == NULL, rc != 0);
        sl_input_files_fini(&files);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}
