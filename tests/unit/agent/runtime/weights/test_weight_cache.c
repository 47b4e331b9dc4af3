/* tests/unit/agent/runtime/weights/test_weight_cache.c: a program loaded again and again. */
#include "tests/support/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/runtime/method.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"

#define MODEL "models/toy_cnn_f32_xnnpack"
#define PORTABLE "models/toy_cnn_f32_portable"
#define HALF "models/toy_cnn_f16_portable"

static char directory[64], model_path[1024];

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof(directory), "/tmp/sl-weights-XXXXXX");
    snprintf(model_path, sizeof(model_path), "%s/%s/model.pte", SL_TEST_DATA, MODEL);
    return mkdtemp(directory) ? 0 : -1;
}

/* Calls `visit` with the path of each file of the cache whose name ends so; returns their number.
 */
static int each_file(const char *ending, void (*visit)(const char *path))
{
    char path[400];
    int count = 0;
    DIR *open_directory = opendir(directory);
    assert_non_null(open_directory);
    for (const struct dirent *entry; (entry = readdir(open_directory)) != NULL;) {
        size_t len = strlen(entry->d_name), tail = strlen(ending);
        if (entry->d_name[0] == '.' || len < tail ||
            strcmp(entry->d_name + len - tail, ending) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
        if (visit)
            visit(path);
        count++;
    }
    closedir(open_directory);
    return count;
}

static void remove_file(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static int empty_directory(void **state)
{
    (void)state;
    each_file("", remove_file);
    return 0;
}

static int remove_directory(void **state)
{
    empty_directory(state);
    return rmdir(directory);
}

static uint64_t max_bytes = SL_RUNTIME_WEIGHT_CACHE_BYTES;

/* One load with the cache at `where`: what it said, used and computed. */
struct loaded {
    char log[4096];
    uint8_t output[10 * sizeof(float)]; /* ten numbers of the model's type */
    size_t packed;
    uint64_t used;
};

static void load(const char *where, const uint32_t *masks, unsigned count, struct loaded *out)
{
    struct sl_model_case c = {.log = ""};
    const struct sl_runtime_log log = {sl_case_log, &c};
    struct sl_variant *variants[2];
    struct sl_tensor_view view;
    assert_int_equal(sl_model_open(model_path, NULL, &log, &c.model, NULL), 0);
    assert_int_equal(sl_model_set_weight_cache(c.model, where, max_bytes), 0);
    assert_int_equal(sl_method_new(c.model, NULL, &c.method, NULL), 0);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(sl_variant_new(c.method, masks[i], (uint16_t)i, NULL, &variants[i], NULL),
                         0);
    assert_int_equal(sl_method_fill_inputs(c.method, NULL), 0);
    assert_int_equal(sl_variant_execute(variants[0], SL_VARIANT_UNTRACED, NULL), 0);
    assert_int_equal(sl_method_output(c.method, 0, &view), 0);
    assert_true(view.nbytes <= sizeof(out->output));
    memset(out->output, 0, sizeof(out->output));
    memcpy(out->output, view.data, view.nbytes);
    snprintf(out->log, sizeof(out->log), "%s", c.log);
    out->packed = sl_variant_packed_bytes(variants[0]);
    out->used = c.method->budget.used;
    while (count-- > 0)
        sl_variant_free(variants[count]);
    sl_case_close(&c);
}

static void load_one(struct loaded *out)
{
    const uint32_t mask = sl_isa_detect();
    load(directory, &mask, 1, out);
}

static void check_same(const struct loaded *a, const struct loaded *b)
{
    assert_memory_equal(a->output, b->output, sizeof(a->output));
    assert_int_equal(a->packed, b->packed);
    assert_int_equal(a->used, b->used); /* mapped weights count as packed ones */
}

TEST_WITH(second_load_takes_what_the_first_wrote, NULL, empty_directory)
{
    struct loaded cold, warm;
    load_one(&cold);
    assert_non_null(strstr(cold.log, "were written to"));
    assert_int_equal(each_file(".weights", NULL), 1);
    load_one(&warm);
    assert_non_null(strstr(warm.log, "were taken from"));
    assert_null(strstr(warm.log, "E weight_cache.c"));
    assert_true(warm.packed > 0);
    check_same(&cold, &warm);
}

TEST_WITH(variants_of_one_mask_share_their_weights, NULL, empty_directory)
{
    const uint32_t mask = sl_isa_detect(), masks[2] = {mask, mask};
    struct loaded one, two;
    load_one(&one);
    empty_directory(state);
    load(directory, masks, 2, &two);
    assert_memory_equal(one.output, two.output, sizeof(one.output));
    assert_int_equal(one.packed, two.packed);
    assert_true(two.used < one.used + one.packed); /* tables alone come twice */
}

TEST_WITH(each_mask_has_a_file_of_its_own, NULL, empty_directory)
{
    const uint32_t masks[2] = {sl_isa_detect(), 0};
    struct loaded two;
    load(directory, masks, 2, &two);
    assert_int_equal(each_file(".weights", NULL), masks[0] != masks[1] ? 2 : 1);
}

static void flip_last_byte(const char *path)
{
    uint8_t byte;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    off_t at = lseek(fd, -70, SEEK_END);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void cut_in_half(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size / 2), 0);
}

static void make_foreign(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        fputs("no weights here\n", file);
    fclose(file);
}

/* Whole, as a later agent would write it. */
static void make_later_version(const char *path)
{
    uint8_t head[SL_WEIGHT_HEAD_BYTES];
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, head, sizeof(head), 0), sizeof(head));
    head[8]++;
    assert_int_equal(pwrite(fd, head, sizeof(head), 0), sizeof(head));
    close(fd);
}

