// SPDX-License-Identifier: MIT
// Finding, checking and loading a plugin, with fakes that stand beside this program; and the real one's table.
#include "base/memory.h"
#include "base/plugin_file.h"
#include "kernels/plugin.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(plugin, .init = scratch_enter, .fini = scratch_leave);

enum {
    OPS = 0
#define GW_OP(op, arguments) +1
#include "kernels/ops.def"
#undef GW_OP
};

// Path of a file in the folder of this program, to be freed.
static char *beside(const char *name) {
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert(length > 0);
    self[length] = 0;
    *strrchr(self, '/') = 0;
    char *path = gw_strprintf("%s/%s", self, name);
    cr_assert_not_null(path);
    return path;
}

static void name_plugin(const char *path) {
    cr_assert_eq(setenv("GODWIT_PLUGIN_PATH", path, 1), 0);
}

static const gw_plugin *load_fake(const char *kind) {
    char *path = beside("fake-plugin.so");
    name_plugin(path);
    free(path);
    cr_assert_eq(setenv("GODWIT_FAKE", kind, 1), 0);
    const gw_plugin *plugin;
    cr_assert_eq(gw_plugin_load(&plugin), GW_OK, "%s", gw_message());
    return plugin;
}

static void check_refused(gw_status status, const char *words) {
    const gw_plugin *plugin;
    cr_assert_eq(gw_plugin_load(&plugin), status, "%s", gw_message());
    cr_assert_null(plugin);
    cr_assert(strstr(gw_message(), words) != NULL, "'%s' lacks '%s'", gw_message(), words);
}

// Copies the fake plugin's first bytes, or all of them where `bytes` is negative.
static int64_t copy_fake(const char *to, int64_t bytes) {
    char *path = beside("fake-plugin.so");
    FILE *in = fopen(path, "rb"), *out = fopen(to, "wb");
    cr_assert(in && out);
    int64_t count = 0;
    for (int c; (c = getc(in)) != EOF && (bytes < 0 || count < bytes); count++) cr_assert_eq(putc(c, out), c);
    fclose(in);
    cr_assert_eq(fclose(out), 0);
    free(path);
    return count;
}

Test(plugin, missing_files_are_named) {
    name_plugin("nowhere.so");
    check_refused(GW_ERR_IO, "GODWIT_PLUGIN_PATH: nowhere.so: No such file");
    name_plugin(".");
    check_refused(GW_ERR_IO, "GODWIT_PLUGIN_PATH: . has no libgodwit-cuda.so");
    unsetenv("GODWIT_PLUGIN_PATH"); // the tests have no plugin beside them
    check_refused(GW_ERR_IO, "no libgodwit-cuda.so in ");
}

Test(plugin, folder_and_bare_name_are_found) {
    copy_fake(GW_PLUGIN_FILE, -1);
    const gw_plugin *plugin;
    name_plugin(".");
    cr_assert_eq(gw_plugin_load(&plugin), GW_OK, "%s", gw_message());
    name_plugin(GW_PLUGIN_FILE);
    cr_assert_eq(gw_plugin_load(&plugin), GW_OK, "%s", gw_message());
    cr_assert_str_eq(plugin->kernels.name, "fake");
}

Test(plugin, other_files_are_refused) {
    name_plugin("text.so");
    scratch_text("text.so", "");
    check_refused(GW_ERR_FORMAT, "text.so is not a shared library");
    scratch_text("text.so", "this is a text, and long enough to hold the header of a library, which it has not.\n");
    check_refused(GW_ERR_FORMAT, "text.so is not a shared library");
    char *path = beside("no-plugin.so");
    name_plugin(path);
    check_refused(GW_ERR_FORMAT, "no-plugin.so has no gw_plugin_entry");
    free(path);
}

Test(plugin, truncated_files_are_refused_at_every_length) {
    const int64_t size = copy_fake("cut.so", -1);
    name_plugin("cut.so");
    for (int64_t length = 64; length <= 4096; length *= 2) {
        cr_assert(length < size);
        copy_fake("cut.so", length);
        check_refused(GW_ERR_FORMAT, "cut.so is truncated: ");
    }
    copy_fake("cut.so", 63);
    check_refused(GW_ERR_FORMAT, "cut.so is not a shared library");
}

