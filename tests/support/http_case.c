/* tests/support/http_case.c */
#include "tests/support/http_case.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "host/device/link_job.h"
#include "host/http/context.h"
#include "host/http/listener.h"
#include "host/job/kept_list.h"
#include "host/job/lab_open.h"
#include "tests/support/unit.h"

static void pass(uv_loop_t *loop)
{
    struct timespec nap = {.tv_nsec = 1000000};
    uv_run(loop, UV_RUN_NOWAIT);
    nanosleep(&nap, NULL);
}

/* A loop that has nothing to wait for returns at once, and is asked no longer than that. */
static void must_come(struct sl_http_case *bench, const bool *has_come, const char *what)
{
    uint64_t end = uv_hrtime() + SL_CASE_PATIENCE_MS * UINT64_C(1000000);
    while (!*has_come && uv_hrtime() < end)
        pass(&bench->loop);
    if (!*has_come)
        fail_msg("%s: not within %d ms", what, (int)SL_CASE_PATIENCE_MS);
}

static void on_opened(void *user, int rc)
{
    assert_int_equal(rc, 0);
    ((struct sl_http_case *)user)->opened = true;
}

static void on_start(void *user, const struct sl_job_record *job, const char *config_json,
                     const struct sl_device_record *device)
{
    (void)config_json;
    (void)device;
    ((struct sl_http_case *)user)->started_job = job->id;
}

static void on_cancel(void *user, uint64_t job, const char *device)
{
    struct sl_http_case *bench = user;
    bench->cancelled++;
    sl_lab_job_ended(bench->lab, job, device, SL_CAUSE_USER, "cancelled", NULL);
}

/* The file that SL_HTTP_CASE_MODEL names is there. */
static void put_model(const struct sl_http_case *bench)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/blobs", bench->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/blobs/%s", bench->folder, SL_HTTP_CASE_MODEL);
    assert_int_equal(sl_buf_write_file(path, "model", 5), 0);
}

static void open_lab(struct sl_http_case *bench)
{
    struct sl_lab_options options = {.store = bench->store,
                                     .state_dir = bench->folder,
                                     .host = "this",
                                     .runner = {on_start, on_cancel, bench, NULL, NULL, NULL},
                                     .last_event = 1000,
                                     .opened = on_opened,
                                     .user = bench};
    assert_int_equal(sl_lab_open(&bench->loop, &options, &bench->lab), 0);
    assert_int_equal(sl_lab_add_device(bench->lab, "box", SL_DEVICE_COUNTED), 0);
    assert_int_equal(sl_lab_add_device(bench->lab, "phone", SL_DEVICE_LOCAL), 0);
    must_come(bench, &bench->opened, "the laboratory opens");
}

void sl_http_case_await_tokens(struct sl_http_case *bench, const struct sl_http *http)
{
    must_come(bench, &http->auth.loaded, "tokens are read");
}

static void on_closed(void *user)
{
    *(bool *)user = true;
}

static void on_beat(void *user, int rc, uint64_t now_ms, const struct sl_job_record *expired,
                    size_t count)
{
    (void)now_ms, (void)expired, (void)count;
    assert_int_equal(rc, 0);
    *(bool *)user = true;
}

