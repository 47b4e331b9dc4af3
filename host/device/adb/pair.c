/* host/device/adb/pair.c */
#include "host/device/adb/pair.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/socket.h"
#include "common/net/address.h"
#include "host/device/adb/key.h"
#include "host/device/adb/spake2.h"
#include "host/device/adb/tls.h"

enum {
    KEY_BYTES = 16,
    NONCE_BYTES = 12,
    TAG_BYTES = 16,
    RECEIVED_BYTES = 64 << 10,
    ADDRESS_BYTES = 128
};

struct pairing {
    int fd;
    uint64_t until_ns;
    struct sl_adb_tls *tls;
    struct sl_buf plain; /* from the phone, not read yet */
};

/* --- the key that both agreed on --- */

/* HKDF of SHA-256 without a salt; one block is enough. */
static void derive(const uint8_t secret[SL_SPAKE2_KEY_BYTES], uint8_t key[KEY_BYTES])
{
    static const char info[] = "adb pairing_auth aes-128-gcm key\1"; /* the block's number */
    static const uint8_t salt[SL_HMAC_BYTES];
    uint8_t extracted[SL_HMAC_BYTES], block[SL_HMAC_BYTES];
    sl_hmac_sha256(salt, sizeof(salt), secret, SL_SPAKE2_KEY_BYTES, extracted);
    sl_hmac_sha256(extracted, sizeof(extracted), info, sizeof(info) - 1, block);
    memcpy(key, block, KEY_BYTES);
}

/* AES-128-GCM; each side seals one text, the number of which is 0. False: it is not by that key. */
static bool cipher(bool seals, const uint8_t key[KEY_BYTES], const uint8_t *in, uint8_t *out)
{
    static const uint8_t nonce[NONCE_BYTES];
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    uint8_t tag[TAG_BYTES];
    int len = 0, rest = 0;
    bool right = context &&
                 EVP_CipherInit_ex(context, EVP_aes_128_gcm(), NULL, key, nonce, seals) == 1 &&
                 EVP_CipherUpdate(context, out, &len, in, SL_ADB_PAIR_INFO_BYTES) == 1;
    if (right && !seals) {
        memcpy(tag, in + SL_ADB_PAIR_INFO_BYTES, sizeof(tag));
        right = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, tag) == 1;
    }
    right = right && EVP_CipherFinal_ex(context, out + len, &rest) == 1;
    if (right && seals)
        right = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG_BYTES,
                                    out + SL_ADB_PAIR_INFO_BYTES) == 1;
    EVP_CIPHER_CTX_free(context);
    return right;
}

/* --- the connection --- */

