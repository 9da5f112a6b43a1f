// SPDX-License-Identifier: MIT
// Writes the headers, the array, and the list of one file.
#include "file/npz.h"

#include "base/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NPY_HEAD = 128, NPY_PREFIX = 10, LOCAL = 30, CENTRAL = 46, END = 22, ZIP_VERSION = 20, YEAR_1980 = 0x21 };
static const char name[] = "arr_0.npy";

static uint32_t add_crc(uint32_t crc, const void *bytes, int64_t count) {
    static uint32_t table[256];
    for (uint32_t i = 0; i < 256 && table[255] == 0; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320U ^ (value >> 1) : value >> 1;
        table[i] = value;
    }
    const unsigned char *at = bytes;
    crc = ~crc;
    for (int64_t i = 0; i < count; i++) crc = table[(crc ^ at[i]) & 255] ^ (crc >> 8);
    return ~crc;
}

static void put(unsigned char *at, int bytes, uint64_t value) {
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> (8 * i));
}

// What both heads say of the file, from its version on: 26 bytes.
static void put_entry(unsigned char *at, uint32_t crc, uint32_t size) {
    put(at, 2, ZIP_VERSION);
    put(at + 8, 2, YEAR_1980);
    put(at + 10, 4, crc);
    put(at + 14, 4, size);
    put(at + 18, 4, size);
    put(at + 22, 2, sizeof name - 1);
}

gw_status gw_npz_write(const char *path, const float *values, const int64_t shape[3]) {
    const int64_t count = shape[0] * shape[1] * shape[2], bytes = count * (int64_t)sizeof *values;
    if (bytes > UINT32_MAX - (1 << 16))
        return gw_fail(GW_ERR_RANGE, "%s: %" PRId64 " numbers, more than the 4 GB that a plain zip holds", path, count);
    char head[NPY_HEAD + 1];
    const int written = snprintf(head, sizeof head,
                                 "%c%s%c%c%c%c{'descr': '<f4', 'fortran_order': False, 'shape': "
                                 "(%" PRId64 ", %" PRId64 ", %" PRId64 "), }",
                                 0x93, "NUMPY", 1, '?', NPY_HEAD - NPY_PREFIX, '?', shape[0], shape[1], shape[2]);
    head[7] = head[9] = 0;
    memset(head + written, ' ', (size_t)(NPY_HEAD - written));
    head[NPY_HEAD - 1] = '\n';
    const uint32_t crc = add_crc(add_crc(0, head, NPY_HEAD), values, bytes), size = (uint32_t)(NPY_HEAD + bytes);
    const int length = sizeof name - 1;
    unsigned char local[LOCAL] = {'P', 'K', 3, 4}, central[CENTRAL] = {'P', 'K', 1, 2}, end[END] = {'P', 'K', 5, 6};
    put_entry(local + 4, crc, size);
    put(central + 4, 2, ZIP_VERSION);
    put_entry(central + 6, crc, size);
    put(end + 8, 2, 1);
    put(end + 10, 2, 1);
    put(end + 12, 4, (uint64_t)(CENTRAL + length));
    put(end + 16, 4, (uint64_t)size + LOCAL + (uint64_t)length);
    const struct {
        const void *bytes;
        int64_t count;
    } parts[] = {{local, LOCAL},     {name, length}, {head, NPY_HEAD}, {values, bytes},
                 {central, CENTRAL}, {name, length}, {end, END}};
    gw_output output;
    GW_TRY(gw_output_open(&output, path));
    gw_status status = GW_OK;
    for (size_t i = 0; status == GW_OK && i < sizeof parts / sizeof *parts; i++)
        status = gw_output_write(&output, parts[i].bytes, parts[i].count);
    if (status == GW_OK) return gw_output_close(&output);
    gw_output_abandon(&output);
    return status;
}