/* Another host beats once, and has two runs. */
static void add_other(struct sl_http_case *bench, const char *path, const char *url)
{
    static const char run[] =
        "INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, ratio, exit_code, model, "
        "model_sha256, device, verdict, directory, series, host) VALUES (7, 7, 1, 1, 1, 0, 0, 'm', "
        "'', 'b', '', 'runs/2026-01-01/000000-7', '', 'other'), "
        "(8, 8, 1, 1, 1, 0, 0, 'm', '', 'b', '', 'runs/2026-01-01/000000-8', '', 'other')";
    struct sl_store_host host = {.name = "other", .lease_ms = 30000, .started_ms = 1};
    sl_sha256_hex(SL_CASE_OTHER_TOKEN, strlen(SL_CASE_OTHER_TOKEN), host.shown_sha256);
    struct sl_store *store = NULL;
    struct sl_diag diag = {0};
    bool beaten = false, closed = false;
    sqlite3 *db = NULL;
    snprintf(host.url, sizeof(host.url), "%s", url);
    assert_int_equal(sl_store_open(&bench->loop, path, NULL, &store, &diag), 0);
    sl_store_be_host(store, &host);
    assert_int_equal(sl_store_beat(store, on_beat, &beaten), 0);
    must_come(bench, &beaten, "the other host beats");
    sl_store_close(store, on_closed, &closed);
    must_come(bench, &closed, "its store closes");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, run, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* Both ends of each connection are this process's. */
static void allow_crowds(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
    setrlimit(RLIMIT_NOFILE, &files);
}

static void open_case(struct sl_http_case *bench, uint64_t max_blob_bytes, unsigned timeout_s,
                      const char *other, bool sealed)
{
    struct sl_diag diag = {0};
    char path[128], address[128];
    memset(bench, 0, sizeof(*bench));
    signal(SIGPIPE, SIG_IGN); /* as the daemon does */
    allow_crowds();
    snprintf(bench->folder, sizeof(bench->folder), "/tmp/sl-http-XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    snprintf(path, sizeof(path), "%s/store.db", bench->folder);
    if (other)
        add_other(bench, path, other);
    assert_int_equal(sl_store_open(&bench->loop, path, NULL, &bench->store, &diag), 0);
    sl_store_be_host(bench->store,
                     &(struct sl_store_host){.name = "this", .lease_ms = 30000, .sealed = sealed});
    open_lab(bench);
    put_model(bench);
    snprintf(bench->socket, sizeof(bench->socket), "%s/http.sock", bench->folder);
    snprintf(address, sizeof(address), "unix:%s", bench->socket);
    struct sl_http_options options = {.listen = {address, "tcp:127.0.0.1:0"},
                                      .listen_count = 2,
                                      .max_blob_bytes = max_blob_bytes,
                                      .timeout_s = timeout_s};
    int rc = sl_http_new(&bench->loop, bench->lab, &options, &bench->http, &diag);
    if (rc < 0)
        fail_msg("%s: %s", diag.where, diag.what);
    sl_http_case_await_tokens(bench, bench->http);
    snprintf(bench->url, sizeof(bench->url), "http://127.0.0.1:%d", sl_http_port(bench->http, 1));
    bench->output = calloc(1, SL_CASE_OUTPUT_BYTES);
    assert_non_null(bench->output);
}

void sl_http_case_open(struct sl_http_case *bench, uint64_t max_blob_bytes, unsigned timeout_s)
{
    open_case(bench, max_blob_bytes, timeout_s, NULL, false);
}

void sl_http_case_open_beside(struct sl_http_case *bench, const char *url)
{
    open_case(bench, 0, 0, url, false);
}

void sl_http_case_open_sealed(struct sl_http_case *bench, const char *url)
{
    open_case(bench, 0, 0, url, true);
}

void sl_http_case_close_http(struct sl_http_case *bench)
{
    sl_http_close(bench->http, on_closed, &bench->http_closed);
    assert_false(bench->http_closed); /* never inside the call */
    must_come(bench, &bench->http_closed, "the server closes");
}

void sl_http_case_close(struct sl_http_case *bench)
{
    char command[128];
    if (!bench->http_closed)
        sl_http_case_close_http(bench);
    sl_lab_close(bench->lab, on_closed, &bench->lab_closed);
    must_come(bench, &bench->lab_closed, "the laboratory closes");
    sl_store_close(bench->store, on_closed, &bench->store_closed);
    must_come(bench, &bench->store_closed, "the store closes");
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
    assert_int_equal(access(bench->socket, F_OK), -1);
    free(bench->output);
    if (bench->kept)
        sl_kept_list_fini(bench->kept);
    snprintf(command, sizeof(command), "rm -rf %s", bench->folder);
    assert_int_equal(system(command), 0);
}

struct child {
    struct sl_http_case *bench;
    uv_process_t process;
    uv_pipe_t out;
    int open;
};

static void on_part_closed(uv_handle_t *handle)
{
    ((struct child *)handle->data)->open--;
}

static void on_exit_code(uv_process_t *process, int64_t status, int signal)
{
    struct child *child = process->data;
    child->bench->exit_code = signal ? 128 + signal : (int)status;
    uv_close((uv_handle_t *)process, on_part_closed);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct sl_http_case *bench = ((struct child *)handle->data)->bench;
    (void)suggested;
    *out = uv_buf_init(bench->output + bench->output_size,
                       (unsigned)(SL_CASE_OUTPUT_BYTES - 1 - bench->output_size));
}

static void on_output(uv_stream_t *stream, ssize_t len, const uv_buf_t *buf)
{
    struct child *child = stream->data;
    (void)buf;
    if (len < 0)
        uv_close((uv_handle_t *)stream, on_part_closed);
    else
        child->bench->output_size += (size_t)len;
}

static void run_curl(struct sl_http_case *bench, char **argv)
{
    struct child child = {.bench = bench, .open = 2};
    uv_stdio_container_t stdio[3] = {{.flags = UV_IGNORE}};
    child.process.data = child.out.data = &child;
    assert_int_equal(uv_pipe_init(&bench->loop, &child.out, 0), 0);
    stdio[1].flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
    stdio[1].data.stream = (uv_stream_t *)&child.out;
    stdio[2].flags = UV_INHERIT_FD;
    stdio[2].data.fd = 2;
    uv_process_options_t options = {
        .file = "curl", .args = argv, .exit_cb = on_exit_code, .stdio_count = 3, .stdio = stdio};
    assert_int_equal(uv_spawn(&bench->loop, &child.process, &options), 0);
    assert_int_equal(uv_read_start((uv_stream_t *)&child.out, give_room, on_output), 0);
    while (child.open > 0)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

/* The last answer counts: an interim one may stand before it. */
static void read_answer(struct sl_http_case *bench)
{
    const char *at = bench->output;
    bench->output[bench->output_size] = '\0';
    bench->status = 0;
    bench->body = at;
    while (strncmp(at, "HTTP/1.1 ", 9) == 0) {
        const char *end = strstr(at, "\r\n\r\n");
        bench->status = atoi(at + 9);
        bench->body = end ? end + 4 : at + strlen(at);
        if (bench->status != 100)
            break;
        at = bench->body;
    }
}

int sl_http_case_curl(struct sl_http_case *bench, bool tcp, const char *path, ...)
{
    char url[SL_CASE_OUTPUT_BYTES / 64];
    char *argv[SL_CASE_MAX_ARGS] = {"curl", "-s", "-i", "--path-as-is", "--max-time", "20"};
    size_t argc = 6;
    va_list args;
    if (!tcp) {
        argv[argc++] = "--unix-socket";
        argv[argc++] = bench->socket;
    }
    snprintf(url, sizeof(url), "%s%s", tcp ? bench->url : "http://lab", path);
    argv[argc++] = url;
    va_start(args, path);
    for (char *arg; (arg = va_arg(args, char *)) != NULL;) {
        assert_true(argc < SL_CASE_MAX_ARGS - 1);
        argv[argc++] = arg;
    }
    va_end(args);
    argv[argc] = NULL;
    bench->output_size = 0;
    run_curl(bench, argv);
    read_answer(bench);
    return bench->status;
}

int sl_http_case_connect(struct sl_http_case *bench)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", bench->socket);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    bench->output_size = 0;
    bench->output[0] = '\0';
    return fd;
}

void sl_http_case_send(int fd, const char *text)
{
    size_t len = strlen(text);
    assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), len);
}

