/* tests/unit/host/http/test_tls.c: certificates made here, and a client of OpenSSL's. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/http/context.h"
#include "host/http/listener.h"
#include "host/http/tls.h"
#include "tests/support/http_case.h"
#include "tests/support/unit.h"

enum { DAY_S = 24 * 3600, MANY = 2000, HOUR_MS = 3600 * 1000, LEAST_HANDSHAKE = 400 };

static char folder[64], certificate[96], key_file[96];
static unsigned rsa_bits; /* of the keys made; 0: they are of P-256 */

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-tls-XXXXXX");
    snprintf(certificate, sizeof(certificate), "%s/cert.pem", mkdtemp(folder));
    snprintf(key_file, sizeof(key_file), "%s/key.pem", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(certificate);
    unlink(key_file);
    return rmdir(folder);
}

#define CASE(name) TEST_WITH(name, make_folder, remove_folder)

/* A certificate for localhost that is valid between these days from now, and its key. */
static void make(int serial, int from_day, int to_day, const char *passphrase)
{
    EVP_PKEY *key = rsa_bits ? EVP_RSA_gen(rsa_bits) : EVP_EC_gen("P-256");
    X509 *made = X509_new();
    X509_NAME *name = X509_get_subject_name(made);
    FILE *cert = fopen(certificate, "w"), *secret = fopen(key_file, "w");
    X509_EXTENSION *names =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    assert_true(key && cert && secret && names);
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), serial);
    X509_gmtime_adj(X509_getm_notBefore(made), (long)from_day * DAY_S);
    X509_gmtime_adj(X509_getm_notAfter(made), (long)to_day * DAY_S);
    X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC, (const uint8_t *)"lab", -1, -1,
                               0);
    X509_set_issuer_name(made, name);
    X509_set_pubkey(made, key);
    X509_add_ext(made, names, -1);
    assert_true(X509_sign(made, key, EVP_sha256()) > 0);
    assert_int_equal(PEM_write_X509(cert, made), 1);
    assert_int_equal(PEM_write_PrivateKey(secret, key, passphrase ? EVP_aes_128_cbc() : NULL,
                                          (const uint8_t *)passphrase,
                                          passphrase ? (int)strlen(passphrase) : 0, NULL, NULL),
                     1);
    fclose(cert);
    fclose(secret);
    chmod(key_file, 0600);
    X509_EXTENSION_free(names);
    X509_free(made);
    EVP_PKEY_free(key);
}

static struct sl_tls_identity *load(void)
{
    struct sl_tls_identity *identity = NULL;
    struct sl_diag diag = {0};
    if (sl_tls_identity_new(certificate, key_file, &identity, &diag) < 0)
        fail_msg("%s: %s", diag.where, diag.what);
    return identity;
}

static void refused(int rc, const char *word)
{
    struct sl_tls_identity *identity = NULL;
    struct sl_diag diag = {0};
    assert_int_equal(sl_tls_identity_new(certificate, key_file, &identity, &diag), rc);
    assert_null(identity);
    assert_non_null(strstr(diag.what, word));
    assert_true(strcmp(diag.where, certificate) == 0 || strcmp(diag.where, key_file) == 0);
    assert_true(diag.hint[0]);
}

CASE(files_that_cannot_serve_are_refused_with_the_reason)
{
    char other[112];
    refused(-ENOENT, "cannot be read");
    make(1, -1, 10, "secret");
    refused(SL_E_FORMAT, "passphrase");
    make(1, -1, 10, NULL);
    chmod(key_file, 0644);
    refused(SL_E_STATE, "open to every user");
    snprintf(other, sizeof(other), "%s.other", certificate);
    assert_int_equal(rename(certificate, other), 0);
    make(2, -1, 10, NULL);
    assert_int_equal(rename(other, certificate), 0);
    refused(SL_E_MISMATCH, "not that of the certificate");
    assert_int_equal(truncate(key_file, 0), 0);
    refused(SL_E_FORMAT, "no key");
    assert_int_equal(truncate(certificate, 40), 0);
    refused(SL_E_FORMAT, "no certificate");
    make(1, -1, 10, NULL);
    sl_tls_identity_free(load());
}

