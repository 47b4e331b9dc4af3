/* host/http/tls.c */
#include "host/http/tls.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"

enum {
    MAX_FILE_BYTES = 1 << 20,
    MAX_CHAIN = 16,
    MAX_WAITING_BYTES = 64 << 10, /* taken and not yet read */
    MAX_SEALED_BYTES = 256 << 10, /* owed to a client that does not read */
    SEALED_BYTES = 18 << 10,      /* one record and what goes along with it */
    DAY_S = 24 * 3600,
    RETRY_MS = 60 * 1000,
};

/* When it differs, the file is another one, or another may read it (the time is that of its inode).
 */
struct stamp {
    uint64_t inode, size, changed_ns;
};

/* The validity is in seconds of Unix time. */
struct loaded {
    SSL_CTX *context;
    int64_t begins_s, expires_s;
};

struct sl_tls_identity {
    struct loaded loaded;
    struct stamp stamps[2]; /* of the files when they were last read */
    int failure;            /* of that; 0: they serve */
    uint64_t failed_ms;     /* when it was */
    char *certificate, *key;
};

struct sl_tls {
    SSL *ssl;
    BIO *in, *out; /* the client's bytes and ours; owned by `ssl` */
    const char *fault;
    uint8_t sealed[SEALED_BYTES];
};

/* --- the files --- */

static void stamp_of(const char *path, struct stamp *out)
{
    struct stat info;
    memset(out, 0, sizeof(*out));
    if (stat(path, &info) == 0)
        *out = (struct stamp){info.st_ino, (uint64_t)info.st_size,
                              (uint64_t)info.st_ctim.tv_sec * 1000000000u +
                                  (uint64_t)info.st_ctim.tv_nsec};
}

/* The library's words for what failed last. */
static const char *reason(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_last_error());
    return text ? text : "no reason is known";
}

/* The file's text as a BIO that borrows `text`, which the caller ends. */
static int open_file(const char *path, const char *what, struct sl_buf *text, BIO **out,
                     struct sl_diag *diag)
{
    int rc = sl_buf_read_file(path, MAX_FILE_BYTES, text);
    if (rc < 0) {
        sl_diag_hint(diag, "name a file in PEM form that the daemon's user may read");
        return sl_diag_set(diag, rc, path, "the %s cannot be read: %s", what, sl_strerror(rc));
    }
    *out = BIO_new_mem_buf(text->data ? text->data : (const uint8_t *)"", (int)text->size);
    if (*out)
        return 0;
    sl_buf_fini(text);
    return -ENOMEM;
}

/* A key with a passphrase is not asked for one on the daemon's terminal. */
static int give_no_passphrase(char *at, int room, int writes, void *user)
{
    (void)at, (void)room, (void)writes;
    *(bool *)user = true;
    return -1;
}

/* A moment as seconds of Unix time; false: it is none. */
static bool read_time(const ASN1_TIME *time_of, int64_t *out_s)
{
    int days = 0, seconds = 0;
    if (ASN1_TIME_diff(&days, &seconds, NULL, time_of) != 1)
        return false;
    *out_s = (int64_t)time(NULL) + (int64_t)days * DAY_S + seconds;
    return true;
}

static int check_times(const char *path, const struct loaded *loaded, struct sl_diag *diag)
{
    int64_t now_s = (int64_t)time(NULL), days = (now_s - loaded->expires_s) / DAY_S;
    if (loaded->begins_s > now_s) {
        sl_diag_hint(diag, "see whether the clock is right");
        return sl_diag_set(diag, SL_E_STATE, path, "the certificate is not valid yet");
    }
    if (loaded->expires_s > now_s)
        return 0;
    sl_diag_hint(diag, "renew it; no client takes it as it is");
    if (days == 0)
        return sl_diag_set(diag, SL_E_STATE, path, "the certificate expired within the last day");
    return sl_diag_set(diag, SL_E_STATE, path, "the certificate expired %lld day%s ago",
                       (long long)days, days == 1 ? "" : "s");
}

