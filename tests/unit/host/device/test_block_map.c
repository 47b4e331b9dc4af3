#include <stdint.h>

#include "tests/support/test.h"

#include "host/device/block_map.h"

TEST(keys_are_found_after_growing)
{
    struct sl_block_map map = {0};
    assert_int_equal(sl_block_map_get(&map, 7), UINT32_MAX);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(sl_block_map_set(&map, UINT64_C(0x7f0000000000) + 64 * i, i), 0);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(sl_block_map_get(&map, UINT64_C(0x7f0000000000) + 64 * i), i);
    assert_int_equal(sl_block_map_get(&map, 7), UINT32_MAX);
    sl_block_map_fini(&map);
}

TEST(a_key_set_again_has_its_new_block)
{
    struct sl_block_map map = {0};
    assert_int_equal(sl_block_map_set(&map, 0, 1), 0);
    assert_int_equal(sl_block_map_set(&map, 0, 2), 0);
    assert_int_equal(sl_block_map_get(&map, 0), 2);
    assert_int_equal(map.used, 1);
    sl_block_map_fini(&map);
}
