/* tests/fuzz/fuzz_host_config.c: the daemon's configuration file, and a device that was added. */
#include <stdint.h>

#include "common/base/error.h"
#include "host/spec/host_config.h"
#include "host/spec/json_doc.h"
#include "host/spec/plugin_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_host_config config;
    struct sl_diag diag = {0};
    if (sl_host_config_parse((struct sl_bytes){data, size}, "fuzz", &config, &diag) == 0) {
        sl_plugin_configs_check(config.plugins, config.plugin_count, &diag);
        sl_host_config_fini(&config);
    }
    struct sl_host_device device;
    struct cJSON *document = NULL;
    if (sl_host_device_parse((struct sl_bytes){data, size}, "fuzz", &device, &document, &diag) == 0)
        sl_json_doc_free(document);
    return 0;
}
