// SPDX-License-Identifier: MIT
// Bytes as FASTA, plain or compressed: contigs have names without blanks and at least a base, which are letters, '-'
// and
// '*', and as many as the layout says.
#include "seq/genome/fasta_stream.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include <ctype.h>

enum { PIECE = 7 };

static int64_t read_contig(gw_fasta *fasta) {
    char bases[PIECE];
    int64_t length = 0, count = 0;
    while (gw_fasta_read(fasta, bases, PIECE, &count) == GW_OK && count > 0) {
        if (count > PIECE) abort();
        for (int64_t i = 0; i < count; i++)
            if (!isalpha((unsigned char)bases[i]) && bases[i] != '-' && bases[i] != '*') abort();
        length += count;
    }
    return count < 0 ? -1 : length;
}

// Whether there may be more.
static bool take_contig(gw_fasta *fasta, bool skips) {
    const char *name;
    if (gw_fasta_next(fasta, &name) != GW_OK || !name) return false;
    if (!*name || name[strcspn(name, " \t\r\n")]) abort();
    if (skips) return true;
    const int64_t length = read_contig(fasta);
    const gw_fasta_layout *layout = gw_fasta_contig_layout(fasta);
    if (layout->length != length || layout->line_bases > layout->line_bytes) abort();
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    gw_fasta *fasta;
    fuzz_file(path, "in.fa", data, size);
    for (int skips = 0; skips < 2; skips++) {
        if (gw_fasta_open(path, &fasta) != GW_OK) return 0;
        if (skips) gw_fasta_take_repeats(fasta);
        while (take_contig(fasta, skips)) {
        }
        gw_fasta_close(fasta);
    }
    return 0;
}
