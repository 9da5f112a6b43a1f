// SPDX-License-Identifier: MIT
// HDF5 files that h5py wrote (tests/data/hdf5): their data sets, what is refused, and files that are cut or changed.
#include "base/output.h"
#include "store/checkpoint.h"
#include "store/weights_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char layers[] = "tests/data/hdf5/layers.h5";

static void expect_tensor(const gw_checkpoint *of, const char *name, const char *type, int dimensions,
                          const int64_t *shape) {
    const gw_stored_tensor *found = gw_checkpoint_find(of, name);
    cr_assert_not_null(found, "%s", name);
    cr_expect_str_eq(found->type, type);
    cr_assert_eq(found->dimensions, dimensions, "%s", name);
    for (int d = 0; d < dimensions; d++) cr_expect_eq(found->shape[d], shape[d], "%s", name);
}

static void expect_floats(const gw_checkpoint *of, const char *name, const float *values, int64_t count) {
    float found[8];
    const gw_stored_tensor *tensor = gw_checkpoint_find(of, name);
    cr_assert_not_null(tensor, "%s", name);
    cr_assert_eq(tensor->count, count, "%s", name);
    cr_assert_eq(gw_checkpoint_read(of, tensor, found), GW_OK, "%s", gw_message());
    for (int64_t i = 0; i < count; i++) cr_expect_eq(found[i], values[i], "%s: %d", name, (int)i);
}

Test(hdf5_file, data_sets_are_read_by_their_paths) {
    gw_checkpoint *of;
    int64_t whole[2];
    cr_assert_eq(gw_checkpoint_open(layers, &of), GW_OK, "%s", gw_message());
    cr_expect_eq(gw_checkpoint_count(of), 9 + 40); // neither text nor big-endian numbers nor links by name
    expect_tensor(of, "model_weights/conv1d_1/conv1d_1/kernel:0", "F32", 3, (const int64_t[]){1, 2, 3});
    expect_floats(of, "model_weights/conv1d_1/conv1d_1/kernel:0", (const float[]){0, 1, 2, 3, 4, 5}, 6);
    expect_floats(of, "model_weights/conv1d_1/conv1d_1/bias:0", (const float[]){-1, 0.5F, 2}, 3);
    expect_floats(of, "others/half", (const float[]){1.5F, -2}, 2);
    expect_floats(of, "others/again", (const float[]){1.5F, -2}, 2);
    expect_floats(of, "others/compact", (const float[]){3, 4}, 2);
    expect_tensor(of, "others/double", "F64", 0, NULL);
    expect_tensor(of, "others/none", "F32", 2, (const int64_t[]){0, 4});
    cr_assert_eq(gw_checkpoint_read_int(of, gw_checkpoint_find(of, "others/long"), whole), GW_OK, "%s", gw_message());
    cr_expect(whole[0] == 1 && whole[1] == -2);
    cr_assert_eq(gw_checkpoint_read_int(of, gw_checkpoint_find(of, "others/byte"), whole), GW_OK, "%s", gw_message());
    cr_expect(whole[0] == 7 && whole[1] == 255);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "many/v%02d", i);
        cr_assert_eq(gw_checkpoint_read_int(of, gw_checkpoint_find(of, name), whole), GW_OK, "%s", gw_message());
        cr_expect_eq(whole[0], i);
    }
    gw_checkpoint_close(of);
}

static void expect_refused(const char *path, const char *message) {
    gw_checkpoint *of;
    cr_expect_neq(gw_checkpoint_open(path, &of), GW_OK, "%s", path);
    cr_expect_not_null(strstr(gw_message(), message), "%s", gw_message());
}

Test(hdf5_file, other_storage_is_refused_by_name) {
    expect_refused("tests/data/hdf5/chunks.h5", "x is stored in chunks");
    expect_refused("tests/data/hdf5/newest.h5", "superblock is not of version 0 or 1");
}

static bool reads(const char *bytes, int64_t size) {
    gw_weights_file file;
    if (gw_weights_file_of_bytes("cut", bytes, size, &file) != GW_OK) return false;
    gw_weights_file_close(&file);
    return true;
}

// A file that lacks its end is refused; with any byte changed it is read or refused, within its bytes (sanitizers).
Test(hdf5_file, damaged_files_are_refused) {
    char *bytes;
    int64_t size;
    cr_assert_eq(gw_read_file(layers, &bytes, &size), GW_OK, "%s", gw_message());
    for (int64_t cut = 0; cut < size; cut += cut < 2048 ? 1 : 61) {
        char *some = malloc((size_t)cut + 1);
        memcpy(some, bytes, (size_t)cut);
        cr_expect_not(reads(some, cut), "%d bytes", (int)cut);
        free(some);
    }
    for (int64_t i = 8; i < size; i += 3) {
        const char kept = bytes[i];
        bytes[i] = (char)~kept;
        reads(bytes, size);
        bytes[i] = kept;
    }
    cr_expect(reads(bytes, size));
    free(bytes);
}

// Fourteen levels of a tree whose nodes name the next one 32 times: 32^14 ways lead to its symbols.
Test(hdf5_file, trees_that_name_a_node_again_and_again_are_refused, .timeout = 120) {
    expect_refused("tests/fuzz/corpus/hdf5/tree_named_again", "named again and again");
}
