/* tests/unit/host/spec/test_selector.c */
#include "host/spec/selector.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

static const struct sl_device_record devices[] = {
    {.name = "pixel",
     .kind = SL_DEVICE_ADB,
     .model = "Pixel 10",
     .soc = "Tensor G5",
     .system = "Android 16",
     .tags = "bench,usb3",
     .sme2 = SL_MAYBE_NO,
     .memory_bytes = UINT64_C(12) << 30},
    {.name = "vivo",
     .kind = SL_DEVICE_ADB,
     .model = "V2502A",
     .soc = "MT6993",
     .system = "Android 16",
     .tags = "bench",
     .sme2 = SL_MAYBE_YES,
     .svl_bits = 512,
     .memory_bytes = UINT64_C(16) << 30},
    {.name = "counted-256",
     .kind = SL_DEVICE_COUNTED,
     .system = "Linux 6.12",
     .sme2 = SL_MAYBE_YES,
     .svl_bits = 256,
     .memory_bytes = UINT64_C(3) << 30},
    {.name = "new", .kind = SL_DEVICE_ADB, .model = "Mystery"},
};
enum { DEVICES = sizeof(devices) / sizeof(devices[0]) };

/* 'y', 'n' or '?' for each device. */
static const char *fits(const char *text)
{
    static char out[DEVICES + 1];
    struct sl_selector selector;
    struct sl_diag diag = {0};
    if (sl_selector_read(text, &selector, &diag) < 0)
        fail_msg("%s: %s", text, diag.what);
    for (size_t i = 0; i < DEVICES; i++)
        out[i] = "?ny"[sl_selector_fits(&selector, &devices[i])];
    return out;
}

TEST(each_condition_is_compared_with_what_the_device_is)
{
    static const struct {
        const char *text, *fits;
    } cases[] = {
        {"", "yyyy"},
        {"vivo", "nynn"},
        {"name=vivo", "nynn"},
        {"Vivo", "nnnn"}, /* names are compared whole */
        {"viv", "nnnn"},
        {"sme2", "nyy?"},
        {"sme2=yes", "nyy?"},
        {"sme2=no", "ynn?"},
        {"kind=adb", "yyny"},
        {"tag=bench", "yynn"},
        {"tag=usb3", "ynnn"},
        {"tag=usb", "nnnn"},
        {"soc=tensor", "ynn?"},
        {"soc=MT6993", "nyn?"},
        {"model=mystery", "nnny"},
        {"system=android", "yyn?"},
        {"android=16", "yyn?"},
        {"android>=17", "nnn?"},
        {"android<17", "yyn?"},
        {"svl=256", "nny?"},
        {"svl>256", "nyn?"},
        {"svl>=256", "nyy?"},
        {"svl<512", "nny?"},
        {"svl<=512", "nyy?"},
        {"memory>=12g", "yyn?"},
        {"memory>12G", "nyn?"},
        {"memory<4096m", "nny?"},
        {"memory=17179869184", "nyn?"},
        {"memory>=99999999999t", "nnn?"},
        {"sme2,svl>=512,tag=bench", "nynn"},
        {"kind=adb,sme2", "nyn?"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *found = fits(cases[i].text);
        if (strcmp(found, cases[i].fits) != 0)
            fail_msg("%s: %s", cases[i].text, found);
    }
}

TEST(what_is_no_selector_is_refused_with_the_fix)
{
    char long_text[2 * SL_NAME_BYTES], long_name[SL_NAME_BYTES + 1];
    memset(long_name, 'x', SL_NAME_BYTES);
    long_name[SL_NAME_BYTES] = '\0';
    snprintf(long_text, sizeof(long_text), "tag=%s", long_name);
    const struct {
        const char *text, *what, *hint;
    } cases[] = {
        {"smee2,svl=512", "'smee2' is nothing that devices are chosen by", "did you mean sme2?"},
        {"colour=red", "'colour' is nothing", "conditions are of name"},
        {",", "'' is nothing", ""},
        {"sme2,", "'' is nothing", ""},
        {"tag>=a", "'tag>=a' is no condition", "such as tag=bench"},
        {"tag=", "'tag=' is no condition", ""},
        {"svl=512m", "'svl=512m' is no condition", "bits"},
        {"android=16m", "'android=16m' is no condition", "android>=15"},
        {"svl=", "'svl=' is no condition", ""},
        {"memory>=4x", "'memory>=4x' is no condition", "powers of 1024"},
        {"sme2=maybe", "'sme2=maybe' is no condition", "sme2=no"},
        {"kind=phone", "'kind=phone' is no condition", "kinds"},
        {"sme2,sme2,sme2,sme2,sme2,sme2,sme2,sme2,sme2", "more than 8 conditions", ""},
        {long_text, "longer than 63 bytes", ""},
        {long_name, "no longer than 63 bytes", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_selector selector;
        struct sl_diag diag = {0};
        if (sl_selector_read(cases[i].text, &selector, &diag) != SL_E_FORMAT ||
            !strstr(diag.what, cases[i].what) || !strstr(diag.hint, cases[i].hint))
            fail_msg("%s: %s; %s", cases[i].text, diag.what, diag.hint);
    }
}

TEST(one_that_no_device_meets_names_the_nearest_and_what_it_lacks)
{
    static const struct {
        const char *text, *what, *hint;
    } cases[] = {
        {"vivi", "There is no device named vivi", "did you mean vivo?"},
        {"galaxy", "There is no device named galaxy", "'sme2lab devices'"},
        {"sme2,tag=usb3", "No device is sme2,tag=usb3; the nearest, pixel, has no SME2", ""},
        {"svl>=1024,sme2,kind=counted", "the nearest, counted-256, has svl 256", ""},
        {"kind=adb,memory>=32g,tag=bench", "the nearest, pixel, has memory 12884901888", ""},
        {"kind=local", "the nearest, pixel, has kind adb", ""},
        {"soc=x,kind=counted", "the nearest, counted-256, has no soc that is known", ""},
        {"tag=none", "the nearest, pixel, has tag bench,usb3", ""},
    };
    struct sl_selector selector;
    struct sl_diag diag = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(sl_selector_read(cases[i].text, &selector, NULL), 0);
        if (sl_selector_find(&selector, cases[i].text, devices, DEVICES, &diag) != SL_E_NOT_FOUND ||
            !strstr(diag.what, cases[i].what) || !strstr(diag.hint, cases[i].hint))
            fail_msg("%s: %s; %s", cases[i].text, diag.what, diag.hint);
    }
    assert_int_equal(sl_selector_read("soc=x", &selector, NULL), 0); /* "new" might be it */
    assert_int_equal(sl_selector_find(&selector, "soc=x", devices, DEVICES, NULL), 0);
    assert_int_equal(sl_selector_find(&selector, "soc=x", devices, 0, &diag), SL_E_NOT_FOUND);
    assert_int_equal(sl_selector_read("", &selector, NULL), 0);
    assert_int_equal(sl_selector_find(&selector, "", devices, 0, &diag), 0); /* one may come */
}
