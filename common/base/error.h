/* common/base/error.h: our own error codes and the words for any code. */
#pragma once

#include <stddef.h>

/* Functions return 0 or a count on success and a negative code on failure: a system's -errno, or
 * one of these, which lie below every errno. */
enum sl_error {
    SL_E_FORMAT = -20001,      /* bytes are not what their format says */
    SL_E_TRUNCATED = -20002,   /* bytes end before their format does */
    SL_E_LIMIT = -20003,       /* larger than a limit of ours */
    SL_E_FULL = -20004,        /* a bounded buffer has no room */
    SL_E_UNSUPPORTED = -20005, /* valid, but not a thing we do */
    SL_E_NOT_FOUND = -20006,   /* no such name */
    SL_E_MISMATCH = -20007,    /* two things that must agree do not */
    SL_E_STATE = -20008,       /* not now: the object is in another state */
    SL_E_CRASHED = -20009,     /* the measured process ended by a signal or a failure code */
    SL_E_TIMEOUT = -20010,     /* a limit of time passed */
    SL_E_LOGGED = -20011,      /* the log says why: nothing is left to say */
};

/* One failure in words: what went wrong, where, and what to do. Filled by the function that found
 * it, printed by whoever gives up. Strings are always terminated; a longer text is cut. */
struct sl_diag {
    char what[256];  /* a sentence without its full stop */
    char where[192]; /* a file with a byte offset, a line, a JSON pointer, an operator */
    char hint[192];  /* how to put it right; may be empty */
};

/* The words for any code: ours, or the system's. Never NULL; static storage. */
const char *sl_strerror(int code);

/* Sets the parts of `diag` (which may be NULL) by printf formats and returns `code`, so that a
 * finder can write `return sl_diag_set(diag, SL_E_FORMAT, ...)`. `where` may be NULL: it is then
 * left as it is. */
__attribute__((format(printf, 4, 5))) int sl_diag_set(struct sl_diag *diag, int code,
                                                      const char *where, const char *what, ...);

/* Sets the hint. `diag` may be NULL. */
__attribute__((format(printf, 2, 3))) void sl_diag_hint(struct sl_diag *diag, const char *hint,
                                                        ...);
