// SPDX-License-Identifier: MIT
// The table of biotypes, and the data in each row of an annotation: the name of a gene, the position and biotype of a
// transcript, or a part of a transcript.
#include "base/memory.h"
#include "base/number.h"
#include "seq/genes/annotation.h"
#include "seq/genes/annotation_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The first word that a text begins with counts, so that longer ones stand first.
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

// The first of the attributes that the row has, in reader->value.
static bool find_attribute(gw_annotation_reader *r, const gw_gff_row *row, const char *const *keys) {
    for (; *keys; keys++)
        if (gw_gff_attribute(row, *keys, (int64_t)strlen(*keys), &r->value)) return true;
    return false;
}

// Identifiers without what Ensembl puts before them.
static const char *bare(const char *id) {
    static const char *const before[] = {"gene:", "transcript:"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (gw_has_prefix(id, before[i])) return id + strlen(before[i]);
    return id;
}

// The transcript of an identifier, which is noted where it is new.
static gw_status find_transcript(gw_annotation_reader *r, const char *id, int64_t *index) {
    GW_TRY(gw_names_add(&r->transcripts, id, index));
    if (*index < r->out->count) return GW_OK;
    GW_TRY(gw_reserve(&r->out->items, &r->out->capacity, *index + 1, sizeof *r->out->items));
    GW_TRY(gw_reserve(&r->noted, &r->noted_capacity, *index + 1, sizeof *r->noted));
    r->out->items[*index] = (gw_annotated){.contig = -1, .begin = INT64_MAX, .id = gw_strdup(id)};
    r->noted[*index] = (gw_noted_transcript){.gene = -1};
    r->out->count++;
    return r->out->items[*index].id ? GW_OK : GW_ERR_MEMORY;
}

static gw_status find_gene(gw_annotation_reader *r, const char *id, int64_t *index) {
    GW_TRY(gw_names_add(&r->genes, id, index));
    if (*index < r->gene_known) return GW_OK;
    GW_TRY(gw_reserve(&r->gene_names, &r->gene_capacity, *index + 1, sizeof *r->gene_names));
    r->gene_names[*index] = NULL;
    r->gene_known++;
    return GW_OK;
}

// The first row of a gene names it.
static gw_status note_gene(gw_annotation_reader *r, const gw_gff_row *row, const char *id, const char *const *names) {
    int64_t gene;
    GW_TRY(find_gene(r, id, &gene));
    if (r->gene_names[gene] || !find_attribute(r, row, names)) return GW_OK;
    return (r->gene_names[gene] = gw_strdup(r->value.data)) ? GW_OK : GW_ERR_MEMORY;
}

static void place(gw_annotation_reader *r, int64_t transcript, const gw_gff_row *row) {
    gw_annotated *t = &r->out->items[transcript];
    t->strand = row->strand;
    snprintf(r->noted[transcript].contig, sizeof r->noted->contig, "%s", row->contig);
    t->begin = gw_min(t->begin, row->begin);
    t->end = gw_max(t->end, row->end);
}

static gw_status add_part(gw_annotation_reader *r, const gw_gff_row *row, gw_gene_part_kind kind, int64_t transcript) {
    GW_TRY(gw_reserve(&r->parts, &r->part_capacity, r->part_count + 1, sizeof *r->parts));
    const char *phase = row->kind == GW_GFF_SGD ? "." : row->columns[7];
    const gw_gene_part part = {.transcript = transcript,
                               .begin = row->begin,
                               .end = row->end,
                               .five = row->type[0] == 'f',
                               .phase =
                                   phase[0] >= '0' && phase[0] <= '2' && !phase[1] ? (int8_t)(phase[0] - '0') : -1};
    r->parts[r->part_count++] = (gw_noted_part){kind, part, row->strand};
    return GW_OK;
}

// GW_GENE_PARTS: the row is not a part.
static gw_gene_part_kind kind_of(const gw_gff_row *row) {
    static const struct {
        const char *type;
        gw_gene_part_kind kind;
    } types[] = {{"exon", GW_EXON_PART},
                 {"CDS", GW_CDS_PART},
                 {"five_prime_UTR", GW_UTR_PART},
                 {"three_prime_UTR", GW_UTR_PART}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(row->type, types[i].type) == 0) return types[i].kind;
    return GW_GENE_PARTS;
}

// CDS without Parent, as Prokka and Bakta write them, are genes of bacteria and their own transcripts.
static gw_status note_lone_cds(gw_annotation_reader *r, const gw_gff_row *row) {
    static const char *const id[] = {"ID", "locus_tag", NULL}, *const name[] = {"gene", "Name", "locus_tag", "ID",
                                                                                NULL};
    int64_t transcript;
    if (!find_attribute(r, row, id))
        return gw_lines_fail(r->lines, GW_ERR_FORMAT,
                             "CDS with neither Parent nor ID, one of which must name its transcript");
    char *of = gw_strdup(r->value.data);
    gw_status status = of ? find_transcript(r, of, &transcript) : GW_ERR_MEMORY;
    if (status == GW_OK) status = note_gene(r, row, of, name);
    if (status == GW_OK) place(r, transcript, row);
    if (status == GW_OK) status = add_part(r, row, GW_CDS_PART, transcript);
    free(of);
    return status;
}

// A part of GFF3 may be of several transcripts.
static gw_status note_parts(gw_annotation_reader *r, const gw_gff_row *row, gw_gene_part_kind kind) {
    static const char *const parent[] = {"Parent", NULL}, *const pseudo[] = {"pseudo", NULL};
    const bool places = kind == GW_CDS_PART && r->kind == GW_GFF3 && !find_attribute(r, row, pseudo);
    const bool whole = !find_attribute(r, row, parent);
    if (whole && kind == GW_CDS_PART && r->kind == GW_GFF3) return places ? note_lone_cds(r, row) : GW_OK;
    if (whole)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "%s without Parent, which must name its transcript", row->type);
    char *next;
    for (char *at = r->value.data; at; at = next) {
        int64_t transcript;
        if ((next = strchr(at, ','))) *next++ = 0;
        GW_TRY(find_transcript(r, bare(at), &transcript));
        GW_TRY(add_part(r, row, kind, transcript));
        // Of a transcript without a row of its own, which may be a gene, its CDS say where it lies.
        if (places && !r->out->items[transcript].biotype) place(r, transcript, row);
    }
    return GW_OK;
}

