/* host/device/link_table.c: which operations a kind of device has. */
#include <assert.h>

#include "host/device/transport.h"
#include "host/spec/device_kind.h"

#define SL_DEVICE_KIND(kind, number, name, emulated, counted, pushed)                              \
    extern const struct sl_transport_ops sl_transport_##name;
#include "host/spec/device_kinds.inc"
#undef SL_DEVICE_KIND

const struct sl_transport_ops *sl_transport_of(int kind)
{
    static const struct sl_transport_ops *const all[] = {
#define SL_DEVICE_KIND(kind, number, name, emulated, counted, pushed)                              \
    [SL_DEVICE_##kind] = &sl_transport_##name,
#include "host/spec/device_kinds.inc"
#undef SL_DEVICE_KIND
    };
    assert(kind > 0 && (unsigned)kind < sizeof(all) / sizeof(all[0]));
    return all[kind];
}
