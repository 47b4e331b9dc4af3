/* host/cli/cmd_export.c: `sme2lab export`: runs in one file, to be taken to another lab. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/import_archive.h"
#include "host/cli/options.h"
#include "host/cli/stored_run.h"
#include "host/rundir/archive.h"

enum { MAX_JSON_BYTES = 1 << 20 };

struct request {
    const struct sl_cli *cli;
    const char *out;
    const char *words[SL_ARCHIVE_MAX_RUNS];
    size_t count;
    struct sl_client *client; /* opened when the first run of a store is named */
};

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    const struct sl_option options[] = {
        {"--out", 'o', SL_OPTION_TEXT, &r->out, "FILE.tar.zst", "the file to make; it must be new"},
    };
    const struct sl_usage usage = {
        .verb = "export",
        .synopsis = "RUN|DIR... -o FILE.tar.zst",
        .about =
            "Puts runs with all their files into one file. A RUN is the number of a stored run, "
            "a DIR\n"
            "a run directory. 'sme2lab import FILE.tar.zst' makes the stored ones runs of "
            "another\n"
            "daemon, with numbers of its own; with -o it unpacks them all.",
        .options = options,
        .option_count = 1,
        .speaks_http = true,
        .notes = "tar --zstd -tf FILE lists what is in it; sme2lab-export.json has each file's "
                 "SHA-256.\n"
                 "Example: sme2lab export 12 13 -o pixel.tar.zst"};
    int rc = sl_options_parse(&usage, argc, argv, r->words, SL_ARCHIVE_MAX_RUNS, &r->count, diag);
    if (rc != 0)
        return rc;
    if (r->count == 0 || !r->out) {
        sl_diag_hint(diag, "'sme2lab export 12 13 -o runs.tar.zst'; 'sme2lab runs' lists them");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                           "Name the runs to export, and with -o the file");
    }
    if (!sl_import_archive_named(r->out)) {
        sl_diag_hint(diag, "call it %.100s" SL_ARCHIVE_END, r->out);
        return sl_diag_set(diag, SL_E_UNSUPPORTED, r->out,
                           "The file's name ends in " SL_ARCHIVE_END);
    }
    return 0;
}

static int add_stored(struct request *r, uint64_t run, struct sl_archive *archive,
                      struct sl_stored_run *place, struct sl_diag *diag)
{
    char name[SL_ARCHIVE_NAME_BYTES];
    int rc = r->client ? 0 : sl_client_open_any(r->cli, &r->client, diag);
    snprintf(name, sizeof(name), "run-%" PRIu64, run);
    if (rc == 0)
        rc = sl_stored_run_fetch_whole(r->client, run, place, diag);
    return rc < 0 ? rc : sl_archive_add(archive, place->directory, name, run, diag);
}

/* A run directory by its own name; slashes at its end do not count. */
static int add_directory(const char *path, struct sl_archive *archive, struct sl_diag *diag)
{
    char name[SL_ARCHIVE_NAME_BYTES + 1];
    struct stat info;
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *begin = path + len;
    while (begin > path && begin[-1] != '/')
        begin--;
    snprintf(name, sizeof(name), "%.*s", (int)(path + len - begin), begin);
    if (stat(path, &info) < 0 || !S_ISDIR(info.st_mode)) {
        sl_diag_hint(diag, "'sme2lab runs' lists the stored runs by their numbers");
        return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                           "This is neither a stored run nor a directory");
    }
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, path, "Name the directory itself");
    return sl_archive_add(archive, path, name, 0, diag);
}

static int export_all(struct request *r, struct sl_archive *archive, struct sl_diag *diag)
{
    struct sl_stored_run places[SL_ARCHIVE_MAX_RUNS] = {{.directory = ""}};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->count; i++) {
        uint64_t run;
        rc = sl_stored_run_named(r->words[i], &run) ? add_stored(r, run, archive, &places[i], diag)
                                                    : add_directory(r->words[i], archive, diag);
    }
    if (rc == 0)
        rc = sl_archive_write(archive, r->out, diag);
    sl_stored_runs_remove(places, r->count);
    return rc;
}

static void say_exported(const struct request *r, const struct sl_archive *archive)
{
    struct stat info = {.st_size = 0};
    struct sl_buf text;
    struct sl_json json;
    size_t files = 0;
    stat(r->out, &info);
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.exported/1");
    sl_json_text(&json, "file", r->out);
    sl_json_u64(&json, "bytes", (uint64_t)info.st_size);
    sl_json_open_array(&json, "runs");
    for (size_t i = 0; i < archive->count; i++) {
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "name", archive->runs[i].name);
        sl_json_u64(&json, "run", archive->runs[i].run);
        sl_json_u64(&json, "files", archive->runs[i].count);
        sl_json_close_object(&json);
        files += archive->runs[i].count;
    }
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    if (r->cli->json)
        sl_buf_print_line(&text);
    else if (!r->cli->quiet)
        sl_say(stdout, "%s: %zu run%s, %zu files, %.1f KiB\n", r->out, archive->count,
               archive->count == 1 ? "" : "s", files, (double)info.st_size / 1024);
    sl_buf_fini(&text);
}

int sl_cmd_export(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.cli = cli};
    struct sl_archive archive = {.runs = NULL};
    struct sl_diag diag = {.what = ""};
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc > 0)
        return SL_EXIT_DONE;
    if (rc == 0)
        rc = export_all(&r, &archive, &diag);
    if (rc == 0)
        say_exported(&r, &archive);
    sl_archive_fini(&archive);
    sl_client_free(r.client);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
