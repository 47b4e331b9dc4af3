/* tests/unit/host/job/test_disk_budget.c */
#include "host/job/disk_budget.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

TEST(nothing_is_full_without_limits)
{
    const struct sl_disk_limits none = {0, 0};
    const struct sl_disk_look look = {0, UINT64_MAX};
    assert_int_equal(sl_disk_judge(&none, SL_DISK_ROOM, &look), SL_DISK_ROOM);
}

TEST(intake_stops_below_the_reserve_and_begins_with_a_tenth_more)
{
    const struct sl_disk_limits limits = {.reserve_bytes = 1000};
    static const struct {
        uint64_t free;
        enum sl_disk_state before, after;
    } steps[] = {{1000, SL_DISK_ROOM, SL_DISK_ROOM},
                 {999, SL_DISK_ROOM, SL_DISK_RESERVE},
                 {1099, SL_DISK_RESERVE, SL_DISK_RESERVE},
                 {1100, SL_DISK_RESERVE, SL_DISK_ROOM},
                 {0, SL_DISK_ROOM, SL_DISK_RESERVE}};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const struct sl_disk_look look = {.free_bytes = steps[i].free};
        assert_int_equal(sl_disk_judge(&limits, steps[i].before, &look), steps[i].after);
    }
}

TEST(intake_stops_at_the_budget_and_begins_with_a_twentieth_free)
{
    const struct sl_disk_limits limits = {.budget_bytes = 1000, .reserve_bytes = 10};
    static const struct {
        uint64_t state;
        enum sl_disk_state before, after;
    } steps[] = {{999, SL_DISK_ROOM, SL_DISK_ROOM},
                 {1000, SL_DISK_ROOM, SL_DISK_BUDGET},
                 {950, SL_DISK_BUDGET, SL_DISK_BUDGET},
                 {949, SL_DISK_BUDGET, SL_DISK_ROOM}};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const struct sl_disk_look look = {.free_bytes = 10, .state_bytes = steps[i].state};
        assert_int_equal(sl_disk_judge(&limits, steps[i].before, &look), steps[i].after);
    }
}

STORE_TEST(a_folder_has_what_du_says_and_no_link_is_followed)
{
    char path[160], second[160], command[200], bytes[64] = "";
    static const char text[100000] = "";
    snprintf(path, sizeof(path), "%s/deep", store_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/deep/file", store_folder);
    assert_int_equal(sl_buf_write_file(path, text, sizeof(text)), 0);
    snprintf(path, sizeof(path), "%s/deep/link", store_folder);
    assert_int_equal(symlink("/usr", path), 0);
    snprintf(second, sizeof(second), "%s/second", store_folder);
    snprintf(path, sizeof(path), "%s/deep/file", store_folder);
    assert_int_equal(link(path, second), 0); /* it takes no room */
    snprintf(command, sizeof(command), "du -s -B1 %s | cut -f1", store_folder);
    FILE *said = popen(command, "r");
    assert_non_null(said);
    assert_non_null(fgets(bytes, sizeof(bytes), said));
    pclose(said);
    struct stat top;
    assert_int_equal(stat(store_folder, &top), 0);
    assert_int_equal(sl_disk_use(store_folder) + (uint64_t)top.st_blocks * 512,
                     strtoull(bytes, NULL, 10));
    assert_int_equal(sl_disk_use("/no/such/folder"), 0);
}
