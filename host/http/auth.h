/* host/http/auth.h: who may do what: bearer tokens, kept as SHA-256 only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

enum { SL_AUTH_MAX_TOKENS = 1024, SL_AUTH_TOKEN_BYTES = 72 };

struct sl_auth {
    struct sl_token_record *tokens; /* owned */
    size_t count;
    bool loaded; /* false until the store has answered: nobody is let in */
};

/* Replaces what is known by copies, those of roles with their scopes in words: 0, SL_E_LIMIT or
 * -ENOMEM (the old ones stay). */
int sl_auth_set(struct sl_auth *auth, const struct sl_token_record *tokens, size_t count);
void sl_auth_fini(struct sl_auth *auth);

/* The token in the value of an Authorization header; NULL: none that is known and has not expired.
 * `basic`: a browser's "Basic" counts too, with the token as its password (RFC 7617). Browsers send
 * that by themselves, on the way to us from foreign pages too: for what only reads. Compares with
 * every token in constant time. Borrowed until sl_auth_set(). */
const struct sl_token_record *sl_auth_find(const struct sl_auth *auth, const char *authorization,
                                           bool basic, uint64_t now_ms);
/* Is the token in the value of an Authorization header the one with that SHA-256 ("": none is)? In
 * constant time. */
bool sl_auth_is(const char *authorization, const char *sha256);
/* SL_SCOPE_ bits of a token that is known here. */
uint32_t sl_auth_scopes(const struct sl_token_record *token);

/* A fresh token and what is kept of it. */
void sl_auth_make(char out_token[SL_AUTH_TOKEN_BYTES], char out_sha256[SL_DIGEST_BYTES]);
