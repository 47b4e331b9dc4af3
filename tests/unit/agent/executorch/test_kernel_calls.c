/* tests/unit/agent/executorch/test_kernel_calls.c: with a library in the delegate's place. */
#include "agent/executorch/kernel_calls.h"

#include <dlfcn.h>
#include <stdint.h>

#include "tests/support/unit.h"

typedef void (*run_fn)(int operators, void (*name)(void *user, int number), void *user);

static void no_name(void *user, int number)
{
    (void)user;
    (void)number;
}

TEST(calls_are_counted_while_they_are_watched_and_reach_their_kernels)
{
    void *library = dlopen(SL_TEST_DELEGATE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    run_fn run;
    *(void **)&run = dlsym(library, "stand_in_run");
    const int *sum = dlsym(library, "stand_in_sum");
    assert_int_equal(sl_kernel_calls_open(library), 3);
    run(2, no_name, NULL);
    assert_null(sl_kernel_calls_take());
    for (int round = 0; round < 2; round++) {
        assert_int_equal(sl_kernel_calls_watch(true), 0);
        assert_int_equal(sl_kernel_calls_watch(true), 0); /* once is enough */
        assert_null(sl_kernel_calls_take());
        run(1, no_name, NULL);
        assert_int_equal(*sum, 13);
        assert_string_equal(sl_kernel_calls_take(), "kai_run_matmul_stand_in_sme2_mopa");
        assert_null(sl_kernel_calls_take());
        assert_int_equal(sl_kernel_calls_watch(false), 0);
        run(2, no_name, NULL);
        assert_int_equal(*sum, 13 + 24);
        assert_null(sl_kernel_calls_take());
    }
    dlclose(library);
}

TEST(a_library_without_kernels_names_none)
{
    assert_int_equal(sl_kernel_calls_open(dlopen(NULL, RTLD_NOW)), 0);
    assert_int_equal(sl_kernel_calls_watch(true), 0);
    assert_null(sl_kernel_calls_take());
    assert_int_equal(sl_kernel_calls_watch(false), 0);
}
