/* host/cli/client.c */
#include "host/cli/client.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <curl/curl.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/cli/cli.h"
#include "host/cli/interrupt.h"
#include "host/cli/private_daemon.h"
#include "host/cli/problem.h"
#include "host/cli/server_address.h"
#include "host/spec/json_value.h"
#include "host/spec/paths.h"

enum { MAX_TOKEN_BYTES = 256, CONNECT_MS = 5000, STALL_S = 60, ATTEMPTS = 3, MAX_WAITS = 60 };

struct sl_client {
    struct sl_server_address address;
    char authorization[MAX_TOKEN_BYTES + 32]; /* a header line; "" without a token */
    const char *ca_file;                      /* borrowed; NULL: the system's */
    bool is_private;
    struct sl_private_daemon daemon; /* where it is private */
    char hint[SL_PATH_BYTES + 32];
};

static int read_token(struct sl_client *client, const char *path, struct sl_diag *diag)
{
    struct sl_buf text;
    int rc = sl_buf_read_file(path, MAX_TOKEN_BYTES, &text);
    if (rc < 0) {
        sl_diag_hint(diag, "name a file that holds a token as 'sme2lab token add' prints it");
        return sl_diag_set(diag, rc, path, "The token cannot be read (%s)", sl_strerror(rc));
    }
    size_t from = 0, to = text.size;
    while (from < to && isspace(text.data[from]))
        from++;
    while (to > from && isspace(text.data[to - 1]))
        to--;
    for (size_t i = from; i < to && rc == 0; i++)
        rc = isgraph(text.data[i]) ? 0 : SL_E_FORMAT;
    if (rc < 0 || from == to)
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "The file holds no token");
    else
        snprintf(client->authorization, sizeof(client->authorization), "Authorization: Bearer %.*s",
                 (int)(to - from), (const char *)text.data + from);
    sl_buf_fini(&text);
    return rc;
}

/* Returns the option, else the variable, else NULL. */
static const char *said(const char *option, const char *variable)
{
    const char *text = option ? option : getenv(variable);
    return text && *text ? text : NULL;
}

/* A file that the environment names for one daemon does not stand in another's way. */
static int check_ca_file(const struct sl_client *client, struct sl_diag *diag)
{
    const char *path = client->ca_file;
    if (!path || strncmp(client->address.url, "https:", 6) != 0 || access(path, R_OK) == 0)
        return 0;
    sl_diag_hint(diag, "name a file of certificates in PEM form by --cacert or $SME2LAB_CACERT");
    return sl_diag_set(diag, -errno, path, "The certificates cannot be read (%s)", strerror(errno));
}