Test(plugin, other_processors_are_refused) {
    copy_fake("other.so", -1);
    FILE *file = fopen("other.so", "r+b");
    cr_assert(file && fseek(file, 18, SEEK_SET) == 0); // e_machine
    fputs("\x02", file);                               // SPARC
    fclose(file);
    name_plugin("other.so");
    check_refused(GW_ERR_FORMAT, "other.so is for another processor: its ELF machine is 2,");
}

Test(plugin, other_contracts_are_refused) {
    load_fake("");
    setenv("GODWIT_FAKE", "other abi", 1);
    check_refused(GW_ERR_MISMATCH, "fake-plugin.so was built for another godwit: its ABI is ");
}

// Ops may be missing; memory may not, where anything is computed.
Test(plugin, kernels_may_be_missing) {
    const char *op = NULL;
    cr_assert_eq(gw_plugin_gaps(load_fake("full"), &op), 0);
    cr_assert_null(op);
    const gw_plugin *plugin = load_fake("gap");
    cr_assert_eq(gw_plugin_gaps(plugin, &op), 1);
    cr_assert_str_eq(op, "rotary");
    cr_assert_not(gw_backend_has(&plugin->kernels, GW_OP_rotary));
    cr_assert(gw_backend_has(&plugin->kernels, GW_OP_gemm));
    cr_assert_eq(gw_plugin_gaps(load_fake(""), &op), OPS);
    cr_assert_str_eq(op, "gemm");
    setenv("GODWIT_FAKE", "no memory", 1);
    check_refused(GW_ERR_MISMATCH, "claims to compute and has no memory");
}

static void check_lack(const char *kind, const char *expected) {
    const gw_device_list list = load_fake(kind)->devices();
    char *text;
    cr_assert_eq(gw_device_lack(&list, &text), GW_OK);
    cr_assert_str_eq(text ? text : "nothing", expected);
    free(text);
}

Test(plugin, what_a_machine_lacks_is_said) {
    unsetenv("CUDA_VISIBLE_DEVICES");
    check_lack("", "nothing");
    check_lack("no driver", "this machine has no NVIDIA driver");
    check_lack("old driver", "the NVIDIA driver is too old: it is for CUDA 11.4, the plugin for 13.0");
    check_lack("no device", "the NVIDIA driver finds no GPU");
    check_lack("failing driver", "the NVIDIA driver fails: unknown error");
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    check_lack("no device", "the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES is '-1')");
}

Test(plugin, code_runs_on_its_architectures) {
    const char *code = "sm_80 sm_86 sm_90a compute_100";
    cr_assert(gw_architecture_runs(code, 8, 0));
    cr_assert(gw_architecture_runs(code, 8, 9)); // sm_86 serves the later ones of its generation
    cr_assert(gw_architecture_runs(code, 9, 0));
    cr_assert(gw_architecture_runs(code, 10, 0)); // text, for this one and later ones
    cr_assert(gw_architecture_runs(code, 12, 1));
    cr_assert_not(gw_architecture_runs(code, 7, 5));
    cr_assert_not(gw_architecture_runs("sm_90a", 9, 1)); // "a" is for its own alone
    cr_assert_not(gw_architecture_runs("sm_86", 8, 0));
    cr_assert_not(gw_architecture_runs("compute_90a", 10, 0));
    cr_assert_not(gw_architecture_runs("", 8, 0));
}

// The plugin of this build, where there is one: it loads, and has every kernel that it claims.
Test(plugin, the_real_one_keeps_its_word) {
    char *path = beside("../" GW_PLUGIN_FILE);
    if (access(path, F_OK) == 0) {
        const gw_plugin *plugin;
        name_plugin(path);
        cr_assert_eq(gw_plugin_load(&plugin), GW_OK, "%s", gw_message());
        cr_assert_str_eq(plugin->kernels.name, "cuda");
        if (!plugin->use) cr_assert_eq(gw_plugin_gaps(plugin, NULL), OPS);
        const gw_device_list list = plugin->devices();
        cr_assert_eq(list.state == GW_DEVICES_FOUND, list.count > 0);
        cr_assert(list.runtime_version >= 11000);
        for (int i = 0; i < list.count; i++) cr_assert(list.device[i].major > 0 && list.device[i].memory > 0);
    }
    free(path);
}
