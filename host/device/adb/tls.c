/* host/device/adb/tls.c */
#include "host/device/adb/tls.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/adb/key.h"

enum { HASH_BYTES = 32, PIECE_BYTES = 16 << 10, VALID_DAYS = 3650, DAY_S = 24 * 3600 };

struct sl_adb_tls {
    SSL_CTX *context;
    SSL *ssl;
    BIO *in, *out; /* the device's bytes and ours; owned by `ssl` */
    struct evp_pkey_st *keys[SL_ADB_MAX_KEYS];
    size_t key_count;
};

/* --- which key --- */

/* As a device names the keys that it knows: CN=hash of the public half, O=AdbKey-0. */
static bool is_named(X509_NAME *name, struct evp_pkey_st *key)
{
    char organization[16] = "", said[2 * HASH_BYTES + 1] = "", own[2 * HASH_BYTES + 1];
    uint8_t hash[EVP_MAX_MD_SIZE], *der = NULL;
    X509_NAME_get_text_by_NID(name, NID_organizationName, organization, sizeof(organization));
    X509_NAME_get_text_by_NID(name, NID_commonName, said, sizeof(said));
    int len = i2d_PUBKEY(key, &der);
    bool hashed = len > 0 && EVP_Digest(der, (size_t)len, hash, NULL, EVP_sha256(), NULL) == 1;
    OPENSSL_free(der);
    for (size_t i = 0; hashed && i < HASH_BYTES; i++)
        snprintf(own + 2 * i, 3, "%02X", hash[i]);
    return hashed && strcmp(organization, "AdbKey-0") == 0 && strcmp(said, own) == 0;
}

static struct evp_pkey_st *choose(const struct sl_adb_tls *tls, const STACK_OF(X509_NAME) * names)
{
    for (int i = 0; names && i < sk_X509_NAME_num(names); i++) {
        for (size_t k = 0; k < tls->key_count; k++) {
            if (is_named(sk_X509_NAME_value(names, i), tls->keys[k]))
                return tls->keys[k];
        }
    }
    return tls->keys[0];
}

static X509 *certify(struct evp_pkey_st *key)
{
    X509 *made = X509_new();
    X509_NAME *name = made ? X509_get_subject_name(made) : NULL;
    X509_EXTENSION *ca = X509V3_EXT_conf_nid(NULL, NULL, NID_basic_constraints, "critical,CA:TRUE");
    const unsigned char *common = (const unsigned char *)"Adb";
    bool good = made && ca && X509_set_version(made, X509_VERSION_3) == 1 &&
                ASN1_INTEGER_set(X509_get_serialNumber(made), 1) == 1 &&
                X509_gmtime_adj(X509_getm_notBefore(made), -DAY_S) &&
                X509_gmtime_adj(X509_getm_notAfter(made), (long)VALID_DAYS * DAY_S) &&
                X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC, common, -1, -1, 0) &&
                X509_set_issuer_name(made, name) == 1 && X509_set_pubkey(made, key) == 1 &&
                X509_add_ext(made, ca, -1) == 1 && X509_sign(made, key, EVP_sha256()) > 0;
    X509_EXTENSION_free(ca);
    if (good)
        return made;
    X509_free(made);
    return NULL;
}

/* The handshake asks for it: 1, or 0 to go without. OpenSSL frees what it is given. */
static int give_certificate(SSL *ssl, X509 **out_certificate, EVP_PKEY **out_key)
{
    const struct sl_adb_tls *tls = SSL_get_app_data(ssl);
    struct evp_pkey_st *key = choose(tls, SSL_get0_peer_CA_list(ssl));
    *out_certificate = certify(key);
    if (!*out_certificate)
        return 0;
    EVP_PKEY_up_ref(key);
    *out_key = key;
    return 1;
}

/* --- bytes --- */

static int fault(const struct sl_adb_tls *tls, int rc)
{
    int kind = SSL_get_error(tls->ssl, rc);
    unsigned long error = ERR_peek_error();
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE)
        return 0;
    bool said = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) > SSL_AD_REASON_OFFSET;
    return kind == SSL_ERROR_ZERO_RETURN || said ? SL_E_STATE : SL_E_FORMAT;
}

