/* tests/unit/host/cli/test_task.c */
#include "host/cli/task.h"

#include <cjson/cJSON.h>

#include "tests/support/test.h"

static bool fits(const char *text, const struct sl_task_wish *wish)
{
    cJSON *device = cJSON_Parse(text);
    bool found = sl_task_fits(device, wish);
    assert_non_null(device);
    cJSON_Delete(device);
    return found;
}

#define COUNTED "{\"name\":\"one\",\"kind\":\"counted\",\"cpu\":\"max,sme256=on\"}"
#define ODD "{\"name\":\"odd\",\"kind\":\"counted\",\"cpu\":\"max,sve=off,sme512=on\"}"
#define LOCAL "{\"name\":\"here\",\"kind\":\"local\",\"cpu\":null}"

TEST(a_device_fits_by_its_name_or_by_kind_and_vectors)
{
    struct sl_task_wish wish = {.device = "one", .kind = SL_DEVICE_LOCAL, .svl = 512};
    assert_true(fits(COUNTED, &wish));
    assert_false(fits(LOCAL, &wish));
    wish.device = "counted";
    assert_false(fits(COUNTED, &wish));
    wish.svl = 256;
    assert_true(fits(COUNTED, &wish));
    wish.cpu = "max,sve=off,sme512=on";
    assert_false(fits(COUNTED, &wish));
    assert_true(fits(ODD, &wish));
    wish = (struct sl_task_wish){.kind = SL_DEVICE_LOCAL, .svl = 512};
    assert_true(fits(LOCAL, &wish));
    assert_false(fits("{\"name\":7}", &wish));
}

TEST(vectors_are_read_out_of_the_words_of_a_cpu)
{
    assert_int_equal(sl_task_svl_of("max,sme512=on"), 512);
    assert_int_equal(sl_task_svl_of("max,sve=off,sme2048=on,x=1"), 2048);
    assert_int_equal(sl_task_svl_of("max,sme=off"), 0);
    assert_int_equal(sl_task_svl_of("max,sme64=on"), 0);
    assert_int_equal(sl_task_svl_of("sme512"), 0);
    assert_int_equal(sl_task_svl_of(""), 0);
}

TEST(a_device_is_called_by_its_cpu_or_by_where_it_is)
{
    struct sl_task_device device = {.name = "pixel", .cpu = "max,sme512=on"};
    assert_string_equal(sl_task_device_words(&device), "max,sme512=on");
    device.cpu[0] = '\0';
    assert_string_equal(sl_task_device_words(&device), "this machine");
    device.traits.needs_push = true;
    assert_string_equal(sl_task_device_words(&device), "pixel");
}
