// SPDX-License-Identifier: MIT
// MATLAB files of version 5 through matio.
#ifdef GW_HAVE_MAT

#include "file/mat/mat_file.h"

#include "base/memory.h"

#include <matio.h>
#include <stdlib.h>
#include <string.h>

static void note_array(gw_mat_file *file, const matvar_t *found) {
    gw_mat_array *array = &file->arrays[file->count];
    const bool numbers = found->class_type >= MAT_C_DOUBLE && found->class_type <= MAT_C_UINT64;
    if (file->count == GW_MAT_ARRAYS || !numbers || !found->name || found->isComplex || found->rank < 2 ||
        found->rank > GW_MAT_AXES || strlen(found->name) >= sizeof array->name)
        return;
    array->axes = found->rank;
    for (int a = 0; a < found->rank; a++) array->size[a] = (int64_t)found->dims[a];
    strcpy(array->name, found->name);
    array->value_bytes = 1;
    array->stored_bytes = INT64_MAX; // gw_mat_elements_check() has seen every value
    file->count++;
}

static gw_status open_file(gw_mat_file *file) {
    file->handle = Mat_Open(file->path, MAT_ACC_RDONLY);
    if (!file->handle) return gw_fail(GW_ERR_FORMAT, "cannot read %s: matio cannot open it", file->path);
    for (matvar_t *found; (found = Mat_VarReadNextInfo(file->handle)) != NULL; Mat_VarFree(found))
        note_array(file, found);
    return GW_OK;
}

// values[count] of the class that matio gives them in.
static gw_status take_values(const void *bytes, enum matio_classes class, int64_t count, float *values) {
#define TAKE(NAME, TYPE)                                                                                               \
    case NAME:                                                                                                         \
        for (int64_t i = 0; i < count; i++) values[i] = (float)((const TYPE *)bytes)[i];                               \
        return GW_OK;
    switch ((int)class) {
        TAKE(MAT_C_DOUBLE, double)
        TAKE(MAT_C_SINGLE, float)
        TAKE(MAT_C_INT8, int8_t)
        TAKE(MAT_C_UINT8, uint8_t)
        TAKE(MAT_C_INT16, int16_t)
        TAKE(MAT_C_UINT16, uint16_t)
        TAKE(MAT_C_INT32, int32_t)
        TAKE(MAT_C_UINT32, uint32_t)
        TAKE(MAT_C_INT64, int64_t)
        TAKE(MAT_C_UINT64, uint64_t)
    }
#undef TAKE
    return GW_ERR_UNSUPPORTED;
}

static gw_status read_box(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                          float *values) {
    int start[GW_MAT_AXES], stride[GW_MAT_AXES] = {1, 1, 1}, edge[GW_MAT_AXES];
    int64_t count = 1;
    for (int a = 0; a < array->axes; a++) {
        start[a] = (int)first[a];
        edge[a] = (int)size[a];
        count *= size[a];
    }
    matvar_t *found = Mat_VarReadInfo(file->handle, array->name);
    void *bytes = found ? gw_alloc(count, sizeof(double)) : NULL;
    gw_status status = found ? (bytes ? GW_OK : GW_ERR_MEMORY) : GW_ERR_FORMAT;
    if (status == GW_OK && Mat_VarReadData(file->handle, found, bytes, start, stride, edge) != 0)
        status = GW_ERR_FORMAT;
    if (status == GW_OK) status = take_values(bytes, found->class_type, count, values);
    free(bytes);
    Mat_VarFree(found);
    if (status != GW_ERR_FORMAT) return status;
    return gw_fail(GW_ERR_FORMAT, "%s: %s cannot be read (truncated or damaged?)", file->path, array->name);
}

static void close_file(gw_mat_file *file) {
    Mat_Close(file->handle);
}

const gw_mat_reader gw_mat_version_5 = {gw_mat_elements_check, open_file, read_box, close_file};

#endif
