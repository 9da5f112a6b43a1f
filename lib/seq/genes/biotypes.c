// SPDX-License-Identifier: MIT
// The table of biotypes; the first word that a text begins with counts, so that longer ones stand first.
#include "seq/genes/biotypes.h"

#include <string.h>
#include <strings.h>

static const gw_biotype table[] = {
    {"protein_coding", NULL, true},
    {"mRNA", "protein_coding", true},
    {"polymorphic_pseudogene", NULL, true},
    {"nonsense_mediated_decay", "NMD", true},
    {"NMD", NULL, true},
    {"non_stop_decay", NULL, true},
    {"IG_pseudogene", NULL, false},
    {"IG_C_pseudogene", NULL, false},
    {"IG_J_pseudogene", NULL, false},
    {"IG_V_pseudogene", NULL, false},
    {"IG_C", NULL, true},
    {"IG_D", NULL, true},
    {"IG_J", NULL, true},
    {"IG_LV", NULL, true},
    {"IG_V", NULL, true},
    {"TR_V_pseudogene", NULL, false},
    {"TR_J_pseudogene", NULL, false},
    {"TR_C", NULL, true},
    {"TR_D", NULL, true},
    {"TR_J", NULL, true},
    {"TR_V", NULL, true},
    {"pseudogene", NULL, false},
    {"processed_transcript", NULL, false},
    {"processed_pseudogene", NULL, false},
    {"artifact", NULL, false},
    {"antisense", NULL, false},
    {"ambiguous_orf", NULL, false},
    {"Mt_tRNA_pseudogene", "MT_tRNA_pseudogene", false},
    {"Mt_tRNA", "MT_tRNA", false},
    {"Mt_rRNA", "MT_rRNA", false},
    {"lincRNA", NULL, false},
    {"lncRNA", NULL, false},
    {"macro_lncRNA", NULL, false},
    {"misc_RNA_pseudogene", NULL, false},
    {"misc_RNA", NULL, false},
    {"miRNA_pseudogene", NULL, false},
    {"miRNA", NULL, false},
    {"rRNA", NULL, false},
    {"ribozyme", NULL, false},
    {"retained_intron", NULL, false},
    {"retrotransposed", NULL, false},
    {"snRNA", NULL, false},
    {"sRNA", NULL, false},
    {"scRNA", NULL, false},
    {"scaRNA", NULL, false},
    {"snoRNA", NULL, false},
    {"sense_intronic", NULL, false},
    {"sense_overlapping", NULL, false},
    {"tRNA_pseudogene", "Trna_pseudogene", false},
    {"transcribed_processed_pseudogene", NULL, false},
    {"transcribed_unprocessed_pseudogene", NULL, false},
    {"transcribed_unitary_pseudogene", NULL, false},
    {"translated_unprocessed_pseudogene", NULL, false},
    {"translated_processed_pseudogene", NULL, false},
    {"known_ncrna", "known_ncRNA", false},
    {"unitary_pseudogene", NULL, false},
    {"unprocessed_pseudogene", NULL, false},
    {"LRG_gene", NULL, false},
    {"3prime_overlapping_ncRNA", "3_prime_overlapping_ncRNA", false},
    {"3_prime_overlapping_ncRNA", NULL, false},
    {"disrupted_domain", NULL, false},
    {"vaultRNA", NULL, false},
    {"bidirectional_promoter_lncRNA", NULL, false},
};

const gw_biotype *gw_biotype_of(const char *text) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncasecmp(text, table[i].word, strlen(table[i].word)) == 0) return &table[i];
    return NULL;
}

const char *gw_biotype_name(const gw_biotype *biotype) {
    return biotype->name ? biotype->name : biotype->word;
}

bool gw_biotype_decays(const gw_biotype *biotype) {
    return strcmp(gw_biotype_name(biotype), "NMD") == 0;
}
