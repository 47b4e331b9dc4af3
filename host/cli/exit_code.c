/* host/cli/exit_code.c */
#include "host/cli/exit_code.h"

#include <errno.h>

#include "common/base/error.h"

const char *sl_exit_name(int exit_code)
{
    switch (exit_code) {
    case SL_EXIT_DONE:
        return "done";
    case SL_EXIT_FAILED:
        return "failed";
    case SL_EXIT_USAGE:
        return "usage";
    case SL_EXIT_REGRESSION:
        return "regression";
    case SL_EXIT_INCONCLUSIVE:
        return "inconclusive";
    case SL_EXIT_LAB:
        return "lab";
    case SL_EXIT_INTERRUPTED:
        return "interrupted";
    case SL_EXIT_TERMINATED:
        return "terminated";
    default:
        return "defect";
    }
}

bool sl_exit_blames_model(int exit_code)
{
    return exit_code == SL_EXIT_FAILED || exit_code == SL_EXIT_USAGE;
}

int sl_exit_for_error(int rc)
{
    switch (rc) {
    case 0:
        return SL_EXIT_DONE;
    case SL_E_CRASHED:
    case SL_E_TIMEOUT:
        return SL_EXIT_FAILED;
    case SL_E_FORMAT:
    case SL_E_TRUNCATED:
    case SL_E_LIMIT:
    case SL_E_UNSUPPORTED:
    case SL_E_NOT_FOUND:
    case SL_E_MISMATCH:
    case -ENOENT:
    case -EACCES:
    case -EISDIR:
    case -ENOTDIR:
    case -EEXIST:
    case -ENAMETOOLONG:
    case -ELOOP:
    case -EROFS:
        return SL_EXIT_USAGE;
    case -EINTR:
        return SL_EXIT_INTERRUPTED;
    case -ENOMEM:
    case -ENOSPC:
    case -EIO:
    case -EMFILE:
    case -EAGAIN:
    case -EPERM: /* the daemon's 401 and 403 */
    case -ECONNREFUSED:
    case -ENODEV:
    case -EPROTO:
    case -ETIMEDOUT:
        return SL_EXIT_LAB;
    default:
        return SL_EXIT_DEFECT;
    }
}
