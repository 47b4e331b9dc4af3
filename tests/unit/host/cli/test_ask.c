/* tests/unit/host/cli/test_ask.c: which rows fit; the pages are tried on a daemon. */
#include "host/cli/ask.h"

#include <cjson/cJSON.h>

#include "tests/support/test.h"

static bool fits(const char *row, const char *filter)
{
    cJSON *object = cJSON_Parse(row);
    assert_non_null(object);
    bool yes = sl_ask_row_fits(object, filter);
    cJSON_Delete(object);
    return yes;
}

TEST(a_row_fits_by_a_part_of_one_of_its_texts)
{
    assert_true(fits("{\"model\":\"ResNet18\",\"device\":\"counted-512\"}", "resnet"));
    assert_true(fits("{\"model\":\"ResNet18\",\"device\":\"counted-512\"}", "-512"));
    assert_false(fits("{\"model\":\"ResNet18\",\"device\":null,\"id\":7}", "7"));
    assert_false(fits("{\"model\":\"a\"}", "aa"));
    assert_true(fits("{}", ""));
    assert_true(fits("{}", NULL));
    assert_false(fits("{}", "x"));
}
