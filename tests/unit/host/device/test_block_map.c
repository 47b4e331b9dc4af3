#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/device/block_map.h"

static void keys_are_found_after_growing(void **state)
{
    (void)state;
    struct sl_block_map map = {0};
    assert_int_equal(sl_block_map_get(&map, 7), UINT32_MAX);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(sl_block_map_set(&map, UINT64_C(0x7f0000000000) + 64 * i, i), 0);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(sl_block_map_get(&map, UINT64_C(0x7f0000000000) + 64 * i), i);
    assert_int_equal(sl_block_map_get(&map, 7), UINT32_MAX);
    sl_block_map_fini(&map);
}

static void a_key_set_again_has_its_new_block(void **state)
{
    (void)state;
    struct sl_block_map map = {0};
    assert_int_equal(sl_block_map_set(&map, 0, 1), 0);
    assert_int_equal(sl_block_map_set(&map, 0, 2), 0);
    assert_int_equal(sl_block_map_get(&map, 0), 2);
    assert_int_equal(map.used, 1);
    sl_block_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found_after_growing),
        cmocka_unit_test(a_key_set_again_has_its_new_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