/* Adds text behind the certificate. */
static void add_issuer(const char *text, size_t len)
{
    FILE *file = fopen(certificate, "a");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static size_t read_certificate(char *out, size_t size)
{
    FILE *file = fopen(certificate, "r");
    assert_non_null(file);
    size_t len = fread(out, 1, size, file);
    fclose(file);
    return len;
}

CASE(a_chain_is_taken_whole_or_not_at_all)
{
    char text[4096];
    make(1, -1, 10, NULL);
    size_t len = read_certificate(text, sizeof(text));
    for (int i = 0; i < 16; i++)
        add_issuer(text, len);
    add_issuer("and some words\n", 15);
    sl_tls_identity_free(load());
    add_issuer(text, len);
    refused(SL_E_LIMIT, "more than 16");
    make(1, -1, 10, NULL);
    add_issuer(text, len);
    add_issuer(text, len / 2);
    refused(SL_E_FORMAT, "certificate 3 in it");
    make(1, -1, 10, NULL);
    text[len / 2] = '!';
    add_issuer(text, len);
    refused(SL_E_FORMAT, "certificate 2 in it cannot be read");
    rsa_bits = 512;
    make(1, -1, 10, NULL);
    rsa_bits = 0;
    len = read_certificate(text, sizeof(text));
    make(1, -1, 10, NULL);
    add_issuer(text, len);
    refused(SL_E_FORMAT, "certificate 2 in it cannot be used");
}

CASE(the_time_of_a_certificate_is_judged_apart)
{
    static const struct {
        int from_day, to_day;
        const char *word;
    } cases[] = {{-20, -10, "expired 10 days ago"},
                 {-20, -1, "expired 1 day ago"},
                 {-20, 0, "within the last day"},
                 {10, 20, "not valid yet"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_diag diag = {0};
        make(1, cases[i].from_day, cases[i].to_day, NULL);
        struct sl_tls_identity *identity = load();
        assert_int_equal(sl_tls_identity_check_time(identity, &diag), SL_E_STATE);
        assert_non_null(strstr(diag.what, cases[i].word));
        assert_string_equal(diag.where, certificate);
        sl_tls_identity_free(identity);
    }
    make(1, -1, 10, NULL);
    struct sl_tls_identity *identity = load();
    assert_int_equal(sl_tls_identity_check_time(identity, NULL), 0);
    sl_tls_identity_free(identity);
}

/* --- both ends --- */

struct ends {
    SSL_CTX *context;
    SSL *client;
    struct sl_tls *server;
};

static struct ends open_ends(const struct sl_tls_identity *identity, int version,
                             const char *protocol)
{
    struct ends ends = {.context = SSL_CTX_new(TLS_client_method())};
    SSL_CTX_set_min_proto_version(ends.context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(ends.context, version);
    SSL_CTX_set_security_level(ends.context, 0);
    ends.client = SSL_new(ends.context);
    SSL_set_bio(ends.client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ends.client);
    if (protocol)
        SSL_set_alpn_protos(ends.client, (const uint8_t *)protocol, (unsigned)strlen(protocol));
    assert_int_equal(sl_tls_new(identity, &ends.server), 0);
    return ends;
}

static void close_ends(struct ends *ends)
{
    sl_tls_free(ends->server);
    SSL_free(ends->client);
    SSL_CTX_free(ends->context);
}

/* Brings the client's bytes to the server, one at a time, and the server's back; returns how many
 * the server reads of them. */
static int carry(struct ends *ends, char *text, size_t size)
{
    int rc = 0;
    size_t used = 0, len;
    uint8_t byte;
    const uint8_t *sealed;
    while (rc >= 0 && BIO_read(SSL_get_wbio(ends->client), &byte, 1) == 1) {
        assert_int_equal(sl_tls_feed(ends->server, &byte, 1), 0);
        rc = sl_tls_read(ends->server, text + used, size - used);
        used += rc > 0 ? (size_t)rc : 0;
    }
    while ((len = sl_tls_sealed(ends->server, &sealed)) > 0)
        assert_int_equal(BIO_write(SSL_get_rbio(ends->client), sealed, (int)len), len);
    return rc < 0 ? rc : (int)used;
}

static bool shake_hands(struct ends *ends)
{
    char none[64];
    int rc = 0;
    for (int i = 0; i < 8 && rc == 0 && SSL_do_handshake(ends->client) != 1; i++)
        rc = carry(ends, none, sizeof(none));
    return rc == 0 && SSL_is_init_finished(ends->client) && carry(ends, none, sizeof(none)) == 0;
}

static void talk(struct ends *ends)
{
    char text[64] = "";
    assert_int_equal(SSL_write(ends->client, "ask", 3), 3);
    assert_int_equal(carry(ends, text, sizeof(text)), 3);
    assert_memory_equal(text, "ask", 3);
    assert_int_equal(sl_tls_write(ends->server, "answer", 6), 0);
    assert_int_equal(carry(ends, text, sizeof(text)), 0);
    assert_int_equal(SSL_read(ends->client, text, sizeof(text)), 6);
    assert_memory_equal(text, "answer", 6);
}

CASE(bytes_go_both_ways_and_each_end_says_its_last)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    char text[64];
    make(1, -1, 10, NULL);
    struct sl_tls_identity *identity = load();
    for (size_t i = 0; i < 2; i++) {
        struct ends ends = open_ends(identity, versions[i], "\x02h2\x08http/1.1");
        assert_int_equal(sl_tls_write(ends.server, "early", 5), SL_E_FORMAT);
        sl_tls_free(ends.server);
        assert_int_equal(sl_tls_new(identity, &ends.server), 0);
        assert_true(shake_hands(&ends));
        talk(&ends);
        sl_tls_end(ends.server);
        assert_int_equal(carry(&ends, text, sizeof(text)), 0);
        assert_int_equal(SSL_read(ends.client, text, sizeof(text)), 0);
        assert_int_equal(SSL_get_error(ends.client, 0), SSL_ERROR_ZERO_RETURN);
        SSL_shutdown(ends.client);
        assert_int_equal(carry(&ends, text, sizeof(text)), SL_E_STATE);
        assert_null(sl_tls_fault(ends.server));
        close_ends(&ends);
    }
    sl_tls_identity_free(identity);
}

CASE(old_versions_other_protocols_and_noise_are_refused)
{
    char text[64];
    make(1, -1, 10, NULL);
    struct sl_tls_identity *identity = load();
    struct ends old = open_ends(identity, TLS1_1_VERSION, NULL);
    assert_false(shake_hands(&old));
    assert_non_null(strstr(sl_tls_fault(old.server), "protocol"));
    close_ends(&old);
    struct ends other = open_ends(identity, TLS1_3_VERSION, "\x02h2");
    assert_false(shake_hands(&other));
    close_ends(&other);
    struct ends noise = open_ends(identity, TLS1_3_VERSION, NULL);
    memset(text, 'x', sizeof(text));
    assert_int_equal(sl_tls_feed(noise.server, text, sizeof(text)), 0);
    assert_int_equal(sl_tls_read(noise.server, text, sizeof(text)), SL_E_FORMAT);
    assert_int_equal(sl_tls_read(noise.server, text, sizeof(text)), SL_E_FORMAT);
    assert_non_null(sl_tls_fault(noise.server));
    close_ends(&noise);
    sl_tls_identity_free(identity);
}

CASE(what_waits_is_bounded_both_ways)
{
    static char much[48 << 10];
    char text[64];
    make(1, -1, 10, NULL);
    struct sl_tls_identity *identity = load();
    struct ends ends = open_ends(identity, TLS1_3_VERSION, NULL);
    assert_int_equal(sl_tls_feed(ends.server, much, sizeof(much)), 0);
    assert_int_equal(sl_tls_feed(ends.server, much, sizeof(much)), SL_E_LIMIT);
    close_ends(&ends);
    ends = open_ends(identity, TLS1_3_VERSION, NULL);
    assert_true(shake_hands(&ends));
    int rc = 0; /* each is answered by one that nobody fetches */
    for (int i = 0; i < 8 * MANY && rc == 0; i++) {
        SSL_key_update(ends.client, SSL_KEY_UPDATE_REQUESTED);
        SSL_do_handshake(ends.client);
        int len = BIO_read(SSL_get_wbio(ends.client), much, sizeof(much));
        assert_int_equal(sl_tls_feed(ends.server, much, (size_t)len), 0);
        rc = sl_tls_read(ends.server, text, sizeof(text));
    }
    assert_int_equal(rc, SL_E_FORMAT);
    close_ends(&ends);
    sl_tls_identity_free(identity);
}

CASE(a_renewed_certificate_is_for_new_connections)
{
    struct sl_diag diag = {0};
    make(1, -1, 10, NULL);
    struct sl_tls_identity *identity = load();
    int64_t expires_s = sl_tls_identity_expires_s(identity);
    struct ends before = open_ends(identity, TLS1_3_VERSION, NULL);
    assert_true(shake_hands(&before));
    assert_int_equal(sl_tls_identity_refresh(identity, 0, &diag), 0);
    assert_int_equal(truncate(key_file, 10), 0);
    assert_int_equal(sl_tls_identity_refresh(identity, 0, &diag), SL_E_FORMAT);
    assert_int_equal(sl_tls_identity_refresh(identity, HOUR_MS, &diag), 0); /* said once */
    assert_int_equal(sl_tls_identity_expires_s(identity), expires_s);
    struct ends kept = open_ends(identity, TLS1_3_VERSION, NULL);
    assert_true(shake_hands(&kept));
    make(7, -1, 20, NULL);
    assert_int_equal(sl_tls_identity_refresh(identity, HOUR_MS, &diag), 1);
    assert_in_range(sl_tls_identity_expires_s(identity) - expires_s, 9 * DAY_S, 11 * DAY_S);
    struct ends after = open_ends(identity, TLS1_3_VERSION, NULL);
    assert_true(shake_hands(&after));
    const X509 *leaf = SSL_get0_peer_certificate(after.client);
    assert_int_equal(ASN1_INTEGER_get(X509_get0_serialNumber(leaf)), 7);
    talk(&before);
    close_ends(&before);
    close_ends(&kept);
    close_ends(&after);
    sl_tls_identity_free(identity);
}

CASE(a_key_that_is_closed_after_it_was_refused_serves)
{
    struct sl_diag diag = {0};
    make(1, -1, 10, NULL);
    struct sl_tls_identity *identity = load();
    make(2, -1, 20, NULL);
    chmod(key_file, 0644);
    assert_int_equal(sl_tls_identity_refresh(identity, 0, &diag), SL_E_STATE);
    assert_int_equal(sl_tls_identity_refresh(identity, HOUR_MS, &diag), 0); /* said once */
    chmod(key_file, 0600);
    assert_int_equal(sl_tls_identity_refresh(identity, HOUR_MS, &diag), 1);
    assert_int_equal(sl_tls_identity_refresh(identity, 2 * HOUR_MS, &diag), 0);
    sl_tls_identity_free(identity);
}

CASE(a_failure_that_passes_is_looked_at_again_after_a_minute)
{
    struct sl_diag diag = {0};
    make(1, -1, 10, NULL);
    struct sl_tls_identity *identity = load();
    make(2, -1, 20, NULL);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_tls_identity_refresh(identity, 1000, &diag), -ENOMEM);
    assert_int_equal(sl_tls_identity_refresh(identity, 59999, &diag), 0);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_tls_identity_refresh(identity, 61000, &diag), 0); /* said once */
    assert_int_equal(sl_tls_identity_refresh(identity, 121000, &diag), 1);
    make(3, 10, 20, NULL);
    assert_int_equal(sl_tls_identity_refresh(identity, 122000, &diag), SL_E_STATE);
    assert_non_null(strstr(diag.what, "not valid yet"));
    assert_int_equal(sl_tls_identity_refresh(identity, HOUR_MS, &diag), 0);
    sl_tls_identity_free(identity);
}

