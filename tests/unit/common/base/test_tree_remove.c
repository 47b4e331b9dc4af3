/* tests/unit/host/cli/test_tree_remove.c */
#include "common/base/tree_remove.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/test.h"

static char root[64], kept[96];

static void make_file(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/sl-tree-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(kept, sizeof(kept), "%s/kept", root);
    return mkdir(kept, 0700);
}

static int remove_root(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

TEST_WITH(links_are_removed_and_what_they_lead_to_stays, make_root, remove_root)
{
    char path[200], file[200];
    snprintf(file, sizeof(file), "%s/file", kept);
    make_file(file);
    snprintf(path, sizeof(path), "%s/tree", root);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/tree/link", root);
    assert_int_equal(symlink(kept, path), 0);
    snprintf(path, sizeof(path), "%s/tree/below", root);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/tree/below/file", root);
    make_file(path);
    snprintf(path, sizeof(path), "%s/tree", root);
    sl_tree_remove(path);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(file, F_OK), 0);
}

TEST_WITH(a_link_in_place_of_the_directory_removes_nothing, make_root, remove_root)
{
    char path[200], file[200];
    snprintf(file, sizeof(file), "%s/file", kept);
    make_file(file);
    snprintf(path, sizeof(path), "%s/link", root);
    assert_int_equal(symlink(kept, path), 0);
    sl_tree_remove(path);
    assert_int_equal(access(file, F_OK), 0);
}

TEST_WITH(what_lies_deeper_than_the_bound_stays, make_root, remove_root)
{
    char path[400];
    int len = snprintf(path, sizeof(path), "%s/tree", root);
    for (int depth = 0; depth < 14; depth++) {
        assert_int_equal(mkdir(path, 0700), 0);
        len += snprintf(path + len, sizeof(path) - (size_t)len, "/d");
    }
    path[len - 2] = '\0'; /* the deepest that is there */
    char tree[96];
    snprintf(tree, sizeof(tree), "%s/tree", root);
    sl_tree_remove(tree);
    assert_int_equal(access(path, F_OK), 0);
}

TEST_WITH(the_contents_of_an_open_directory_go_and_it_stays, make_root, remove_root)
{
    char file[200];
    snprintf(file, sizeof(file), "%s/file", kept);
    make_file(file);
    sl_tree_remove_below(open(kept, O_RDONLY | O_DIRECTORY));
    assert_int_equal(access(file, F_OK), -1);
    assert_int_equal(access(kept, F_OK), 0);
}

TEST_WITH(of_a_tree_only_what_a_stopped_writer_left_goes, make_root, remove_root)
{
    static const char *const names[] = {"a.json", "a.json.77-3.tmp", ".tmp", "kept/b.tmp",
                                        "kept/b.tmp.csv"};
    static const bool stays[] = {true, false, true, false, true};
    char path[200];
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof(path), "%s/%s", root, names[i]);
        make_file(path);
    }
    sl_tree_remove_temporaries(root);
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof(path), "%s/%s", root, names[i]);
        assert_int_equal(access(path, F_OK), stays[i] ? 0 : -1);
    }
    sl_tree_remove_temporaries("/nowhere/at/all");
}
