/* agent/serve/serve.c */
#include "agent/serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "agent/probe/device.h"
#include "agent/probe/probe.h"
#include "agent/serve/detach.h"
#include "agent/serve/server.h"
#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/process.h"
#include "common/base/say.h"
#include "common/net/address.h"
#include "common/net/secret.h"

enum { EXIT_USAGE_ERROR = 2, EXIT_LAB = 5, DEFAULT_SPOOL_MIB = 256, DEFAULT_BLOB_MIB = 4096 };

struct options {
    const char *listen, *connect, *workdir, *self, *secret_file;
    uint64_t spool_bytes, blob_bytes, idle_exit_s; /* the last 0: never */
    bool allow_unencrypted, detach;
};

static const char help_text[] =
    "usage: sme2lab-agent serve (--listen ADDRESS | --connect ADDRESS) --workdir DIR\n"
    "       [--secret-file FILE] [--allow-unencrypted] [--spool-mib N] [--blob-mib N] [--self "
    "PATH]\n"
    "       [--detach] [--idle-exit SECONDS]\n"
    "\n"
    "Serves one host: takes jobs, spawns the inference process for each, streams what it records, "
    "and keeps what a\n"
    "lost link could not take until a host comes back for it.\n"
    "\n"
    "  --listen ADDRESS   tcp:127.0.0.1:PORT, unix:PATH or abstract:NAME; prints \"listening "
    "ADDRESS\" once it does\n"
    "  --connect ADDRESS  connect out instead, again after each loss\n"
    "  --workdir DIR      holds blobs/ (models and inputs, by SHA-256) and jobs/\n"
    "  --secret-file FILE the secret; only its owner may read the file, which is read again for "
    "each connection\n"
    "  --allow-unencrypted  a TCP address that other machines reach: what is sent is guarded "
    "against change,\n"
    "                     but whoever is on the way reads it\n"
    "  --spool-mib N      bounds each stream of a job on disk (256)\n"
    "  --blob-mib N       bounds blobs/, of which the least recently used give way (4096)\n"
    "  --self PATH        the program to spawn (this one)\n"
    "  --detach           go on in a session of its own once it listens, with DIR/agent.log; "
    "prints \"pid N\" too;\n"
    "                     takes over a DIR from an agent that is idle, without a host\n"
    "  --idle-exit SECONDS  end after so long without a host and without a job; results wait in "
    "DIR "
    "for the next one\n"
    "\n"
    "The secret that both sides prove is one line of 64 hexadecimal digits, of the file or of "
    "standard input.\n"
    "In the file a space and a Unix time in seconds may follow it: from then on the secret is "
    "refused.\n"
    "SIGTERM ends the running job, with its result, and the server. Exit codes: 0 done, 2 usage, 5 "
    "the address is taken.\n";

static int usage(const char *what, const char *word)
{
    sl_say(stderr, "sme2lab-agent: %s%s%s: see `sme2lab-agent serve --help`\n", what,
           word[0] ? " " : "", word);
    return EXIT_USAGE_ERROR;
}

/* Returns where the option's text goes; NULL: it takes none. */
static const char **text_of(struct options *options, const char *option)
{
    const struct {
        const char *option, **text;
    } texts[] = {{"--listen", &options->listen},
                 {"--connect", &options->connect},
                 {"--workdir", &options->workdir},
                 {"--self", &options->self},
                 {"--secret-file", &options->secret_file}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(option, texts[i].option) == 0)
            return texts[i].text;
    }
    return NULL;
}

/* Options that take a number of some unit; `found` is false for any other. */
static int parse_number(struct options *options, const char *option, const char *text, bool *found)
{
    const struct {
        const char *option, *unit;
        uint64_t scale, *value;
    } numbers[] = {{"--spool-mib", "MiB", 1 << 20, &options->spool_bytes},
                   {"--blob-mib", "MiB", 1 << 20, &options->blob_bytes},
                   {"--idle-exit", "seconds", 1, &options->idle_exit_s}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char *end, what[64];
        unsigned long number = strtoul(text, &end, 10);
        if (strcmp(option, numbers[i].option) != 0)
            continue;
        *found = true;
        snprintf(what, sizeof(what), "%s takes a number of %s, not", option, numbers[i].unit);
        if (*end || number == 0 || number > 1 << 20)
            return usage(what, text);
        *numbers[i].value = number * numbers[i].scale;
    }
    return 0;
}