/* The certificates that lead from the server's to one that clients trust. Only a file without a
 * further beginning is at its end. */
static int use_issuers(SSL_CTX *context, BIO *file, const char *path, struct sl_diag *diag)
{
    X509 *next = NULL;
    int number = 2;
    for (; (next = PEM_read_bio_X509(file, NULL, NULL, NULL)); number++) {
        if (number <= MAX_CHAIN + 1 && SSL_CTX_add0_chain_cert(context, next) == 1)
            continue;
        X509_free(next);
        sl_diag_hint(diag, "keep those that lead from the first to one that clients trust");
        if (number <= MAX_CHAIN + 1)
            return sl_diag_set(diag, SL_E_FORMAT, path, "certificate %d in it cannot be used: %s",
                               number, reason());
        return sl_diag_set(diag, SL_E_LIMIT, path, "more than %d certificates follow the first",
                           (int)MAX_CHAIN);
    }
    if (ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE)
        return 0;
    sl_diag_hint(diag, "write the certificates behind the first anew, each as it was issued");
    return sl_diag_set(diag, SL_E_FORMAT, path, "certificate %d in it cannot be read: %s", number,
                       reason());
}

/* The first certificate is the server's. */
static int use_chain(BIO *file, const char *path, struct loaded *out, struct sl_diag *diag)
{
    int rc = 0;
    X509 *leaf = PEM_read_bio_X509(file, NULL, NULL, NULL);
    if (!leaf) {
        sl_diag_hint(diag, "it begins with -----BEGIN CERTIFICATE-----");
        return sl_diag_set(diag, SL_E_FORMAT, path, "there is no certificate in PEM form in it");
    }
    if (!read_time(X509_get0_notBefore(leaf), &out->begins_s) ||
        !read_time(X509_get0_notAfter(leaf), &out->expires_s))
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "the certificate's validity is no time");
    else if (SSL_CTX_use_certificate(out->context, leaf) != 1)
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "the certificate cannot be used: %s", reason());
    X509_free(leaf);
    return rc < 0 ? rc : use_issuers(out->context, file, path, diag);
}

static int load_chain(const struct sl_tls_identity *identity, struct loaded *out,
                      struct sl_diag *diag)
{
    struct sl_buf text;
    BIO *file = NULL;
    int rc = open_file(identity->certificate, "certificate", &text, &file, diag);
    if (rc < 0)
        return rc;
    rc = use_chain(file, identity->certificate, out, diag);
    BIO_free(file);
    sl_buf_fini(&text);
    return rc;
}

static int check_mode(const char *path, struct sl_diag *diag)
{
    struct stat info;
    if (stat(path, &info) < 0 || (info.st_mode & 07) == 0)
        return 0; /* that it is not there shows in a moment */
    sl_diag_hint(diag, "chmod o= %s", path);
    return sl_diag_set(diag, SL_E_STATE, path, "the key is open to every user of this machine");
}

static int use_key(SSL_CTX *context, BIO *file, const char *path, struct sl_diag *diag)
{
    bool locked = false;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(file, NULL, give_no_passphrase, &locked);
    if (locked) {
        sl_diag_hint(diag, "write it without one: openssl pkey -in FILE -out KEY");
        return sl_diag_set(diag, SL_E_FORMAT, path, "the key has a passphrase");
    }
    if (!key) {
        sl_diag_hint(diag, "it begins with -----BEGIN PRIVATE KEY-----");
        return sl_diag_set(diag, SL_E_FORMAT, path, "there is no key in PEM form in it");
    }
    int rc = 0;
    if (X509_check_private_key(SSL_CTX_get0_certificate(context), key) != 1) {
        sl_diag_hint(diag, "name the two files that were made together");
        rc = sl_diag_set(diag, SL_E_MISMATCH, path, "the key is not that of the certificate");
    } else if (SSL_CTX_use_PrivateKey(context, key) != 1) {
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "the key cannot be used: %s", reason());
    }
    EVP_PKEY_free(key);
    return rc;
}

