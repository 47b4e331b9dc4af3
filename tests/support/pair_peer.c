/* tests/support/pair_peer.c: a phone's pairing service, for one pairing: TLS of OpenSSL's server,
 * SPAKE2 of the BoringSSL that Debian's adb links with. Shares no code with host/device/adb.
 *
 *   pair_peer LIBCRYPTO CODE [lie]
 *
 * Prints the port, then what the host says of itself; exits with 0 when both had the same code.
 * `lie`: cut (half a packet, then the end), long (a length of 4 GiB), point (no point of the
 * curve), plain (no TLS). */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

enum { INFO_BYTES = 8192, TAG_BYTES = 16 };

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "pair_peer: %s\n", what);
    exit(1);
}

/* --- BoringSSL's part --- */

struct boring {
    void *(*create)(int role, const char *mine, size_t mine_len, const char *theirs, size_t len);
    int (*message)(void *context, uint8_t *out, size_t *out_len, size_t max,
                   const uint8_t *password, size_t len);
    int (*key)(void *context, uint8_t *out, size_t *out_len, size_t max, const uint8_t *theirs,
               size_t len);
};

static void find(void *library, const char *name, void *out)
{
    void *symbol = dlsym(library, name);
    must(symbol != NULL, name);
    memcpy(out, &symbol, sizeof(symbol));
}

static struct boring load(const char *path)
{
    struct boring boring;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    must(library != NULL, library ? "" : dlerror());
    find(library, "SPAKE2_CTX_new", &boring.create);
    find(library, "SPAKE2_generate_msg", &boring.message);
    find(library, "SPAKE2_process_msg", &boring.key);
    return boring;
}

/* --- TLS --- */

static int take_any(int preverified, X509_STORE_CTX *store)
{
    (void)preverified;
    (void)store;
    return 1;
}

static SSL *serve(int fd)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *own = X509_new();
    must(context && key && own, "no TLS");
    ASN1_INTEGER_set(X509_get_serialNumber(own), 1);
    X509_gmtime_adj(X509_getm_notBefore(own), -3600);
    X509_gmtime_adj(X509_getm_notAfter(own), 3600);
    X509_set_pubkey(own, key);
    must(X509_sign(own, key, EVP_sha256()) > 0, "no certificate");
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_use_certificate(context, own);
    SSL_CTX_use_PrivateKey(context, key);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, take_any);
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    must(SSL_accept(ssl) == 1, "the host speaks no TLS, or shows no certificate");
    return ssl;
}

static void say(SSL *ssl, uint8_t type, const uint8_t *payload, uint32_t len)
{
    uint8_t head[6] = {1, type};
    uint32_t big = htonl(len);
    memcpy(head + 2, &big, 4);
    must(SSL_write(ssl, head, sizeof(head)) == sizeof(head) &&
             SSL_write(ssl, payload, (int)len) == (int)len,
         "not sent");
}

static void hear(SSL *ssl, uint8_t type, uint8_t *payload, uint32_t len)
{
    uint8_t head[6];
    uint32_t big, have = 0;
    must(SSL_read(ssl, head, sizeof(head)) == sizeof(head), "no packet");
    memcpy(&big, head + 2, 4);
    must(head[0] == 1 && head[1] == type && ntohl(big) == len, "another packet");
    while (have < len) {
        int got = SSL_read(ssl, payload + have, (int)(len - have));
        must(got > 0, "half a packet");
        have += (uint32_t)got;
    }
}

/* --- what both say of themselves --- */

static void derive(const uint8_t *secret, size_t len, uint8_t key[16])
{
    EVP_PKEY_CTX *hkdf = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    size_t size = 16;
    must(EVP_PKEY_derive_init(hkdf) == 1 && EVP_PKEY_CTX_set_hkdf_md(hkdf, EVP_sha256()) == 1 &&
             EVP_PKEY_CTX_set1_hkdf_key(hkdf, secret, (int)len) == 1 &&
             EVP_PKEY_CTX_add1_hkdf_info(
                 hkdf, (const unsigned char *)"adb pairing_auth aes-128-gcm key", 32) == 1 &&
             EVP_PKEY_derive(hkdf, key, &size) == 1,
         "no key");
    EVP_PKEY_CTX_free(hkdf);
}

