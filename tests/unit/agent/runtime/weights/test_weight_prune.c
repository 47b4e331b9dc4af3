/* tests/unit/agent/runtime/weights/test_weight_prune.c: what goes from a weight cache, and what
 * stays. */
#include "agent/runtime/weights/weight_prune.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/runtime/weights/known_content.h"
#include "tests/support/unit.h"

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof(directory), "/tmp/sl-prune-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static void path_of(const char *name, char *out)
{
    snprintf(out, 400, "%s/%s", directory, name);
}

static int remove_directory(void **state)
{
    char path[400];
    (void)state;
    DIR *open_directory = opendir(directory);
    for (const struct dirent *entry; (entry = readdir(open_directory)) != NULL;) {
        path_of(entry->d_name, path);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlink(path) != 0)
            rmdir(path);
    }
    closedir(open_directory);
    return rmdir(directory);
}

static void age(const char *path, int64_t seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const struct timespec times[2] = {{now.tv_sec - seconds, 0}, {now.tv_sec - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A file of so many bytes that was written so many seconds ago. */
static void make(const char *name, size_t bytes, int64_t seconds)
{
    char path[400];
    path_of(name, path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    close(fd);
    age(path, seconds);
}

static void make_weights(int number, size_t bytes, int64_t seconds)
{
    char name[80];
    snprintf(name, sizeof(name), "%032x.weights", (unsigned)number);
    make(name, bytes, seconds);
}

static bool is_there(const char *name)
{
    char path[400];
    path_of(name, path);
    return access(path, F_OK) == 0;
}

static bool has_weights(int number)
{
    char name[80];
    snprintf(name, sizeof(name), "%032x.weights", (unsigned)number);
    return is_there(name);
}

/* Notes that the file was used now; returns its identity. */
static struct sl_file_identity use(int number)
{
    char path[400], name[80];
    struct sl_bytes bytes;
    struct sl_file_identity identity;
    snprintf(name, sizeof(name), "%032x.weights", (unsigned)number);
    path_of(name, path);
    assert_int_equal(sl_file_map(path, &bytes, &identity), 0);
    sl_known_content_note(directory, &identity, (struct sl_content){1, 2});
    sl_file_unmap(&bytes);
    return identity;
}

#define CASE(name) TEST_WITH(name, make_directory, remove_directory)

CASE(files_within_the_limit_stay)
{
    make_weights(1, 500, 100);
    make_weights(2, 500, 200);
    assert_int_equal(sl_weight_prune(directory, 1000), 0);
    assert_true(has_weights(1) && has_weights(2));
}

CASE(the_oldest_go_until_the_rest_fits)
{
    make_weights(1, 400, 300);
    make_weights(2, 400, 500);
    make_weights(3, 400, 400);
    make_weights(4, 400, 200);
    assert_int_equal(sl_weight_prune(directory, 800), 2);
    assert_true(has_weights(1) && has_weights(4));
    assert_false(has_weights(2) || has_weights(3));
}

CASE(use_counts_not_age_and_a_note_goes_with_its_file)
{
    struct sl_file_identity first, second;
    struct sl_content content;
    int64_t used_ns;
    make_weights(1, 400, 9000);
    make_weights(2, 400, 8000);
    first = use(1);
    second = use(2);
    nanosleep(&(struct timespec){0, 30000000}, NULL); /* the system's clock ticks seldom */
    sl_known_content_touch(directory, &first);
    assert_true(sl_known_content_used(directory, &first, &used_ns));
    assert_int_equal(sl_weight_prune(directory, 400), 1);
    assert_true(has_weights(1));
    assert_true(sl_known_content_find(directory, &first, &content));
    assert_false(sl_known_content_find(directory, &second, &content));
    assert_false(sl_known_content_used(directory, &second, &used_ns));
}

CASE(nothing_fits_where_nothing_may)
{
    make_weights(1, 1, 5);
    assert_int_equal(sl_weight_prune(directory, 0), 1);
    assert_false(has_weights(1));
}

/* Names of others, and a directory and a link that are named as ours. */
CASE(what_is_not_a_weight_cache_s_stays)
{
    static const char *const names[] = {"model.pte", "0123.weights", "notes.note",
                                        "00000000000000000000000000000001.weights.",
                                        "0000000000000000000000000000000g.weights"};
    char path[400], target[400];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        make(names[i], 100, 90000);
    make_weights(7, 100, 90000);
    path_of("00000000000000000000000000000009.weights", path);
    path_of("model.pte", target);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(sl_weight_prune(directory, 0), 1); /* number 7 */
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_true(is_there(names[i]));
    assert_true(has_weights(9));
}

CASE(what_dead_writers_left_goes_what_live_ones_write_stays)
{
    make("00000000000000000000000000000001.weights.aB3dEf", 10, SL_WEIGHT_TORN_S + 60);
    make("00000000000000000000000000000001.weights.77.tmp", 10, SL_WEIGHT_TORN_S + 60);
    make("0000000000000001.note.tmp", 10, SL_WEIGHT_TORN_S + 60);
    make("00000000000000000000000000000002.weights.aB3dEf", 10, 30);
    assert_int_equal(sl_weight_prune(directory, 1000), 0);
    assert_false(is_there("00000000000000000000000000000001.weights.aB3dEf"));
    assert_false(is_there("00000000000000000000000000000001.weights.77.tmp"));
    assert_false(is_there("0000000000000001.note.tmp"));
    assert_true(is_there("00000000000000000000000000000002.weights.aB3dEf"));
}

CASE(the_oldest_notes_above_their_number_go)
{
    char name[80];
    for (int i = 0; i < SL_WEIGHT_MAX_NOTES + 3; i++) {
        snprintf(name, sizeof(name), "%016x.note", (unsigned)i);
        make(name, 96, i + 10);
    }
    assert_int_equal(sl_weight_prune(directory, 1000), 0);
    for (int i = 0; i < SL_WEIGHT_MAX_NOTES + 3; i++) {
        snprintf(name, sizeof(name), "%016x.note", (unsigned)i);
        assert_int_equal(is_there(name), i < SL_WEIGHT_MAX_NOTES);
    }
}

CASE(no_directory_is_an_error)
{
    assert_int_equal(sl_weight_prune("/nonexistent/cache", 1), -ENOENT);
}
