// SPDX-License-Identifier: MIT
// Decides which faults of --device are warnings and which are errors, and loads the plugin.
#include "tools/cli/device.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/plugin_file.h"
#include "kernels/plugin.h"
#include "run/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static gw_status parse(const char *text, int64_t *number) {
    *number = gw_launched_local_rank();
    if (strcmp(text, "cuda") == 0) return GW_OK;
    if (strncmp(text, "cuda:", 5) != 0)
        return gw_fail(GW_ERR_USAGE, "--device: '%s' is neither cpu nor cuda[:N]", text);
    if (gw_parse_int(text + 5, 0, GW_MOST_DEVICES - 1, number) == GW_OK) return GW_OK;
    return gw_fail(GW_ERR_USAGE, "--device %s: %s", text, gw_message());
}

// *text, which the caller frees: what the machine lacks to run the plugin's code on device `number`; NULL for nothing.
static gw_status find_lack(const gw_plugin *plugin, const gw_device_list *list, int64_t number, char **text) {
    GW_TRY(gw_device_lack(list, text));
    if (*text) return GW_OK;
    if (number >= list->count) return gw_fail(GW_ERR_RANGE, "the last GPU is cuda:%d", list->count - 1);
    const gw_device *device = &list->device[number];
    if (gw_architecture_runs(plugin->architectures, device->major, device->minor)) return GW_OK;
    *text = gw_strprintf("%s is sm_%d%d, and the plugin was compiled for %s", device->name, device->major,
                         device->minor, plugin->architectures);
    return *text ? GW_OK : GW_ERR_MEMORY;
}

static gw_status use_cuda(const char *name, int64_t number) {
    const gw_plugin *plugin;
    GW_TRY(gw_plugin_load(&plugin));
    const gw_device_list list = plugin->devices();
    char *lack;
    GW_TRY(find_lack(plugin, &list, number, &lack));
    if (!lack) {
        const char *op = "";
        if (!plugin->use) {
            const int gaps = gw_plugin_gaps(plugin, &op);
            return gw_fail(
                GW_ERR_UNSUPPORTED,
                "%s is available, but the CUDA plugin of this version has no kernels for %s and %d other ops",
                list.device[number].name, op, gaps - 1);
        }
        GW_TRY(plugin->use((int)number, gw_fail));
        gw_use_device(&plugin->kernels);
        if (!gw_plugin_has_passed(list.device[number].major, list.device[number].minor))
            gw_warn("--device %s: the kernels of this build have not been tested on sm_%d%d (make test-gpu)", name,
                    list.device[number].major, list.device[number].minor);
        return GW_OK;
    }
    gw_warn("--device %s: %s; the CPU computes", name, lack);
    free(lack);
    return GW_OK;
}

static gw_status apply(const char *device) {
    int64_t number;
    GW_TRY(parse(device, &number));
    const gw_status status = use_cuda(device, number);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "--device %s", device);
}

// What gw_device_begin() has begun. A thread's message of a failure is its own, so it is copied.
static struct {
    pthread_t thread;
    bool runs;
    const char *device;
    gw_status status;
    char message[4096];
} begun;

static void *apply_in_thread(void *unused) {
    (void)unused;
    begun.status = apply(begun.device);
    if (begun.status != GW_OK) snprintf(begun.message, sizeof begun.message, "%s", gw_message());
    return NULL;
}

void gw_device_begin(const char *device) {
    // A rank's device is that of the thread which selects it.
    if (!device || strcmp(device, "cpu") == 0 || getenv("WORLD_SIZE")) return;
    begun.device = device;
    begun.runs = pthread_create(&begun.thread, NULL, apply_in_thread, NULL) == 0;
}

gw_status gw_device_apply(const char *device) {
    if (!device || strcmp(device, "cpu") == 0) return GW_OK;
    if (!begun.runs) return apply(device);
    pthread_join(begun.thread, NULL);
    begun.runs = false;
    return begun.status == GW_OK ? GW_OK : gw_fail(begun.status, "%s", begun.message);
}

static void print_cuda(FILE *out, const gw_plugin *plugin) {
    const gw_device_list list = plugin->devices();
    char *lack = NULL;
    if (gw_device_lack(&list, &lack) != GW_OK) return;
    const int gaps = gw_plugin_gaps(plugin, NULL);
    fprintf(out, "cuda: ");
    if (lack) fprintf(out, "%s", lack);
    else fprintf(out, "%d device%s", list.count, list.count == 1 ? "" : "s");
    fprintf(out, "; plugin for %s", plugin->architectures);
    if (gaps > 0) fprintf(out, ", without kernels for %d ops", gaps);
    fputc('\n', out);
    for (int i = 0; i < list.count && !lack; i++) {
        const gw_device *device = &list.device[i];
        const bool runs = gw_architecture_runs(plugin->architectures, device->major, device->minor);
        fprintf(out, "cuda:%d: %s, sm_%d%d, %.1f GB%s\n", i, device->name, device->major, device->minor,
                (double)device->memory * 1e-9, runs ? "" : ", which the plugin was not compiled for");
    }
    free(lack);
}

void gw_print_devices(FILE *out) {
    const gw_plugin *plugin;
    int count;
    const gw_backend *const *backends = gw_all_backends(&count), *in_use = gw_kernels();
    fprintf(out, "cpu:");
    for (int i = 0; i < count; i++) {
        const char *state = backends[i] == in_use ? " (in use)" : backends[i]->supported() ? "" : " (not on this CPU)";
        fprintf(out, "%s %s%s", i > 0 ? "," : "", backends[i]->name, state);
    }
    if (!in_use) fprintf(out, "; %s", gw_message());
    fputc('\n', out);
    if (gw_plugin_load(&plugin) == GW_OK) print_cuda(out, plugin);
    else fprintf(out, "cuda: %s\n", gw_message());
}