static int send_all(const struct pairing *pairing, const struct sl_buf *bytes)
{
    for (size_t at = 0; at < bytes->size;) {
        ssize_t put = send(pairing->fd, bytes->data + at, bytes->size - at, MSG_NOSIGNAL);
        if (put < 0 && errno != EINTR)
            return errno == EAGAIN || errno == EWOULDBLOCK ? SL_E_TIMEOUT : -errno;
        at += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* Decrypts received bytes into `plain`, and sends TLS's answer. SL_E_TRUNCATED: the end. */
static int exchange(struct pairing *pairing, const void *bytes, size_t len)
{
    struct sl_buf sealed;
    sl_buf_init(&sealed, RECEIVED_BYTES);
    int rc = sl_adb_tls_take(pairing->tls, bytes, len, &pairing->plain, &sealed);
    int sent = send_all(pairing, &sealed);
    sl_buf_fini(&sealed);
    return rc < 0 ? rc : sent;
}

static int receive(struct pairing *pairing)
{
    uint8_t bytes[4096];
    ssize_t got;
    do {
        if (sl_clock_ns() > pairing->until_ns)
            return SL_E_TIMEOUT;
        got = recv(pairing->fd, bytes, sizeof(bytes), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? SL_E_TIMEOUT : -errno;
    return got == 0 ? SL_E_TRUNCATED : exchange(pairing, bytes, (size_t)got);
}

static int say(struct pairing *pairing, int type, const uint8_t *payload, size_t len)
{
    const struct sl_adb_pair_packet packet = {type, payload, len};
    struct sl_buf plain, sealed;
    sl_buf_init(&plain, SL_ADB_PAIR_HEAD_BYTES + SL_ADB_PAIR_PAYLOAD_BYTES);
    sl_buf_init(&sealed, RECEIVED_BYTES);
    int rc = sl_adb_pair_append(&plain, &packet);
    if (rc == 0)
        rc = sl_adb_tls_put(pairing->tls, plain.data, plain.size, &sealed);
    if (rc == 0)
        rc = send_all(pairing, &sealed);
    sl_buf_fini(&plain);
    sl_buf_fini(&sealed);
    return rc;
}

/* The next packet is of that type and length. */
static int hear(struct pairing *pairing, int type, uint8_t *out, size_t len)
{
    struct sl_adb_pair_packet packet = {.type = -1};
    struct sl_buf *plain = &pairing->plain;
    int used = 0, rc = 0;
    for (;;) { /* the phone's last words may come with its end */
        used = sl_adb_pair_read(plain->data, plain->size, &packet);
        if (used != 0 || rc < 0)
            break;
        rc = receive(pairing);
    }
    if (used <= 0)
        return used < 0 ? used : rc;
    if (packet.type != type || packet.len != len)
        return SL_E_FORMAT;
    memcpy(out, packet.payload, len);
    plain->size -= (size_t)used;
    memmove(plain->data, plain->data + used, plain->size);
    return 0;
}

static int dial(struct pairing *pairing, const struct sl_address *address)
{
    const struct timeval limit = {.tv_sec = SL_ADB_PAIR_S / 2};
    pairing->fd = sl_socket(address->socket.ss_family, SOCK_STREAM, false);
    if (pairing->fd < 0)
        return pairing->fd;
    setsockopt(pairing->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(pairing->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)); /* of connect() too */
    if (connect(pairing->fd, (const struct sockaddr *)&address->socket, address->len) < 0)
        return errno == EINPROGRESS ? SL_E_TIMEOUT : -errno;
    int rc = exchange(pairing, NULL, 0);
    while (rc == 0 && !sl_adb_tls_is_up(pairing->tls))
        rc = receive(pairing);
    return rc;
}

/* --- the pairing --- */

/* The code, and what both ends of this TLS know: nobody in between can pass the code on. */
static int agree(struct pairing *pairing, const char *code, uint8_t key[KEY_BYTES])
{
    uint8_t password[SL_ADB_PAIR_CODE_BYTES + SL_ADB_PAIR_SECRET_BYTES];
    uint8_t theirs[SL_SPAKE2_MESSAGE_BYTES], secret[SL_SPAKE2_KEY_BYTES];
    struct sl_spake2 spake;
    size_t len = strlen(code);
    memcpy(password, code, len);
    int rc = sl_adb_tls_export(pairing->tls, password + len, SL_ADB_PAIR_SECRET_BYTES);
    if (rc == 0)
        rc = sl_spake2_init(&spake, true, password, len + SL_ADB_PAIR_SECRET_BYTES);
    if (rc < 0)
        return rc;
    rc = say(pairing, SL_ADB_PAIR_SPAKE2, spake.message, sizeof(spake.message));
    if (rc == 0)
        rc = hear(pairing, SL_ADB_PAIR_SPAKE2, theirs, sizeof(theirs));
    if (rc == 0)
        rc = sl_spake2_key(&spake, theirs, secret);
    if (rc == 0)
        derive(secret, key);
    sl_spake2_fini(&spake);
    return rc;
}

/* The phone has left. */
static bool ended(int rc)
{
    return rc == SL_E_TRUNCATED || rc == SL_E_STATE || rc == -ECONNRESET || rc == -EPIPE;
}

/* -EACCES: it does not know our key, or we not its: the code was another. */
static int introduce(struct pairing *pairing, const uint8_t key[KEY_BYTES],
                     char name[SL_ADB_PAIR_NAME_BYTES], struct sl_diag *diag)
{
    uint8_t info[SL_ADB_PAIR_INFO_BYTES] = {SL_ADB_PAIR_KEY}, sealed[SL_ADB_PAIR_SEALED_BYTES];
    char text[SL_ADB_KEY_TEXT_BYTES];
    int rc = sl_adb_key_public(text, diag);
    if (rc < 0)
        return rc;
    snprintf((char *)info + 1, sizeof(info) - 1, "%s", text);
    if (!cipher(true, key, info, sealed))
        return -ENOMEM;
    rc = say(pairing, SL_ADB_PAIR_INFO, sealed, sizeof(sealed));
    if (rc == 0)
        rc = hear(pairing, SL_ADB_PAIR_INFO, sealed, sizeof(sealed));
    if (ended(rc))
        return -EACCES;
    if (rc == 0 && !cipher(false, key, sealed, info))
        rc = -EACCES;
    if (rc == 0)
        sl_adb_pair_name(info, name);
    return rc;
}

static int explain(int rc, const char *where, struct sl_diag *diag)
{
    if (rc == -EACCES) {
        sl_diag_hint(diag, "read it again on the phone: it shows another with each try");
        return sl_diag_set(diag, rc, where, "The phone has another code");
    }
    if (rc == SL_E_FORMAT || ended(rc)) {
        sl_diag_hint(diag, "give the address and port that the phone shows with the code: the "
                           "port of pairing is not the one of wireless debugging");
        return sl_diag_set(diag, SL_E_FORMAT, where, "What answers there is no phone that pairs");
    }
    if (rc < 0 && !diag->what[0]) {
        sl_diag_hint(diag, "keep the phone's dialog with the code open, in the same network");
        return sl_diag_set(diag, rc, where, "The phone cannot be reached (%s)", sl_strerror(rc));
    }
    return rc;
}

int sl_adb_pair(const char *address, const char *code, char name[SL_ADB_PAIR_NAME_BYTES],
                struct sl_diag *diag)
{
    struct pairing pairing = {.fd = -1,
                              .until_ns = sl_clock_ns() + SL_ADB_PAIR_S * UINT64_C(1000000000)};
    uint8_t key[KEY_BYTES];
    char text[ADDRESS_BYTES];
    struct sl_address peer;
    *diag = (struct sl_diag){.what = ""};
    if (!code[0] || strlen(code) > SL_ADB_PAIR_CODE_BYTES) {
        sl_diag_hint(diag, "the phone shows six digits under 'Pair device with pairing code'");
        return sl_diag_set(diag, -EINVAL, NULL, "That is no code");
    }
    name[0] = '\0';
    if (snprintf(text, sizeof(text), "tcp:%s", address) >= (int)sizeof(text))
        return sl_diag_set(diag, -EINVAL, "ADDRESS:PORT", "The address is too long");
    int rc = sl_address_parse(text, &peer, diag);
    if (rc < 0)
        return rc;
    sl_buf_init(&pairing.plain, RECEIVED_BYTES);
    rc = sl_adb_tls_new(&pairing.tls, diag);
    if (rc == 0)
        rc = dial(&pairing, &peer);
    if (rc == 0)
        rc = agree(&pairing, code, key);
    if (rc == 0)
        rc = introduce(&pairing, key, name, diag);
    if (pairing.fd >= 0)
        close(pairing.fd);
    sl_adb_tls_free(pairing.tls);
    sl_buf_fini(&pairing.plain);
    return explain(rc, address, diag);
}
