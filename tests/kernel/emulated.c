// SPDX-License-Identifier: MIT
// Loads the emulated plugin, waits for each of its launches, and compares the orders of its threads.
#include "tests/kernel/emulated.h"

#include "base/memory.h"
#include "kernels/plugin.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const gw_plugin *plugin;
static void (*set_order)(const char *order);
static long (*products)(void), (*warpgroup_products)(void), (*late_blocks)(void);
static void (*count_graphs)(long counts[5]);
static test_memory memory;

static char *path_of_plugin(void) {
    const char *named = getenv("GODWIT_EMULATED");
    if (named) return gw_strdup(named);
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert(length > 0);
    self[length] = 0;
    *strrchr(self, '/') = 0;
    return gw_strprintf("%s/emulated/libgodwit-cuda.so", self);
}

// A function of the emulation; NULL of the plugin for GPUs.
static void find(void *library, const char *name, void *function) {
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); // POSIX: a function's address fits
}

static void load(const char *path) {
    cr_assert_eq(setenv("GODWIT_PLUGIN_PATH", path, 1), 0);
    cr_assert_eq(gw_plugin_load(&plugin), GW_OK, "%s", gw_message());
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    cr_assert_not_null(library);
    find(library, "emu_set_order", &set_order);
    find(library, "emu_products", &products);
    find(library, "emu_warpgroup_products", &warpgroup_products);
    find(library, "emu_count_graphs", &count_graphs);
    find(library, "emu_late_blocks", &late_blocks);
    find(library, "emu_forbid", &memory.forbid);
    cr_assert_eq(plugin->use(0, gw_fail), GW_OK, "%s", gw_message());
}

long test_tensor_products(void) {
    return products ? products() : -1;
}

long test_warpgroup_products(void) {
    return warpgroup_products ? warpgroup_products() : -1;
}

test_graph_counts test_graphs(void) {
    long n[5] = {0};
    if (count_graphs) count_graphs(n);
    return (test_graph_counts){n[0], n[1], n[2], n[3], n[4]};
}

long test_late_blocks(void) {
    return late_blocks ? late_blocks() : -1;
}

bool test_on_gpu(void) {
    return plugin && !products;
}

double test_sum_limit(double limit, int64_t products_of_sum) {
    return test_on_gpu() ? fmax(limit, ldexp(1, -24) * sqrt((double)products_of_sum / 2)) : limit;
}

static void *reachable(int64_t bytes) {
    void *start;
    cr_assert_eq(plugin->allocate_reachable(bytes, &start), GW_OK, "%s", gw_message());
    return memset(start, 0, (size_t)bytes);
}

// Ops run when somebody waits for them: here, for each.
static gw_status wait_for(gw_status status) {
    char nothing = 0;
    if (status == GW_OK) status = plugin->kernels.to_host(&nothing, &nothing, 0);
    cr_assert_eq(status, GW_OK, "%s", gw_message());
    return status;
}

#define GW_OP(op, arguments)                                                                                           \
    static gw_status waited_##op(const arguments *args) {                                                              \
        return wait_for(plugin->kernels.op(args));                                                                     \
    }
#include "kernels/ops.def"
#undef GW_OP

static bool find_plugin(void) {
    char *path = path_of_plugin();
    const bool there = access(path, F_OK) == 0;
    if (there) load(path);
    free(path);
    return there;
}

const gw_backend *test_use_emulated(void) {
    if (!find_plugin()) return NULL;
    gw_use_device(&plugin->kernels);
    return &plugin->kernels;
}

static const gw_backend *begin(void) {
    static gw_backend waited;
    if (!find_plugin()) return NULL;
    waited = plugin->kernels;
#define GW_OP(op, arguments)                                                                                           \
    if (waited.op) waited.op = waited_##op;
#include "kernels/ops.def"
#undef GW_OP
    memory.allocate = reachable;
    memory.release = plugin->kernels.release;
    test_use_memory(&memory);
    gw_use_device(&waited);
    return &waited;
}

static void end(void) {
    test_use_memory(NULL);
    cr_assert_eq(gw_use_backend(NULL), GW_OK);
}

static uint64_t digest_in_order(void (*check)(const gw_backend *backend), const gw_backend *backend,
                                const char *order) {
    if (set_order) set_order(order);
    test_restart();
    check(backend);
    test_release();
    return test_digest();
}

void test_emulated(void (*check)(const gw_backend *backend), gw_op op, int orders) {
    static const char *const ORDERS[TEST_ORDERS] = {"forward", "reverse", "random:1"};
    const gw_backend *backend = begin();
    if (!backend) cr_skip_test("the emulation of the CUDA plugin could not be built here");
    if (!gw_backend_has(backend, op)) cr_skip_test("the CUDA plugin has no %s", gw_op_name(op));
    const uint64_t first = digest_in_order(check, backend, ORDERS[0]);
    if (getenv("GW_TEST_DIGESTS")) fprintf(stderr, "digest %s %016llx\n", gw_op_name(op), (unsigned long long)first);
    for (int i = 1; i < orders; i++)
        cr_assert(digest_in_order(check, backend, ORDERS[i]) == first, "%s: order %s gives other bits", gw_op_name(op),
                  ORDERS[i]);
    end();
}
