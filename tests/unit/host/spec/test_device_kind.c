/* tests/unit/host/spec/test_device_kind.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/records.h"
#include "host/spec/device_kind.h"

static void every_name_leads_to_its_kind(void **state)
{
    (void)state;
    for (int kind = SL_DEVICE_LOCAL; kind <= SL_DEVICE_COUNTED; kind++)
        assert_int_equal(sl_device_kind_find(sl_device_kind_name(kind)), kind);
    assert_string_equal(sl_device_kind_name(SL_DEVICE_COUNTED), "counted");
    assert_int_equal(sl_device_kind_find("unknown"), 0);
    assert_int_equal(sl_device_kind_find(""), 0);
}

static void a_number_that_no_kind_has_is_unknown(void **state)
{
    (void)state;
    assert_string_equal(sl_device_kind_name(0), "unknown");
    assert_string_equal(sl_device_kind_name(-1), "unknown");
    assert_string_equal(sl_device_kind_name(1000), "unknown");
    assert_false(sl_device_kind_traits(1000).emulated);
}

static void times_of_an_emulated_cpu_mean_nothing_but_counts_do(void **state)
{
    (void)state;
    assert_true(sl_device_traits_mean_something(sl_device_kind_traits(SL_DEVICE_LOCAL)));
    assert_false(sl_device_traits_mean_something(sl_device_kind_traits(SL_DEVICE_EMULATED)));
    assert_true(sl_device_traits_mean_something(sl_device_kind_traits(SL_DEVICE_COUNTED)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_leads_to_its_kind),
        cmocka_unit_test(a_number_that_no_kind_has_is_unknown),
        cmocka_unit_test(times_of_an_emulated_cpu_mean_nothing_but_counts_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
