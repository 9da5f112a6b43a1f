// SPDX-License-Identifier: MIT
// Bytes as a file of motifs: columns that were read are probabilities, and sites of them lie in the sequence.
#include "motif/match.h"
#include "motif/scan.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void scan(const gw_motifs *motifs) {
    static const char bases[] = "ACGTTGCAAACCCGGGTTTNACGATCGATCGGCTAGCTAGCATCGATC";
    const int64_t count = (int64_t)sizeof bases - 1;
    gw_motif_scanner *scanner;
    gw_motif_sites sites = {0};
    if (gw_motif_scanner_make(motifs, 0.01, motifs->one_strand, &scanner) != GW_OK) return;
    if (gw_motif_scan(scanner, bases, count, &sites) != GW_OK) abort();
    for (int64_t i = 0; i < sites.count; i++) {
        const gw_motif_site *site = &sites.items[i];
        if (site->begin < 0 || site->begin + motifs->items[site->motif].width > count) abort();
        if (!(site->p_value > 0 && site->p_value < 0.011)) abort();
    }
    free(sites.items);
    gw_motif_scanner_free(scanner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    gw_motifs motifs;
    if (gw_motifs_read(fuzz_file(path, "in.meme", data, size), &motifs) != GW_OK) return 0;
    for (int64_t m = 0; m < motifs.count; m++)
        for (int j = 0; j < motifs.items[m].width; j++) {
            const double *p = motifs.items[m].columns[j], sum = p[0] + p[1] + p[2] + p[3];
            if (!(sum > 0.9 && sum < 1.1)) abort();
        }
    if (motifs.count < 50) scan(&motifs);
    if (motifs.count < 20 && motifs.items[0].width < 40) {
        gw_motif_match matches[20];
        const double(*query)[4] = (const double(*)[4])motifs.items[0].columns;
        if (gw_motif_match_all(&motifs, query, motifs.items[0].width, matches) != GW_OK) abort();
        for (int64_t m = 0; m < motifs.count; m++)
            if (!(matches[m].p_value >= 0 && matches[m].p_value <= 1)) abort();
    }
    gw_motifs_free(&motifs);
    return 0;
}
