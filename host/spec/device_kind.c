/* host/spec/device_kind.c */
#include "host/spec/device_kind.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    struct sl_device_traits traits;
} kinds[] = {
#define SL_DEVICE_KIND(kind, number, name, emulated, counted, pushed)                              \
    [SL_DEVICE_##kind] = {#name, {emulated, counted, pushed}},
#include "host/spec/device_kinds.inc"
#undef SL_DEVICE_KIND
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const char *sl_device_kind_name(int kind)
{
    return kind > 0 && kind < KINDS ? kinds[kind].name : "unknown";
}

bool sl_device_kind_is_machine(int kind)
{
    return kind == SL_DEVICE_LOCAL;
}

bool sl_device_kind_is_phone(int kind)
{
    return kind == SL_DEVICE_ADB;
}

int sl_device_kind_find(const char *name)
{
    for (int kind = 1; kind < KINDS; kind++) {
        if (strcmp(kinds[kind].name, name) == 0)
            return kind;
    }
    return 0;
}

struct sl_device_traits sl_device_kind_traits(int kind)
{
    return kind > 0 && kind < KINDS ? kinds[kind].traits : (struct sl_device_traits){0};
}

bool sl_device_traits_mean_something(struct sl_device_traits traits)
{
    return traits.counted || !traits.emulated;
}
