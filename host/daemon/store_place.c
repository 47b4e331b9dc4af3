/* host/daemon/store_place.c */
#include "host/daemon/store_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "host/records.h"
#include "host/spec/paths.h"
#include "host/store/pq.h"

int sl_store_place(const char *wanted, const char *state, char out[SL_STORE_PLACE_BYTES],
                   struct sl_diag *diag)
{
    static const char file[] = "sqlite:";
    size_t len = wanted ? strlen(wanted) : 0;
    if (!wanted)
        return sl_path_join(out, SL_STORE_PLACE_BYTES, state, SL_STORE_FILE);
    sl_diag_hint(diag, "say sqlite:PATH or postgresql://USER@HOST/DATABASE");
    bool url = sl_pq_is_url(wanted);
    if (len >= SL_STORE_PLACE_BYTES ||
        (!url && (strncmp(wanted, file, sizeof(file) - 1) != 0 || !wanted[sizeof(file) - 1])))
        return sl_diag_set(diag, -EINVAL, "store", "this is no place of a store");
    snprintf(out, SL_STORE_PLACE_BYTES, "%s", url ? wanted : wanted + sizeof(file) - 1);
    sl_diag_hint(diag, "%s", "");
    return 0;
}
