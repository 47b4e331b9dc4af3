/* host/http/auth.c */
#include "host/http/auth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <sodium.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"

enum { SECRET_BYTES = 32, HALF_DIGEST = (SL_DIGEST_BYTES - 1) / 2 };

int sl_auth_set(struct sl_auth *auth, const struct sl_token_record *tokens, size_t count)
{
    struct sl_token_record *copy = NULL;
    if (count > SL_AUTH_MAX_TOKENS)
        return SL_E_LIMIT;
    if (count > 0) {
        copy = sl_malloc(count, sizeof(*copy));
        if (!copy)
            return -ENOMEM;
        memcpy(copy, tokens, count * sizeof(*copy));
        for (size_t i = 0; i < count; i++) {
            if (!copy[i].scopes[0]) /* of an earlier version */
                sl_scopes_words(sl_scopes_of_role(copy[i].role), copy[i].scopes);
        }
    }
    sl_free(auth->tokens);
    *auth = (struct sl_auth){.tokens = copy, .count = count, .loaded = true};
    return 0;
}

void sl_auth_fini(struct sl_auth *auth)
{
    sl_free(auth->tokens);
    *auth = (struct sl_auth){0};
}

/* Both are 64 hexadecimal digits; sl_mac_equal() takes 32 bytes. */
static bool same_digest(const char *a, const char *b)
{
    int low = sl_mac_equal((const uint8_t *)a, (const uint8_t *)b);
    int high = sl_mac_equal((const uint8_t *)a + HALF_DIGEST, (const uint8_t *)b + HALF_DIGEST);
    return (low & high) != 0;
}

/* The password of a browser's user, to `out`. false: there is none that could be a token. */
static bool read_basic(const char *credentials, char out[SL_AUTH_TOKEN_BYTES])
{
    char text[SL_NAME_BYTES + SL_AUTH_TOKEN_BYTES];
    size_t len = 0;
    if (sodium_base642bin((unsigned char *)text, sizeof(text) - 1, credentials, strlen(credentials),
                          NULL, &len, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    text[len] = '\0';
    const char *colon = strchr(text, ':');
    if (!colon || strlen(text) != len || strlen(colon + 1) >= SL_AUTH_TOKEN_BYTES)
        return false;
    snprintf(out, SL_AUTH_TOKEN_BYTES, "%s", colon + 1);
    return true;
}

static const char *skip_scheme(const char *authorization, const char *scheme)
{
    size_t len = strlen(scheme);
    if (strncasecmp(authorization, scheme, len) != 0)
        return NULL;
    return authorization + len + strspn(authorization + len, " ");
}

const struct sl_token_record *sl_auth_find(const struct sl_auth *auth, const char *authorization,
                                           bool basic, uint64_t now_ms)
{
    char digest[SL_DIGEST_BYTES], password[SL_AUTH_TOKEN_BYTES];
    const struct sl_token_record *found = NULL;
    const char *token = skip_scheme(authorization, "bearer ");
    const char *credentials = basic && !token ? skip_scheme(authorization, "basic ") : NULL;
    if (credentials && read_basic(credentials, password))
        token = password;
    if (!token)
        return NULL;
    sl_sha256_hex(token, strlen(token), digest);
    for (size_t i = 0; i < auth->count; i++) {
        const struct sl_token_record *known = &auth->tokens[i];
        bool valid = known->expires_ms == 0 || known->expires_ms > now_ms;
        if (same_digest(digest, known->sha256) && valid)
            found = known;
    }
    return found;
}

bool sl_auth_is(const char *authorization, const char *sha256)
{
    char digest[SL_DIGEST_BYTES];
    const char *token = skip_scheme(authorization, "bearer ");
    if (!token || strlen(sha256) != SL_DIGEST_BYTES - 1)
        return false;
    sl_sha256_hex(token, strlen(token), digest);
    return same_digest(digest, sha256);
}

uint32_t sl_auth_scopes(const struct sl_token_record *token)
{
    uint32_t scopes = 0;
    return sl_scopes_read(token->scopes, &scopes) == 0 ? scopes : 0;
}

void sl_auth_make(char out_token[SL_AUTH_TOKEN_BYTES], char out_sha256[SL_DIGEST_BYTES])
{
    uint8_t secret[SECRET_BYTES];
    sl_random_bytes(secret, sizeof(secret));
    size_t at = (size_t)snprintf(out_token, SL_AUTH_TOKEN_BYTES, "sl_");
    for (size_t i = 0; i < sizeof(secret); i++)
        at += (size_t)snprintf(out_token + at, SL_AUTH_TOKEN_BYTES - at, "%02x", secret[i]);
    sl_sha256_hex(out_token, at, out_sha256);
}
