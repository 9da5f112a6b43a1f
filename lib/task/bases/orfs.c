// SPDX-License-Identifier: MIT
// One walk a frame.
#include "task/bases/orfs.h"

#include <stdbool.h>
#include <string.h>

enum { CODON = 3 };

static bool is_codon(const char *bases, const char *codon) {
    return memcmp(bases, codon, CODON) == 0;
}

static bool is_stop(const char *bases) {
    return is_codon(bases, "TAA") || is_codon(bases, "TAG") || is_codon(bases, "TGA");
}

static void raise_to(float *to, int64_t begin, int64_t end, float length) {
    for (int64_t i = begin; i < end; i++)
        if (to[i] < length) to[i] = length;
}

void gw_find_orfs(const char *bases, int64_t count, gw_orf_lengths *out) {
    float *const all[] = {out->coding, out->start, out->stop};
    for (int i = 0; i < 3; i++) memset(all[i], 0, (size_t)count * sizeof(float));
    for (int frame = 0; frame < CODON; frame++) {
        int64_t first = -1; // codon of the frame that is open
        for (int64_t i = frame; i + CODON <= count; i += CODON) {
            if (first < 0 && is_codon(bases + i, "ATG")) first = i;
            if (!is_stop(bases + i)) continue;
            const float length = (float)(i + CODON - first);
            if (first >= 0) {
                raise_to(out->start, first, first + CODON, length);
                raise_to(out->coding, first + CODON, i, length);
                raise_to(out->stop, i, i + CODON, length);
            }
            first = -1;
        }
    }
}
