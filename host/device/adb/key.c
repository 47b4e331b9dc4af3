/* host/device/adb/key.c */
#define _GNU_SOURCE /* mkostemp() */
#include "host/device/adb/key.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "common/base/error.h"
#include "common/base/path.h"

enum { PATH_BYTES = 1024, MODULUS_BYTES = 256, KEY_BITS = 2048 };

/* --- which files --- */

static int own_path(char out[PATH_BYTES], struct sl_diag *diag)
{
    const char *home = getenv("HOME");
    if (home && *home && sl_path_join(out, PATH_BYTES - 32, home, ".android/adbkey") == 0)
        return 0;
    sl_diag_hint(diag, "set HOME to the folder that has .android/adbkey");
    return sl_diag_set(diag, -ENOENT, "HOME", "It is not known where adb's key is");
}

/* One of a file's or a folder's keys: how many it has, or the path of the one of that number. */
static size_t keys_at(const char *place, size_t number, char out[PATH_BYTES])
{
    char pattern[PATH_BYTES];
    struct stat info;
    glob_t found = {0};
    size_t count = 0;
    if (stat(place, &info) < 0)
        return 0;
    if (!S_ISDIR(info.st_mode)) {
        snprintf(out, PATH_BYTES, "%s", place);
        return 1;
    }
    sl_path_join(pattern, sizeof(pattern), place, "*.adb_key");
    if (glob(pattern, 0, NULL, &found) == 0) {
        count = found.gl_pathc;
        if (number < count)
            snprintf(out, PATH_BYTES, "%s", found.gl_pathv[number]);
        globfree(&found);
    }
    return count;
}

static int path_of(size_t number, char out[PATH_BYTES], struct sl_diag *diag)
{
    const char *list = getenv("ADB_VENDOR_KEYS");
    char place[PATH_BYTES];
    if (number == 0)
        return own_path(out, diag);
    number--;
    while (list && *list && number < SL_ADB_MAX_KEYS) {
        size_t len = strcspn(list, ":");
        snprintf(place, sizeof(place), "%.*s", len < PATH_BYTES ? (int)len : 0, list);
        size_t count = keys_at(place, number, out);
        if (number < count)
            return 0;
        number -= count;
        list += len + (list[len] == ':');
    }
    return SL_E_NOT_FOUND;
}

/* --- one key --- */

static int write_public(const char *path, EVP_PKEY *key);

/* Under a name of its own first: whoever else makes one at this moment, one of them stays. */
static int make(const char *path, struct sl_diag *diag)
{
    char folder[PATH_BYTES], temporary[PATH_BYTES];
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
    EVP_PKEY *key = EVP_RSA_gen(KEY_BITS);
    int rc = key ? 0 : -ENOMEM;
    if (rc == 0 && mkdir(folder, 0750) < 0 && errno != EEXIST)
        rc = -errno;
    int fd = rc == 0 ? mkostemp(temporary, O_CLOEXEC) : -1; /* only its owner may read it */
    if (rc == 0 && fd < 0)
        rc = -errno;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = file && PEM_write_PKCS8PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1;
    if (file)
        written = fclose(file) == 0 && written;
    else if (fd >= 0)
        close(fd);
    if (rc == 0 && !written)
        rc = -EIO;
    if (rc == 0 && link(temporary, path) < 0)
        rc = errno == EEXIST ? 0 : -errno;
    else if (rc == 0)
        rc = write_public(path, key);
    if (fd >= 0)
        unlink(temporary);
    EVP_PKEY_free(key);
    return rc < 0 ? sl_diag_set(diag, rc, path, "adb's key cannot be made: %s", sl_strerror(rc))
                  : 0;
}

int sl_adb_key_load(size_t number, EVP_PKEY **out, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    int rc = path_of(number, path, diag);
    if (rc == 0 && number == 0 && access(path, F_OK) < 0 && errno == ENOENT)
        rc = make(path, diag);
    if (rc < 0)
        return rc;
    FILE *file = fopen(path, "re");
    if (!file)
        return sl_diag_set(diag, -errno, path, "adb's key cannot be read");
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, "");
    fclose(file);
    if (key && EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_size(key) == MODULUS_BYTES) {
        *out = key;
        return 0;
    }
    EVP_PKEY_free(key);
    sl_diag_hint(diag, "'adb keygen' makes one; or move the file away, and a new one is made");
    return sl_diag_set(diag, SL_E_FORMAT, path, "That is no RSA key of 2048 bits");
}

