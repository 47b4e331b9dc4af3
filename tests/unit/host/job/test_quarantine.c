/* tests/unit/host/job/test_quarantine.c */
#include "host/job/quarantine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/unit.h"

static char folder[64], reason[SL_DETAIL_BYTES];

static int fresh_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-quarantine-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

TEST_WITH(a_device_is_out_until_it_is_brought_back, fresh_folder, remove_folder)
{
    assert_false(sl_quarantine_kept(folder, "phone-1", reason));
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", NULL), 0); /* it never was out */
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", "hot"), 0);
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", "hot"), 0);
    assert_true(sl_quarantine_kept(folder, "phone-1", reason));
    assert_string_equal(reason, "hot");
    assert_false(sl_quarantine_kept(folder, "phone-2", reason));
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", NULL), 0);
    assert_false(sl_quarantine_kept(folder, "phone-1", reason));
}

TEST_WITH(a_reservation_has_its_end_and_its_owner, fresh_folder, remove_folder)
{
    char who[SL_NAME_BYTES];
    assert_true(sl_reservation_kept(folder, "phone-1", who) == 0);
    assert_int_equal(sl_reservation_keep(folder, "phone-1", 1764000000000, "Ann B"), 0);
    assert_true(sl_reservation_kept(folder, "phone-1", who) == 1764000000000);
    assert_string_equal(who, "Ann B");
    assert_false(sl_quarantine_kept(folder, "phone-1", reason));
    assert_int_equal(sl_reservation_keep(folder, "phone-1", 0, ""), 0);
    assert_true(sl_reservation_kept(folder, "phone-1", who) == 0);
}

TEST_WITH(names_of_dots_are_names, fresh_folder, remove_folder)
{
    assert_int_equal(sl_quarantine_keep(folder, "..", "hot"), 0);
    assert_true(sl_quarantine_kept(folder, "..", reason));
    assert_false(sl_quarantine_kept(folder, ".", reason));
}

TEST_WITH(what_cannot_be_written_is_an_error, fresh_folder, remove_folder)
{
    char file[128];
    snprintf(file, sizeof(file), "%s/quarantine", folder);
    fclose(fopen(file, "w")); /* a file where the folder should be */
    assert_true(sl_quarantine_keep(folder, "phone-1", "hot") < 0);
}
