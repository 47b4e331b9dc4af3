/* tests/fuzz/fuzz_categories.c: any bytes as a file of category rules. */
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "host/report/categories_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_categories categories;
    struct sl_diag diag = {.what = ""};
    struct sl_bytes json = {data, size};
    if (sl_categories_parse(json, "fuzz.json", &categories, &diag) < 0)
        return 0;
    sl_rules_classify(&categories.rules, (const char *)data, size, NULL);
    sl_rules_is_framework(&categories.rules, (const char *)data, size);
    sl_categories_fini(&categories);
    return 0;
}
