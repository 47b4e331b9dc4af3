/* host/daemon/main.c: sme2labd. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/daemon/daemon.h"
#include "host/daemon/options.h"
#include "host/daemon/state_lock.h"
#include "host/daemon/store_place.h"
#include "host/spec/host_config.h"
#include "host/spec/paths.h"
#include "host/store/backup.h"
#include "host/store/pq.h"
#include "host/store/schema.h"

enum { EXIT_USAGE = 2, EXIT_LAB = 5 };

static int report(const struct sl_diag *diag, int rc)
{
    sl_say(stderr, "sme2labd: %s", diag->what[0] ? diag->what : sl_strerror(rc));
    if (diag->where[0])
        sl_say(stderr, " (%s)", diag->where);
    sl_say(stderr, "%s%s\n", diag->hint[0] ? ": " : "", diag->hint);
    return rc == -EINVAL || rc == SL_E_FORMAT || rc == SL_E_LIMIT ? EXIT_USAGE : EXIT_LAB;
}

static int check_store(const char *path, struct sl_diag *diag)
{
    char name[SL_PQ_NAME_BYTES];
    int rc = sl_schema_check(path, diag);
    sl_pq_name(path, name);
    if (rc == 0 && sl_pq_is_url(path))
        sl_say(stdout, "%s: its server answers\n", name);
    else if (rc == 0)
        sl_say(stdout, "%s: whole\n", path);
    return rc;
}

static int refuse_copy(const struct sl_daemon_options *options, const char *url,
                       struct sl_diag *diag)
{
    char name[SL_PQ_NAME_BYTES];
    sl_pq_name(url, name);
    sl_diag_hint(diag,
                 options->backup ? "use pg_dump: pg_dump --format=custom --file=%s URL"
                                 : "use pg_restore: pg_restore --clean --dbname=URL %s",
                 options->backup ? options->backup : options->restore);
    return sl_diag_set(diag, -EINVAL, name, "a store on a server is copied by the server's tools");
}

/* Beside a daemon; or in its place, which the lock tells. */
static int move_store(const struct sl_daemon_options *options, const char *state, const char *path,
                      struct sl_diag *diag)
{
    char aside[SL_BACKUP_NAME_BYTES] = "";
    int lock = -1, rc = sl_pq_is_url(path) ? refuse_copy(options, path, diag) : 0;
    if (rc == 0 && options->backup) {
        rc = sl_backup_write(path, options->backup, diag);
    } else if (rc == 0) {
        rc = sl_paths_make(state, diag); /* where the whole state was lost, it is not there yet */
        if (rc == 0)
            rc = sl_state_lock(state, 0, &lock, diag);
        if (rc == 0)
            rc = sl_backup_restore(path, options->restore, aside, diag);
    }
    if (lock >= 0)
        close(lock);
    if (rc == 0)
        sl_say(stdout, "%s: %s %s%s%s\n", path, options->backup ? "copied to" : "restored from",
               options->backup ? options->backup : options->restore,
               aside[0] ? "; what it was is kept in " : "", aside);
    return rc;
}

int main(int argc, char **argv)
{
    struct sl_daemon_options options;
    struct sl_host_config config;
    struct sl_diag diag = {0};
    char named[SL_PATH_BYTES], state[SL_PATH_BYTES] = "", place[SL_STORE_PLACE_BYTES];
    sl_mem_return_large();
    int rc = sl_daemon_options_parse(&options, argc, argv, &diag);
    if (rc == 1)
        return 0;
    if (rc == 0)
        rc = sl_host_config_read(options.config, &config, &diag);
    if (rc < 0)
        return report(&diag, rc);
    if (options.peer_url)
        config.peer_url = options.peer_url;
    struct sl_daemon_settings settings = {
        .state = options.state ? options.state : config.state,
        .config = &config,
        .config_file = options.config,
        .store = options.store ? options.store : config.store,
        .listen = options.listen,
        .listen_count = options.listen_count,
        .rebuild = options.rebuild,
    };
    if (options.check_config) {
        rc = sl_daemon_check(&settings, true, &diag);
        if (rc == 0)
            rc = sl_store_place(settings.store, "", place, &diag);
        if (rc == 0)
            sl_say(stdout, "%s: right, %zu device%s\n",
                   options.config ? options.config : "the default", config.device_count,
                   config.device_count == 1 ? "" : "s");
        sl_host_config_fini(&config);
        return rc < 0 ? report(&diag, rc) : 0;
    }
    if (!settings.state) {
        rc = sl_paths_state(named, &diag);
        settings.state = named;
    }
    if (rc == 0) /* devices' agents have their own working directories */
        rc = sl_paths_absolute(settings.state, state, &diag);
    settings.state = state;
    if (rc == 0)
        rc = sl_store_place(settings.store, settings.state, place, &diag);
    if (rc == 0)
        rc = options.check_store ? check_store(place, &diag)
             : options.backup || options.restore
                 ? move_store(&options, settings.state, place, &diag)
                 : sl_daemon_run(&settings, &diag);
    sl_host_config_fini(&config);
    return rc < 0 ? report(&diag, rc) : 0;
}
