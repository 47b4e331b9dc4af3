/* host/spec/plugin_config.c */
#include "host/spec/plugin_config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/spec/json_read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { DEFAULT_SECONDS = 5, MAX_SECONDS = 300 };

static const char *const keys[] = {"name", "command", "when", "devices", "seconds"};

static const struct {
    unsigned when;
    const char *word;
} words[] = {{SL_PLUGIN_RUN, "run"},
             {SL_PLUGIN_POWER_CYCLE, "power_cycle"},
             {SL_PLUGIN_JOB_FAILED, "job_failed"},
             {SL_PLUGIN_DEVICE_LOST, "device_lost"},
             {SL_PLUGIN_DEVICE_QUARANTINED, "device_quarantined"}};

int sl_plugin_configs_check(const struct sl_plugin_config *configs, size_t count,
                            struct sl_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        if (access(configs[i].words[0], X_OK) == 0)
            continue;
        int rc = -errno;
        sl_diag_hint(diag,
                     "install the program of the plug-in %s there, and let the daemon's user "
                     "execute it",
                     configs[i].name);
        return sl_diag_set(diag, rc, configs[i].words[0], "the program cannot be executed: %s",
                           strerror(-rc));
    }
    return 0;
}

const char *sl_plugin_when_name(unsigned when)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].when == when)
            return words[i].word;
    return NULL;
}

/* It becomes a label of a metric and a word in reports. */
static bool is_name(const char *text)
{
    return text && text[0] && strlen(text) < SL_NAME_BYTES &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               strlen(text);
}

static void read_command(const struct sl_json_at *list, struct sl_plugin_config *out)
{
    if (sl_json_need_array(list, SL_PLUGIN_MAX_WORDS, "words") == 0) {
        sl_json_hint(list, "say [\"/usr/bin/python3\", \"/opt/meter.py\"]");
        sl_json_refuse(list, "A plug-in needs a program");
    }
    for (struct sl_json_at at = sl_json_first(list); sl_json_more(&at); sl_json_next(&at)) {
        const char *word = out->words[out->word_count++] = sl_json_get_text(at);
        if (word && out->word_count == 1 && word[0] != '/')
            sl_json_refuse(&at, "A plug-in's program is an absolute path");
    }
}

static void read_when(const struct sl_json_at *list, struct sl_plugin_config *out)
{
    const char *hint = "say run, power_cycle, job_failed, device_lost or device_quarantined";
    if (sl_json_need_array(list, COUNT(words), "events") == 0) {
        sl_json_hint(list, "%s", hint);
        sl_json_refuse(list, "A plug-in needs an event to hear of");
    }
    for (struct sl_json_at at = sl_json_first(list); sl_json_more(&at); sl_json_next(&at)) {
        const char *word = sl_json_get_text(at);
        unsigned when = 0;
        for (size_t i = 0; word && i < COUNT(words); i++)
            if (strcmp(words[i].word, word) == 0)
                when = words[i].when;
        if (word && when == 0) {
            sl_json_hint(&at, "%s", hint);
            sl_json_refuse(&at, "'%.60s' is no event of a plug-in", word);
        }
        out->when |= when;
    }
}

static void read_devices(const struct sl_json_at *at, struct sl_plugin_config *out)
{
    struct sl_diag diag = {.what = ""};
    const char *text = sl_json_get_text(*at);
    if (!text || sl_selector_read(text, &out->devices, &diag) == 0)
        return;
    if (diag.hint[0])
        sl_json_hint(at, "%s", diag.hint);
    sl_json_refuse(at, "%s", diag.what);
}

static void read_one(const struct sl_json_at *at, struct sl_plugin_config *all, size_t place)
{
    struct sl_plugin_config *out = &all[place];
    struct sl_json_at name = sl_json_member(at, "name"), command = sl_json_member(at, "command"),
                      when = sl_json_member(at, "when"), devices = sl_json_member(at, "devices");
    *out = (struct sl_plugin_config){.seconds = DEFAULT_SECONDS};
    sl_json_need_object(at, keys, COUNT(keys), 3);
    out->name = sl_json_get_text(name);
    if (out->name && !is_name(out->name))
        sl_json_refuse(&name, "A plug-in's name is letters, digits, '_' and '-', at most %d",
                       SL_NAME_BYTES - 1);
    for (size_t i = 0; out->name && i < place; i++)
        if (strcmp(all[i].name, out->name) == 0)
            sl_json_refuse(&name, "Two plug-ins are named '%s'", out->name);
    read_command(&command, out);
    read_when(&when, out);
    read_devices(&devices, out);
    sl_json_get_integer(sl_json_member(at, "seconds"), 1, MAX_SECONDS, &out->seconds);
}

size_t sl_plugin_configs_read(const struct sl_json_at *list,
                              struct sl_plugin_config out[SL_MAX_PLUGINS])
{
    size_t count = 0;
    if (!list->value)
        return 0;
    sl_json_need_array(list, SL_MAX_PLUGINS, "plug-ins");
    for (struct sl_json_at at = sl_json_first(list); sl_json_more(&at); sl_json_next(&at))
        read_one(&at, out, count++);
    return count;
}
