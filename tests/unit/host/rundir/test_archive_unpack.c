/* tests/unit/host/rundir/test_archive_unpack.c: archives that lie; integration/move_runs has more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/rundir/archive.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

static char file[128], into[128];
static struct sl_diag diag;

/* An archive by the tar of the system, of what `make` puts into the folder. */
static int unpack(const char *make, const char *entries)
{
    char command[1024];
    struct sl_archive archive = {.runs = NULL};
    diag = (struct sl_diag){.what = ""};
    snprintf(file, sizeof(file), "%s/a.tar.zst", store_folder);
    snprintf(into, sizeof(into), "%s/into", store_folder);
    snprintf(command, sizeof(command),
             "cd %s && rm -rf into run && mkdir -p into run && %s && tar --zstd -cf a.tar.zst %s",
             store_folder, make, entries);
    assert_int_equal(system(command), 0);
    int rc = sl_archive_unpack(file, into, &archive, &diag);
    assert_true(rc == 0 || diag.what[0]);
    sl_archive_fini(&archive);
    return rc;
}

#define LIST_OF(bytes)                                                                             \
    "printf '{\"schema\":\"sme2lab.export/1\",\"runs\":[{\"name\":\"run\",\"run\":0,\"files\":["   \
    "{\"path\":\"a\",\"bytes\":" bytes ",\"sha256\":"                                              \
    "\"8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8\"}]}]}' "                  \
    ">" SL_ARCHIVE_LIST
#define LIST LIST_OF("5")
#define ENTRIES SL_ARCHIVE_LIST " run/a"

STORE_TEST(files_of_the_list_are_unpacked)
{
    char path[160];
    assert_int_equal(unpack(LIST " && printf alpha >run/a", ENTRIES), 0);
    snprintf(path, sizeof(path), "%s/run/a", into);
    assert_int_equal(access(path, R_OK), 0);
}

STORE_TEST(others_are_refused)
{
    assert_int_equal(unpack(LIST " && printf ALPHA >run/a", ENTRIES), SL_E_MISMATCH);
    assert_int_equal(unpack(LIST " && printf alphas >run/a", ENTRIES), SL_E_FORMAT);
    assert_int_equal(unpack(LIST " && ln -s /etc/passwd run/a", ENTRIES), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "run/a is a link"));
    assert_int_equal(unpack(LIST " && mkdir run/a", ENTRIES), SL_E_FORMAT);
    assert_int_equal(unpack(LIST, SL_ARCHIVE_LIST), SL_E_TRUNCATED);
    assert_int_equal(unpack(LIST " && printf alpha >run/a && : >b", ENTRIES " b"), SL_E_FORMAT);
    assert_int_equal(unpack("printf alpha >run/a", "run/a"), SL_E_FORMAT);
}

/* A small file may unpack to more than any disk has. */
STORE_TEST(what_has_no_room_is_not_begun)
{
    char path[160];
    assert_int_equal(unpack(LIST_OF("4503599627370496") " && printf alpha >run/a", ENTRIES),
                     -ENOSPC);
    assert_non_null(strstr(diag.what, "4294967296 MiB"));
    snprintf(path, sizeof(path), "%s/run", into);
    assert_int_not_equal(access(path, F_OK), 0);
}
