/* tests/unit/host/store/test_adder.c */
#include "host/store/adder.h"

#include <errno.h>
#include <string.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

struct bench {
    uv_mutex_t lock;
    struct sl_adder *adder;
    struct sl_request *given; /* by done() itself */
    int done, rc;
};

static bool give_up(void *user, unsigned ms)
{
    (void)user;
    (void)ms;
    return false;
}

static struct sl_request *new_add(void)
{
    struct sl_request *add = sl_calloc(1, sizeof(*add));
    assert_non_null(add);
    add->kind = SL_REQUEST_ADD_JOB;
    add->config = sl_strndup("{}", 2);
    return add;
}

static void on_done(void *user, struct sl_request *batch, int rc, const char *why, uint64_t took_ns)
{
    struct bench *bench = user;
    (void)why;
    (void)took_ns;
    uv_mutex_lock(&bench->lock);
    bench->rc = rc < 0 ? rc : batch->rc;
    bench->done++;
    if (bench->given && sl_adder_is_free(bench->adder)) {
        sl_adder_give(bench->adder, bench->given);
        bench->given = NULL;
    }
    uv_mutex_unlock(&bench->lock);
    sl_request_free(batch);
}

static int done_by(struct bench *bench)
{
    uv_mutex_lock(&bench->lock);
    int done = bench->done;
    uv_mutex_unlock(&bench->lock);
    return done;
}

static bool gets_free(struct sl_adder *adder)
{
    for (int i = 0; i < 200; i++) {
        if (sl_adder_is_free(adder))
            return true;
        uv_sleep(10);
    }
    return false;
}

STORE_ANY_TEST(an_adder_connects_when_it_is_wanted_and_adds_what_it_is_given)
{
    struct bench bench = {.done = 0};
    const struct sl_store_host host = {.name = "h"};
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    if (!store_root)
        skip();
    const struct sl_adder_options options = {.where = store_path,
                                             .family = "family",
                                             .host = &host,
                                             .pause = give_up,
                                             .done = on_done,
                                             .user = &bench};
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(uv_mutex_init(&bench.lock), 0);
    assert_int_equal(sl_adder_start(&options, &bench.adder), 0);
    assert_false(sl_adder_is_free(bench.adder));
    assert_true(gets_free(bench.adder));
    bench.given = new_add();
    sl_adder_give(bench.adder, new_add());
    while (done_by(&bench) < 2)
        uv_sleep(1);
    assert_int_equal(bench.rc, 0);
    assert_true(gets_free(bench.adder));
    sl_adder_give(bench.adder, new_add());
    sl_adder_stop(bench.adder); /* not before it is added */
    assert_int_equal(bench.done, 3);
    assert_store_rows("SELECT count(*) FROM jobs WHERE changed_by = 'h'", "[[3]]");
    uv_mutex_destroy(&bench.lock);
    sl_database_close(db);
}

STORE_ANY_TEST(an_adder_without_a_server_is_never_free_and_ends)
{
    struct bench bench = {.done = 0};
    const struct sl_store_host host = {.name = "h"};
    const struct sl_adder_options options = {.where = "postgresql:///d?host=/nowhere",
                                             .family = "family",
                                             .host = &host,
                                             .pause = give_up,
                                             .done = on_done,
                                             .user = &bench};
    assert_int_equal(sl_adder_start(&options, &bench.adder), 0);
    for (int i = 0; i < 10; i++) {
        assert_false(sl_adder_is_free(bench.adder));
        uv_sleep(10);
    }
    sl_adder_stop(bench.adder);
    sl_adder_stop(NULL);
    assert_int_equal(bench.done, 0);
}