static int load_key(const struct sl_tls_identity *identity, SSL_CTX *context, struct sl_diag *diag)
{
    struct sl_buf text;
    BIO *file = NULL;
    int rc = check_mode(identity->key, diag);
    if (rc == 0)
        rc = open_file(identity->key, "key", &text, &file, diag);
    if (rc < 0)
        return rc;
    rc = use_key(context, file, identity->key, diag);
    BIO_free(file);
    OPENSSL_cleanse(text.data, text.size);
    sl_buf_fini(&text);
    return rc;
}

/* We speak HTTP/1.1; a client that names its protocols must name ours. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *offered, unsigned offered_len, void *user)
{
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *chosen = NULL;
    (void)ssl, (void)user;
    if (SSL_select_next_proto(&chosen, out_len, ours, sizeof(ours) - 1, offered, offered_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* Sessions are kept by the clients (tickets): nothing of a connection outlives it here. */
static SSL_CTX *new_context(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context)
        return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    return context;
}

static int load(const struct sl_tls_identity *identity, struct loaded *out, struct sl_diag *diag)
{
    struct loaded loaded = {.context = NULL};
    ERR_clear_error(); /* of others on this thread */
    loaded.context = new_context();
    if (!loaded.context)
        return -ENOMEM;
    int rc = load_chain(identity, &loaded, diag);
    if (rc == 0)
        rc = load_key(identity, loaded.context, diag);
    if (rc < 0)
        SSL_CTX_free(loaded.context);
    else
        *out = loaded;
    return rc;
}

/* Before the files are read: what is written meanwhile is seen the next time. */
static bool note_stamps(struct sl_tls_identity *identity)
{
    struct stamp now[2];
    stamp_of(identity->certificate, &now[0]);
    stamp_of(identity->key, &now[1]);
    bool changed = memcmp(now, identity->stamps, sizeof(now)) != 0;
    memcpy(identity->stamps, now, sizeof(now));
    return changed;
}

int sl_tls_identity_new(const char *certificate, const char *key, struct sl_tls_identity **out,
                        struct sl_diag *diag)
{
    size_t certificate_size = strlen(certificate) + 1, key_size = strlen(key) + 1;
    struct sl_tls_identity *identity = sl_calloc(1, sizeof(*identity));
    if (!identity)
        return -ENOMEM;
    identity->certificate = sl_malloc(1, certificate_size);
    identity->key = sl_malloc(1, key_size);
    int rc = -ENOMEM;
    if (identity->certificate && identity->key) {
        memcpy(identity->certificate, certificate, certificate_size);
        memcpy(identity->key, key, key_size);
        note_stamps(identity);
        rc = load(identity, &identity->loaded, diag);
    }
    if (rc < 0)
        sl_tls_identity_free(identity);
    else
        *out = identity;
    return rc;
}

void sl_tls_identity_free(struct sl_tls_identity *identity)
{
    if (!identity)
        return;
    SSL_CTX_free(identity->loaded.context);
    sl_free(identity->certificate);
    sl_free(identity->key);
    sl_free(identity);
}

int sl_tls_identity_check_time(const struct sl_tls_identity *identity, struct sl_diag *diag)
{
    return check_times(identity->certificate, &identity->loaded, diag);
}

/* Can it end without a change of the files? */
static bool may_pass(int failure)
{
    return failure == -ENOMEM || failure == -EMFILE || failure == -ENFILE || failure == SL_E_STATE;
}

