/* tests/unit/host/rundir/test_noise_keep.c */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "host/rundir/noise_keep.h"

#include <math.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/tree_remove.h"
#include "host/spec/noise_file.h"
#include "host/spec/policy_file.h"
#include "tests/support/unit.h"

static const char fingerprint[] = "0123456789abcdef";
static char folder[32], path[SL_PATH_BYTES];
static double floor_kept;
static struct sl_diag diag;

/* A run directory whose manifest says this unit and fingerprint; the state lies in it too. */
static void begin(const char *unit, const char *probed)
{
    char name[64], manifest[512];
    diag = (struct sl_diag){.what = ""};
    floor_kept = 0;
    snprintf(folder, sizeof(folder), "/tmp/sl-noise-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof(name), "%s/manifest.json", folder);
    snprintf(
        manifest, sizeof(manifest),
        "{\"schema\":\"sme2lab.manifest/1\",\"experiment\":\"run\",\"time_unit\":\"%s\","
        "\"device\":{\"kind\":\"local\",\"emulated\":false,\"probe\":{\"fingerprint\":\"%s\"}}}",
        unit, probed);
    assert_int_equal(sl_buf_write_file(name, manifest, strlen(manifest)), 0);
}

static int keep(double off, double on, size_t pairs)
{
    const struct sl_noise_calibration found[] = {{.floor = off, .pairs = pairs},
                                                 {.on = true, .floor = on, .pairs = pairs}};
    return sl_noise_keep(folder, folder, found, 2, &floor_kept, path, &diag);
}

TEST(the_largest_floor_is_kept_and_found_again)
{
    begin("ns", fingerprint);
    assert_int_equal(keep(0.01, 0.02, 20), 0);
    assert_true(fabs(floor_kept - 0.02) < 1e-12);
    assert_true(fabs(sl_noise_file_find(folder, fingerprint, false) - 0.02) < 1e-12);
    assert_true(isnan(sl_noise_file_find("/dev/null", fingerprint, true)));
    sl_tree_remove(folder);
}

TEST(few_pairs_no_floor_and_a_wild_device_are_refused)
{
    begin("ns", fingerprint);
    assert_int_equal(keep(0.01, 0.02, 19), SL_E_UNSUPPORTED);
    assert_int_equal(keep(0, 0, 20), SL_E_NOT_FOUND);
    assert_int_equal(keep(0.01, 1e3, 20), SL_E_NOT_FOUND);
    assert_true(isnan(sl_noise_file_find(folder, fingerprint, false)));
    sl_tree_remove(folder);
}

TEST(counted_runs_and_unknown_devices_have_none)
{
    begin("instructions", fingerprint);
    assert_int_equal(keep(0.01, 0.02, 20), SL_E_UNSUPPORTED);
    sl_tree_remove(folder);
    begin("ns", "");
    assert_int_equal(keep(0.01, 0.02, 20), SL_E_NOT_FOUND);
    sl_tree_remove(folder);
}