static void note_unknown(gw_annotation_reader *r, const char *biotype) {
    if (r->unknown_biotypes++ == 0) snprintf(r->biotype, sizeof r->biotype, "%s", biotype);
}

static gw_status note_transcript(gw_annotation_reader *r, const gw_gff_row *row, const char *parent) {
    static const char *const id[] = {"ID", NULL}, *const keys[] = {"biotype", "gene_biotype", NULL};
    int64_t transcript, gene;
    // The biotype by its attribute, else by the row's type.
    const gw_biotype *biotype = find_attribute(r, row, keys) ? gw_biotype_of(r->value.data) : NULL;
    if (!biotype) biotype = gw_biotype_of(row->type);
    if (!biotype) note_unknown(r, r->value.length > 0 ? r->value.data : row->type);
    if (!biotype || !find_attribute(r, row, id)) return GW_OK;
    GW_TRY(find_transcript(r, bare(r->value.data), &transcript));
    GW_TRY(find_gene(r, parent, &gene));
    r->out->items[transcript].biotype = biotype;
    r->noted[transcript].gene = gene;
    place(r, transcript, row);
    return GW_OK;
}

static gw_status note_gff3(gw_annotation_reader *r, const gw_gff_row *row) {
    static const char *const id[] = {"ID", NULL}, *const parent[] = {"Parent", NULL}, *const name[] = {"Name", NULL};
    const gw_gene_part_kind kind = kind_of(row);
    if (kind != GW_GENE_PARTS) return note_parts(r, row, kind);
    const bool below = find_attribute(r, row, parent) && strcmp(row->type, "gene") != 0;
    char *of = below ? gw_strdup(bare(r->value.data)) : NULL;
    if (below && !of) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    if (!find_attribute(r, row, id)) {
        free(of);
        return GW_OK;
    }
    if (below) {
        status = note_transcript(r, row, of);
    } else {
        of = gw_strdup(bare(r->value.data));
        status = of ? note_gene(r, row, of, name) : GW_ERR_MEMORY;
    }
    free(of);
    return status;
}

