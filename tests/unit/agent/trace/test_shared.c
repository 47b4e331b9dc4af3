/* tests/unit/agent/trace/test_shared.c */
#include "agent/trace/shared.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/test.h"

TEST(size_of_a_sealed_file_stays)
{
    struct stat info;
    int fd = sl_shared_file_open("sme2lab-test");
    if (fd < 0) /* the kernel has none: memory_file.c takes another */
        skip();
    assert_int_equal(ftruncate(fd, 4096), 0);
    assert_int_equal(write(fd, "abc", 3), 3);
    sl_shared_file_seal(fd);
    assert_int_equal(ftruncate(fd, 1), -1);
    assert_int_equal(ftruncate(fd, 8192), -1);
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_size, 4096);
    close(fd);
}

static _Atomic uint32_t word, woken;

static void *sleeper(void *unused)
{
    (void)unused;
    while (atomic_load(&word) == 7)
        sl_shared_sleep(&word, 7);
    atomic_store(&woken, 1);
    return NULL;
}

TEST(sleeper_wakes_when_it_is_called_and_does_not_begin_at_another_value)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    pthread_t thread;
    sl_shared_sleep(&word, 7); /* is 0: returns at once */
    atomic_store(&word, 7);
    assert_int_equal(pthread_create(&thread, NULL, sleeper, NULL), 0);
    nanosleep(&pause, NULL);
    assert_int_equal(atomic_load(&woken), 0);
    atomic_store(&word, 8);
    sl_shared_wake(&word);
    assert_int_equal(pthread_join(thread, NULL), 0); /* or hangs */
    assert_int_equal(atomic_load(&woken), 1);
}