static void make_empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

/* A file that is whole but holds the weights of something else: its key is made right. */
static void make_lie(const char *path)
{
    struct sl_content key;
    uint8_t head[256] = {0};
    const char *name = strrchr(path, '/') + 1;
    assert_int_equal(sscanf(name, "%16llx%16llx", (unsigned long long *)&key.low,
                            (unsigned long long *)&key.high),
                     2);
    const struct sl_weight_entry entry = {1, 192, 64};
    sl_weight_file_put_entry(head, 0, &entry);
    sl_weight_file_put_head(head, 1, key, sizeof(head), sl_content_of(head + 192, 64));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, sizeof(head), 1, file), 1);
    fclose(file);
}

TEST_WITH(bad_files_are_seen_and_written_anew, NULL, empty_directory)
{
    static void (*const spoil[])(const char *) = {flip_last_byte, cut_in_half,        make_foreign,
                                                  make_empty,     make_later_version, make_lie};
    struct loaded cold, bad, warm;
    load_one(&cold);
    for (size_t i = 0; i < sizeof(spoil) / sizeof(spoil[0]); i++) {
        assert_int_equal(each_file(".weights", spoil[i]), 1);
        load_one(&bad);
        assert_non_null(strstr(bad.log, "E weight_cache.c"));
        assert_non_null(strstr(bad.log, "were written to"));
        check_same(&cold, &bad);
        load_one(&warm);
        assert_non_null(strstr(warm.log, "were taken from"));
        check_same(&cold, &warm);
    }
}

TEST_WITH(damaged_notes_cost_a_second_look_only, NULL, empty_directory)
{
    struct loaded cold, warm;
    load_one(&cold);
    each_file(".note", make_foreign);
    load_one(&warm);
    assert_non_null(strstr(warm.log, "were taken from"));
    check_same(&cold, &warm);
}

