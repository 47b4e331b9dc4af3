/* tests/unit/agent/serve/test_clean.c */
#include "agent/serve/clean.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/tree_remove.h"
#include "tests/support/test.h"

static char folder[64];

static void run(const char *words)
{
    char command[400];
    snprintf(command, sizeof(command), "cd %s && %s", folder, words);
    assert_int_equal(system(command), 0);
}

static int fresh_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-clean-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    sl_tree_remove(folder);
    return 0;
}

static bool is_needed(const void *user, const char *name)
{
    return strcmp(user, name) == 0;
}

TEST_WITH(what_is_needed_stays_and_the_rest_is_counted, fresh_folder, remove_folder)
{
    struct sl_cleaned cleaned = {0, 0};
    run("mkdir -p blobs/a/b && printf 12345 >blobs/old && printf 123 >blobs/kept && printf 12 "
        ">blobs/a/b/deep");
    sl_clean_folder(folder, "blobs", is_needed, "kept", &cleaned);
    assert_int_equal(cleaned.files, 2);
    assert_int_equal(cleaned.bytes, 7);
    run("test \"$(ls blobs)\" = kept && test $(wc -c <blobs/kept) = 3");
    sl_clean_folder(folder, "blobs", NULL, NULL, &cleaned);
    assert_int_equal(cleaned.files, 3);
    assert_int_equal(cleaned.bytes, 10);
    run("test -d blobs && test -z \"$(ls blobs)\"");
}

TEST_WITH(links_are_removed_and_not_followed, fresh_folder, remove_folder)
{
    struct sl_cleaned cleaned = {0, 0};
    run("mkdir blobs aside && printf 123 >aside/file && ln -s ../aside blobs/folder && ln "
        "aside/file blobs/twin && ln -s aside weights");
    sl_clean_folder(folder, "blobs", NULL, NULL, &cleaned);
    assert_int_equal(cleaned.files, 2);
    assert_true(cleaned.bytes < 3 + 20); /* the link's own text, and nothing of the twin */
    sl_clean_folder(folder, "weights", NULL, NULL, &cleaned); /* is none of ours */
    sl_clean_folder(folder, "absent", NULL, NULL, &cleaned);
    assert_int_equal(cleaned.files, 2);
    run("test $(wc -c <aside/file) = 3");
}