static int new_client(const struct sl_cli *cli, struct sl_client **out, struct sl_diag *diag)
{
    const char *token_file = said(cli->token_file, "SME2LAB_TOKEN_FILE");
    struct sl_client *client = sl_calloc(1, sizeof(*client));
    if (!client)
        return sl_diag_set(diag, -ENOMEM, NULL, "There is no memory for a request");
    client->ca_file = said(cli->ca_file, "SME2LAB_CACERT");
    int rc = token_file ? read_token(client, token_file, diag) : 0;
    if (rc == 0 && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        rc = sl_diag_set(diag, -ENOMEM, "libcurl", "The HTTP library does not start");
    if (rc < 0)
        sl_free(client);
    else
        *out = client;
    return rc;
}

int sl_client_open(const struct sl_cli *cli, struct sl_client **out, struct sl_diag *diag)
{
    struct sl_client *client = NULL;
    struct sl_private_daemon daemon;
    int rc = new_client(cli, &client, diag);
    if (rc < 0)
        return rc;
    rc = sl_server_address_find(cli->server, &client->address, diag);
    if (rc == 0)
        rc = check_ca_file(client, diag);
    if (rc == 0 && cli->server)
        snprintf(client->hint, sizeof(client->hint), " --server %s", client->address.name);
    if (rc == 0 && client->address.socket[0] &&
        sl_private_daemon_of(client->address.socket, &daemon)) {
        client->is_private = true;
        client->daemon = daemon;
    }
    if (rc < 0)
        sl_client_free(client);
    else
        *out = client;
    return rc;
}

int sl_client_open_private(const struct sl_cli *cli, const struct sl_private_daemon *daemon,
                           struct sl_client **out, struct sl_diag *diag)
{
    char name[SL_PATH_BYTES + 8];
    struct sl_client *client = NULL;
    int rc = new_client(cli, &client, diag);
    if (rc < 0)
        return rc;
    client->is_private = true;
    client->daemon = *daemon;
    snprintf(name, sizeof(name), "unix:%s", daemon->socket);
    rc = sl_server_address_parse(name, &client->address, diag);
    if (rc == 0)
        rc = sl_private_daemon_start(daemon, diag);
    if (daemon->cpu[0])
        snprintf(client->hint, sizeof(client->hint), " --server %s", name);
    else if (cli->server)
        snprintf(client->hint, sizeof(client->hint), " --server private");
    if (rc < 0)
        sl_client_free(client);
    else
        *out = client;
    return rc;
}

/* Is there the store of a daemon that does not run? */
static bool has_store(struct sl_diag *diag)
{
    char state[SL_PATH_BYTES], path[SL_PATH_BYTES];
    return sl_paths_state(state, diag) == 0 &&
           sl_path_join(path, sizeof(path), state, SL_STORE_FILE) == 0 && access(path, F_OK) == 0;
}

int sl_client_open_any(const struct sl_cli *cli, struct sl_client **out, struct sl_diag *diag)
{
    struct sl_server_address address;
    struct sl_private_daemon daemon, used;
    bool asked = sl_server_address_is_private(cli->server);
    int rc = asked ? 0 : sl_server_address_find(cli->server, &address, diag);
    if (rc < 0)
        return rc;
    bool there = !asked && (sl_server_address_is_named(cli->server) ||
                            sl_private_daemon_listens(address.socket));
    if (there || (rc = sl_private_daemon_find(NULL, &daemon, asked ? diag : NULL)) < 0)
        return asked && rc < 0 ? rc : sl_client_open(cli, out, diag);
    bool other = sl_private_daemon_in_use(&daemon, &used);
    if (!asked && !other && !sl_private_daemon_known(&daemon) && has_store(diag))
        return sl_client_open(cli, out, diag);
    return sl_client_open_private(cli, other ? &used : &daemon, out, diag);
}

int sl_client_revive(struct sl_client *client, struct sl_diag *diag)
{
    return client->is_private ? sl_private_daemon_start(&client->daemon, diag) : SL_E_UNSUPPORTED;
}

bool sl_client_is_private(const struct sl_client *client)
{
    return client->is_private;
}

const char *sl_client_hint(const struct sl_client *client)
{
    return client->hint;
}

void sl_client_free(struct sl_client *client)
{
    if (!client)
        return;
    curl_global_cleanup();
    sl_free(client);
}

const char *sl_client_server(const struct sl_client *client)
{
    return client->address.name;
}

int sl_client_call_header(struct sl_client_call *call, const char *line)
{
    struct curl_slist *headers = curl_slist_append(call->headers, line);
    if (!headers)
        return -ENOMEM;
    call->headers = headers;
    return curl_easy_setopt(call->curl, CURLOPT_HTTPHEADER, headers) == CURLE_OK ? 0 : -ENOMEM;
}

int sl_client_call_init(struct sl_client_call *call, struct sl_client *client, const char *path)
{
    char url[SL_PATH_BYTES + SL_CLIENT_PATH_BYTES];
    const struct sl_server_address *address = &client->address;
    *call = (struct sl_client_call){.curl = curl_easy_init()};
    CURL *curl = call->curl;
    if (!curl)
        return -ENOMEM;
    snprintf(url, sizeof(url), "%s%s", address->url, path);
    if (curl_easy_setopt(curl, CURLOPT_URL, url) != CURLE_OK)
        return -ENOMEM;
    if (address->socket[0] &&
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, address->socket) != CURLE_OK)
        return -ENOMEM;
    if (address->loopback)
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    if (!address->loopback)
        curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, ""); /* whatever the library unpacks */
    if (client->ca_file)
        curl_easy_setopt(curl, CURLOPT_CAINFO, client->ca_file);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "sme2lab/" SL_VERSION);
    if (client->authorization[0])
        return sl_client_call_header(call, client->authorization);
    return 0;
}

void sl_client_call_fini(struct sl_client_call *call)
{
    curl_easy_cleanup(call->curl);
    curl_slist_free_all(call->headers);
    *call = (struct sl_client_call){.curl = NULL};
}