static int pull(struct sl_adb_tls *tls, struct sl_buf *sealed)
{
    uint8_t *at;
    size_t len = BIO_ctrl_pending(tls->out);
    int rc = len > 0 ? sl_buf_extend(sealed, len, &at) : 0;
    if (rc == 0 && len > 0 && BIO_read(tls->out, at, (int)len) != (int)len)
        rc = SL_E_FORMAT;
    return rc;
}

static int read_plain(struct sl_adb_tls *tls, struct sl_buf *plain)
{
    uint8_t piece[PIECE_BYTES];
    for (;;) {
        ERR_clear_error(); /* of others on this thread */
        int got = SSL_read(tls->ssl, piece, sizeof(piece));
        if (got <= 0)
            return fault(tls, got);
        int rc = sl_buf_append(plain, piece, (size_t)got);
        if (rc < 0)
            return rc;
    }
}

int sl_adb_tls_take(struct sl_adb_tls *tls, const void *bytes, size_t len, struct sl_buf *plain,
                    struct sl_buf *sealed)
{
    if (len > INT32_MAX || (len > 0 && BIO_write(tls->in, bytes, (int)len) != (int)len))
        return -ENOMEM;
    int rc = read_plain(tls, plain); /* shakes hands first */
    int sent = pull(tls, sealed);
    return rc < 0 ? rc : sent;
}

int sl_adb_tls_put(struct sl_adb_tls *tls, const void *bytes, size_t len, struct sl_buf *sealed)
{
    if (len == 0 || len > INT32_MAX || SSL_write(tls->ssl, bytes, (int)len) != (int)len)
        return SL_E_FORMAT;
    return pull(tls, sealed);
}

bool sl_adb_tls_is_up(const struct sl_adb_tls *tls)
{
    return SSL_is_init_finished(tls->ssl);
}

int sl_adb_tls_export(struct sl_adb_tls *tls, void *out, size_t len)
{
    static const char label[] = "adb-label"; /* its NUL counts */
    return SSL_export_keying_material(tls->ssl, out, len, label, sizeof(label), NULL, 0, 0) == 1
               ? 0
               : SL_E_STATE;
}

/* --- begin and end --- */

static int take_any(int preverified, X509_STORE_CTX *store)
{
    (void)preverified;
    (void)store;
    return 1;
}

static int load_keys(struct sl_adb_tls *tls, struct sl_diag *diag)
{
    int rc = sl_adb_key_load(0, &tls->keys[0], diag);
    if (rc < 0)
        return rc;
    tls->key_count = 1;
    for (size_t number = 1; number < SL_ADB_MAX_KEYS; number++) {
        rc = sl_adb_key_load(number, &tls->keys[tls->key_count], NULL);
        if (rc == SL_E_NOT_FOUND)
            break;
        tls->key_count += rc == 0;
    }
    return 0;
}

int sl_adb_tls_new(struct sl_adb_tls **out, struct sl_diag *diag)
{
    struct sl_adb_tls *tls = sl_calloc(1, sizeof(*tls));
    int rc = tls ? load_keys(tls, diag) : -ENOMEM;
    if (rc < 0) {
        sl_adb_tls_free(tls);
        return rc;
    }
    tls->context = SSL_CTX_new(TLS_client_method());
    if (tls->context && SSL_CTX_set_min_proto_version(tls->context, TLS1_3_VERSION) == 1) {
        SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, take_any);
        SSL_CTX_set_client_cert_cb(tls->context, give_certificate);
        tls->ssl = SSL_new(tls->context);
    }
    BIO *in = BIO_new(BIO_s_mem()), *sealed = BIO_new(BIO_s_mem());
    if (!tls->ssl || !in || !sealed) {
        BIO_free(in);
        BIO_free(sealed);
        sl_adb_tls_free(tls);
        return -ENOMEM;
    }
    tls->in = in;
    tls->out = sealed;
    SSL_set_bio(tls->ssl, in, sealed);
    SSL_set_app_data(tls->ssl, tls);
    SSL_set_connect_state(tls->ssl);
    *out = tls;
    return 0;
}

void sl_adb_tls_free(struct sl_adb_tls *tls)
{
    if (!tls)
        return;
    SSL_free(tls->ssl);
    SSL_CTX_free(tls->context);
    for (size_t i = 0; i < tls->key_count; i++)
        EVP_PKEY_free(tls->keys[i]);
    sl_free(tls);
}
