/* tests/unit/agent/probe/test_device.c: what the trees of Linux say; test_cores.c and test_probe.c
 * have the rest. */
#include "agent/probe/device.h"

#include "agent/probe/cores.h"
#include "tests/support/test.h"

#define TREE(name) SL_TEST_DATA "/probe/" name

TEST(soc_and_board_are_read_or_empty)
{
    struct sl_device_soc soc;
    sl_device_read_soc(TREE("vm-without-cpufreq"), &soc);
    assert_string_equal(soc.id, "i.MX8MP");
    assert_string_equal(soc.machine, "NXP board");
    assert_string_equal(soc.board, "Board of NXP");
    sl_device_read_soc(TREE("nowhere"), &soc);
    assert_string_equal(soc.id, "");
    assert_string_equal(soc.machine, "");
    assert_string_equal(soc.board, "");
}

TEST(cores_have_numbers_of_their_own_and_so_no_rank_or_kind)
{
    static struct sl_probe_cores cores;
    sl_device_read_cores(TREE("phone-3-clusters"), &cores);
    assert_int_equal(cores.count, 8);
    for (size_t i = 0; i < cores.count; i++) {
        assert_int_equal(cores.core[i].index, i);
        assert_int_equal(cores.core[i].rank, SL_PROBE_UNKNOWN);
        assert_string_equal(cores.core[i].kind, "");
        assert_true(cores.core[i].capacity > 0);
    }
}