int sl_client_call_failed(const struct sl_client *client, const char *path, int result,
                          struct sl_diag *diag)
{
    const char *reason = curl_easy_strerror((CURLcode)result);
    const char *server = client->address.name;
    switch (result) {
    case CURLE_ABORTED_BY_CALLBACK:
        return sl_diag_set(diag, -EINTR, server, "Interrupted");
    case CURLE_OUT_OF_MEMORY:
        return sl_diag_set(diag, -ENOMEM, server, "There is no memory for a request");
    case CURLE_WRITE_ERROR:
        return sl_diag_set(diag, SL_E_LIMIT, server, "The answer to %.100s is too long", path);
    case CURLE_READ_ERROR:
        sl_diag_hint(diag, "leave the file alone while it is sent");
        return sl_diag_set(diag, SL_E_MISMATCH, server, "The file sent could not be read on");
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
        sl_diag_hint(diag, "start one with 'sme2labd', or name another: --server unix:PATH, "
                           "http://127.0.0.1:PORT or https://HOST:PORT");
        return sl_diag_set(diag, -ECONNREFUSED, server, "No daemon answers (%s)", reason);
    case CURLE_PEER_FAILED_VERIFICATION:
        sl_diag_hint(diag,
                     "name the certificate of who signed it: --cacert FILE; and the daemon by "
                     "a name that its certificate has");
        return sl_diag_set(diag, -EPROTO, server, "The daemon's certificate is not trusted (%s)",
                           reason);
    case CURLE_SSL_CACERT_BADFILE:
        if (!client->ca_file) {
            sl_diag_hint(diag, "name a file of certificates in PEM form by --cacert");
            return sl_diag_set(diag, SL_E_FORMAT, server,
                               "The system's certificates cannot be read");
        }
        sl_diag_hint(diag, "a file of certificates in PEM form begins with "
                           "-----BEGIN CERTIFICATE-----");
        return sl_diag_set(diag, SL_E_FORMAT, client->ca_file, "It holds no certificate");
    case CURLE_SSL_CONNECT_ERROR:
        sl_diag_hint(diag, "see whether that port of the daemon is one of \"tls:\"; else say "
                           "http://");
        return sl_diag_set(diag, -EPROTO, server, "TLS cannot be agreed on (%s)", reason);
    case CURLE_OPERATION_TIMEDOUT:
        sl_diag_hint(diag, "see whether sme2labd still runs: 'sme2lab doctor'");
        return sl_diag_set(diag, -ETIMEDOUT, server, "The daemon does not answer");
    default:
        sl_diag_hint(diag, "see whether sme2labd runs at that address: 'sme2lab doctor'");
        return sl_diag_set(diag, -EPROTO, server, "The connection to the daemon failed (%s)",
                           reason);
    }
}

struct exchange {
    const struct sl_client_request *request;
    struct sl_answer *answer;
    uint64_t sent;
};

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct exchange *exchange = user;
    return sl_buf_append(&exchange->answer->body, bytes, size * count) == 0 ? size * count : 0;
}

static size_t on_send(char *room, size_t size, size_t count, void *user)
{
    struct exchange *exchange = user;
    uint64_t left = exchange->request->file_bytes - exchange->sent;
    size_t want = size * count < left ? size * count : (size_t)left;
    ssize_t got = want > 0 ? read(exchange->request->file, room, want) : 0;
    if (got < 0 || (got == 0 && want > 0))
        return CURL_READFUNC_ABORT;
    exchange->sent += (uint64_t)got;
    if (exchange->request->progress)
        exchange->request->progress(exchange->request->user, exchange->sent,
                                    exchange->request->file_bytes);
    return (size_t)got;
}

static int on_turn(void *user, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                   curl_off_t up)
{
    (void)user, (void)down_total, (void)down, (void)up_total, (void)up;
    return sl_interrupt_number() != 0;
}