int sl_http_case_await(struct sl_http_case *bench, int fd, const char *wanted, unsigned timeout_ms)
{
    uint64_t end = uv_hrtime() + timeout_ms * UINT64_C(1000000);
    while (uv_hrtime() < end) {
        pass(&bench->loop);
        ssize_t n = recv(fd, bench->output + bench->output_size,
                         SL_CASE_OUTPUT_BYTES - 1 - bench->output_size, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            return wanted && strstr(bench->output, wanted) ? 1 : 0;
        if (n > 0)
            bench->output_size += (size_t)n;
        bench->output[bench->output_size] = '\0';
        if (wanted && strstr(bench->output, wanted))
            return 1;
    }
    return -1;
}

void sl_http_case_spin(struct sl_http_case *bench, unsigned ms)
{
    uint64_t end = uv_hrtime() + ms * UINT64_C(1000000);
    while (uv_hrtime() < end)
        pass(&bench->loop);
}

bool sl_http_case_until(struct sl_http_case *bench, bool (*is_so)(void))
{
    uint64_t end = uv_hrtime() + SL_CASE_PATIENCE_MS * UINT64_C(1000000);
    while (!is_so() && uv_hrtime() < end)
        pass(&bench->loop);
    return is_so();
}

static const struct sl_kept_list *kept_of(void *user, const char *name)
{
    const struct sl_http_case *bench = user;
    return sl_lab_device(bench->lab, name) ? bench->kept : NULL;
}

static int forget(void *user, const char *name, struct sl_run_id id)
{
    struct sl_http_case *bench = user;
    const struct sl_link_kept other = {.job = {0, id.low == 7 ? 8 : 7}, .outcome = SL_OUTCOME_DONE};
    (void)name;
    return bench->reached < 0 ? bench->reached : sl_kept_list_take(bench->kept, &other, 1);
}

void sl_http_case_keep(struct sl_http_case *bench)
{
    static struct sl_kept_list list;
    const struct sl_link_kept two[] = {{.job = {0, 7}, .bytes = 2048, .outcome = SL_OUTCOME_DONE},
                                       {.job = {0, 8}, .bytes = 1}};
    const struct sl_link_told told = {.job = {0, 7},
                                      .started_ms = 1764000000000,
                                      .config = "{\"model\":\"" SL_HTTP_CASE_MODEL
                                                "\",\"shown\":{\"model\":\"net.pte\"}}",
                                      .host = "other"};
    bench->kept = &list;
    assert_int_equal(sl_kept_list_take(bench->kept, two, 2), 0);
    assert_int_equal(sl_kept_list_told(bench->kept, &told), 0);
    bench->http->devices.kept = kept_of;
    bench->http->devices.forget_kept = forget;
    bench->http->devices.user = bench;
}

static bool has_id;
static uint64_t stored_id;

static bool is_stored(void)
{
    return has_id;
}

static void on_id(void *user, int rc, uint64_t id)
{
    (void)user;
    assert_int_equal(rc, 0);
    has_id = true;
    stored_id = id;
}

static uint64_t await_id(struct sl_http_case *bench, int rc)
{
    assert_int_equal(rc, 0);
    assert_true(sl_http_case_until(bench, is_stored));
    has_id = false;
    return stored_id;
}

uint64_t sl_http_case_add_run(struct sl_http_case *bench, const struct sl_run_record *run,
                              const char *folder)
{
    const struct sl_job_record job = {.state = SL_JOB_DONE, .submitted_ms = run->started_ms};
    struct sl_run_record own = *run;
    char path[256], command[512];
    own.job = await_id(bench, sl_store_add_job(bench->store, &job, "{}", NULL, 0, on_id, NULL));
    snprintf(own.directory, sizeof(own.directory), "runs/2026-11-23/000000.100-%d", (int)own.job);
    snprintf(path, sizeof(path), "%s/%s", bench->folder, own.directory);
    snprintf(command, sizeof(command), "mkdir -p %s/streams", path);
    assert_int_equal(system(command), 0);
    if (folder) {
        snprintf(command, sizeof(command), "cp -r %s/. %s", folder, path);
        assert_int_equal(system(command), 0);
    } else {
        snprintf(command, sizeof(command), "%s/agent.log", path);
        assert_int_equal(sl_buf_write_file(command, "a line of the agent\n", 20), 0);
    }
    return await_id(bench, sl_store_add_run(bench->store, &own, on_id, NULL));
}