/* --- the server --- */

static bool is_closed;

static void on_closed(void *user)
{
    *(bool *)user = true;
}

static bool has_closed(void)
{
    return is_closed;
}

/* A client for whose TLS there is no memory is let go, and not blamed. */
static void lack_memory_for_one(struct sl_http_case *bench, struct sl_http *http, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    uint64_t accepted = http->clients.accepted;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    http->clients.refusals.told = 0;
    bench->output_size = 0;
    sl_mem_fail_nth(2); /* behind the connection's own */
    assert_int_equal(sl_http_case_await(bench, fd, "nothing", SL_CASE_PATIENCE_MS), 0);
    assert_int_equal(http->clients.accepted, accepted + 1);
    assert_int_equal(http->clients.refusals.told, 0);
    close(fd);
}

CASE(the_server_speaks_it_where_it_is_told)
{
    static struct sl_http_case bench;
    struct sl_http *http = NULL;
    struct sl_diag diag = {0};
    struct sl_http_options options = {.listen = {"tls:0.0.0.0:0"}, .listen_count = 1};
    sl_http_case_open(&bench, 0, 0);
    assert_int_equal(sl_http_new(&bench.loop, bench.lab, &options, &http, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "no certificate"));
    make(1, -20, -10, NULL);
    options.certificate = certificate;
    options.key = key_file;
    assert_int_equal(sl_http_new(&bench.loop, bench.lab, &options, &http, &diag), 0);
    is_closed = false;
    sl_http_close(http, on_closed, &is_closed);
    assert_true(sl_http_case_until(&bench, has_closed));
    make(1, -1, 10, NULL);
    assert_int_equal(sl_http_new(&bench.loop, bench.lab, &options, &http, &diag), 0);
    sl_http_case_await_tokens(&bench, http);
    int port = sl_http_port(http, 0);
    snprintf(bench.url, sizeof(bench.url), "https://127.0.0.1:%d", port);
    assert_int_equal(sl_http_case_curl(&bench, true, "/healthz", "--cacert", certificate, NULL),
                     200);
    assert_true(http->clients.sent_bytes > bench.output_size + LEAST_HANDSHAKE);
    assert_int_equal(
        sl_http_case_curl(&bench, true, "/api/v1/openapi.yaml", "--cacert", certificate, NULL),
        401);
    assert_int_equal(sl_http_case_curl(&bench, true, "/healthz", NULL), 0); /* not trusted */
    snprintf(bench.url, sizeof(bench.url), "http://127.0.0.1:%d", port);
    assert_int_equal(sl_http_case_curl(&bench, true, "/healthz", NULL), 400);
    assert_non_null(strstr(bench.body, "https://"));
    lack_memory_for_one(&bench, http, port);
    is_closed = false;
    sl_http_close(http, on_closed, &is_closed);
    assert_true(sl_http_case_until(&bench, has_closed));
    sl_http_case_close(&bench);
}

