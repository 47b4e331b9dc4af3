/* host/device/adb/key.h: the RSA keys by which phones know this machine, those of adb itself:
 * $HOME/.android/adbkey, made where there is none, then what ADB_VENDOR_KEYS names.
 *
 * Each call reads the files, and may take a while where one is made: not for the loop's thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct evp_pkey_st; /* OpenSSL's EVP_PKEY */
struct sl_diag;

enum {
    SL_ADB_TOKEN_BYTES = 20,
    SL_ADB_SIGNATURE_BYTES = 256,
    SL_ADB_KEY_BYTES = 524,
    SL_ADB_KEY_TEXT_BYTES = 1024, /* the public half as base64, and whose it is */
    SL_ADB_MAX_KEYS = 32,
};

/* The key of that number; the caller ends it with EVP_PKEY_free(). SL_E_NOT_FOUND: there are fewer;
 * -errno, SL_E_FORMAT: the file is none. */
int sl_adb_key_load(size_t number, struct evp_pkey_st **out, struct sl_diag *diag);

/* Signs with the key of that number. The same. */
int sl_adb_key_sign(size_t number, const uint8_t token[SL_ADB_TOKEN_BYTES],
                    uint8_t out[SL_ADB_SIGNATURE_BYTES], struct sl_diag *diag);

/* The public half of the first key, as adbkey.pub has it and a device stores it. The same. */
int sl_adb_key_public(char out[SL_ADB_KEY_TEXT_BYTES], struct sl_diag *diag);