/* The token stands for a SHA-1 digest, which it is not: it is signed as it is. */
int sl_adb_key_sign(size_t number, const uint8_t token[SL_ADB_TOKEN_BYTES],
                    uint8_t out[SL_ADB_SIGNATURE_BYTES], struct sl_diag *diag)
{
    static const uint8_t digest_head[] = {0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e,
                                          0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14};
    uint8_t block[sizeof(digest_head) + SL_ADB_TOKEN_BYTES];
    size_t len = SL_ADB_SIGNATURE_BYTES;
    EVP_PKEY *key = NULL;
    int rc = sl_adb_key_load(number, &key, diag);
    if (rc < 0)
        return rc;
    memcpy(block, digest_head, sizeof(digest_head));
    memcpy(block + sizeof(digest_head), token, SL_ADB_TOKEN_BYTES);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    bool signs = context && EVP_PKEY_sign_init(context) == 1 &&
                 EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 &&
                 EVP_PKEY_sign(context, out, &len, block, sizeof(block)) == 1 &&
                 len == SL_ADB_SIGNATURE_BYTES;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    return signs ? 0 : sl_diag_set(diag, SL_E_FORMAT, "adbkey", "adb's key does not sign");
}

/* --- the public half --- */

static void put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

/* Words, -1/n mod 2^32, n, 2^4096 mod n, the exponent: what Montgomery multiplication needs. */
static bool encode(EVP_PKEY *key, uint8_t out[SL_ADB_KEY_BYTES])
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *n = NULL, *e = NULL, *rr = BN_new(), *word = BN_new(), *inverse = BN_new();
    bool good = context && rr && word && inverse && EVP_PKEY_get_bn_param(key, "n", &n) == 1 &&
                EVP_PKEY_get_bn_param(key, "e", &e) == 1 && BN_num_bytes(n) == MODULUS_BYTES &&
                BN_set_bit(rr, 2 * KEY_BITS) == 1 && BN_mod(rr, rr, n, context) == 1 &&
                BN_set_bit(word, 32) == 1 && BN_mod_inverse(inverse, n, word, context) &&
                BN_sub(inverse, word, inverse) == 1;
    if (good) {
        put32(out, MODULUS_BYTES / 4);
        BN_bn2lebinpad(inverse, out + 4, 4);
        BN_bn2lebinpad(n, out + 8, MODULUS_BYTES);
        BN_bn2lebinpad(rr, out + 8 + MODULUS_BYTES, MODULUS_BYTES);
        BN_bn2lebinpad(e, out + 8 + 2 * MODULUS_BYTES, 4);
    }
    BN_free(n);
    BN_free(e);
    BN_free(rr);
    BN_free(word);
    BN_free(inverse);
    BN_CTX_free(context);
    return good;
}

static int format_public(EVP_PKEY *key, char out[SL_ADB_KEY_TEXT_BYTES])
{
    uint8_t bytes[SL_ADB_KEY_BYTES];
    char host[64] = "";
    const char *user = getenv("USER");
    if (!encode(key, bytes))
        return SL_E_FORMAT;
    int len = EVP_EncodeBlock((unsigned char *)out, bytes, sizeof(bytes));
    gethostname(host, sizeof(host) - 1);
    snprintf(out + len, SL_ADB_KEY_TEXT_BYTES - (size_t)len, " %.60s@%s",
             user && *user ? user : "unknown", host[0] ? host : "unknown");
    return 0;
}

static int write_public(const char *path, EVP_PKEY *key)
{
    char name[PATH_BYTES], text[SL_ADB_KEY_TEXT_BYTES];
    int rc = format_public(key, text);
    snprintf(name, sizeof(name), "%s.pub", path);
    FILE *file = rc == 0 ? fopen(name, "we") : NULL;
    if (!file)
        return rc < 0 ? rc : -errno;
    bool written = fprintf(file, "%s\n", text) > 0;
    return fclose(file) == 0 && written ? 0 : -EIO;
}

int sl_adb_key_public(char out[SL_ADB_KEY_TEXT_BYTES], struct sl_diag *diag)
{
    EVP_PKEY *key = NULL;
    int rc = sl_adb_key_load(0, &key, diag);
    if (rc < 0)
        return rc;
    rc = format_public(key, out);
    EVP_PKEY_free(key);
    return rc < 0 ? sl_diag_set(diag, rc, "adbkey", "adb's key has no public half") : 0;
}