/* A connection from an address of this machine. */
static int connect_from(const char *address, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}, from = to;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    from.sin_port = 0;
    assert_int_equal(inet_pton(AF_INET, address, &from.sin_addr), 1);
    assert_int_equal(bind(fd, (const struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/* The log goes to a file from here on, until it is read: all of it, or its beginning. */
static FILE *begin_log(int *out_kept)
{
    FILE *file = tmpfile();
    fflush(stderr);
    *out_kept = dup(STDERR_FILENO);
    assert_true(file && *out_kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    return file;
}

static const char *end_log(FILE *file, int kept)
{
    static char text[16 << 10];
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Connects as often from one address, and counts who is sent away: fewer connections than an
 * address may have open, so that it is for their handshakes alone. */
static size_t flood_it(struct sl_http_case *bench, int port, int *fds, size_t count)
{
    size_t sent_away = 0;
    for (size_t i = 0; i < count; i++) /* they wait to be accepted, all in little time */
        fds[i] = connect_from("127.0.0.9", port);
    sl_http_case_spin(bench, 20);
    for (size_t i = 0; i < count; i++) {
        char byte;
        sent_away += recv(fds[i], &byte, 1, 0) >= 0 || errno != EAGAIN;
    }
    return sent_away;
}

CASE(a_flood_of_handshakes_is_sent_away_and_others_are_served)
{
    enum { FLOOD = 250 }; /* fewer than one address may hold */
    static struct sl_http_case bench;
    static int flood[FLOOD];
    struct sl_http *http = NULL;
    struct sl_diag diag = {0};
    struct sl_http_options options = {.listen = {"tls:127.0.0.1:0"},
                                      .listen_count = 1,
                                      .certificate = certificate,
                                      .key = key_file};
    int kept;
    sl_http_case_open(&bench, 0, 0);
    make(1, -1, 10, NULL);
    assert_int_equal(sl_http_new(&bench.loop, bench.lab, &options, &http, &diag), 0);
    sl_http_case_await_tokens(&bench, http);
    int port = sl_http_port(http, 0);
    FILE *log = begin_log(&kept);
    size_t sent_away = flood_it(&bench, port, flood, FLOOD);
    const char *logged = end_log(log, kept);
    assert_in_range(sent_away, FLOOD - SL_HTTP_HANDSHAKES_A_SECOND - 30,
                    FLOOD - SL_HTTP_HANDSHAKES_A_SECOND);
    assert_non_null(strstr(logged, "its address begins too many TLS handshakes in a second"));
    snprintf(bench.url, sizeof(bench.url), "https://127.0.0.1:%d", port);
    assert_int_equal(sl_http_case_curl(&bench, true, "/healthz", "--cacert", certificate, NULL),
                     200); /* of another address */
    for (size_t i = 0; i < FLOOD; i++)
        close(flood[i]);
    sl_http_case_spin(&bench, 200); /* then it may begin some again */
    assert_int_equal(sl_http_case_curl(&bench, true, "/healthz", "--cacert", certificate,
                                       "--interface", "127.0.0.9", NULL),
                     200);
    is_closed = false;
    sl_http_close(http, on_closed, &is_closed);
    assert_true(sl_http_case_until(&bench, has_closed));
    sl_http_case_close(&bench);
}
