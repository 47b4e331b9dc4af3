/* tests/unit/host/device/adb/test_tls.c: a phone's side of TLS, as OpenSSL has it, over memory:
 * which certificate it is shown, and what it then says and hears. */
#include "host/device/adb/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/adb/key.h"
#include "tests/support/adb_home.h"
#include "tests/support/unit.h"

struct phone {
    SSL_CTX *context;
    SSL *ssl;
    BIO *in, *out;
};

/* Two keys: one's own, and a farm's. */
static int setup(void **state)
{
    struct evp_pkey_st *key = NULL;
    (void)state;
    if (sl_adb_home_make() < 0)
        return -1;
    setenv("ADB_VENDOR_KEYS", sl_adb_home_path("farm.adb_key"), 1);
    FILE *file = fopen(sl_adb_home_path("farm.adb_key"), "w");
    key = EVP_RSA_gen(2048);
    int rc = file && PEM_write_PKCS8PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1 ? 0 : -1;
    EVP_PKEY_free(key);
    return file && fclose(file) == 0 ? rc : -1;
}

static int teardown(void **state)
{
    (void)state;
    return sl_adb_home_remove();
}

static int take_any(int preverified, X509_STORE_CTX *store)
{
    (void)preverified;
    (void)store;
    return 1;
}

static int take_none(int preverified, X509_STORE_CTX *store)
{
    (void)preverified;
    (void)store;
    return 0;
}

/* The name by which a phone says that it knows a key. */
static X509_NAME *name_of(struct evp_pkey_st *key)
{
    uint8_t hash[EVP_MAX_MD_SIZE], *der = NULL;
    char text[65];
    int len = i2d_PUBKEY(key, &der);
    X509_NAME *name = X509_NAME_new();
    assert_int_equal(EVP_Digest(der, (size_t)len, hash, NULL, EVP_sha256(), NULL), 1);
    OPENSSL_free(der);
    for (size_t i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02X", hash[i]);
    X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, (const unsigned char *)"AdbKey-0", -1, -1,
                               0);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)text, -1, -1, 0);
    return name;
}

