/* host/spec/scopes.h: what a token may do, as words: "read,submit". Roles are names of sets. */
#pragma once

#include <stdint.h>

enum {
    SL_SCOPE_READ = 1,
    SL_SCOPE_SUBMIT = 2,       /* jobs, and files for them; its own jobs it may cancel */
    SL_SCOPE_CANCEL_ANY = 4,   /* anybody's jobs */
    SL_SCOPE_DEVICES = 8,      /* quarantine, release and the like */
    SL_SCOPE_ADMIN = 16,       /* tokens, removing runs, mending the store, who did what */
    SL_SCOPE_RUNNER_CODE = 32, /* jobs that bring programs of their own */
    SL_SCOPES_ALL = 63,
    SL_SCOPE_HOST = 64,   /* files, for another host of the store: no token's */
    SL_SCOPES_BYTES = 64, /* for all of their words */
};

/* Names of sets of scopes, each with what those before it have. */
enum sl_token_role { SL_TOKEN_READ = 1, SL_TOKEN_SUBMIT = 2, SL_TOKEN_ADMIN = 3 };

/* Words with commas, in any order, each a scope: 0, or SL_E_FORMAT for one that is none and for no
 * word at all. */
int sl_scopes_read(const char *words, uint32_t *out);

/* The scopes as words, in their order; "none" where there is none. Returns `out`. */
const char *sl_scopes_words(uint32_t scopes, char out[SL_SCOPES_BYTES]);

/* The scopes of an enum sl_token_role. Each role has what those before it have; none has
 * runner-code. 0 for no role. */
uint32_t sl_scopes_of_role(int role);
