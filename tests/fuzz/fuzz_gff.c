// SPDX-License-Identifier: MIT
// Bytes as an annotation: features that are read have a contig, and an end that does not come before the beginning.
#include "seq/genes/gff.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void read_features(const char *path, const gw_gff_options *options) {
    gw_features features;
    if (gw_features_read(path, options, &features) != GW_OK) return;
    for (int64_t i = 0; i < features.count; i++) {
        const gw_feature *f = &features.items[i];
        if (!f->contig || f->begin < 0 || f->end < f->begin || !strchr("+-.", f->strand)) abort();
    }
    gw_features_free(&features);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    fuzz_file(path, "in.gff", data, size);
    read_features(path, &(gw_gff_options){.groups = gw_gff_transcripts});
    read_features(path, &(gw_gff_options){.groups = gw_gff_genes, .id = "gene_name,Name,ID"});
    return 0;
}