static int parse_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char **text = text_of(options, argv[i]);
        bool number = false;
        int code = 0;
        if (strcmp(argv[i], "--allow-unencrypted") == 0) {
            options->allow_unencrypted = true;
            continue;
        }
        if (strcmp(argv[i], "--detach") == 0) {
            options->detach = true;
            continue;
        }
        if (i + 1 == argc)
            return usage("a value is missing after", argv[i]);
        if (text)
            *text = argv[i + 1];
        else
            code = parse_number(options, argv[i], argv[i + 1], &number);
        if (!text && !number)
            return usage("unknown option", argv[i]);
        if (code != 0)
            return code;
        i++;
    }
    if (!options->workdir || !options->listen == !options->connect)
        return usage("give --workdir and one of --listen and --connect", "");
    if (options->detach && !options->listen)
        return usage("--detach goes with --listen", "");
    if (options->secret_file && strlen(options->secret_file) >= SL_SERVER_SECRET_FILE_BYTES)
        return usage("the path of --secret-file is too long; give a shorter one than",
                     options->secret_file);
    return 0;
}

/* From a file or standard input, never from a command line that others can read. */
static int read_secret(const char *file, uint8_t out[SL_SECRET_BYTES])
{
    char line[SL_SECRET_TEXT_BYTES + 1];
    struct sl_diag diag = {0};
    if (file && sl_secret_read(file, out, &diag) < 0) {
        sl_say(stderr, "sme2lab-agent: %s (%s): %s\n", diag.what, diag.where, diag.hint);
        return EXIT_USAGE_ERROR;
    }
    if (!file && (!fgets(line, sizeof(line), stdin) || sl_secret_parse(line, out) < 0))
        return usage("no secret on standard input: one line of 64 hexadecimal digits is needed",
                     "");
    return 0;
}

struct serving {
    struct sl_server *server;
    uv_signal_t term, interrupt, yield;
    uv_timer_t idle;
    bool was_idle; /* at its last tick */
    int detached;  /* the pipe to who waits for it; -1: nobody does */
};

static void on_server_closed(void *user)
{
    struct serving *serving = user;
    uv_close((uv_handle_t *)&serving->term, NULL);
    uv_close((uv_handle_t *)&serving->interrupt, NULL);
    uv_close((uv_handle_t *)&serving->yield, NULL);
    uv_close((uv_handle_t *)&serving->idle, NULL);
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct serving *serving = handle->data;
    (void)signal;
    sl_server_close(serving->server, on_server_closed, serving);
}

/* Another agent wants the directory. */
static void on_yield(uv_signal_t *handle, int signal)
{
    struct serving *serving = handle->data;
    (void)signal;
    if (sl_server_is_idle(serving->server))
        sl_server_close(serving->server, on_server_closed, serving);
}

/* Every half of the time that it may be idle: it ends at the second tick in a row. */
static void on_idle_tick(uv_timer_t *timer)
{
    struct serving *serving = timer->data;
    bool idle = sl_server_is_idle(serving->server);
    if (idle && serving->was_idle)
        sl_server_close(serving->server, on_server_closed, serving);
    serving->was_idle = idle;
}

static void open_handles(struct serving *serving, uv_loop_t *loop, uint64_t idle_exit_s)
{
    uv_signal_init(loop, &serving->term);
    uv_signal_init(loop, &serving->interrupt);
    uv_signal_init(loop, &serving->yield);
    uv_timer_init(loop, &serving->idle);
    serving->term.data = serving->interrupt.data = serving->yield.data = serving->idle.data =
        serving;
    uv_signal_start(&serving->yield, on_yield, SL_SERVE_YIELD);
    uv_signal_start(&serving->term, on_signal, SIGTERM);
    uv_signal_start(&serving->interrupt, on_signal, SIGINT);
    if (idle_exit_s != 0)
        uv_timer_start(&serving->idle, on_idle_tick, idle_exit_s * 500, idle_exit_s * 500);
}

