/* host/spec/scopes.c */
#include "host/spec/scopes.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"

static const char *const names[] = {"read",    "submit", "cancel-any",
                                    "devices", "admin",  "runner-code"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static uint32_t scope_of(const char *word, size_t len)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (strlen(names[i]) == len && memcmp(names[i], word, len) == 0)
            return UINT32_C(1) << i;
    }
    return 0;
}

int sl_scopes_read(const char *words, uint32_t *out)
{
    uint32_t scopes = 0;
    for (;;) {
        size_t len = strcspn(words, ",");
        uint32_t scope = scope_of(words, len);
        if (scope == 0)
            return SL_E_FORMAT;
        scopes |= scope;
        if (!words[len])
            break;
        words += len + 1;
    }
    *out = scopes;
    return 0;
}

const char *sl_scopes_words(uint32_t scopes, char out[SL_SCOPES_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < NAMES; i++) {
        if (scopes & (UINT32_C(1) << i))
            used += (size_t)snprintf(out + used, SL_SCOPES_BYTES - used, "%s%s", used ? "," : "",
                                     names[i]);
    }
    if (used == 0)
        snprintf(out, SL_SCOPES_BYTES, "none");
    return out;
}

uint32_t sl_scopes_of_role(int role)
{
    switch (role) {
    case SL_TOKEN_READ:
        return SL_SCOPE_READ;
    case SL_TOKEN_SUBMIT:
        return SL_SCOPE_READ | SL_SCOPE_SUBMIT;
    case SL_TOKEN_ADMIN:
        return SL_SCOPES_ALL & ~(uint32_t)SL_SCOPE_RUNNER_CODE;
    default:
        return 0;
    }
}