static bool unseal(const uint8_t key[16], uint8_t *sealed, uint8_t *out)
{
    static const uint8_t nonce[12];
    EVP_CIPHER_CTX *gcm = EVP_CIPHER_CTX_new();
    int len;
    bool right =
        EVP_DecryptInit_ex(gcm, EVP_aes_128_gcm(), NULL, key, nonce) == 1 &&
        EVP_DecryptUpdate(gcm, out, &len, sealed, INFO_BYTES) == 1 &&
        EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, sealed + INFO_BYTES) == 1 &&
        EVP_DecryptFinal_ex(gcm, out + len, &len) == 1;
    EVP_CIPHER_CTX_free(gcm);
    return right;
}

static void seal(const uint8_t key[16], const uint8_t *info, uint8_t *out)
{
    static const uint8_t nonce[12];
    EVP_CIPHER_CTX *gcm = EVP_CIPHER_CTX_new();
    int len;
    must(EVP_EncryptInit_ex(gcm, EVP_aes_128_gcm(), NULL, key, nonce) == 1 &&
             EVP_EncryptUpdate(gcm, out, &len, info, INFO_BYTES) == 1 &&
             EVP_EncryptFinal_ex(gcm, out + len, &len) == 1 &&
             EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, out + INFO_BYTES) == 1,
         "not sealed");
    EVP_CIPHER_CTX_free(gcm);
}

static void lie(SSL *ssl, const char *how)
{
    static const uint8_t half[4] = {1, 0, 0, 0}, too_long[6] = {1, 0, 0xff, 0xff, 0xff, 0xff},
                         no_point[32] = {2};
    if (strcmp(how, "cut") == 0)
        SSL_write(ssl, half, sizeof(half));
    else if (strcmp(how, "long") == 0)
        SSL_write(ssl, too_long, sizeof(too_long));
    else
        say(ssl, 0, no_point, sizeof(no_point));
    SSL_shutdown(ssl);
    exit(0);
}

static void pair(SSL *ssl, const struct boring *boring, const char *code)
{
    static uint8_t sealed[INFO_BYTES + TAG_BYTES], info[INFO_BYTES];
    uint8_t password[128], own[64], theirs[32], secret[64], key[16];
    size_t code_len = strlen(code), len, secret_len;
    memcpy(password, code, code_len);
    must(SSL_export_keying_material(ssl, password + code_len, 64, "adb-label", 10, NULL, 0, 0) == 1,
         "nothing exported");
    void *context = boring->create(1, "adb pair server", 16, "adb pair client", 16);
    must(boring->message(context, own, &len, sizeof(own), password, code_len + 64) == 1 &&
             len == sizeof(theirs),
         "no message");
    hear(ssl, 0, theirs, sizeof(theirs));
    say(ssl, 0, own, (uint32_t)len);
    must(boring->key(context, secret, &secret_len, sizeof(secret), theirs, sizeof(theirs)) == 1,
         "no point of the curve");
    derive(secret, secret_len, key);
    hear(ssl, 1, sealed, sizeof(sealed));
    must(unseal(key, sealed, info), "another code");
    printf("kind %d: %.*s\n", info[0], INFO_BYTES - 1, (const char *)info + 1);
    memset(info, 0, sizeof(info));
    info[0] = 1;
    snprintf((char *)info + 1, sizeof(info) - 1, "adb-PEER%c01", '\x1b'); /* no terminal's friend */
    seal(key, info, sealed);
    say(ssl, 1, sealed, sizeof(sealed));
}

int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    must(argc >= 3 && strlen(argv[2]) <= 64, "usage: pair_peer LIBCRYPTO CODE [lie]");
    const char *how = argc > 3 ? argv[3] : NULL;
    struct boring boring = load(argv[1]);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 1) == 0 &&
             getsockname(listener, (struct sockaddr *)&at, &len) == 0,
         "no port");
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    alarm(60);
    int fd = accept(listener, NULL, NULL);
    if (how && strcmp(how, "plain") == 0) {
        must(write(fd, "HTTP/1.1 400 Bad Request\r\n\r\n", 28) == 28, "not sent");
        return 0;
    }
    SSL *ssl = serve(fd);
    if (how)
        lie(ssl, how);
    pair(ssl, &boring, argv[2]);
    SSL_shutdown(ssl);
    return 0;
}
