/* tests/unit/agent/trace/test_memory_file.c */
#include "agent/trace/memory_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/test.h"

/* The kernel takes names of 249 bytes: with a longer one it has no file in memory. */
static char too_long[300];

static int set_up(void **state)
{
    memset(too_long, 'x', sizeof(too_long) - 1);
    *state = NULL;
    return 0;
}

/* It takes what is written and gives it back, and no other program gets it. */
static void assert_works(int fd)
{
    char back[4] = "";
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "abc", 3, 5), 3);
    assert_int_equal(pread(fd, back, 3, 5), 3);
    assert_string_equal(back, "abc");
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(fd);
}

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

TEST(a_file_in_memory_can_be_written)
{
    assert_works(sl_memory_file_open("trace"));
}

TEST_WITH(without_memory_it_is_a_file_without_a_name, set_up, NULL)
{
    char folder[] = "/tmp/sl-memory-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    int fd = sl_memory_file_open(too_long);
    assert_int_equal(files_in(folder), 0);
    assert_works(fd);
    setenv("TMPDIR", "/nowhere", 1); /* the next folder lets us */
    assert_works(sl_memory_file_open(too_long));
    unsetenv("TMPDIR");
    assert_works(sl_memory_file_open(too_long));
    assert_int_equal(rmdir(folder), 0);
}

TEST_WITH(a_process_without_descriptors_is_told, set_up, NULL)
{
    struct rlimit kept, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &kept), 0);
    none = kept;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int short_name = sl_memory_file_open("trace"), long_name = sl_memory_file_open(too_long);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &kept), 0);
    assert_int_equal(short_name, -EMFILE);
    assert_int_equal(long_name, -EMFILE);
}
