/* tests/unit/host/job/test_quarantine.c */
#include "host/job/quarantine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/unit.h"

static char folder[64];

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
    assert_false(sl_quarantine_kept(folder, "phone-1"));
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", false), 0); /* it never was out */
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", true), 0);
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", true), 0);
    assert_true(sl_quarantine_kept(folder, "phone-1"));
    assert_false(sl_quarantine_kept(folder, "phone-2"));
    assert_int_equal(sl_quarantine_keep(folder, "phone-1", false), 0);
    assert_false(sl_quarantine_kept(folder, "phone-1"));
}

TEST_WITH(names_of_dots_are_names, fresh_folder, remove_folder)
{
    assert_int_equal(sl_quarantine_keep(folder, "..", true), 0);
    assert_true(sl_quarantine_kept(folder, ".."));
    assert_false(sl_quarantine_kept(folder, "."));
}

TEST_WITH(what_cannot_be_written_is_an_error, fresh_folder, remove_folder)
{
    char file[128];
    snprintf(file, sizeof(file), "%s/quarantine", folder);
    fclose(fopen(file, "w")); /* a file where the folder should be */
    assert_true(sl_quarantine_keep(folder, "phone-1", true) < 0);
}