TEST_WITH(a_directory_that_cannot_be_used_leaves_the_load_as_it_is, NULL, empty_directory)
{
    struct loaded cold, none;
    const uint32_t mask = sl_isa_detect();
    char below[128];
    load_one(&cold);
    load("/nonexistent/weights", &mask, 1, &none);
    assert_non_null(strstr(none.log, "cannot be used"));
    check_same(&cold, &none);
    each_file(".weights", remove_file);
    snprintf(below, sizeof(below), "/dev/full"); /* no directory */
    load(below, &mask, 1, &none);
    assert_non_null(strstr(none.log, "E weight_cache.c"));
    check_same(&cold, &none);
}

/* Loads in a process of its own, which ends with 0 if all was as in `cold`. */
static pid_t load_beside(const struct loaded *cold)
{
    pid_t child = fork();
    if (child == 0) {
        struct loaded one;
        load_one(&one);
        bool same = memcmp(one.output, cold->output, sizeof(one.output)) == 0 &&
                    one.packed == cold->packed && !strstr(one.log, "E weight_cache.c");
        _exit(same ? 0 : 1);
    }
    return child;
}

TEST_WITH(agents_that_write_one_entry_at_once_leave_a_whole_one, NULL, empty_directory)
{
    enum { AGENTS = 6, ROUNDS = 5 };
    struct loaded cold, warm;
    pid_t children[AGENTS];
    load_one(&cold);
    for (int round = 0; round < ROUNDS; round++) {
        int status;
        empty_directory(state);
        for (int i = 0; i < AGENTS; i++)
            assert_true((children[i] = load_beside(&cold)) > 0);
        for (int i = 0; i < AGENTS; i++) {
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            assert_int_equal(status, 0);
        }
        assert_int_equal(each_file(".weights", NULL), 1);
        assert_int_equal(each_file("", NULL),
                         each_file(".weights", NULL) + each_file(".note", NULL));
        load_one(&warm);
        assert_non_null(strstr(warm.log, "were taken from"));
        check_same(&cold, &warm);
    }
}

static void load_model(const char *model, struct loaded *out)
{
    const struct timespec tick = {0, 30000000}; /* the system's clock ticks seldom */
    snprintf(model_path, sizeof(model_path), "%s/%s/model.pte", SL_TEST_DATA, model);
    nanosleep(&tick, NULL);
    load_one(out);
    snprintf(model_path, sizeof(model_path), "%s/%s/model.pte", SL_TEST_DATA, MODEL);
}

TEST_WITH(the_file_that_was_not_used_for_longest_goes_first, NULL, empty_directory)
{
    struct loaded one, other;
    load_model(MODEL, &one);
    load_model(PORTABLE, &other);
    load_model(MODEL, &one); /* used later than the other */
    assert_int_equal(each_file(".weights", NULL), 2);
    max_bytes = one.packed + other.packed; /* without the heads */
    load_model(HALF, &one);
    max_bytes = SL_RUNTIME_WEIGHT_CACHE_BYTES;
    assert_non_null(strstr(one.log, "were removed"));
    load_model(MODEL, &one);
    assert_non_null(strstr(one.log, "were taken from"));
    load_model(PORTABLE, &other);
    assert_non_null(strstr(other.log, "were written to"));
}

TEST_WITH(a_portable_program_takes_its_weights_from_the_cache, NULL, empty_directory)
{
    static const char *const models[] = {PORTABLE, HALF};
    struct loaded cold, warm;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        load_model(models[i], &cold);
        load_model(models[i], &warm);
        assert_non_null(strstr(warm.log, "were taken from"));
        assert_true(warm.packed > 0);
        check_same(&cold, &warm);
    }
}

TEST_WITH(a_file_larger_than_the_cache_may_be_is_not_written, NULL, empty_directory)
{
    struct loaded cold, none;
    load_one(&cold);
    empty_directory(state);
    max_bytes = cold.packed - 1;
    load_one(&none);
    max_bytes = SL_RUNTIME_WEIGHT_CACHE_BYTES;
    assert_non_null(strstr(none.log, "cannot be written"));
    assert_int_equal(each_file(".weights", NULL), 0);
    check_same(&cold, &none);
}

TEST_GROUP(make_directory, remove_directory);