int sl_tls_identity_refresh(struct sl_tls_identity *identity, uint64_t now_ms, struct sl_diag *diag)
{
    struct loaded fresh = {.context = NULL};
    int before = identity->failure;
    bool changed = note_stamps(identity);
    if (!changed && !(may_pass(before) && now_ms - identity->failed_ms >= RETRY_MS))
        return 0;
    int rc = load(identity, &fresh, diag);
    if (rc == 0)
        rc = check_times(identity->certificate, &fresh, diag);
    identity->failure = rc;
    identity->failed_ms = now_ms;
    if (rc < 0) {
        SSL_CTX_free(fresh.context);
        return changed || rc != before ? rc : 0;
    }
    SSL_CTX_free(identity->loaded.context); /* its connections hold it as well */
    identity->loaded = fresh;
    return 1;
}

int64_t sl_tls_identity_expires_s(const struct sl_tls_identity *identity)
{
    return identity->loaded.expires_s;
}

/* --- a connection --- */

int sl_tls_new(const struct sl_tls_identity *identity, struct sl_tls **out)
{
    struct sl_tls *tls = sl_malloc(1, sizeof(*tls));
    if (!tls)
        return -ENOMEM;
    tls->fault = NULL;
    tls->ssl = SSL_new(identity->loaded.context);
    tls->in = BIO_new(BIO_s_mem());
    tls->out = BIO_new(BIO_s_mem());
    if (!tls->ssl || !tls->in || !tls->out) {
        BIO_free(tls->in);
        BIO_free(tls->out);
        SSL_free(tls->ssl);
        sl_free(tls);
        return -ENOMEM;
    }
    SSL_set_bio(tls->ssl, tls->in, tls->out);
    SSL_set_accept_state(tls->ssl);
    *out = tls;
    return 0;
}

void sl_tls_free(struct sl_tls *tls)
{
    if (!tls)
        return;
    SSL_free(tls->ssl);
    sl_free(tls);
}

int sl_tls_feed(struct sl_tls *tls, const void *bytes, size_t len)
{
    if (len > MAX_WAITING_BYTES || BIO_ctrl_pending(tls->in) > MAX_WAITING_BYTES - len)
        return SL_E_LIMIT;
    return BIO_write(tls->in, bytes, (int)len) == (int)len ? 0 : -ENOMEM;
}

static int stop(struct sl_tls *tls, const char *why)
{
    if (!tls->fault)
        tls->fault = why;
    return SL_E_FORMAT;
}

int sl_tls_read(struct sl_tls *tls, void *at, size_t room)
{
    if (tls->fault)
        return SL_E_FORMAT;
    ERR_clear_error(); /* of others on this thread */
    int got = SSL_read(tls->ssl, at, room < INT32_MAX ? (int)room : INT32_MAX);
    if (BIO_ctrl_pending(tls->out) > MAX_SEALED_BYTES)
        return stop(tls, "it asks for answers and does not read them");
    if (got > 0)
        return got;
    switch (SSL_get_error(tls->ssl, got)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return 0;
    case SSL_ERROR_ZERO_RETURN:
        return SL_E_STATE;
    default:
        return stop(tls, reason());
    }
}

int sl_tls_write(struct sl_tls *tls, const void *bytes, size_t len)
{
    if (tls->fault || len == 0 || len > SL_TLS_MAX_PLAIN_BYTES)
        return SL_E_FORMAT;
    ERR_clear_error();
    return SSL_write(tls->ssl, bytes, (int)len) == (int)len ? 0 : stop(tls, reason());
}

void sl_tls_end(struct sl_tls *tls)
{
    if (!tls->fault && SSL_is_init_finished(tls->ssl))
        SSL_shutdown(tls->ssl);
}

size_t sl_tls_sealed(struct sl_tls *tls, const uint8_t **out)
{
    int len = BIO_read(tls->out, tls->sealed, SEALED_BYTES);
    *out = tls->sealed;
    return len > 0 ? (size_t)len : 0;
}

const char *sl_tls_fault(const struct sl_tls *tls)
{
    return tls->fault;
}
