/* host/rundir/rounds_beside.c */
#include "host/rundir/rounds_beside.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/digest.h"
#include "host/rundir/armkit.h"
#include "host/rundir/rundir.h"
#include "host/rundir/trace_beside.h"

#define MAX_EXECUTIONS 1e7

bool sl_rounds_read(const struct cJSON *run, struct sl_rounds *out)
{
    const cJSON *round, *all = cJSON_GetObjectItemCaseSensitive(run, "rounds");
    double warmup = sl_rundir_number(run, "warmup", 0);
    struct sl_rounds rounds = {.together =
                                   cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(run, "together"))};
    if (!cJSON_IsArray(all) || !(warmup >= 0 && warmup <= MAX_EXECUTIONS))
        return false;
    rounds.warmup = (uint32_t)warmup;
    cJSON_ArrayForEach(round, all)
    {
        double executions = sl_rundir_number(round, "executions", 0);
        if (rounds.count == SL_ROUNDS_MAX || !(executions >= 1 && executions <= MAX_EXECUTIONS))
            return false;
        rounds.executions[rounds.count++] = (uint32_t)executions;
    }
    *out = rounds;
    return rounds.count > 0;
}

static bool find_in(const char *folder, struct sl_bytes file, struct sl_rounds *out)
{
    cJSON *import = NULL;
    const cJSON *run, *runs;
    char sha256[SL_SHA256_HEX_SIZE];
    bool found = false;
    if (sl_import_read(folder, &import) < 0)
        return false;
    sl_sha256_hex(file.data, file.size, sha256);
    runs = cJSON_GetObjectItemCaseSensitive(import, "runs");
    cJSON_ArrayForEach(run, runs)
    {
        const char *theirs = sl_rundir_text(run, "etdump_sha256");
        if (!found && theirs && strcmp(theirs, sha256) == 0)
            found = sl_rounds_read(run, out);
    }
    cJSON_Delete(import);
    return found;
}

bool sl_rounds_beside(const char *etdump_path, struct sl_bytes file, struct sl_rounds *out)
{
    struct sl_folders folders;
    return sl_folders_beside(etdump_path, &folders) &&
           (find_in(folders.own, file, out) || find_in(folders.above, file, out));
}
