// SPDX-License-Identifier: MIT
#include "model/checkpoint.h"

#include "base/md5.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/safetensors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char weights_file[] = "model.safetensors";
enum { MD5_PIECE = 1 << 16 };

// A tensor and where its values are; `stored` comes first, so that a pointer to it is a pointer to all.
typedef struct {
    gw_stored_tensor stored;
    const gw_safetensor *values;
} tensor_entry;

struct gw_checkpoint {
    char *path;
    gw_safetensors *file;
    tensor_entry *list; // in order of name
    int count;
};

static const tensor_entry *entry_of(const gw_stored_tensor *tensor) {
    return (const tensor_entry *)tensor;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const gw_stored_tensor *)a)->name, ((const gw_stored_tensor *)b)->name);
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static gw_status list_tensors(gw_checkpoint *checkpoint) {
    checkpoint->count = gw_safetensors_count(checkpoint->file);
    checkpoint->list = gw_alloc(checkpoint->count, sizeof *checkpoint->list);
    if (!checkpoint->list) return GW_ERR_MEMORY;
    for (int i = 0; i < checkpoint->count; i++) {
        const gw_safetensor *values = gw_safetensors_at(checkpoint->file, i);
        gw_stored_tensor *stored = &checkpoint->list[i].stored;
        checkpoint->list[i].values = values;
        *stored =
            (gw_stored_tensor){values->name, checkpoint->path, values->type, values->dimensions, {0}, values->count};
        memcpy(stored->shape, values->shape, sizeof stored->shape);
    }
    qsort(checkpoint->list, (size_t)checkpoint->count, sizeof *checkpoint->list, by_name);
    return GW_OK;
}

gw_status gw_checkpoint_open(const char *path, gw_checkpoint **out) {
    *out = NULL;
    gw_checkpoint *checkpoint = gw_alloc(1, sizeof *checkpoint);
    if (!checkpoint) return GW_ERR_MEMORY;
    checkpoint->path = is_folder(path) ? gw_join_path(path, weights_file) : gw_strdup(path);
    gw_status status = checkpoint->path ? gw_safetensors_open(checkpoint->path, &checkpoint->file) : GW_ERR_MEMORY;
    if (status == GW_OK) status = list_tensors(checkpoint);
    if (status == GW_OK) *out = checkpoint;
    else gw_checkpoint_close(checkpoint);
    return status;
}

void gw_checkpoint_close(gw_checkpoint *checkpoint) {
    if (!checkpoint) return;
    gw_safetensors_close(checkpoint->file);
    free(checkpoint->list);
    free(checkpoint->path);
    free(checkpoint);
}

int gw_checkpoint_count(const gw_checkpoint *checkpoint) {
    return checkpoint->count;
}

const gw_stored_tensor *gw_checkpoint_at(const gw_checkpoint *checkpoint, int index) {
    return &checkpoint->list[index].stored;
}

const gw_stored_tensor *gw_checkpoint_find(const gw_checkpoint *checkpoint, const char *name) {
    const gw_stored_tensor key = {.name = name};
    return bsearch(&key, checkpoint->list, (size_t)checkpoint->count, sizeof *checkpoint->list, by_name);
}

gw_status gw_checkpoint_read(const gw_checkpoint *checkpoint, const gw_stored_tensor *tensor, float *out) {
    return gw_safetensors_read(checkpoint->file, entry_of(tensor)->values, out);
}

bool gw_checkpoint_same(const gw_checkpoint *checkpoint, const gw_stored_tensor *a, const gw_stored_tensor *b) {
    (void)checkpoint;
    const gw_safetensor *x = entry_of(a)->values, *y = entry_of(b)->values;
    return x->bytes == y->bytes && memcmp(x->data, y->data, (size_t)x->bytes) == 0;
}

gw_status gw_checkpoint_md5(const gw_checkpoint *checkpoint, char hex[33]) {
    char *piece = gw_alloc(MD5_PIECE, 1);
    if (!piece) return GW_ERR_MEMORY;
    FILE *file = fopen(checkpoint->path, "rbe");
    gw_status status = file ? GW_OK : gw_fail(GW_ERR_IO, "cannot open %s: %s", checkpoint->path, strerror(errno));
    gw_md5 md5;
    gw_md5_start(&md5);
    size_t got = 1;
    while (status == GW_OK && got > 0) {
        got = fread(piece, 1, MD5_PIECE, file);
        gw_md5_add(&md5, piece, (int64_t)got);
        if (ferror(file)) status = gw_fail(GW_ERR_IO, "cannot read %s", checkpoint->path);
    }
    gw_md5_finish_hex(&md5, hex);
    if (file) fclose(file);
    free(piece);
    return status;
}
