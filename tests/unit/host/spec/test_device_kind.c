/* tests/unit/host/spec/test_device_kind.c */
#include <stdint.h>

#include "host/records.h"
#include "host/spec/device_kind.h"
#include "tests/support/test.h"

TEST(every_name_leads_to_its_kind)
{
    for (int kind = SL_DEVICE_LOCAL; kind <= SL_DEVICE_ADB; kind++)
        assert_int_equal(sl_device_kind_find(sl_device_kind_name(kind)), kind);
    assert_string_equal(sl_device_kind_name(SL_DEVICE_COUNTED), "counted");
    assert_int_equal(sl_device_kind_find("unknown"), 0);
    assert_int_equal(sl_device_kind_find(""), 0);
}

TEST(a_number_that_no_kind_has_is_unknown)
{
    assert_string_equal(sl_device_kind_name(0), "unknown");
    assert_string_equal(sl_device_kind_name(-1), "unknown");
    assert_string_equal(sl_device_kind_name(1000), "unknown");
    assert_false(sl_device_kind_traits(1000).emulated);
}

TEST(times_of_an_emulated_cpu_mean_nothing_but_counts_do)
{
    assert_true(sl_device_traits_mean_something(sl_device_kind_traits(SL_DEVICE_LOCAL)));
    assert_false(sl_device_traits_mean_something(sl_device_kind_traits(SL_DEVICE_EMULATED)));
    assert_true(sl_device_traits_mean_something(sl_device_kind_traits(SL_DEVICE_COUNTED)));
    assert_true(sl_device_kind_traits(SL_DEVICE_TCP).needs_push);
    assert_true(sl_device_kind_is_phone(SL_DEVICE_ADB));
    assert_false(sl_device_kind_is_phone(SL_DEVICE_TCP));
}
