/* agent/serve/serve.c */
#include "agent/serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "agent/probe/probe.h"
#include "agent/serve/server.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/net/address.h"
#include "common/net/handshake.h"

enum { EXIT_USAGE_ERROR = 2, EXIT_LAB = 5, DEFAULT_SPOOL_MIB = 256 };

struct options {
    const char *listen, *connect, *workdir, *self;
    uint64_t spool_bytes;
};

static const char help_text[] =
    "usage: sme2lab-agent serve (--listen ADDRESS | --connect ADDRESS) --workdir DIR [--spool-mib "
    "N] [--self PATH]\n"
    "\n"
    "Serves one host: takes jobs, spawns the inference process for each, streams what it records, "
    "and keeps what a\n"
    "lost link could not take until a host comes back for it.\n"
    "\n"
    "  --listen ADDRESS   tcp:127.0.0.1:PORT, unix:PATH or abstract:NAME; prints \"listening "
    "ADDRESS\" once it does\n"
    "  --connect ADDRESS  connect out instead, again after each loss\n"
    "  --workdir DIR      holds blobs/ (models and inputs, by SHA-256) and jobs/\n"
    "  --spool-mib N      bounds each stream of a job on disk (256)\n"
    "  --self PATH        the program to spawn (this one)\n"
    "\n"
    "The secret that both sides prove is read from standard input: one line of 64 hexadecimal "
    "digits.\n"
    "SIGTERM ends the running job, with its result, and the server. Exit codes: 0 done, 2 usage, 5 "
    "the address is taken.\n";

static int usage(const char *what, const char *word)
{
    fprintf(stderr, "sme2lab-agent: %s%s%s: see `sme2lab-agent serve --help`\n", what,
            word[0] ? " " : "", word);
    return EXIT_USAGE_ERROR;
}

static int parse_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i += 2) {
        const char **slot = strcmp(argv[i], "--listen") == 0    ? &options->listen
                            : strcmp(argv[i], "--connect") == 0 ? &options->connect
                            : strcmp(argv[i], "--workdir") == 0 ? &options->workdir
                            : strcmp(argv[i], "--self") == 0    ? &options->self
                                                                : NULL;
        if (i + 1 == argc)
            return usage("a value is missing after", argv[i]);
        if (slot) {
            *slot = argv[i + 1];
        } else if (strcmp(argv[i], "--spool-mib") == 0) {
            char *end;
            unsigned long mib = strtoul(argv[i + 1], &end, 10);
            if (*end || mib == 0 || mib > 1 << 20)
                return usage("--spool-mib takes a number of MiB, not", argv[i + 1]);
            options->spool_bytes = (uint64_t)mib << 20;
        } else {
            return usage("unknown option", argv[i]);
        }
    }
    if (!options->workdir || !options->listen == !options->connect)
        return usage("give --workdir and one of --listen and --connect", "");
    return 0;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* From standard input, never from a command line that others can read. */
static int read_secret(uint8_t out[SL_SECRET_BYTES])
{
    char line[SL_SECRET_BYTES * 2 + 2];
    if (!fgets(line, sizeof(line), stdin))
        return -1;
    for (size_t i = 0; i < SL_SECRET_BYTES; i++) {
        int high = hex_digit(line[2 * i]), low = high < 0 ? -1 : hex_digit(line[2 * i + 1]);
        if (low < 0)
            return -1;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return 0;
}

struct serving {
    struct sl_server *server;
    uv_signal_t term, interrupt;
};

static void on_server_closed(void *user)
{
    struct serving *serving = user;
    uv_close((uv_handle_t *)&serving->term, NULL);
    uv_close((uv_handle_t *)&serving->interrupt, NULL);
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct serving *serving = handle->data;
    (void)signal;
    sl_server_close(serving->server, on_server_closed, serving);
}

static int open_server(struct serving *serving, const struct options *options, struct sl_diag *diag)
{
    struct sl_address address, bound;
    char text[200];
    int rc = sl_address_parse(options->listen ? options->listen : options->connect, &address, diag);
    if (rc < 0)
        return rc;
    if (options->connect)
        return sl_server_connect(serving->server, &address);
    rc = sl_server_listen(serving->server, &address, &bound);
    if (rc < 0) {
        sl_diag_hint(diag, "choose another address");
        return sl_diag_set(diag, rc, options->listen, "cannot listen: %s", sl_strerror(rc));
    }
    sl_address_format(&bound, text, sizeof(text));
    printf("listening %s\n", text);
    fflush(stdout);
    return 0;
}

static int serve(const struct options *options, const uint8_t *secret, const char *probe_json)
{
    uv_loop_t loop;
    struct serving serving = {0};
    struct sl_diag diag = {0};
    struct sl_server_options server = {.workdir = options->workdir,
                                       .self = options->self,
                                       .probe_json = probe_json,
                                       .secret = secret,
                                       .spool_bytes = options->spool_bytes};
    if (uv_loop_init(&loop) < 0)
        return EXIT_LAB;
    int rc = sl_server_new(&loop, &server, &serving.server, &diag);
    if (rc == 0) {
        uv_signal_init(&loop, &serving.term);
        uv_signal_init(&loop, &serving.interrupt);
        serving.term.data = serving.interrupt.data = &serving;
        uv_signal_start(&serving.term, on_signal, SIGTERM);
        uv_signal_start(&serving.interrupt, on_signal, SIGINT);
        rc = open_server(&serving, options, &diag);
        if (rc < 0)
            sl_server_close(serving.server, on_server_closed, &serving);
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    uv_loop_close(&loop);
    if (rc < 0)
        fprintf(stderr, "sme2lab-agent: %s (%s)%s%s\n", diag.what[0] ? diag.what : sl_strerror(rc),
                diag.where, diag.hint[0] ? ": " : "", diag.hint);
    return rc == 0 ? 0 : rc == -EINVAL ? EXIT_USAGE_ERROR : EXIT_LAB;
}

int sl_serve_main(int argc, char **argv)
{
    char self[1024];
    uint8_t secret[SL_SECRET_BYTES];
    struct sl_buf probe;
    struct options options = {.spool_bytes = (uint64_t)DEFAULT_SPOOL_MIB << 20};
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help_text, stdout);
        return 0;
    }
    int code = parse_options(argc, argv, &options);
    if (code != 0)
        return code;
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (!options.self && n <= 0)
        return usage("cannot tell where this program lies: give --self PATH", "");
    if (n > 0)
        self[n] = '\0';
    if (!options.self)
        options.self = self;
    if (read_secret(secret) < 0)
        return usage("no secret on standard input: one line of 64 hexadecimal digits is needed",
                     "");
    signal(SIGPIPE, SIG_IGN);
    sl_buf_init(&probe, 1 << 20);
    code = sl_probe_write("", &probe) < 0 ? EXIT_LAB
                                          : serve(&options, secret, (const char *)probe.data);
    sl_buf_fini(&probe);
    return code;
}