static int set_body(struct sl_client_call *call, const struct sl_client_request *request,
                    struct exchange *exchange)
{
    int rc = 0;
    if (strcmp(request->method, "HEAD") == 0) {
        curl_easy_setopt(call->curl, CURLOPT_NOBODY, 1L);
    } else if (strcmp(request->method, "PUT") == 0) {
        curl_easy_setopt(call->curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(call->curl, CURLOPT_READFUNCTION, on_send);
        curl_easy_setopt(call->curl, CURLOPT_READDATA, exchange);
        curl_easy_setopt(call->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->file_bytes);
        char line[64];
        snprintf(line, sizeof(line), "Upload-Offset: %" PRIu64, request->upload_offset);
        rc = sl_client_call_header(call, "Content-Type: application/octet-stream");
        if (rc == 0)
            rc = sl_client_call_header(call, line);
    } else {
        curl_easy_setopt(call->curl, CURLOPT_CUSTOMREQUEST, request->method);
        if (request->json) {
            curl_easy_setopt(call->curl, CURLOPT_POSTFIELDS, request->json);
            curl_easy_setopt(call->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                             (curl_off_t)strlen(request->json));
            rc = sl_client_call_header(call, "Content-Type: application/json");
        }
    }
    if (rc == 0 && request->idempotency_key) {
        char line[160];
        snprintf(line, sizeof(line), "Idempotency-Key: %.100s", request->idempotency_key);
        rc = sl_client_call_header(call, line);
    }
    return rc;
}

/* One try: 0 with any status, or a code. */
static int try_once(struct sl_client *client, const struct sl_client_request *request,
                    struct sl_answer *out, struct sl_diag *diag)
{
    struct sl_client_call call;
    struct exchange exchange = {.request = request, .answer = out};
    *out = (struct sl_answer){.status = 0};
    sl_buf_init(&out->body, SL_CLIENT_MAX_ANSWER);
    int rc = sl_client_call_init(&call, client, request->path);
    if (rc == 0)
        rc = set_body(&call, request, &exchange);
    if (rc < 0) {
        sl_client_call_fini(&call);
        return sl_diag_set(diag, rc, NULL, "There is no memory for a request");
    }
    curl_easy_setopt(call.curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(call.curl, CURLOPT_WRITEDATA, &exchange);
    curl_easy_setopt(call.curl, CURLOPT_XFERINFOFUNCTION, on_turn);
    curl_easy_setopt(call.curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(call.curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(call.curl, CURLOPT_LOW_SPEED_TIME,
                     request->stall_s ? (long)request->stall_s : (long)STALL_S);
    CURLcode result = curl_easy_perform(call.curl);
    curl_easy_getinfo(call.curl, CURLINFO_RESPONSE_CODE, &out->status);
    struct curl_header *offset = NULL;
    if (curl_easy_header(call.curl, "Upload-Offset", 0, CURLH_HEADER, -1, &offset) == CURLHE_OK)
        out->upload_offset = strtoull(offset->value, NULL, 10);
    /* An upload that is refused is answered before it was read, which fails its sending. */
    bool refused = out->status >= 400 && (result == CURLE_SEND_ERROR || result == CURLE_RECV_ERROR);
    if (result != CURLE_OK && !refused)
        rc = sl_client_call_failed(client, request->path, (int)result, diag);
    sl_client_call_fini(&call);
    return rc;
}

/* Who sends more requests than he may in a second, or at once, waits for the next one; nothing was
 * carried out. false: that is not the answer, or it was so too often, or somebody ends the wait. */
static bool waits_its_turn(long status, const struct sl_buf *body, int *waits)
{
    const struct timespec second = {.tv_sec = 1};
    cJSON *problem = status == 429 && ++*waits <= MAX_WAITS
                         ? cJSON_ParseWithLength((const char *)body->data, body->size)
                         : NULL;
    const char *type = sl_value_text(problem, "type", "");
    bool is_one = strcmp(type, "urn:sme2lab:problem:too-fast") == 0 ||
                  strcmp(type, "urn:sme2lab:problem:too-many-requests") == 0;
    cJSON_Delete(problem);
    return is_one && nanosleep(&second, NULL) == 0;
}

int sl_client_send(struct sl_client *client, const struct sl_client_request *request,
                   struct sl_answer *out, struct sl_diag *diag)
{
    char name[SL_CLIENT_PATH_BYTES + 16];
    int rc = 0, waits = 0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        while ((rc = try_once(client, request, out, diag)) == 0 &&
               waits_its_turn(out->status, &out->body, &waits))
            sl_buf_fini(&out->body);
        bool again = rc == -EPROTO && request->idempotency_key;
        if (rc == -ECONNREFUSED) /* it has ended, being idle, or was killed */
            again = sl_client_revive(client, NULL) == 0;
        if (!again)
            break;
        sl_buf_fini(&out->body);
    }
    if (rc == 0 && out->status >= 200 && out->status < 300)
        return 0;
    if (rc == 0) {
        snprintf(name, sizeof(name), "%s %s", request->method, request->path);
        rc = sl_problem_read(out->status, (struct sl_bytes){out->body.data, out->body.size},
                             client->address.name, name, diag);
    }
    sl_buf_fini(&out->body);
    return rc;
}

int sl_client_make(struct sl_client *client, const struct sl_client_request *request,
                   const char *made, uint64_t *out_id, struct sl_diag *diag)
{
    struct sl_answer answer;
    int rc = sl_client_send(client, request, &answer, diag);
    if (rc < 0)
        return rc;
    cJSON *reply = cJSON_ParseWithLength((const char *)answer.body.data, answer.body.size);
    *out_id = sl_value_u64(reply, "id");
    cJSON_Delete(reply);
    sl_buf_fini(&answer.body);
    return *out_id != 0 ? 0 : sl_diag_set(diag, -EPROTO, sl_client_server(client), "%s", made);
}

struct download {
    CURL *curl;
    int file, error;
    uint64_t bytes;
    struct sl_buf problem; /* of an answer that is no file */
};

static size_t on_piece(char *bytes, size_t size, size_t count, void *user)
{
    struct download *download = user;
    size_t len = size * count;
    long status = 0;
    curl_easy_getinfo(download->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return sl_buf_append(&download->problem, bytes, len) == 0 ? len : 0;
    for (size_t at = 0; at < len;) {
        ssize_t n = write(download->file, bytes + at, len - at);
        if (n < 0 && errno != EINTR) {
            download->error = -errno;
            return 0;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    download->bytes += len;
    return len;
}

static int download_once(struct sl_client *client, const char *path, struct download *download,
                         long *out_status, struct sl_diag *diag)
{
    struct sl_client_call call;
    int rc = sl_client_call_init(&call, client, path);
    if (rc < 0) {
        sl_client_call_fini(&call);
        return sl_diag_set(diag, rc, NULL, "There is no memory for a request");
    }
    download->curl = call.curl;
    curl_easy_setopt(call.curl, CURLOPT_WRITEFUNCTION, on_piece);
    curl_easy_setopt(call.curl, CURLOPT_WRITEDATA, download);
    curl_easy_setopt(call.curl, CURLOPT_XFERINFOFUNCTION, on_turn);
    curl_easy_setopt(call.curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(call.curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(call.curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
    CURLcode result = curl_easy_perform(call.curl);
    curl_easy_getinfo(call.curl, CURLINFO_RESPONSE_CODE, out_status);
    sl_client_call_fini(&call);
    if (download->error < 0)
        return download->error;
    return result == CURLE_OK ? 0 : sl_client_call_failed(client, path, (int)result, diag);
}

int sl_client_download(struct sl_client *client, const char *path, int file, uint64_t *out_bytes,
                       struct sl_diag *diag)
{
    struct download download = {.file = file};
    char name[SL_CLIENT_PATH_BYTES + 8];
    long status = 0;
    int waits = 0;
    sl_buf_init(&download.problem, 64 << 10);
    int rc = download_once(client, path, &download, &status, diag);
    if (rc == -ECONNREFUSED && sl_client_revive(client, NULL) == 0)
        rc = download_once(client, path, &download, &status, diag);
    while (rc == 0 && waits_its_turn(status, &download.problem, &waits)) {
        download.problem.size = 0;
        rc = download_once(client, path, &download, &status, diag);
    }
    snprintf(name, sizeof(name), "GET %s", path);
    if (rc == 0 && status != 200)
        rc =
            sl_problem_read(status, (struct sl_bytes){download.problem.data, download.problem.size},
                            client->address.name, name, diag);
    sl_buf_fini(&download.problem);
    *out_bytes = download.bytes;
    return rc;
}

int sl_client_get(struct sl_client *client, const char *path, struct sl_buf *out_text, cJSON **out,
                  struct sl_diag *diag)
{
    const struct sl_client_request request = {.method = "GET", .path = path};
    struct sl_answer answer;
    int rc = sl_client_send(client, &request, &answer, diag);
    if (rc < 0)
        return rc;
    cJSON *document = NULL;
    if (out) {
        document = cJSON_ParseWithLength((const char *)answer.body.data, answer.body.size);
        if (!document) {
            sl_buf_fini(&answer.body);
            sl_diag_hint(diag, "see what listens at that address; is it a sme2labd?");
            return sl_diag_set(diag, -EPROTO, client->address.name,
                               "The answer to GET %.100s is not JSON", path);
        }
        *out = document;
    }
    if (out_text)
        *out_text = answer.body;
    else
        sl_buf_fini(&answer.body);
    return 0;
}