static struct phone new_phone(struct evp_pkey_st *known, SSL_verify_cb verify)
{
    struct phone phone = {.context = SSL_CTX_new(TLS_server_method())};
    struct evp_pkey_st *key = EVP_RSA_gen(2048);
    X509 *certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    assert_int_equal(SSL_CTX_use_certificate(phone.context, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(phone.context, key), 1);
    SSL_CTX_set_verify(phone.context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, verify);
    if (known) {
        STACK_OF(X509_NAME) *names = sk_X509_NAME_new_null();
        sk_X509_NAME_push(names, name_of(known));
        SSL_CTX_set0_CA_list(phone.context, names);
    }
    phone.ssl = SSL_new(phone.context);
    phone.in = BIO_new(BIO_s_mem());
    phone.out = BIO_new(BIO_s_mem());
    SSL_set_bio(phone.ssl, phone.in, phone.out);
    SSL_set_accept_state(phone.ssl);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return phone;
}

static void free_phone(struct phone *phone)
{
    SSL_free(phone->ssl);
    SSL_CTX_free(phone->context);
}

/* Back and forth until neither says more; the host's last word. What the phone heard is in `heard`,
 * what the host heard in `plain`. */
static int talk(struct sl_adb_tls *tls, struct phone *phone, struct sl_buf *plain, char heard[64])
{
    struct sl_buf sealed;
    uint8_t bytes[8192];
    int rc = 0, len = 0;
    sl_buf_init(&sealed, 1 << 16);
    heard[0] = '\0';
    do {
        rc = sl_adb_tls_take(tls, bytes, (size_t)len, plain, &sealed);
        if (sealed.size > 0)
            BIO_write(phone->in, sealed.data, (int)sealed.size);
        sealed.size = 0;
        int got = SSL_read(phone->ssl, heard, 63);
        if (got > 0)
            heard[got] = '\0';
        len = (int)BIO_ctrl_pending(phone->out);
        assert_true(len <= (int)sizeof(bytes));
        len = len > 0 ? BIO_read(phone->out, bytes, len) : 0;
    } while (rc == 0 && len > 0);
    sl_buf_fini(&sealed);
    return rc;
}

/* The certificate's key is the one of that number, where the phone names `known`. */
static void shows(struct evp_pkey_st *known, size_t number)
{
    struct phone phone = new_phone(known, take_any);
    struct sl_adb_tls *tls;
    struct evp_pkey_st *wanted;
    struct sl_buf plain, sealed;
    struct sl_diag diag;
    char heard[64];
    sl_buf_init(&plain, 4096);
    sl_buf_init(&sealed, 4096);
    assert_int_equal(sl_adb_tls_new(&tls, &diag), 0);
    assert_int_equal(sl_adb_key_load(number, &wanted, &diag), 0);
    assert_int_equal(talk(tls, &phone, &plain, heard), 0);
    X509 *shown = SSL_get1_peer_certificate(phone.ssl);
    assert_non_null(shown);
    assert_int_equal(EVP_PKEY_eq(X509_get0_pubkey(shown), wanted), 1);
    assert_string_equal(SSL_get_version(phone.ssl), "TLSv1.3");
    assert_int_equal(SSL_write(phone.ssl, "hello", 5), 5);
    uint8_t bytes[1024];
    int len = BIO_read(phone.out, bytes, sizeof(bytes));
    assert_int_equal(sl_adb_tls_take(tls, bytes, (size_t)len, &plain, &sealed), 0);
    assert_int_equal(plain.size, 5);
    assert_memory_equal(plain.data, "hello", 5);
    assert_int_equal(sl_adb_tls_put(tls, "well", 4, &sealed), 0);
    BIO_write(phone.in, sealed.data, (int)sealed.size);
    assert_int_equal(SSL_read(phone.ssl, heard, sizeof(heard)), 4);
    assert_memory_equal(heard, "well", 4);
    X509_free(shown);
    EVP_PKEY_free(wanted);
    sl_buf_fini(&plain);
    sl_buf_fini(&sealed);
    sl_adb_tls_free(tls);
    free_phone(&phone);
}

TEST_WITH(the_phone_is_shown_the_key_that_it_names_or_ones_own, setup, teardown)
{
    struct evp_pkey_st *key;
    struct sl_diag diag;
    shows(NULL, 0);
    assert_int_equal(sl_adb_key_load(1, &key, &diag), 0);
    shows(key, 1);
    EVP_PKEY_free(key);
    key = EVP_RSA_gen(2048); /* another machine's */
    shows(key, 0);
    EVP_PKEY_free(key);
}

TEST_WITH(a_phone_that_does_not_know_the_key_ends_it, setup, teardown)
{
    struct phone phone = new_phone(NULL, take_none);
    struct sl_adb_tls *tls;
    struct sl_buf plain;
    struct sl_diag diag;
    char heard[64];
    sl_buf_init(&plain, 4096);
    assert_int_equal(sl_adb_tls_new(&tls, &diag), 0);
    assert_int_equal(talk(tls, &phone, &plain, heard), SL_E_STATE);
    sl_buf_fini(&plain);
    sl_adb_tls_free(tls);
    free_phone(&phone);
}

TEST_WITH(what_is_no_tls_is_refused, setup, teardown)
{
    struct sl_adb_tls *tls;
    struct sl_buf plain, sealed;
    struct sl_diag diag;
    sl_buf_init(&plain, 4096);
    sl_buf_init(&sealed, 4096);
    assert_int_equal(sl_adb_tls_new(&tls, &diag), 0);
    assert_int_equal(sl_adb_tls_put(tls, "early", 5, &sealed), SL_E_FORMAT);
    assert_int_equal(sl_adb_tls_take(tls, NULL, 0, &plain, &sealed), 0);
    assert_true(sealed.size > 0); /* our hello */
    assert_int_equal(sl_adb_tls_take(tls, "HTTP/1.1 400 Bad Request", 24, &plain, &sealed),
                     SL_E_FORMAT);
    assert_int_equal(plain.size, 0);
    sl_buf_fini(&plain);
    sl_buf_fini(&sealed);
    sl_adb_tls_free(tls);
}
