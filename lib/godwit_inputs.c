// SPDX-License-Identifier: MIT
// What callers of the public header hand in is checked before anything reads it.
#include "godwit_private.h"

#include "base/memory.h"
#include "seq/genome/genome.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_check_pointer(const void *pointer, const char *name) {
    return pointer ? GW_OK : gw_fail(GW_ERR_RANGE, "%s is NULL", name);
}

gw_status gw_copy_struct(const void *given, void *out, size_t known, const char *name) {
    size_t size = sizeof size;
    memset(out, 0, known);
    if (!given) return GW_OK;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return gw_fail(GW_ERR_RANGE, "%s.size is %zu: it is to be set to sizeof the struct", name, size);
    memcpy(out, given, size < known ? size : known);
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i])
            return gw_fail(GW_ERR_UNSUPPORTED, "%s sets fields that libgodwit " GW_VERSION " does not know", name);
    return GW_OK;
}

static bool is_nucleotide(unsigned char c) {
    static const bool known[26] = {['A' - 'A'] = 1, ['B' - 'A'] = 1, ['C' - 'A'] = 1, ['D' - 'A'] = 1,
                                   ['G' - 'A'] = 1, ['H' - 'A'] = 1, ['K' - 'A'] = 1, ['M' - 'A'] = 1,
                                   ['N' - 'A'] = 1, ['R' - 'A'] = 1, ['S' - 'A'] = 1, ['T' - 'A'] = 1,
                                   ['U' - 'A'] = 1, ['V' - 'A'] = 1, ['W' - 'A'] = 1, ['Y' - 'A'] = 1};
    const unsigned letter = (c & 0xDFu) - 'A'; // either case
    return letter < 26 && known[letter];
}

static gw_status check_letters(const char *bases, int64_t length, int64_t index) {
    for (int64_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bases[i];
        if (is_nucleotide(c)) continue;
        char name[16];
        snprintf(name, sizeof name, isprint(c) ? "'%c'" : "byte %d", c);
        return gw_fail(GW_ERR_RANGE, "input %lld: %s at offset %lld is not a nucleotide letter", (long long)index, name,
                       (long long)i);
    }
    return GW_OK;
}

static gw_status check_input(const char *bases, int64_t length, int64_t index) {
    if (!bases) return gw_fail(GW_ERR_RANGE, "input %lld is NULL", (long long)index);
    if (length > 0) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "input %lld: its length is %lld", (long long)index, (long long)length);
}

// Copies an input behind those that are there; pointers to them are set when all are.
static gw_status take_dna(gw_string *letters, const char *bases, int64_t length, int64_t index) {
    GW_TRY(check_letters(bases, length, index));
    gw_string_append(letters, bases, length);
    GW_TRY(gw_string_status(letters));
    gw_normalise_bases(letters->data + letters->length - length, length);
    return GW_OK;
}

gw_status gw_inputs_take(gw_inputs *inputs, bool is_dna, const char *const *bases, const int64_t *lengths,
                         int64_t count) {
    GW_TRY(gw_check_pointer(bases, "bases"));
    if (count < 0) return gw_fail(GW_ERR_RANGE, "a count of %lld inputs", (long long)count);
    GW_TRY(gw_reserve(&inputs->bases, &inputs->bases_capacity, count, sizeof *inputs->bases));
    GW_TRY(gw_reserve(&inputs->lengths, &inputs->lengths_capacity, count, sizeof *inputs->lengths));
    gw_string_clear(&inputs->letters);
    for (int64_t i = 0; i < count; i++) {
        const int64_t length = lengths ? lengths[i] : bases[i] ? (int64_t)strlen(bases[i]) : 0;
        GW_TRY(check_input(bases[i], length, i));
        if (is_dna) GW_TRY(take_dna(&inputs->letters, bases[i], length, i));
        inputs->bases[i] = bases[i];
        inputs->lengths[i] = length;
    }
    int64_t offset = 0;
    for (int64_t i = 0; is_dna && i < count; offset += inputs->lengths[i++])
        inputs->bases[i] = inputs->letters.data + offset;
    return GW_OK;
}

void gw_inputs_free(gw_inputs *inputs) {
    gw_string_free(&inputs->letters);
    free(inputs->bases);
    free(inputs->lengths);
}
