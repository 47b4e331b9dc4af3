/* host/daemon/options.c */
#include "host/daemon/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/say.h"
#include "host/spec/host_url.h"

static const char help_text[] =
    "usage: sme2labd [--config FILE] [--state DIR] [--store PLACE] [--listen ADDRESS]... "
    "[--peer-url URL]\n"
    "                [--rebuild]\n"
    "       sme2labd --check-config [--config FILE]\n"
    "       sme2labd --check-store [--state DIR] [--store PLACE]\n"
    "       sme2labd backup|restore FILE [--state DIR]\n"
    "\n"
    "The lab's daemon: owns devices, queues jobs, takes in what they stream, keeps the runs, and "
    "serves HTTP to\n"
    "`sme2lab`, to curl and to browsers. It logs to standard error, one event a line as key=value, "
    "or to its own file.\n"
    "\n"
    "  --config FILE      JSON; configs/host.json is an example. Without one: a single counted "
    "device\n"
    "  --state DIR        where everything is kept: the store, blobs, run directories\n"
    "                     (default: $SME2LAB_STATE, else $XDG_STATE_HOME/sme2lab, else "
    "~/.local/state/sme2lab)\n"
    "  --store PLACE      where jobs and rows of runs are: sqlite:PATH, or "
    "postgresql://USER@HOST/DATABASE, "
    "which several\n"
    "                     daemons may share; its password belongs in ~/.pgpass or in the "
    "configuration "
    "(\"store\")\n"
    "                     (default: sqlite:STATE/store.sqlite)\n"
    "  --listen ADDRESS   unix:PATH, tcp:127.0.0.1:PORT or tls:HOST:PORT, instead of the "
    "configuration's;\n"
    "                     may be repeated\n"
    "                     (default: unix:STATE/sme2labd.sock, guarded by its permissions; TCP asks "
    "for a token)\n"
    "  --peer-url URL     where the other hosts of a shared store reach this daemon, instead of "
    "the "
    "configuration's\n"
    "                     {\"peers\": {\"url\": ...}}: https://HOST:PORT (or http://); it must "
    "listen there, too\n"
    "  --rebuild          a damaged store is set aside under another name and made anew: jobs and "
    "tokens of\n"
    "                     what can be read of it, runs of their directories, and where one has "
    "none "
    "also of what\n"
    "                     can be read\n"
    "  --check-config     says what is wrong with the configuration, or that it is right, and "
    "ends\n"
    "  --check-store      says whether the store is damaged, changes nothing, and ends\n"
    "  backup FILE        copies the store (jobs, rows of runs, tokens) as it is at one moment "
    "into a "
    "new file, while a\n"
    "                     daemon works, and ends; files of runs and models (STATE/runs, "
    "STATE/blobs) "
    "are yours to copy. A store on a server is copied by pg_dump\n"
    "  restore FILE       puts such a file in the store's place, with no daemon running, and ends; "
    "the "
    "store that was\n"
    "                     there goes on under another name. Rows of runs that are not in it are "
    "made "
    "again at the next start\n"
    "\n"
    "SIGTERM and SIGINT drain: nothing new is started, what runs is finished, then it ends; a "
    "second one ends at once and\n"
    "leaves what runs to the next daemon. SIGHUP reads the configuration's devices\n"
    "anew, the rest of it is for the next start, and opens the log file anew.\n"
    "Exit codes: 0 done, 2 usage or configuration, 5 the state directory or an address cannot be "
    "used, 6 a defect.\n";

static int bad(struct sl_diag *diag, const char *word, const char *what)
{
    sl_diag_hint(diag, "see sme2labd --help");
    return sl_diag_set(diag, -EINVAL, word, "%s", what);
}

/* A verb and its file. */
static int take_file(struct sl_daemon_options *options, const char *verb, const char *file,
                     struct sl_diag *diag)
{
    if (!file || file[0] == '-')
        return bad(diag, verb, "the file's name is missing");
    if (options->backup || options->restore)
        return bad(diag, verb, "one of backup and restore at a time");
    *(strcmp(verb, "backup") == 0 ? &options->backup : &options->restore) = file;
    return 0;
}

static int take_value(struct sl_daemon_options *options, const char *name, const char *value,
                      struct sl_diag *diag)
{
    if (strcmp(name, "--config") == 0) {
        options->config = value;
    } else if (strcmp(name, "--state") == 0) {
        options->state = value;
    } else if (strcmp(name, "--store") == 0) {
        options->store = value;
    } else if (strcmp(name, "--peer-url") == 0) {
        if (!sl_host_url_ok(value))
            return bad(diag, value, "--peer-url takes https://HOST:PORT, without a path");
        options->peer_url = value;
    } else if (strcmp(name, "--listen") == 0) {
        if (options->listen_count == SL_DAEMON_MAX_LISTEN)
            return bad(diag, value, "too many addresses");
        options->listen[options->listen_count++] = value;
    } else {
        return bad(diag, name, "unknown option");
    }
    return 0;
}

int sl_daemon_options_parse(struct sl_daemon_options *options, int argc, char **argv,
                            struct sl_diag *diag)
{
    *options = (struct sl_daemon_options){0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            sl_say(stdout, "%s", help_text);
            return 1;
        }
        if (strcmp(argv[i], "--version") == 0) {
            sl_say(stdout, "sme2labd %s\n", SL_VERSION);
            return 1;
        }
        if (strcmp(argv[i], "--check-config") == 0) {
            options->check_config = true;
            continue;
        }
        if (strcmp(argv[i], "--check-store") == 0) {
            options->check_store = true;
            continue;
        }
        if (strcmp(argv[i], "--rebuild") == 0) {
            options->rebuild = true;
            continue;
        }
        if (strcmp(argv[i], "backup") == 0 || strcmp(argv[i], "restore") == 0) {
            int taken = take_file(options, argv[i], argv[i + 1], diag); /* argv ends with NULL */
            if (taken < 0)
                return taken;
            i++;
            continue;
        }
        if (i + 1 == argc)
            return bad(diag, argv[i], "unknown option, or its value is missing");
        int rc = take_value(options, argv[i], argv[i + 1], diag);
        if (rc < 0)
            return rc;
        i++;
    }
    return 0;
}
