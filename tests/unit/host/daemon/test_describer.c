/* tests/unit/host/daemon/test_describer.c: agents that are scripts, asked for a real lab. */
#include "host/daemon/describer.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <uv.h>

#include "common/base/error.h"
#include "host/daemon/probes.h"
#include "host/device/launch.h"
#include "host/job/lab.h"
#include "host/job/lab_open.h"
#include "host/store/store.h"
#include "tests/support/store_folder.h"
#include "tests/support/unit.h"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    struct sl_lab *lab;
    struct sl_probes *probes;
    struct sl_describer *describer;
    int closed, opened;
};

static void on_opened(void *user, int rc)
{
    assert_int_equal(rc, 0);
    ((struct bench *)user)->opened = 1;
}

static void on_closed(void *user)
{
    ((struct bench *)user)->closed++;
}

static void open_bench(struct bench *bench)
{
    struct sl_diag diag;
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, NULL, &bench->store, &diag), 0);
    const struct sl_lab_options lab = {
        .store = bench->store, .state_dir = store_folder, .opened = on_opened, .user = bench};
    assert_int_equal(sl_lab_open(&bench->loop, &lab, &bench->lab), 0);
    while (!bench->opened)
        uv_run(&bench->loop, UV_RUN_ONCE);
    assert_int_equal(sl_probes_new(&bench->probes), 0);
    assert_int_equal(sl_describer_new(&bench->loop, bench->probes, bench->lab, &bench->describer),
                     0);
}

static void close_bench(struct bench *bench)
{
    sl_lab_close(bench->lab, on_closed, bench);
    while (bench->closed < 2) /* the describer is closed before */
        uv_run(&bench->loop, UV_RUN_ONCE);
    sl_store_close(bench->store, on_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    sl_probes_free(bench->probes);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

/* Its agent says `text`. */
static void ask(struct bench *bench, const char *name, const char *text)
{
    struct sl_device device = {.kind = SL_DEVICE_LOCAL};
    snprintf(device.agent.path, sizeof(device.agent.path), "%s/%s.sh", store_folder, name);
    snprintf(device.cpu, sizeof(device.cpu), "%s", name); /* so that each is asked for itself */
    FILE *script = fopen(device.agent.path, "w");
    assert_non_null(script);
    fprintf(script, "#!/bin/sh\ncat <<END\n%s\nEND\n", text);
    fclose(script);
    assert_int_equal(chmod(device.agent.path, 0700), 0);
    assert_int_equal(sl_lab_add_device(bench->lab, name, SL_DEVICE_LOCAL), 0);
    assert_int_equal(sl_describer_ask(bench->describer, name, &device), 0);
}

STORE_TEST(each_device_is_asked_and_one_that_answers_nonsense_holds_up_no_other)
{
    struct bench bench;
    const struct sl_device_record *devices;
    open_bench(&bench);
    ask(&bench, "a",
        "{\"isa\":[\"sme\",\"sme2\"],\"svl_bytes\":64,\"kernels\":[{\"needs\":\"sme2\"}]}");
    ask(&bench, "b", "nonsense");
    ask(&bench, "c", "{\"isa\":[],\"system\":{\"machine\":\"x86_64\"}}");
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 3);
    assert_int_equal(devices[0].sme2, SL_MAYBE_UNKNOWN);
    while (devices[2].sme2 == SL_MAYBE_UNKNOWN)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(devices[0].sme2, SL_MAYBE_YES);
    assert_int_equal(devices[0].svl_bits, 512);
    assert_int_equal(devices[1].sme2, SL_MAYBE_UNKNOWN);
    assert_int_equal(devices[2].sme2, SL_MAYBE_NO);
    assert_string_equal(devices[2].no_sme2, "its CPU is x86_64: SME2 belongs to Arm's");
    sl_describer_close(bench.describer, on_closed, &bench);
    assert_int_equal(bench.closed, 1);
    close_bench(&bench);
}

STORE_TEST(closing_ends_the_one_that_is_asked)
{
    struct bench bench;
    open_bench(&bench);
    uint64_t start = uv_hrtime();
    ask(&bench, "a", "END\nexec sleep 50\ncat <<END");
    sl_describer_close(bench.describer, on_closed, &bench);
    while (bench.closed < 1)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_true(uv_hrtime() - start < UINT64_C(20000000000));
    close_bench(&bench);
}

STORE_TEST(closing_waits_for_the_one_that_is_asked_and_tells_nothing_more)
{
    struct bench bench;
    const struct sl_device_record *devices;
    open_bench(&bench);
    ask(&bench, "a", "{\"isa\":[]}");
    ask(&bench, "b", "{\"isa\":[]}");
    sl_describer_close(bench.describer, on_closed, &bench);
    assert_int_equal(bench.closed, 0);
    while (bench.closed < 1)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_int_equal(sl_lab_devices(bench.lab, &devices), 2);
    assert_int_equal(devices[0].sme2, SL_MAYBE_UNKNOWN);
    close_bench(&bench);
}
