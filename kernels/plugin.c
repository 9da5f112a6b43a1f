// SPDX-License-Identifier: MIT
// Loads the plugin's library, compares checksums, and requests a backend.
#include "kernels/plugin.h"

#include "base/memory.h"
#include "base/plugin_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gw_status check(const char *path, const gw_plugin *plugin) {
    GW_TRY(gw_plugin_check_abi(path, plugin->abi, GW_PLUGIN_ABI));
    if (plugin->use && (!plugin->kernels.allocate || !plugin->kernels.scratch))
        return gw_fail(GW_ERR_MISMATCH, "%s claims to compute and has no memory", path);
    return GW_OK;
}

static gw_status load(const char *path, const gw_plugin **plugin) {
    void *symbol;
    GW_TRY(gw_plugin_open(path, GW_PLUGIN_ENTRY, &symbol));
    gw_plugin_function *entry;
    memcpy(&entry, &symbol, sizeof entry); // POSIX: a function's address fits
    const gw_plugin *found = entry();
    GW_TRY(check(path, found));
    *plugin = found;
    return GW_OK;
}

gw_status gw_plugin_load(const gw_plugin **plugin) {
    *plugin = NULL;
    char *path;
    gw_status status = gw_plugin_find(GW_PLUGIN_FILE, &path);
    if (status == GW_OK) status = load(path, plugin);
    free(path);
    return status;
}

int gw_plugin_gaps(const gw_plugin *plugin, const char **first) {
    int gaps = 0;
#define GW_OP(op, arguments)                                                                                           \
    if (!plugin->kernels.op && gaps++ == 0 && first) *first = #op;
#include "kernels/ops.def"
#undef GW_OP
    return gaps;
}

bool gw_architecture_runs(const char *architectures, int major, int minor) {
    const int device = 10 * major + minor;
    for (const char *word = architectures; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        int code;
        char suffix = ' ';
        if (sscanf(word, "compute_%d%c", &code, &suffix) >= 1) {
            if (suffix == ' ' ? device >= code : device == code) return true;
        } else if (sscanf(word, "sm_%d%c", &code, &suffix) >= 1) {
            if (suffix == ' ' ? device >= code && major == code / 10 : device == code) return true;
        }
    }
    return false;
}

gw_status gw_device_lack(const gw_device_list *list, char **text) {
    *text = NULL;
    const int driver = list->driver_version, runtime = list->runtime_version;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    switch (list->state) {
    case GW_DEVICES_FOUND: return GW_OK;
    case GW_DEVICES_NO_DRIVER: *text = gw_strprintf("this machine has no NVIDIA driver"); break;
    case GW_DEVICES_OLD_DRIVER:
        *text = gw_strprintf("the NVIDIA driver is too old: it is for CUDA %d.%d, the plugin for %d.%d", driver / 1000,
                             driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
        break;
    case GW_DEVICES_NONE:
        *text = visible ? gw_strprintf("the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES is '%s')", visible)
                        : gw_strprintf("the NVIDIA driver finds no GPU");
        break;
    case GW_DEVICES_FAILED: *text = gw_strprintf("the NVIDIA driver fails: %s", list->fault); break;
    }
    return *text ? GW_OK : GW_ERR_MEMORY;
}
