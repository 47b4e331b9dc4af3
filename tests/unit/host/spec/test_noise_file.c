/* tests/unit/host/spec/test_noise_file.c */
#include "host/spec/noise_file.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "host/records.h"
#include "tests/support/unit.h"

static double parse(const char *text)
{
    return sl_noise_file_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)});
}

TEST(a_floor_is_read_and_anything_else_is_none)
{
    static const char *const none[] = {
        "",
        "{",
        "[0.01]",
        "{\"noise_floor\": 0.01}",
        "{\"schema\": \"sme2lab.noise/2\", \"noise_floor\": 0.01}",
        "{\"schema\": \"sme2lab.noise/1\"}",
        "{\"schema\": \"sme2lab.noise/1\", \"noise_floor\": 0}",
        "{\"schema\": \"sme2lab.noise/1\", \"noise_floor\": -1}",
        "{\"schema\": \"sme2lab.noise/1\", \"noise_floor\": 1e300}",
        "{\"schema\": \"sme2lab.noise/1\", \"noise_floor\": \"0.01\"}",
    };
    assert_true(parse("{\"schema\": \"sme2lab.noise/1\", \"noise_floor\": 0.01}") == 0.01);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_true(isnan(parse(none[i])));
}

TEST(a_devices_floor_is_found_by_its_fingerprint_and_kind)
{
    static const char text[] = "{\"schema\": \"sme2lab.noise/1\", \"noise_floor\": 0.02}";
    char folder[] = "/tmp/sme2lab-noise-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("SME2LAB_STATE", "/nowhere", 1), 0);
    snprintf(path, sizeof(path), "%s/devices", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/devices/0123456789abcdef", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/devices/0123456789abcdef/noise.json", folder);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
    assert_true(sl_noise_file_find(folder, "0123456789abcdef", false) == 0.02);
    assert_true(isnan(sl_noise_file_find(folder, "0123456789abcdef", true)));
    assert_true(isnan(sl_noise_file_find(folder, "../../../../etc/x", false)));
    assert_true(isnan(sl_noise_file_find(folder, NULL, false)));
    unlink(path);
    static const char *const parts[] = {"/devices/0123456789abcdef", "/devices", ""};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s%s", folder, parts[i]);
        rmdir(path);
    }
}