static gw_status note_gtf_transcript(gw_annotation_reader *r, const gw_gff_row *row, int64_t transcript) {
    static const char *const gene[] = {"gene_id", NULL}, *const name[] = {"gene_name", "gene_id", NULL},
                             *const biotype[] = {"transcript_biotype", "transcript_type", "gene_biotype", "gene_type",
                                                 NULL};
    place(r, transcript, row);
    gw_annotated *t = &r->out->items[transcript];
    if (!r->noted[transcript].has_biotype && find_attribute(r, row, biotype)) {
        r->noted[transcript].has_biotype = true;
        t->biotype = gw_biotype_of(r->value.data);
        if (!t->biotype) note_unknown(r, r->value.data);
    }
    if (r->noted[transcript].gene >= 0 || !find_attribute(r, row, gene)) return GW_OK;
    char *of = gw_strdup(r->value.data);
    gw_status status = of ? note_gene(r, row, of, name) : GW_ERR_MEMORY;
    if (status == GW_OK) status = find_gene(r, of, &r->noted[transcript].gene);
    free(of);
    return status;
}

// CDS ends before the stop codon, which is coding too.
static gw_status note_gtf(gw_annotation_reader *r, const gw_gff_row *row) {
    static const char *const id[] = {"transcript_id", NULL};
    const bool stop = strcmp(row->type, "stop_codon") == 0, whole = strcmp(row->type, "transcript") == 0;
    const gw_gene_part_kind kind = stop ? GW_CDS_PART : kind_of(row);
    int64_t transcript;
    if ((kind == GW_GENE_PARTS && !whole) || kind == GW_UTR_PART) return GW_OK;
    if (!find_attribute(r, row, id))
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "%s without transcript_id", row->type);
    GW_TRY(find_transcript(r, r->value.data, &transcript));
    GW_TRY(note_gtf_transcript(r, row, transcript));
    return whole ? GW_OK : add_part(r, row, kind, transcript);
}

// An ORF, or a gene of an RNA, is its own transcript, and its CDS are its exons.
static gw_status note_sgd(gw_annotation_reader *r, const gw_gff_row *row) {
    static const char *const id[] = {"feature", NULL}, *const name[] = {"gene", "feature", NULL};
    const bool orf = strcmp(row->type, "ORF") == 0;
    const gw_biotype *biotype = gw_biotype_of(orf ? "protein_coding" : row->type);
    int64_t transcript;
    if (strcmp(row->type, "CDS") == 0) {
        GW_TRY(note_parts(r, row, GW_EXON_PART));
        return note_parts(r, row, GW_CDS_PART);
    }
    if (!biotype || gw_gff_is_dubious(row) || !find_attribute(r, row, id)) return GW_OK;
    char *of = gw_strdup(r->value.data);
    gw_status status = of ? find_transcript(r, of, &transcript) : GW_ERR_MEMORY;
    if (status == GW_OK) status = note_gene(r, row, of, name);
    if (status == GW_OK) status = find_gene(r, of, &r->noted[transcript].gene);
    if (status == GW_OK) {
        r->out->items[transcript].biotype = biotype;
        place(r, transcript, row);
    }
    free(of);
    return status;
}

gw_status gw_annotation_note_row(gw_annotation_reader *r, const gw_gff_row *row) {
    if (r->kind == GW_GFF_SGD) return note_sgd(r, row);
    return r->kind == GW_GTF ? note_gtf(r, row) : note_gff3(r, row);
}
