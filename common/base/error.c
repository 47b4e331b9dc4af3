/* common/base/error.c */
#include "common/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *own_words(int code)
{
    switch (code) {
    case SL_E_FORMAT:
        return "bytes do not follow their format";
    case SL_E_TRUNCATED:
        return "bytes end too early";
    case SL_E_LIMIT:
        return "larger than the limit";
    case SL_E_FULL:
        return "no room left";
    case SL_E_UNSUPPORTED:
        return "not supported";
    case SL_E_NOT_FOUND:
        return "not found";
    case SL_E_MISMATCH:
        return "parts do not agree";
    case SL_E_STATE:
        return "not possible in this state";
    case SL_E_CRASHED:
        return "the measured process failed";
    case SL_E_TIMEOUT:
        return "time ran out";
    case SL_E_LOGGED:
        return "failed as the log says";
    default:
        return NULL;
    }
}

const char *sl_strerror(int code)
{
    const char *words = own_words(code);
    if (words)
        return words;
    return code == 0 ? "success" : strerror(-code);
}

int sl_diag_set(struct sl_diag *diag, int code, const char *where, const char *what, ...)
{
    if (!diag)
        return code;
    va_list args;
    va_start(args, what);
    vsnprintf(diag->what, sizeof(diag->what), what, args);
    va_end(args);
    if (where)
        snprintf(diag->where, sizeof(diag->where), "%s", where);
    return code;
}

void sl_diag_hint(struct sl_diag *diag, const char *hint, ...)
{
    if (!diag)
        return;
    va_list args;
    va_start(args, hint);
    vsnprintf(diag->hint, sizeof(diag->hint), hint, args);
    va_end(args);
}
