/* host/daemon/probes.c */
#include "host/daemon/probes.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "host/device/launch.h"

enum { MAX_ANSWERS = 64, TIMEOUT_MS = 60000 };

struct answer {
    int kind;
    char cpu[64];
    cJSON *said;
};

struct sl_probes {
    pthread_mutex_t lock;
    struct answer answers[MAX_ANSWERS];
    size_t count;
};

int sl_probes_new(struct sl_probes **out)
{
    struct sl_probes *probes = sl_calloc(1, sizeof(*probes));
    if (!probes)
        return -ENOMEM;
    pthread_mutex_init(&probes->lock, NULL);
    *out = probes;
    return 0;
}

void sl_probes_free(struct sl_probes *probes)
{
    if (!probes)
        return;
    for (size_t i = 0; i < probes->count; i++)
        cJSON_Delete(probes->answers[i].said);
    pthread_mutex_destroy(&probes->lock);
    sl_free(probes);
}

static cJSON *ask(const struct sl_device *device, const volatile sig_atomic_t *interrupted)
{
    static const char *const args[] = {"probe", "--json", NULL};
    struct sl_launch launch = {.args = args, .timeout_ms = TIMEOUT_MS, .interrupted = interrupted};
    struct sl_child_result result;
    cJSON *said = NULL;
    if (sl_device_launch(device, &launch, &result, NULL) < 0)
        return NULL;
    if (result.exit_code == 0 && result.out.data)
        said = cJSON_Parse((const char *)result.out.data);
    sl_child_fini(&result);
    return said;
}

cJSON *sl_probes_get(struct sl_probes *probes, const struct sl_device *device,
                     const volatile sig_atomic_t *interrupted)
{
    cJSON *said = NULL;
    size_t i = 0;
    if (device->probe_json)
        return cJSON_Parse(device->probe_json);
    pthread_mutex_lock(&probes->lock);
    while (i < probes->count && (probes->answers[i].kind != device->kind ||
                                 strcmp(probes->answers[i].cpu, device->cpu) != 0))
        i++;
    if (i < probes->count)
        said = cJSON_Duplicate(probes->answers[i].said, true);
    else
        said = ask(device, interrupted);
    if (said && i == probes->count && i < MAX_ANSWERS) {
        struct answer *answer = &probes->answers[probes->count++];
        *answer = (struct answer){.kind = device->kind, .said = cJSON_Duplicate(said, true)};
        snprintf(answer->cpu, sizeof(answer->cpu), "%s", device->cpu);
    }
    pthread_mutex_unlock(&probes->lock);
    return said;
}