static int open_server(struct serving *serving, const struct options *options, struct sl_diag *diag)
{
    struct sl_address address, bound;
    char text[200];
    int rc = sl_address_parse(options->listen ? options->listen : options->connect, &address, diag);
    if (rc < 0)
        return rc;
    if (!sl_address_is_loopback(&address) && !options->allow_unencrypted) {
        sl_diag_hint(diag, "say --allow-unencrypted, or take a loopback address and a tunnel");
        return sl_diag_set(diag, -EINVAL, options->listen ? options->listen : options->connect,
                           "what is sent there is not encrypted, and leaves this machine");
    }
    if (options->connect)
        return sl_server_connect(serving->server, &address);
    rc = sl_server_listen(serving->server, &address, &bound);
    if (rc < 0) {
        sl_diag_hint(diag, "choose another address");
        return sl_diag_set(diag, rc, options->listen, "cannot listen: %s", sl_strerror(rc));
    }
    sl_address_format(&bound, text, sizeof(text));
    sl_say(stdout, "listening %s\n", text);
    if (options->detach)
        sl_say(stdout, "pid %ld\n", (long)getpid());
    fflush(stdout);
    if (options->detach)
        sl_detach_ready(serving->detached, options->workdir);
    return 0;
}

/* The identity of this program, as a host gets it. */
struct program {
    char path[1024], sha256[SL_SHA256_HEX_SIZE];
};

/* The file itself; where it cannot be read both are empty. */
static void find_program(struct program *program)
{
    const char *file = sl_process_file();
    sl_process_path(program->path, sizeof(program->path));
    program->sha256[0] = '\0';
    int fd = file && program->path[0] ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    if (sl_sha256_fd(fd, program->sha256) < 0)
        program->sha256[0] = '\0';
    close(fd);
}

/* In words, and the exit code that says the same. */
static int tell_failure(int rc, const struct sl_diag *diag)
{
    if (rc < 0)
        sl_say(stderr, "sme2lab-agent: %s (%s)%s%s\n", diag->what[0] ? diag->what : sl_strerror(rc),
               diag->where, diag->hint[0] ? ": " : "", diag->hint);
    return rc == 0 ? 0 : rc == -EINVAL ? EXIT_USAGE_ERROR : EXIT_LAB;
}

static int serve(const struct options *options, const struct program *program,
                 const uint8_t *secret, const char *probe_json)
{
    uv_loop_t loop;
    struct serving serving = {.detached = -1};
    struct sl_diag diag = {0};
    struct sl_server_options server = {.workdir = options->workdir,
                                       .self = options->self,
                                       .probe_json = probe_json,
                                       .program = program->path,
                                       .program_sha256 = program->sha256,
                                       .emulated = sl_device_is_emulated(),
                                       .secret = secret,
                                       .secret_file = options->secret_file,
                                       .spool_bytes = options->spool_bytes,
                                       .blob_bytes = options->blob_bytes};
    if (options->detach) {
        serving.detached = sl_detach();
        if (serving.detached < 0)
            return tell_failure(serving.detached, &diag);
        int held = sl_serve_lock(options->workdir, &diag);
        if (held < 0)
            return tell_failure(held, &diag);
    }
    if (uv_loop_init(&loop) < 0)
        return EXIT_LAB;
    int rc = sl_server_new(&loop, &server, &serving.server, &diag);
    if (rc == 0) {
        open_handles(&serving, &loop, options->idle_exit_s);
        rc = open_server(&serving, options, &diag);
        if (rc < 0)
            sl_server_close(serving.server, on_server_closed, &serving);
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    uv_loop_close(&loop);
    return tell_failure(rc, &diag);
}

int sl_serve_main(int argc, char **argv)
{
    struct program program;
    uint8_t secret[SL_SECRET_BYTES];
    struct sl_buf probe;
    struct options options = {.spool_bytes = (uint64_t)DEFAULT_SPOOL_MIB << 20,
                              .blob_bytes = (uint64_t)DEFAULT_BLOB_MIB << 20};
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        sl_say(stdout, "%s", help_text);
        return 0;
    }
    int code = parse_options(argc, argv, &options);
    if (code != 0)
        return code;
    find_program(&program);
    if (!options.self && !program.path[0])
        return usage("cannot tell where this program lies: give --self PATH", "");
    if (!options.self)
        options.self = program.path;
    code = read_secret(options.secret_file, secret);
    if (code != 0)
        return code;
    signal(SIGPIPE, SIG_IGN);
    sl_buf_init(&probe, 1 << 20);
    code = sl_probe_write("", &probe) < 0
               ? EXIT_LAB
               : serve(&options, &program, secret, (const char *)probe.data);
    sl_buf_fini(&probe);
    return code;
}
