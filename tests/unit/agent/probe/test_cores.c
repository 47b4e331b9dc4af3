/* tests/unit/agent/probe/test_cores.c */
#include "agent/probe/cores.h"

#include <stdint.h>

#include "agent/probe/device.h"
#include "tests/support/test.h"

#define TREE(name) SL_TEST_DATA "/probe/" name

static struct sl_probe_cores cores;

TEST(one_topology_id_still_gives_three_clusters)
{
    sl_device_read_cores(TREE("phone-3-clusters"), &cores);
    assert_int_equal(cores.count, 8);
    assert_int_equal(cores.cluster_count, 3);
    const size_t clusters[] = {0, 0, 0, 0, 1, 1, 1, 2};
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(cores.core[i].index, i);
        assert_int_equal(cores.core[i].cluster, clusters[i]);
        assert_true(cores.core[i].online);
    }
    assert_int_equal(cores.core[7].max_khz, 3730000);
    assert_int_equal(cores.core[7].capacity, 1024);
    assert_string_equal(sl_probe_core_name(cores.core[7].midr), "C1-Ultra");
    assert_string_equal(sl_probe_core_name(cores.core[0].midr), "C1-Nano");
}

TEST(each_makers_cores_have_their_names)
{
    static const struct {
        int64_t midr;
        const char *name;
    } cores_of[] = {
        {0x411fd8e0, "Neoverse-N3"},    {0x431f0af1, "ThunderX2"}, {0x460f0010, "A64FX"},
        {0x481fd010, "TaiShan-V110"},   {0x4e0f0040, "Carmel"},    {0x512f0011, "Oryon"},
        {0x51af8040, "Kryo-4XX-Gold"},  {0x531f0041, "Exynos-M5"}, {0x611f0221, "M1-Icestorm"},
        {0x611f0530, "M4-Performance"}, {0xc00fac30, "Ampere-1"},
    };
    for (size_t i = 0; i < sizeof(cores_of) / sizeof(cores_of[0]); i++) {
        const char *name = sl_probe_core_name(cores_of[i].midr);
        assert_non_null(name);
        assert_string_equal(name, cores_of[i].name);
    }
    assert_null(sl_probe_core_name(0x410f0010)); /* Oryon's number, of Arm */
    assert_null(sl_probe_core_name(0x510fd030)); /* and the other way round */
    assert_null(sl_probe_core_name(0x000f0510)); /* nobody's: an emulator's */
    assert_null(sl_probe_core_name(-1));
}

TEST(packages_stand_for_missing_cluster_ids)
{
    sl_device_read_cores(TREE("phone-2-clusters"), &cores);
    assert_int_equal(cores.count, 8);
    assert_int_equal(cores.cluster_count, 2);
    assert_int_equal(cores.core[5].cluster, 0);
    assert_int_equal(cores.core[6].cluster, 1);
    assert_false(cores.core[6].online);
    assert_true(cores.core[7].online);
    assert_int_equal(cores.core[0].midr, SL_PROBE_UNKNOWN);
    assert_null(sl_probe_core_name(cores.core[0].midr));
}

TEST(machine_without_cpufreq_is_one_cluster)
{
    sl_device_read_cores(TREE("vm-without-cpufreq"), &cores);
    assert_int_equal(cores.count, 4);
    assert_int_equal(cores.cluster_count, 1);
    assert_int_equal(cores.core[3].max_khz, SL_PROBE_UNKNOWN);
    assert_null(sl_probe_core_name(cores.core[3].midr)); /* another implementer */
}

TEST(holes_are_kept_and_folders_tell_what_lists_do_not)
{
    sl_device_read_cores(TREE("holes"), &cores);
    assert_int_equal(cores.count, 3);
    assert_int_equal(cores.core[1].index, 4);
    assert_int_equal(cores.core[2].index, 11);
    assert_false(cores.core[2].online);
    assert_int_equal(cores.cluster_count, 2);
    assert_int_equal(cores.core[2].cluster, 0); /* the slower one */
    assert_int_equal(cores.core[0].cluster, 1);
}

TEST(garbage_is_not_known)
{
    sl_device_read_cores(TREE("garbage"), &cores);
    assert_int_equal(cores.count, 1);
    assert_true(cores.core[0].online);
    assert_int_equal(cores.core[0].max_khz, SL_PROBE_UNKNOWN);
    assert_int_equal(cores.core[0].capacity, SL_PROBE_UNKNOWN);
    assert_int_equal(cores.core[0].midr, SL_PROBE_UNKNOWN);
    assert_int_equal(cores.core[0].cluster_id, SL_PROBE_UNKNOWN);
}

TEST(missing_tree_has_no_cores)
{
    sl_device_read_cores(TREE("nowhere"), &cores);
    assert_int_equal(cores.count, 0);
    assert_int_equal(cores.cluster_count, 0);
}
