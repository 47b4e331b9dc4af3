/* tests/support/qs8_case.c */
#include "tests/support/qs8_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

int8_t *sl_case_bytes(uint32_t *seed, size_t count)
{
    int8_t *data = sl_guarded_new(count, 1);
    for (size_t i = 0; i < count; i++) {
        int value = (int)sl_case_pick(seed, 0, 319) - 160;
        data[i] = (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
    }
    return data;
}

int8_t *sl_case_same_bytes(size_t count, int8_t value)
{
    int8_t *data = sl_guarded_new(count, 1);
    memset(data, value, count);
    return data;
}

struct sl_qs8_case sl_qs8_case_new(uint32_t *seed, size_t n, size_t k)
{
    struct sl_qs8_case layer = {.scale = sl_guarded_new(n * sizeof(float), sizeof(float))};
    size_t kind = sl_case_pick(seed, 0, 3);
    float spread = 0.01f / sqrtf((float)k + 1);
    if (sl_case_pick(seed, 0, 2) > 0) {
        layer.bias = sl_guarded_new(n * sizeof(int32_t), sizeof(int32_t));
        for (size_t c = 0; c < n; c++)
            layer.bias[c] = (int32_t)sl_case_pick(seed, 0, 20000) - 10000;
    }
    for (size_t c = 0; c < n; c++) {
        layer.scale[c] = spread * (0.5f + (float)sl_case_pick(seed, 0, 1000) / 1000);
        if (sl_case_pick(seed, 0, 15) == 0)
            layer.scale[c] = 255.0f;
    }
    layer.requant = (struct sl_requant){layer.bias, layer.scale,
                                        (int8_t)((int)sl_case_pick(seed, 0, 255) - 128)};
    layer.out.zero = (int8_t)(kind == 0   ? -128
                              : kind == 1 ? 127
                                          : (int)sl_case_pick(seed, 0, 40) - 20);
    layer.out.min = kind == 2 ? layer.out.zero : -128;
    layer.out.max = kind == 3 ? 100 : 127;
    return layer;
}

void sl_qs8_case_free(struct sl_qs8_case *layer)
{
    sl_guarded_free(layer->bias);
    sl_guarded_free(layer->scale);
}

int8_t sl_qs8_case_value(const struct sl_qs8_case *layer, size_t c, int64_t sum)
{
    sum += layer->bias ? layer->bias[c] : 0;
    float acc = (float)sum;
    float product = (float)((double)acc * (double)layer->scale[c]);
    double y = nearbyint((double)product) + layer->out.zero;
    return (int8_t)sl_case_clamp(y, layer->out.min, layer->out.max);
}

void sl_qs8_case_equal(const char *kernel, const char *shape, const int8_t *got, const int8_t *want,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (got[i] != want[i])
            fail_msg("%s %s: byte %zu is %d, not %d", kernel, shape, i, got[i], want[i]);
}

size_t sl_qs8_case_sizes(size_t *out)
{
    size_t vl = sl_isa_svl_bytes() / 4, count = 0;
    vl = vl ? vl : 4;
    const size_t sizes[] = {1, vl - 1, vl, vl + 1, 2 * vl - 1, 2 * vl, 2 * vl + 1, 4 * vl + 3};
    for (; count < sizeof(sizes) / sizeof(sizes[0]); count++)
        out[count] = sizes[count];
    return count;
}
