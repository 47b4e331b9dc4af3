/* host/spec/paths.c */
#include "host/spec/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/path.h"

enum { MAX_SOCKET_NAME = 107 }; /* sun_path without its terminator */

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static int join(char out[SL_PATH_BYTES], const char *directory, const char *name,
                struct sl_diag *diag)
{
    int len = snprintf(out, SL_PATH_BYTES, "%s%s", directory, name);
    if (len >= 0 && len < SL_PATH_BYTES)
        return 0;
    sl_diag_hint(diag, "choose a shorter one by --state or $SME2LAB_STATE");
    return sl_diag_set(diag, SL_E_LIMIT, directory, "The path of the state directory is too long");
}

int sl_paths_state(char out[SL_PATH_BYTES], struct sl_diag *diag)
{
    const char *state = set_variable("SME2LAB_STATE"), *xdg = set_variable("XDG_STATE_HOME"),
               *home = set_variable("HOME");
    if (state)
        return join(out, state, "", diag);
    if (xdg && xdg[0] == '/') /* a relative one is to be ignored, says its specification */
        return join(out, xdg, "/sme2lab", diag);
    if (home)
        return join(out, home, "/.local/state/sme2lab", diag);
    sl_diag_hint(diag, "set SME2LAB_STATE to a directory");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "environment",
                       "There is no state directory: SME2LAB_STATE, XDG_STATE_HOME and HOME are "
                       "all unset");
}

int sl_paths_absolute(const char *path, char out[SL_PATH_BYTES], struct sl_diag *diag)
{
    char here[SL_PATH_BYTES];
    if (path[0] == '\0') {
        sl_diag_hint(diag, "name a directory by --state");
        return sl_diag_set(diag, SL_E_NOT_FOUND, NULL, "The state directory has no name");
    }
    if (path[0] == '/')
        return join(out, path, "", diag);
    if (!getcwd(here, sizeof(here) - 1))
        return sl_diag_set(diag, -errno, path, "The working directory is not known (%s)",
                           sl_strerror(-errno));
    size_t len = strlen(here);
    if (len > 1) /* "/" has its slash */
        memcpy(here + len, "/", 2);
    return join(out, here, path, diag);
}

int sl_paths_make(const char *path, struct sl_diag *diag)
{
    char part[SL_PATH_BYTES];
    size_t len = strlen(path);
    int rc = len < sizeof(part) ? 0 : -ENAMETOOLONG;
    for (size_t i = 1; rc == 0 && i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof(part), "%.*s", (int)i, path);
        rc = mkdir(part, 0700) < 0 && errno != EEXIST ? -errno : 0;
    }
    if (rc == 0)
        return 0;
    sl_diag_hint(diag, "set SME2LAB_STATE to a directory that can be written");
    return sl_diag_set(diag, rc, path, "The state directory cannot be made (%s)", sl_strerror(rc));
}

int sl_paths_state_folder(const char *name, char out[SL_PATH_BYTES], struct sl_diag *diag)
{
    char state[SL_PATH_BYTES];
    int rc = sl_paths_state(state, diag);
    if (rc < 0)
        return rc;
    rc = sl_path_join(out, SL_PATH_BYTES, state, "%s", name);
    return rc < 0 ? sl_diag_set(diag, rc, state, "The path of the folder is too long")
                  : sl_paths_make(out, diag);
}

int sl_paths_socket(const char *state, char out[SL_PATH_BYTES], struct sl_diag *diag)
{
    if (sl_path_join(out, MAX_SOCKET_NAME + 1, state, "sme2labd.sock") == 0)
        return 0;
    sl_diag_hint(diag, "choose a shorter state directory, or another socket: --listen unix:PATH "
                       "for sme2labd, --server unix:PATH for sme2lab");
    return sl_diag_set(diag, SL_E_LIMIT, state,
                       "A socket in the state directory would have a name of more than %d bytes",
                       MAX_SOCKET_NAME);
}
