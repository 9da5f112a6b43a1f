// SPDX-License-Identifier: MIT
// Biotypes of transcripts, as Ensembl's annotations have them, by the names that bcftools csq writes.
#ifndef GW_SEQ_GENES_BIOTYPES_H
#define GW_SEQ_GENES_BIOTYPES_H

#include <stdbool.h>

typedef struct {
    const char *word; // as annotations begin it
    const char *name; // as it is written; NULL: the word
    bool coding;      // its transcripts are translated where they have CDS
} gw_biotype;

// The biotype that a text begins with, or NULL where it is none of those: such transcripts are left out.
const gw_biotype *gw_biotype_of(const char *text);
const char *gw_biotype_name(const gw_biotype *biotype);
// Of transcripts that decay since their stop comes early: NMD_transcript is said of all that befalls them.
bool gw_biotype_decays(const gw_biotype *biotype);

#endif
