/* tests/unit/host/report/test_published.c: published timings beside estimates. */
#include "host/report/published.h"

#include <math.h>
#include <string.h>

#include "tests/support/test.h"

static struct sl_published found;

static bool find(const char *profile, const char *engine, uint64_t m, uint64_t n, uint64_t k)
{
    const struct sl_published_wish wish = {profile, "f32", engine, m, n, k};
    return sl_published_find(&wish, &found);
}

TEST(the_fastest_of_a_shape_is_found_in_nanoseconds)
{
    assert_true(find("apple-m4", "sme2", 64, 64, 64));
    assert_string_equal(found.code, "libxsmm"); /* KleidiAI 760, Accelerate 1006 */
    assert_true(fabs(found.ns - 2.0 * 64 * 64 * 64 / 1117) < 1e-9);
    assert_true(find("apple-m4", "neon", 8, 64, 64));
    assert_string_equal(found.code, "eigen");
    assert_true(fabs(found.ns - 2.0 * 8 * 64 * 64 / 86) < 1e-9);
}

TEST(what_nobody_published_is_not_found)
{
    found.ns = 7;
    assert_false(find("apple-m4", "sme2", 64, 64, 65));
    assert_false(find("apple-m4", "portable", 64, 64, 64));
    assert_false(find("arm-c1-ultra", "sme2", 64, 64, 64));
    assert_false(find(NULL, "sme2", 64, 64, 64));
    assert_true(found.ns == 7);
}
