/* tests/unit/host/job/test_settled.c */
#include "host/job/settled.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "tests/support/unit.h"

static char folder[64], path[80];
static const struct sl_run_id seven = {0, 7}, large = {UINT64_MAX, UINT64_MAX}, none = {0, 0};

static int fresh_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-settled-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/settled", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

TEST_WITH(what_is_settled_is_so_for_later_daemons, fresh_folder, remove_folder)
{
    const struct sl_run_id ids[] = {seven, large, seven, none};
    struct sl_settled settled;
    assert_int_equal(sl_settled_open(&settled, path), 0);
    assert_false(sl_settled_has(&settled, seven));
    assert_int_equal(sl_settled_add(&settled, ids, 4), 0);
    assert_int_equal(sl_settled_open(&settled, path), 0);
    assert_int_equal(settled.count, 2);
    assert_true(sl_settled_has(&settled, seven));
    assert_true(sl_settled_has(&settled, large));
    assert_false(sl_settled_has(&settled, none));
    assert_false(sl_settled_has(&settled, (struct sl_run_id){7, 7}));
}

TEST_WITH(the_oldest_give_way, fresh_folder, remove_folder)
{
    struct sl_settled settled;
    assert_int_equal(sl_settled_open(&settled, path), 0);
    for (uint64_t i = 0; i < SL_SETTLED_MAX + 2; i++) {
        struct sl_run_id id = {UINT64_MAX, i};
        assert_int_equal(sl_settled_add(&settled, &id, 1), 0);
    }
    assert_int_equal(sl_settled_open(&settled, path), 0);
    assert_int_equal(settled.count, SL_SETTLED_MAX);
    assert_false(sl_settled_has(&settled, (struct sl_run_id){UINT64_MAX, 1}));
    assert_true(sl_settled_has(&settled, (struct sl_run_id){UINT64_MAX, 2}));
    assert_true(sl_settled_has(&settled, (struct sl_run_id){UINT64_MAX, SL_SETTLED_MAX + 1}));
}

TEST_WITH(garbage_in_the_file_is_passed_over, fresh_folder, remove_folder)
{
    static const char text[] = "\n\nnonsense\n12\n-\n99999999999999999999999\n"
                               "00000000000000010000000000000005";
    struct sl_settled settled;
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
    assert_int_equal(sl_settled_open(&settled, path), 0);
    assert_true(sl_settled_has(&settled, (struct sl_run_id){0, 12}));
    assert_true(sl_settled_has(&settled, (struct sl_run_id){1, 5}));
}

TEST_WITH(a_file_that_cannot_be_written_is_said, fresh_folder, remove_folder)
{
    char long_path[SL_SETTLED_PATH + 1];
    struct sl_settled settled;
    snprintf(path, sizeof(path), "%s/none/settled", folder);
    assert_int_equal(sl_settled_open(&settled, path), 0);
    assert_int_equal(sl_settled_add(&settled, &seven, 1), -ENOENT);
    assert_true(sl_settled_has(&settled, seven));
    memset(long_path, 'x', SL_SETTLED_PATH);
    long_path[SL_SETTLED_PATH] = '\0';
    assert_int_equal(sl_settled_open(&settled, long_path), -ENAMETOOLONG);
}
