/* tests/unit/host/job/test_run_looks.c */
#include "host/job/run_looks.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "host/spec/spec.h"
#include "tests/support/test.h"

/* Half as wide with each look; enough at `enough_at` pairs. */
struct fake {
    uint32_t enough_at;
    size_t seen;
    double last; /* of the log ratios */
    unsigned looked;
    int rc;
    struct sl_job_run_looks looks;
};

static int look(void *user, const struct sl_spec *spec, const double *log_ratios, size_t n,
                struct sl_job_look *out)
{
    struct fake *fake = user;
    fake->seen = n;
    fake->last = log_ratios[n - 1];
    *out = (struct sl_job_look){spec->precision_percent / (double)n, n >= fake->enough_at,
                                (uint32_t)(n + n / 2)};
    return fake->rc;
}

static void looked(void *user)
{
    ((struct fake *)user)->looked++;
}

static void add(struct fake *fake, size_t pairs)
{
    for (size_t i = 0; i < pairs; i++)
        sl_job_run_looks_add(&fake->looks, 300, 100);
    sl_job_run_looks_take(&fake->looks);
    uv_run(fake->looks.loop, UV_RUN_DEFAULT);
}

/* The loop and all that the looks borrow, for one test. */
static void with_looks(double precision, struct fake *fake, void (*test)(struct fake *fake))
{
    uv_loop_t loop;
    struct sl_job_kit kit = {.look = look, .user = fake};
    struct sl_spec spec = {.precision_percent = precision};
    assert_int_equal(uv_loop_init(&loop), 0);
    sl_job_run_looks_init(&fake->looks, &loop, &kit, precision > 0 ? &spec : NULL);
    fake->looks.looked = looked;
    fake->looks.user = fake;
    test(fake);
    sl_job_run_looks_fini(&fake->looks);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void look_twice(struct fake *fake)
{
    add(fake, 19);
    assert_int_equal(fake->looked, 0);
    add(fake, 1);
    assert_int_equal(fake->looked, 1);
    assert_true(fake->last == log(3.0));
    assert_int_equal(fake->looks.allowed, 30);
    assert_false(fake->looks.last);
    add(fake, 10);
    assert_int_equal(fake->seen, 30);
    assert_int_equal(fake->looks.allowed, 30); /* and not one more */
    assert_true(fake->looks.last);
    add(fake, 100);
    assert_int_equal(fake->looked, 2); /* it is decided */
}

TEST(looks_are_taken_where_they_are_due_until_it_is_enough)
{
    struct fake fake = {.enough_at = 30};
    with_looks(1, &fake, look_twice);
}

static void look_late(struct fake *fake)
{
    add(fake, 37); /* of a run that did not wait */
    assert_int_equal(fake->seen, 20);
    sl_job_run_looks_take(&fake->looks);
    uv_run(fake->looks.loop, UV_RUN_DEFAULT);
    assert_int_equal(fake->seen, 30);
    assert_int_equal(fake->looks.allowed, 45);
    assert_int_equal(fake->looks.so_far.looks, 2);
}

TEST(looks_that_come_late_see_what_those_in_time_would_have_seen)
{
    struct fake fake = {.enough_at = 1000};
    with_looks(1, &fake, look_late);
}

static void look_in_vain(struct fake *fake)
{
    add(fake, 20);
    assert_int_equal(fake->looks.allowed, 0);
    assert_int_equal(fake->looks.so_far.looks, 0);
    fake->rc = 0;
    sl_job_run_looks_take(&fake->looks);
    uv_run(fake->looks.loop, UV_RUN_DEFAULT);
    assert_int_equal(fake->looks.allowed, 30);
}

TEST(a_look_that_fails_is_taken_again)
{
    struct fake fake = {.enough_at = 1000, .rc = -ENOMEM};
    with_looks(1, &fake, look_in_vain);
}

static void look_at_nothing(struct fake *fake)
{
    add(fake, 100);
    assert_int_equal(fake->looked, 0);
    assert_int_equal(fake->looks.allowed, 0);
}

TEST(without_a_precision_nobody_looks)
{
    struct fake fake = {.enough_at = 20};
    with_looks(0, &fake, look_at_nothing);
}
