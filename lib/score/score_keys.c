// SPDX-License-Identifier: MIT
// The table of INFO keys with the source of each value, the keys of a run, and their values.
#include "score/score_keys.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"
#include "model/family.h"
#include "model/task.h"
#include "network/base_network.h"
#include "score/polya_scorer.h"
#include "score/score_run.h"
#include "score/splice_scorer.h"
#include "score/track_scorer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union {
    float real;
    int32_t integer;
} number;
_Static_assert(sizeof(number) == 4, "floats and integers share one array");

struct gw_score_keys {
    const gw_score_run *run;
    const gw_config *config;
    gw_tail tail;
    int count;
    const gw_score_key_row *rows[GW_SCORE_KEYS]; // of the keys in use
    gw_info_key keys[GW_SCORE_KEYS];
    gw_info_values values[GW_SCORE_KEYS];
    number *numbers;      // [count][alleles]
    const char **strings; // [count][alleles]
    int64_t *starts;      // [count][alleles] of these in the text, -1: none
    int64_t number_capacity, string_capacity, start_capacity;
    gw_string text;           // of the record, each value ended by a zero byte
    gw_string name;           // of a profile
    gw_string plain;          // a text without its codes
    gw_string joined;         // values of the one key with all others
    gw_string described[2];   // entries, of models that name their classes: scores, probabilities
    gw_string percentile;     // what GW_PCT is, with what its background is
    gw_string known[2];       // what GW_KNOWN and GW_SOURCE are, with what their table is
    gw_motif_changes changes; // of an allele
    gw_string sequence[2];    // of its REF and ALT with bases around
    const char **bases;       // [alleles] of which consequences are listed
    int64_t bases_capacity;
    gw_info_key vep_key; // of one key with all others
    gw_info_values vep_values;
};

// ---- what rows take values from

static const gw_allele *allele_at(const gw_key_place *at) {
    return &at->alleles[at->index];
}

static double fold(const gw_key_place *at) {
    const double least = 1e-7;
    return log2(fmax((double)allele_at(at)->alt_value, least) / fmax((double)allele_at(at)->ref_value, least));
}

static double effect(const gw_key_place *at) {
    return gw_allele_effect(at->keys->config, allele_at(at));
}

static double evalue(const gw_key_place *at) {
    return gw_background_evalue(at->keys->run->background, allele_at(at), at->keys->tail);
}

static double z(const gw_key_place *at) {
    return gw_background_z(at->keys->run->background, allele_at(at));
}

static double percentile(const gw_key_place *at) {
    return gw_background_percentile(at->keys->run->background, allele_at(at));
}

static double active_quantile(const gw_key_place *at) {
    const gw_allele *a = allele_at(at);
    return gw_activity_quantile(gw_background_activity(at->keys->run->background), a->top,
                                fmaxf(a->ref_value, a->alt_value));
}

static double in_context(const gw_key_place *at) {
    return gw_background_in_context(at->keys->run->background, allele_at(at));
}

static double shift(const gw_key_place *at) {
    return (double)(allele_at(at)->shift + (allele_at(at)->variant.position - at->record->position));
}

static gw_status put_top(const gw_key_place *at, gw_string *out) {
    if (gw_allele_is_scored(allele_at(at)->status)) gw_label_name(out, at->keys->config, allele_at(at)->top);
    return GW_OK;
}

// The profile of the largest |difference| that comes after `last` in that order (-1: the first); ties to the lowest
// index.
static int64_t next_top(const float *ref, const float *alt, int64_t labels, int64_t last) {
    const float bound = last < 0 ? INFINITY : fabsf(alt[last] - ref[last]);
    int64_t best = -1;
    for (int64_t l = 0; l < labels; l++) {
        const float size = fabsf(alt[l] - ref[l]);
        if (size > bound || (size == bound && l <= last)) continue;
        if (best < 0 || size > fabsf(alt[best] - ref[best])) best = l;
    }
    return best;
}

// Names come with the separators of lists within a value as codes.
static gw_status put_tops(const gw_key_place *at, gw_string *out) {
    gw_string *name = &at->keys->name;
    const int64_t labels = at->keys->config->labels, most = at->keys->run->options->top;
    const float *ref = at->raw + 2 * at->index * labels, *alt = ref + labels;
    if (!gw_allele_is_scored(allele_at(at)->status)) return GW_OK;
    for (int64_t k = 0, profile = -1; k < most && k < labels; k++) {
        profile = next_top(ref, alt, labels, profile);
        gw_string_clear(name);
        gw_label_name(name, at->keys->config, profile);
        GW_TRY(gw_string_status(name));
        if (k > 0) gw_string_putc(out, '&');
        for (const char *c = name->data; *c; c++) {
            if (strchr("&|", *c)) gw_string_printf(out, "%%%02X", *c);
            else gw_string_putc(out, *c);
        }
        gw_string_printf(out, ":%g", (double)(alt[profile] - ref[profile] + 0.0F));
    }
    return GW_OK;
}

static gw_status put_site(const gw_key_place *at, gw_string *out) {
    const gw_score_run *run = at->keys->run;
    const int32_t site = allele_at(at)->site;
    if (!gw_allele_is_scored(allele_at(at)->status) || site < 0) return GW_OK;
    gw_site_name(out, &gw_allele_scorer_sites(run->scorer)->items[site], run->genome);
    return GW_OK;
}

// Genes are those of the reference, so that an allele need not be scored to have them.
static gw_status put_genes(const gw_key_place *at, gw_string *out) {
    const gw_variant *v = &allele_at(at)->variant;
    if (v->ref) gw_genes_at(&at->keys->run->genes, v->contig, v->position, v->position + v->ref_length, out);
    return GW_OK;
}

static gw_status put_haplotypes(const gw_key_place *at, gw_string *out) {
    const int32_t *group = allele_at(at)->group;
    for (int h = 0; h < 2; h++) {
        if (h == 1 && group[0] > 0 && group[1] > 0) gw_string_putc(out, '&');
        if (group[h] > 0) gw_haplotype_describe(&at->keys->run->haplotypes, group[h] - 1, out);
    }
    return GW_OK;
}

// The bases of an allele whose consequences are told, or NULL: of bases that the reference does not contradict, and of
// <INS>; GW_STATUS says why there is nothing of others.
static const char *told_bases(const gw_key_place *at, int i) {
    const char *ref = at->record->ref, *alt = at->record->alt[i];
    const gw_allele_status kind = gw_allele_kind(alt), status = at->alleles[i].status;
    const bool insertion = kind == GW_ALLELE_SYMBOLIC && gw_has_prefix(alt, "<INS");
    const bool told = kind == GW_ALLELE_PASS && !at->alleles[i].swapped && status != GW_ALLELE_REFMISMATCH &&
                      status != GW_ALLELE_ABSENT && !gw_allele_is_ambiguous(ref) && !gw_allele_is_ambiguous(alt);
    return insertion || told ? alt : NULL;
}

static gw_status put_consequences(const gw_key_place *at, gw_string *out) {
    gw_score_keys *keys = at->keys;
    const gw_vcf_record *record = at->record;
    bool any;
    GW_TRY(gw_reserve(&keys->bases, &keys->bases_capacity, record->alts, sizeof *keys->bases));
    for (int i = 0; i < record->alts; i++) keys->bases[i] = told_bases(at, i);
    const gw_consequence_site site = {record->genome_contig, record->position, record->ref, keys->bases, record->alts};
    return gw_consequences_of(keys->run->consequences, &site, out, &any);
}

enum { MOTIFS_LISTED = 10 };

// What the allele does to sites of motifs, in keys->changes; nothing of alleles without bases, and of those that the
// reference contradicts.
static gw_status find_motif_changes(const gw_key_place *at) {
    gw_score_keys *keys = at->keys;
    const gw_score_run *run = keys->run;
    const gw_allele *allele = allele_at(at);
    gw_variant v = allele->variant;
    keys->changes.count = 0;
    if (!v.ref || v.contig < 0 || allele->status == GW_ALLELE_REFMISMATCH || allele->status == GW_ALLELE_ABSENT ||
        allele->status == GW_ALLELE_AMBIGUOUS)
        return GW_OK;
    for (; v.ref_length > 0 && v.alt_length > 0 && toupper((unsigned char)*v.ref) == toupper((unsigned char)*v.alt);
         v.position++)
        v.ref++, v.alt++, v.ref_length--, v.alt_length--;
    const int64_t reach = gw_motif_scanner_reach(run->motif_scanner), behind = v.position + v.ref_length;
    const int64_t begin = gw_max(0, v.position - reach);
    const int64_t end = gw_min(gw_genome_length(run->genome, v.contig), behind + reach);
    const int64_t left = v.position - begin, right = end - behind;
    if (right < 0) return GW_OK;
    gw_motif_allele alleles[2];
    for (int a = 0; a < 2; a++) {
        const int64_t length = a ? v.alt_length : v.ref_length;
        gw_string *text = &keys->sequence[a];
        gw_string_clear(text);
        for (int64_t i = 0; i < left; i++) gw_string_putc(text, 'N');
        gw_string_append(text, a ? v.alt : v.ref, length);
        for (int64_t i = 0; i < right; i++) gw_string_putc(text, 'N');
        GW_TRY(gw_string_status(text));
        GW_TRY(gw_genome_fetch(run->genome, v.contig, begin, begin + left, text->data));
        GW_TRY(gw_genome_fetch(run->genome, v.contig, behind, end, text->data + left + length));
        gw_normalise_bases(text->data, text->length);
        alleles[a] = (gw_motif_allele){text->data, text->length, left, left + length};
    }
    return gw_motif_changes_find(run->motif_scanner, &alleles[allele->swapped], &alleles[!allele->swapped],
                                 &keys->changes);
}

static gw_status put_motifs(const gw_key_place *at, gw_string *out) {
    const gw_motifs *motifs = &at->keys->run->motifs;
    const int64_t start = out->length;
    gw_key_place place = *at;
    for (place.index = 0; place.index < at->record->alts; place.index++) {
        GW_TRY(find_motif_changes(&place));
        for (int64_t i = 0; i < at->keys->changes.count && i < MOTIFS_LISTED; i++) {
            const gw_motif_change *change = &at->keys->changes.items[i];
            if (out->length > start) gw_string_putc(out, ',');
            gw_percent_encode(out, at->record->alt[place.index]);
            gw_string_putc(out, '|'), gw_percent_encode(out, motifs->items[change->motif].id);
            gw_string_putc(out, '|'), gw_percent_encode(out, motifs->items[change->motif].name);
            gw_string_printf(out, "|%c|%s|%.2f|%.2f|%.2f", change->reverse ? '-' : '+',
                             gw_motif_effect_names[change->effect], change->ref, change->alt,
                             change->alt - change->ref);
        }
    }
    return GW_OK;
}

// A table has the largest change alone.
static void name_motifs(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    static const char *const names[] = {"ID", "NAME", "STRAND", "EFFECT", "REF", "ALT", "CHANGE"};
    (void)keys;
    for (int i = 0; i < 7; i++)
        gw_columns_add(out, i < 4 ? GW_COLUMN_TEXT : GW_COLUMN_FLOAT, NULL, "%s_%s", key->key, names[i]);
}

static gw_status fill_motifs(const gw_key_place *at, gw_table_writer *out) {
    if (at->record->alts > 0) GW_TRY(find_motif_changes(at));
    const gw_motif_change *change =
        at->record->alts > 0 && at->keys->changes.count > 0 ? at->keys->changes.items : NULL;
    const gw_motif *motif = change ? &at->keys->run->motifs.items[change->motif] : NULL;
    gw_cell_text(out, motif ? motif->id : NULL);
    gw_cell_text(out, motif && *motif->name ? motif->name : NULL);
    gw_cell_text(out, change ? change->reverse ? "-" : "+" : NULL);
    gw_cell_text(out, change ? gw_motif_effect_names[change->effect] : NULL);
    const double scores[3] = {change ? change->ref : NAN, change ? change->alt : NAN,
                              change ? change->alt - change->ref : NAN};
    for (int i = 0; i < 3; i++) gw_cell_real(out, isfinite(scores[i]) ? scores[i] : (double)NAN); // N beside an allele
    return GW_OK;
}

// The n-th entry that a table of known scores has of an allele.
static bool known_entry(const gw_key_place *at, int alt, int64_t n, gw_known_entry *out) {
    const gw_score_run *run = at->keys->run;
    const gw_allele *allele = &at->alleles[alt];
    return run->known && allele->known != GW_COMPUTED &&
           gw_score_known_entry(run->known, allele - run->alleles.items, n, out);
}

// Allele by allele: of this run's genes, or as a table of known scores has them.
static gw_status put_splicing(const gw_key_place *at, bool probabilities, gw_string *out) {
    const gw_score_run *run = at->keys->run;
    const gw_splice_entry_options options = {.genes = gw_allele_scorer_genes(run->scorer),
                                             .each = gw_allele_scorer_values(run->scorer),
                                             .classes = gw_scored_classes(at->keys->config),
                                             .digits = (int)run->options->digits,
                                             .probabilities = probabilities};
    const int64_t start = out->length;
    gw_known_entry known;
    for (int alt = 0; alt < at->record->alts; alt++) {
        const gw_allele *allele = &at->alleles[alt];
        const bool taken = known_entry(at, alt, 0, &known);
        if (!taken) gw_splice_entries(&options, at->record, alt, allele, at->raw + alt * options.each, start, out);
        for (int64_t n = 0; taken && known_entry(at, alt, n, &known); n++) {
            if (out->length > start) gw_string_putc(out, ',');
            gw_percent_encode(out, at->record->alt[alt]);
            gw_string_printf(out, "|%s", known.text);
            for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES; i++)
                gw_string_printf(out, "|%lld",
                                 (long long)(known.place[i] + allele->variant.position - at->record->position));
        }
    }
    return GW_OK;
}

static gw_status put_entries(const gw_key_place *at, gw_string *out) {
    return put_splicing(at, false, out);
}

static gw_status put_probabilities(const gw_key_place *at, gw_string *out) {
    return put_splicing(at, true, out);
}

static gw_status put_signals(const gw_key_place *at, gw_string *out) {
    gw_polya_entries(at->record, at->alleles, at->raw, (int)at->keys->run->options->digits, out);
    return GW_OK;
}

enum { USUAL_TRACKS = 10 }; // that are listed

static gw_status put_tracks(const gw_key_place *at, gw_string *out) {
    const int64_t top = at->keys->run->options->top;
    gw_track_entries(gw_allele_scorer_tracks(at->keys->run->scorer), at->record, at->alleles, at->raw,
                     top > 0 ? top : USUAL_TRACKS, out);
    return GW_OK;
}

static gw_status put_starts(const gw_key_place *at, gw_string *out) {
    gw_start_entries(gw_allele_scorer_tracks(at->keys->run->scorer), at->record, at->alleles, at->raw, out);
    return GW_OK;
}

// A table has the track that changes most alone.
static void name_tracks(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    const char *tag = keys->run->options->tag;
    (void)key;
    gw_columns_add(out, GW_COLUMN_FLOAT, NULL, "%s_SIGNAL_REF", tag);
    gw_columns_add(out, GW_COLUMN_FLOAT, NULL, "%s_SIGNAL_ALT", tag);
}

static gw_status fill_tracks(const gw_key_place *at, gw_table_writer *out) {
    const gw_allele *a = allele_at(at);
    const bool has = gw_allele_is_scored(a->status);
    gw_cell_real(out, has ? (double)a->ref_value : (double)NAN);
    gw_cell_real(out, has ? (double)a->alt_value : (double)NAN);
    return GW_OK;
}

// The signal that changes most; its place and score are keys of their own.
static void name_signals(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    static const char *const names[] = {"STRAND", "REF", "ALT", "REF_ODDS", "ALT_ODDS"};
    (void)keys;
    for (int i = 0; i < 5; i++)
        gw_columns_add(out, i < 3 ? GW_COLUMN_TEXT : GW_COLUMN_FLOAT, NULL, "%s_%s", key->key, names[i]);
}

static gw_status fill_signals(const gw_key_place *at, gw_table_writer *out) {
    char ref[GW_POLYA_BASES], alt[GW_POLYA_BASES];
    const float *of = at->raw + at->index * GW_POLYA_VALUES;
    const bool has = gw_allele_is_scored(allele_at(at)->status) && gw_polya_bases(of, ref, alt);
    gw_cell_text(out, has ? of[1] > 0 ? "+" : "-" : NULL);
    gw_cell_text(out, has ? ref : NULL);
    gw_cell_text(out, has ? alt : NULL);
    for (int i = 5; i < 7; i++) gw_cell_real(out, has ? (double)of[i] : (double)NAN);
    return GW_OK;
}

static gw_status put_values(const gw_key_place *at, gw_string *out) {
    const int64_t each = gw_allele_scorer_values(at->keys->run->scorer);
    gw_allele_values_append(allele_at(at), at->raw + at->index * each, each, out);
    return GW_OK;
}

static gw_status put_status(const gw_key_place *at, gw_string *out) {
    gw_string_puts(out, gw_allele_status_name(allele_at(at)->status));
    return GW_OK;
}

static double known_value(const gw_key_place *at) {
    return (double)allele_at(at)->known_value;
}

static gw_status put_source(const gw_key_place *at, gw_string *out) {
    const gw_allele *allele = allele_at(at);
    if (allele->known != GW_COMPUTED) gw_percent_encode(out, gw_score_known_name(at->keys->run->known));
    else if (gw_allele_is_scored(allele->status)) gw_string_puts(out, "computed");
    return GW_OK;
}

// ---- cells of keys that have several values

// Profiles that TOPS lists.
static int64_t listed(const gw_score_keys *keys) {
    return gw_min(keys->run->options->top, keys->config->labels);
}

static void name_tops(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    const char *tag = keys->run->options->tag;
    (void)key;
    for (int64_t k = 1; k <= listed(keys); k++) {
        gw_columns_add(out, GW_COLUMN_TEXT, NULL, "%s_TOP%lld", tag, (long long)k);
        gw_columns_add(out, GW_COLUMN_FLOAT, NULL, "%s_TOP%lld_DIFF", tag, (long long)k);
    }
}

// A text without its codes; an empty one is missing.
static gw_status put_decoded(gw_score_keys *keys, const char *text, int64_t length, gw_table_writer *out) {
    gw_string *plain = &keys->plain;
    gw_string_clear(plain);
    gw_string_put_decoded(plain, text, (size_t)length);
    GW_TRY(gw_string_status(plain));
    gw_cell_text(out, length > 0 ? plain->data : NULL);
    return GW_OK;
}

static gw_status fill_tops(const gw_key_place *at, gw_table_writer *out) {
    gw_string *name = &at->keys->name;
    const int64_t labels = at->keys->config->labels;
    const bool scored = gw_allele_is_scored(allele_at(at)->status);
    const float *ref = scored ? at->raw + 2 * at->index * labels : NULL, *alt = scored ? ref + labels : NULL;
    for (int64_t k = 0, profile = -1; k < listed(at->keys); k++) {
        gw_string_clear(name);
        if (scored) gw_label_name(name, at->keys->config, profile = next_top(ref, alt, labels, profile));
        GW_TRY(gw_string_status(name));
        GW_TRY(put_decoded(at->keys, name->data, name->length, out));
        gw_cell_real(out, scored ? (double)(alt[profile] - ref[profile] + 0.0F) : (double)NAN);
    }
    return GW_OK;
}

static void name_haplotypes(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    (void)keys;
    for (int h = 1; h <= 2; h++) {
        gw_columns_add(out, GW_COLUMN_TEXT, NULL, "%s%d_POSITIONS", key->key, h);
        gw_columns_add(out, GW_COLUMN_FLOAT, NULL, "%s%d_SCORE", key->key, h);
        gw_columns_add(out, GW_COLUMN_FLOAT, NULL, "%s%d_X", key->key, h);
    }
}

static gw_status fill_haplotypes(const gw_key_place *at, gw_table_writer *out) {
    const gw_haplotypes *all = &at->keys->run->haplotypes;
    gw_string *text = &at->keys->name;
    for (int h = 0; h < 2; h++) {
        const int32_t group = allele_at(at)->group[h];
        gw_string_clear(text);
        if (group > 0) gw_haplotype_positions(all, group - 1, text);
        GW_TRY(gw_string_status(text));
        gw_cell_text(out, group > 0 ? text->data : NULL);
        gw_cell_real(out, group > 0 ? (double)(all->groups[group - 1].together + 0.0F) : (double)NAN);
        gw_cell_real(out, group > 0 ? (double)(all->groups[group - 1].interaction + 0.0F) : (double)NAN);
    }
    return GW_OK;
}

// The fields of a key's entries, from "Format: A|B|C" of its description, behind the first `count` of them.
static const char *fields_behind(const gw_info_key *key, int count) {
    const char *field = strstr(key->description, "Format: ") + strlen("Format: ");
    for (; count > 0; count--) field = strchr(field, '|') + 1;
    return field;
}

static void name_field(gw_columns *out, gw_column_kind kind, const char *tag, const char *field) {
    gw_string name = {0};
    gw_string_put_decoded(&name, field, strcspn(field, "|"));
    if (gw_string_status(&name) != GW_OK) out->failed = true;
    else gw_columns_add(out, kind, NULL, "%s%s%s", tag ? tag : "", tag ? "_" : "", name.data);
    gw_string_free(&name);
}

// The gene of the row, then its gains and losses, and their places.
static void name_entries(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    const int64_t scores = gw_gains_and_losses(gw_scored_classes(keys->config));
    const char *field = fields_behind(key, 1);
    name_field(out, GW_COLUMN_TEXT, NULL, field);
    for (int64_t i = 0; (field = gw_next_item(field, '|')) != NULL; i++)
        name_field(out, i < scores ? GW_COLUMN_FLOAT : GW_COLUMN_INTEGER, NULL, field);
}

// What an allele has in the gene of the row; NULL: there is none.
static const float *in_gene(const gw_key_place *at) {
    const int64_t each = gw_allele_scorer_values(at->keys->run->scorer);
    const int64_t values = gw_delta_values(gw_scored_classes(at->keys->config));
    return at->gene < 0 ? NULL : at->raw + at->index * each + at->entry * values;
}

static gw_status fill_entries(const gw_key_place *at, gw_table_writer *out) {
    const gw_gene_models *genes = gw_allele_scorer_genes(at->keys->run->scorer);
    const int64_t scores = gw_gains_and_losses(gw_scored_classes(at->keys->config));
    const int64_t moved = allele_at(at)->variant.position - at->record->position;
    const float *of = in_gene(at);
    gw_known_entry known;
    if (known_entry(at, at->index, at->entry, &known)) {
        GW_TRY(put_decoded(at->keys, known.text, (int64_t)strcspn(known.text, "|"), out));
        for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES; i++) gw_cell_real(out, known.score[i]);
        for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES; i++) gw_cell_integer(out, known.place[i] + moved);
        return GW_OK;
    }
    gw_cell_text(out, of ? genes->items[at->gene].name : NULL);
    for (int64_t i = 0; i < scores; i++) gw_cell_real(out, of ? (double)(of[i] + 0.0F) : (double)NAN);
    for (int64_t i = scores; i < 2 * scores; i++) {
        if (of) gw_cell_integer(out, (int64_t)of[i] + moved);
        else gw_cell_missing(out);
    }
    return GW_OK;
}

static void name_probabilities(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    (void)keys;
    for (const char *field = fields_behind(key, 2); field; field = gw_next_item(field, '|'))
        name_field(out, GW_COLUMN_FLOAT, NULL, field);
}

static gw_status fill_probabilities(const gw_key_place *at, gw_table_writer *out) {
    const int64_t scores = gw_gains_and_losses(gw_scored_classes(at->keys->config));
    const float *of = in_gene(at);
    for (int64_t i = 2 * scores; i < 4 * scores; i++) gw_cell_real(out, of ? (double)(of[i] + 0.0F) : (double)NAN);
    return GW_OK;
}

static void name_consequence(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    for (const char *field = fields_behind(key, 0); field; field = gw_next_item(field, '|'))
        name_field(out, GW_COLUMN_TEXT, keys->run->options->tag, field);
}

// The entry of the gravest consequence, and of several the first.
static gw_status fill_consequence(const gw_key_place *at, gw_table_writer *out) {
    enum { FIELDS = 7 };
    const gw_vcf_record *record = at->record;
    const char *bases = record->alts > 0 ? told_bases(at, at->index) : NULL;
    const gw_consequence_site site = {record->genome_contig, record->position, record->ref, &bases, 1};
    gw_string *text = &at->keys->name;
    char *gravest = NULL, *fields[FIELDS];
    bool any = false;
    gw_string_clear(text);
    if (bases) GW_TRY(gw_consequences_of(at->keys->run->consequences, &site, text, &any));
    for (char *entry = any ? text->data : NULL, *next; entry; entry = next) {
        next = strchr(entry, ',');
        if (next) *next++ = 0;
        if (!gravest || gw_consequence_rank(entry) < gw_consequence_rank(gravest)) gravest = entry;
    }
    const int count = gravest ? gw_split(gravest, '|', fields, FIELDS) : 0;
    for (int i = 0; i < FIELDS; i++) {
        const char *field = i < count ? fields[i] : "";
        GW_TRY(put_decoded(at->keys, field, (int64_t)strlen(field), out));
    }
    return GW_OK;
}

// Exact values are for --known alone.
static void name_nothing(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    (void)keys, (void)key, (void)out;
}

static gw_status fill_nothing(const gw_key_place *at, gw_table_writer *out) {
    (void)at, (void)out;
    return GW_OK;
}

// The first entry of a row's allele: that of the nearest gene.
static void name_starts(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out) {
    (void)keys;
    for (const char *field = fields_behind(key, 1); field; field = gw_next_item(field, '|'))
        name_field(out, strchr("GT", *field) ? GW_COLUMN_TEXT : GW_COLUMN_FLOAT, key->key, field);
}

static gw_status fill_starts(const gw_key_place *at, gw_table_writer *out) {
    enum { FIELDS = 7 };
    const gw_score_run *run = at->keys->run;
    gw_vcf_record one = *at->record;
    gw_string *text = &at->keys->name;
    char *fields[FIELDS] = {NULL};
    gw_string_clear(text);
    if (gw_allele_is_scored(allele_at(at)->status)) {
        const int64_t each = gw_allele_scorer_values(run->scorer);
        one.alt += at->index;
        one.alts = 1;
        gw_start_entries(gw_allele_scorer_tracks(run->scorer), &one, allele_at(at), at->raw + at->index * each, text);
    }
    GW_TRY(gw_string_status(text));
    if (text->length > 0) text->data[strcspn(text->data, ",")] = 0;
    const bool has = text->length > 0 && gw_split(text->data, '|', fields, FIELDS) == FIELDS;
    for (int i = 1; i < FIELDS; i++) {
        if (i == 1 || i == 3)
            GW_TRY(put_decoded(at->keys, has ? fields[i] : "", has ? (int64_t)strlen(fields[i]) : 0, out));
        else gw_cell_real(out, has ? strtod(fields[i], NULL) : (double)NAN);
    }
    return GW_OK;
}

// ---- the table

// What a model and its options have.
enum {
    PROFILES = 1, // a fine-tuned model of windows; others are pretrained, or of bases: of splicing or other classes
    PRETRAINED = 1 << 1,
    WINDOWS = 1 << 2, // either of them
    BASES = 1 << 3,
    SPLICING = 1 << 4,
    CLASSES = 1 << 5,
    RAW = 1 << 6,
    LISTS = 1 << 7,
    SPREAD = 1 << 8,
    SHIFTS = 1 << 9,
    NULLS = 1 << 10,
    HAPLOTYPES = 1 << 11,
    SITES = 1 << 12,
    GENES = 1 << 13,
    CONSEQUENCES = 1 << 14,
    VALUES = 1 << 15,
    BACKGROUND = 1 << 16,
    TWO_TAILS = 1 << 17,
    LOWER_TAIL = 1 << 18,
    CONTEXTS = 1 << 19, // of the background
    KNOWN = 1 << 20,    // a table of known scores
    BESIDE = 1 << 21,   // whose numbers stand beside the model's
    SIGNALS = 1 << 22,  // a model of polyadenylation
    TRACKS = 1 << 23,   // a model of tracks
    SHAPES = 1 << 24,   // whose tracks are profiles
    MOTIFS = 1 << 25,
    PLACES = 1 << 26, // of the background
    STARTS = 1 << 27, // a model of tracks with genes
};

const gw_score_key_row gw_score_key_rows[] = {
    {"DIFF", "diff", "diff", PROFILES, GW_INFO_FLOAT, "p(ALT) - p(REF) of the profile where it is largest in size",
     "Number of ALT less that of REF, in its unit, of the label where that is largest in size",
     .offset = offsetof(gw_allele, difference)},
    {"LOGIT", "logit", "logit", PROFILES, GW_INFO_FLOAT,
     "logit p(ALT) - logit p(REF) of that profile, natural logarithm, p clipped to 1e-7 and 1 - 1e-7",
     "The same in standard deviations of the training numbers; of counts the logarithm of their ratio",
     .offset = offsetof(gw_allele, logit)},
    {"LOG2FC", "log2fc", NULL, PROFILES, GW_INFO_FLOAT, "log2 of p(ALT) / p(REF) of that profile, p clipped to 1e-7",
     .number = fold},
    {"EFFECT", "effect", NULL, PROFILES, GW_INFO_FLOAT,
     "Size of p(ALT) - p(REF) times size of the logit difference, of that profile",
     "Size of the difference in its unit times its size in standard deviations, of that label", .number = effect},
    {"TOPI", NULL, "top", PROFILES, GW_INFO_INTEGER, "0-based index of that profile",
     .offset = offsetof(gw_allele, top)},
    {"TOP", NULL, NULL, PROFILES, GW_INFO_STRING, "Name of that profile, percent-encoded", .text = put_top},
    {"MEAN", "mean", "mean", PROFILES, GW_INFO_FLOAT, "Mean of the size of p(ALT) - p(REF) over all profiles",
     "Mean of the size of the difference over all labels", .offset = offsetof(gw_allele, mean)},
    {"PREF", NULL, "pref", PROFILES | RAW, GW_INFO_FLOAT, "p(REF) of that profile", "Number of REF of that label",
     .offset = offsetof(gw_allele, ref_value)},
    {"PALT", NULL, "palt", PROFILES | RAW, GW_INFO_FLOAT, "p(ALT) of that profile", "Number of ALT of that label",
     .offset = offsetof(gw_allele, alt_value)},
    {"TOPS", NULL, NULL, PROFILES | LISTS, GW_INFO_STRING,
     "Profiles of the largest p(ALT) - p(REF) in size: name:difference, percent-encoded, joined by &", .text = put_tops,
     .columns = name_tops, .cells = fill_tops},
    {"SITE", NULL, "site", PROFILES | SITES, GW_INFO_STRING,
     "Start site whose window gave the value: its name, percent-encoded, or contig:position:strand",
     .offset = offsetof(gw_allele, site), .text = put_site},
    {"LLR", "llr", "llr", PRETRAINED, GW_INFO_FLOAT,
     "Log-likelihood ratio of ALT to REF under the masked language model, bits", .offset = offsetof(gw_allele, bits)},
    {"JSD", "jsd", NULL, PRETRAINED, GW_INFO_FLOAT,
     "Mean Jensen-Shannon divergence, bits, of what is expected with REF and with ALT of the 32 bases on either side, "
     "masked one at a time",
     .offset = offsetof(gw_allele, divergence)},
    {"EMB_L2", "embedding", NULL, WINDOWS, GW_INFO_FLOAT,
     "Distance of the hidden states of REF and ALT at the site, mean over both strands",
     .offset = offsetof(gw_allele, distance)},
    {"EMB_COS", "embedding", NULL, WINDOWS, GW_INFO_FLOAT,
     "Cosine of the hidden states of REF and ALT at the site, mean over both strands",
     .offset = offsetof(gw_allele, cosine)},
    {"SD", NULL, "sd", SPREAD, GW_INFO_FLOAT,
     "Standard deviation over the tokenisation phases, of the difference in that profile or of the log-likelihood "
     "ratio",
     .offset = offsetof(gw_allele, spread)},
    {"LEFT", NULL, NULL, SHIFTS, GW_INFO_FLOAT,
     "The difference, or log-likelihood ratio, of an insertion or deletion written at its leftmost place",
     .offset = offsetof(gw_allele, leftmost)},
    {"RIGHT", NULL, NULL, SHIFTS, GW_INFO_FLOAT, "The same at its rightmost place",
     .offset = offsetof(gw_allele, rightmost)},
    {"NULL_Z", NULL, NULL, NULLS, GW_INFO_FLOAT,
     "Log-likelihood ratio, or size of the difference, of an insertion or deletion in standard deviations from the "
     "mean of neutral ones of its length and kind nearby",
     .offset = offsetof(gw_allele, null_z)},
    {"NULL_PCT", NULL, NULL, NULLS, GW_INFO_FLOAT,
     "Per cent of those neutral insertions or deletions for which that is lower",
     .offset = offsetof(gw_allele, null_percentile)},
    {"HAP_SCORE", NULL, NULL, HAPLOTYPES, GW_INFO_FLOAT,
     "The difference, or log-likelihood ratio, of the variants that a haplotype carries near together, this one among "
     "them",
     .offset = offsetof(gw_allele, together)},
    {"HAP_X", NULL, NULL, HAPLOTYPES, GW_INFO_FLOAT,
     "That less the sum of what each of them does alone; of two haplotypes the larger in size",
     .offset = offsetof(gw_allele, interaction)},
    {"HAP", NULL, NULL, HAPLOTYPES, GW_INFO_STRING,
     "Of each haplotype, joined by &: which (1 or 2), positions joined by +, HAP_SCORE and HAP_X, joined by :",
     .text = put_haplotypes, .columns = name_haplotypes, .cells = fill_haplotypes},
    {"EVALUE", "evalue", NULL, BACKGROUND | PROFILES, GW_INFO_FLOAT,
     "Share of the background's alleles whose effect in that profile is at least as large", .number = evalue},
    {"EVALUE", "evalue", NULL, BACKGROUND | PRETRAINED | TWO_TAILS, GW_INFO_FLOAT,
     "Share of the background's alleles whose log-likelihood ratio is at least as large in size (two tails)",
     .number = evalue},
    {"EVALUE", "evalue", NULL, BACKGROUND | PRETRAINED | LOWER_TAIL, GW_INFO_FLOAT,
     "Share of the background's alleles whose log-likelihood ratio is as low or lower (lower tail: ALT less likely)",
     .number = evalue},
    {"Z", "z", NULL, BACKGROUND | WINDOWS, GW_INFO_FLOAT,
     "The difference, in standard deviations from the mean of the background's in that profile", .number = z},
    {"PCT", "percentile", NULL, BACKGROUND, GW_INFO_FLOAT,
     "Per cent of the background's alleles whose largest difference is smaller in size", .number = percentile},
    {"CTX", "context", NULL, BACKGROUND | CONTEXTS, GW_INFO_FLOAT,
     "The log-likelihood ratio less the mean of the background's changes to the same base between the same two bases "
     "on either side",
     .number = in_context},
    {"GENE", NULL, NULL, GENES, GW_INFO_STRING, "Genes that the trimmed REF overlaps, percent-encoded, joined by &",
     .text = put_genes},
    {"BCSQ", NULL, NULL, CONSEQUENCES, GW_INFO_STRING,
     "Consequences in transcripts, each record for itself, in the layout of bcftools csq. Format: "
     "Consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change",
     .list = true, .text = put_consequences, .columns = name_consequence, .cells = fill_consequence},
    {"MOTIFS", NULL, NULL, MOTIFS, GW_INFO_STRING,
     "Motifs whose best site over the changed bases the allele makes, breaks, or makes stronger or weaker, the largest "
     "changes first, ten at most; log odds of the best window of REF and ALT, bits. Format: "
     "ALLELE|MOTIF_ID|MOTIF_NAME|STRAND|EFFECT|REF|ALT|CHANGE",
     .list = true, .text = put_motifs, .columns = name_motifs, .cells = fill_motifs},
    {"SPLICE", NULL, NULL, SPLICING, GW_INFO_FLOAT, "Largest of the delta scores of splicing over all genes",
     .offset = offsetof(gw_allele, difference)},
    {"SPLICE_AT", NULL, NULL, SPLICING, GW_INFO_INTEGER, "Where that is, bases from POS", .number = shift},
    {"DELTA", NULL, NULL, CLASSES, GW_INFO_FLOAT,
     "Largest of the gains and losses of all classes of bases over all genes",
     .offset = offsetof(gw_allele, difference)},
    {"DELTA_AT", NULL, NULL, CLASSES, GW_INFO_INTEGER, "Where that is, bases from POS", .number = shift},
    {"POLYA", NULL, NULL, SIGNALS, GW_INFO_FLOAT,
     "Log odds of cleavage behind a polyadenylation signal, ALT - REF, natural logarithm, of the signal whose share of "
     "cleaved RNA changes most",
     .offset = offsetof(gw_allele, difference)},
    {"POLYA_AT", NULL, NULL, SIGNALS, GW_INFO_INTEGER, "Where that signal's first base is, bases from POS",
     .number = shift},
    {"POLYA_SIGNALS", NULL, NULL, SIGNALS, GW_INFO_STRING, GW_POLYA_DESCRIPTION, .list = true, .text = put_signals,
     .columns = name_signals, .cells = fill_signals},
    {"LFC", NULL, NULL, TRACKS, GW_INFO_FLOAT,
     "log2 of (1 + ALT) / (1 + REF) of the predicted signal, of the track where that is largest in size",
     .offset = offsetof(gw_allele, difference)},
    {"JSD", NULL, NULL, TRACKS | SHAPES, GW_INFO_FLOAT,
     "Jensen-Shannon distance of the predicted profiles of REF and ALT, 0 to 1",
     .offset = offsetof(gw_allele, divergence)},
    {"AAQ", NULL, NULL, TRACKS | PLACES, GW_INFO_FLOAT,
     "Active allele quantile: share of the background's places with less predicted signal than the stronger of REF and "
     "ALT, of the track that changes most, 0 to 1",
     .number = active_quantile},
    {"TRACK", NULL, NULL, TRACKS, GW_INFO_STRING, "Name of that track, percent-encoded", .text = put_top},
    {"TRACKS", NULL, NULL, TRACKS, GW_INFO_STRING, GW_TRACK_DESCRIPTION, .list = true, .text = put_tracks,
     .columns = name_tracks, .cells = fill_tracks},
    {"TSS", NULL, NULL, TRACKS | STARTS, GW_INFO_STRING, GW_START_DESCRIPTION, .list = true, .text = put_starts,
     .columns = name_starts, .cells = fill_starts},
    {"PROBABILITIES", NULL, NULL, BASES | RAW, GW_INFO_STRING, GW_SPLICE_PROBABILITIES, .list = true,
     .text = put_probabilities, .columns = name_probabilities, .cells = fill_probabilities},
    {"entries", NULL, NULL, BASES, GW_INFO_STRING, GW_SPLICE_DESCRIPTION, .list = true, .text = put_entries,
     .columns = name_entries, .cells = fill_entries},
    {"VALUES", NULL, NULL, VALUES, GW_INFO_STRING,
     "Status and, as 32-bit words, exact values of the allele, for godwit score --known", .text = put_values,
     .columns = name_nothing, .cells = fill_nothing},
    {"KNOWN", NULL, NULL, KNOWN | BESIDE, GW_INFO_FLOAT, "Score of the table of --known", .number = known_value},
    {"SOURCE", NULL, NULL, KNOWN, GW_INFO_STRING, "Where the score is from", .text = put_source},
    {"STATUS", NULL, NULL, 0, GW_INFO_STRING, "PASS, or why the allele has no score", .text = put_status},
};
_Static_assert(sizeof gw_score_key_rows / sizeof gw_score_key_rows[0] == GW_SCORE_KEYS, "as many as the table has");

// What GW_LLR says of harm is that ALT is less likely; a difference of labels has no such side.
static gw_tail tail_of(const gw_model *model, const gw_score_options *o) {
    return (o->tail ? strcmp(o->tail, "lower") == 0 : model->config.labels == 0) ? GW_TAIL_LOWER : GW_TAIL_TWO;
}

static unsigned facts_of(const gw_model *model, const gw_score_options *o, const gw_background *background) {
    const bool bases = gw_model_labels_bases(model), pretrained = model->config.labels == 0;
    const bool tracks = gw_config_has_tracks(&model->config);
    unsigned facts = gw_model_reads_signals(model) ? SIGNALS
                     : tracks                      ? TRACKS
                     : bases                       ? BASES
                     : pretrained                  ? PRETRAINED | WINDOWS
                                                   : PROFILES | WINDOWS;
    if (tracks && gw_family_of(model->config.family)->tracks(&model->config).profiles) facts |= SHAPES;
    if (tracks && !(facts & SHAPES) && o->genes) facts |= STARTS;
    if (bases) facts |= gw_model_splices(model) ? SPLICING : CLASSES;
    if (o->raw) facts |= RAW;
    if (o->top > 0) facts |= LISTS;
    if (o->phases > 1) facts |= SPREAD;
    if (o->shifts) facts |= SHIFTS;
    if (o->indel_null > 0) facts |= NULLS;
    if (o->haplotypes) facts |= HAPLOTYPES;
    if (o->sites) facts |= SITES;
    if (o->genes && !bases) facts |= GENES;
    if (o->consequence) facts |= CONSEQUENCES;
    if (o->motifs) facts |= MOTIFS;
    if (o->all_snvs && (facts & (BASES | SIGNALS | TRACKS))) facts |= VALUES;
    if (o->known) facts |= KNOWN | BESIDE;
    const bool places = background && gw_background_activity(background);
    if (places) facts |= PLACES;
    if (background && (!places || gw_background_alleles(background) > 0))
        facts |= BACKGROUND | (tail_of(model, o) == GW_TAIL_LOWER ? LOWER_TAIL : TWO_TAILS);
    if (background && gw_background_has_contexts(background)) facts |= CONTEXTS;
    return facts;
}

bool gw_score_key_is_used(const gw_score_key_row *row, const gw_model *model, const gw_score_options *options,
                          const gw_background *background) {
    if ((row->needs & ~facts_of(model, options, background)) != 0) return false;
    if (!row->score) return true;
    if (options->scores) return gw_score_is_asked(options->scores, row->score);
    return gw_score_is_asked("diff,logit,mean,llr,evalue,z,percentile", row->score);
}

void gw_score_keys_fields(const gw_score_run *run, gw_known_fields *out) {
    const bool labels = run->model->config.labels > 0;
    const unsigned possible = (labels ? PROFILES : PRETRAINED) | WINDOWS | RAW | SPREAD;
    *out = (gw_known_fields){0};
    if (gw_model_labels_bases(run->model) || gw_model_reads_signals(run->model)) return;
    if (gw_config_has_tracks(&run->model->config)) return;
    for (const gw_score_key_row *row = gw_score_key_rows; row < gw_score_key_rows + GW_SCORE_KEYS; row++) {
        const bool used = gw_score_key_is_used(row, run->model, run->options, run->background);
        const size_t of_others[] = {offsetof(gw_allele, difference), offsetof(gw_allele, top),
                                    offsetof(gw_allele, bits)};
        bool needed = used;
        for (int i = 0; i < 3; i++) needed = needed || row->offset == of_others[i];
        if (used && row->score && row->number && !(row->needs & BACKGROUND)) out->derived = row->score;
        if (!(row->needs & possible) || (row->needs & ~possible) || row->kind == GW_INFO_STRING || row->number)
            continue;
        out->items[out->count].name = row->name;
        out->items[out->count].offset = row->offset;
        out->items[out->count].whole = row->kind == GW_INFO_INTEGER;
        out->items[out->count++].needed = needed;
    }
}

gw_status gw_score_key_check(const gw_model *model, const gw_score_options *options, const gw_background *background) {
    const bool tuned = model->config.labels > 0;
    const unsigned facts = facts_of(model, options, background);
    for (const char *at = options->scores; at; at = gw_next_item(at, ',')) {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        bool known = false;
        for (const gw_score_key_row *row = gw_score_key_rows; row < gw_score_key_rows + GW_SCORE_KEYS && !known;
             row++) {
            if (!row->score || strcmp(word, row->score) != 0) continue;
            if (row->needs & BACKGROUND & ~facts)
                return gw_fail(GW_ERR_UNSUPPORTED, "the score '%s' needs a --background", word);
            if (row->needs & CONTEXTS & ~facts && !tuned)
                return gw_fail(GW_ERR_UNSUPPORTED, "the score '%s' needs a background made --by context", word);
            known = (row->needs & ~facts) == 0;
        }
        if (!known)
            return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is not a score of a %s model: those are %s, evalue, z, percentile",
                           word, tuned ? "fine-tuned" : "pretrained",
                           tuned ? "diff, logit, log2fc, effect, mean, embedding" : "llr, context, jsd, embedding");
    }
    return GW_OK;
}

int gw_score_fields(const gw_model *model, const gw_score_options *options,
                    const gw_score_key_row *rows[GW_SCORE_KEYS]) {
    gw_score_options all = *options;
    int count = 0;
    all.raw = true;
    for (int whole = 0; whole < 2; whole++)
        for (int i = 0; i < GW_SCORE_KEYS; i++) {
            const gw_score_key_row *row = &gw_score_key_rows[i];
            if (!row->field || (row->kind != GW_INFO_FLOAT) != whole) continue;
            if (gw_score_key_is_used(row, model, &all, NULL)) rows[count++] = row;
        }
    return count;
}

double gw_score_field(const gw_score_key_row *row, const gw_allele *allele) {
    number field;
    memcpy(&field, (const char *)allele + row->offset, sizeof field);
    return row->kind == GW_INFO_FLOAT ? (double)field.real : field.integer;
}

// ---- the keys of a run

static gw_status add_key(gw_score_keys *keys, const gw_score_key_row *row) {
    const gw_model *model = keys->run->model;
    const bool entries = row->text == put_entries, probabilities = row->text == put_probabilities;
    char *key = entries                   ? gw_strdup(gw_splice_key(model))
                : row->text == put_values ? gw_strdup(gw_allele_values_key)
                                          : gw_strprintf("%s_%s", keys->run->options->tag, row->name);
    const char *description =
        gw_config_has_numbers(keys->config) && row->of_numbers ? row->of_numbers : row->description;
    if ((entries || probabilities) && !gw_model_splices(model)) {
        gw_base_description(keys->config, probabilities, &keys->described[probabilities]);
        description = keys->described[probabilities].data;
    }
    if (row->number == percentile) {
        gw_string_puts(&keys->percentile, description);
        gw_background_describe(keys->run->background, &keys->percentile);
        description = keys->percentile.failed ? NULL : keys->percentile.data;
    }
    if (row->needs & KNOWN) {
        gw_string *text = &keys->known[row->text == put_source];
        gw_string_puts(text, description);
        if (row->text == put_source) gw_string_puts(text, ": computed by this model, or taken from");
        else gw_string_puts(text, ",");
        gw_string_putc(text, ' ');
        gw_percent_encode(text, gw_score_known_name(keys->run->known));
        gw_string_printf(text, " (%s)", gw_score_known_what(keys->run->known));
        description = text->failed ? NULL : text->data;
    }
    keys->keys[keys->count] = (gw_info_key){key, row->kind, description, row->list};
    keys->rows[keys->count++] = row;
    return key && description ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_score_keys_new(const gw_score_run *run, gw_score_keys **out) {
    const gw_score_options *options = run->options;
    const char *tag = options->tag;
    bool is_tag = isalpha((unsigned char)tag[0]) || tag[0] == '_';
    for (const char *c = tag; *c; c++) is_tag = is_tag && (isalnum((unsigned char)*c) || *c == '_' || *c == '.');
    *out = NULL;
    if (!is_tag)
        return gw_fail(GW_ERR_FORMAT, "'%s' cannot be the prefix of INFO keys: letters, digits, _ and . only", tag);
    gw_score_keys *keys = gw_alloc(1, sizeof *keys);
    if (!keys) return GW_ERR_MEMORY;
    keys->run = run;
    keys->config = &run->model->config;
    keys->tail = tail_of(run->model, options);
    gw_status status = GW_OK;
    if (run->background && keys->tail == GW_TAIL_LOWER && !gw_background_has_lower(run->background))
        status = gw_fail(GW_ERR_UNSUPPORTED,
                         "%s has no counts of the lower tail: make it again with godwit background, or give --tail two",
                         run->background_path);
    if (status == GW_OK) status = gw_score_key_check(run->model, options, run->background);
    const bool beside = run->known && gw_score_known_is_beside(run->known);
    for (int row = 0; row < GW_SCORE_KEYS && status == GW_OK; row++)
        if (gw_score_key_is_used(&gw_score_key_rows[row], run->model, options, run->background) &&
            (beside || !(gw_score_key_rows[row].needs & BESIDE)))
            status = add_key(keys, &gw_score_key_rows[row]);
    if (status == GW_OK && options->vep) {
        // The key that has all others as its fields, as VEP's CSQ: its readers take the names from the description.
        // Some want a consequence; a model knows of none, and sequence_variant is the term for any.
        gw_string description = {0};
        gw_string_printf(&description, "Effects by godwit. Format: Allele|Consequence");
        for (int i = 0; i < keys->count; i++) gw_string_printf(&description, "|%s", keys->rows[i]->name);
        char *key = gw_strprintf("%s_CSQ", tag);
        keys->vep_key = (gw_info_key){key, GW_INFO_STRING, description.data, false};
        status = key ? gw_string_status(&description) : GW_ERR_MEMORY;
    }
    if (status == GW_OK) *out = keys;
    else gw_score_keys_free(keys);
    return status;
}

void gw_score_keys_free(gw_score_keys *keys) {
    if (!keys) return;
    for (int i = 0; i < keys->count; i++) free((void *)keys->keys[i].key);
    for (int i = 0; i < 2; i++) {
        gw_string_free(&keys->described[i]);
        gw_string_free(&keys->known[i]);
    }
    gw_string_free(&keys->percentile);
    gw_string_free(&keys->text);
    gw_string_free(&keys->name);
    gw_string_free(&keys->plain);
    gw_string_free(&keys->joined);
    for (int a = 0; a < 2; a++) gw_string_free(&keys->sequence[a]);
    free(keys->changes.items);
    free((void *)keys->vep_key.key);
    free((void *)keys->vep_key.description);
    free(keys->bases);
    free(keys->numbers);
    free(keys->strings);
    free(keys->starts);
    free(keys);
}

const gw_info_key *gw_score_keys_list(const gw_score_keys *keys, int *count) {
    const bool vep = keys->vep_key.key != NULL;
    *count = vep ? 1 : keys->count;
    return vep ? &keys->vep_key : keys->keys;
}

static gw_status join_fields(gw_score_keys *keys, const gw_vcf_record *record) {
    gw_string *text = &keys->joined;
    const char **strings = keys->strings + (int64_t)keys->count * record->alts;
    int64_t *starts = keys->starts + (int64_t)keys->count * record->alts;
    gw_string_clear(text);
    for (int alt = 0; alt < record->alts; alt++) {
        starts[alt] = text->length;
        gw_percent_encode(text, record->alt[alt]);
        gw_string_puts(text, "|sequence_variant");
        for (int k = 0; k < keys->count; k++) {
            const gw_info_values *of = &keys->values[k];
            const char *string = of->key->kind == GW_INFO_STRING ? of->strings[alt] : NULL;
            gw_string_putc(text, '|'); // and nothing where the value is missing
            if (of->key->kind == GW_INFO_FLOAT && !isnan(of->floats[alt]))
                gw_string_printf(text, "%g", (double)(of->floats[alt] + 0.0F));
            if (of->key->kind == GW_INFO_INTEGER && of->integers[alt] != INT32_MIN)
                gw_string_printf(text, "%d", (int)of->integers[alt]);
            for (; string && *string; string++) {
                if (*string == '|') gw_string_puts(text, "%7C");
                else gw_string_putc(text, *string);
            }
        }
        gw_string_putc(text, 0);
    }
    GW_TRY(gw_string_status(text));
    for (int alt = 0; alt < record->alts; alt++) strings[alt] = text->data + starts[alt];
    keys->vep_values = (gw_info_values){.key = &keys->vep_key, .strings = strings};
    return GW_OK;
}

// Whether an allele has a number of a key. A background is of this model's scores, and another program's are not set
// against it.
static bool has_number(const gw_score_key_row *row, const gw_allele *allele) {
    if (row->needs & (BACKGROUND | PLACES))
        return gw_allele_is_scored(allele->status) && allele->known != GW_KNOWN_OTHER;
    return gw_allele_is_scored(allele->status) || row->needs & BESIDE;
}

gw_status gw_score_keys_values(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                               const float *raw, const gw_info_values **values) {
    const int64_t count = record->alts, all = keys->count * count;
    gw_key_place at = {.keys = keys, .record = record, .alleles = alleles, .raw = raw};
    GW_TRY(gw_reserve(&keys->numbers, &keys->number_capacity, all, sizeof *keys->numbers));
    GW_TRY(gw_reserve(&keys->strings, &keys->string_capacity, all + count, sizeof *keys->strings));
    GW_TRY(gw_reserve(&keys->starts, &keys->start_capacity, all + count, sizeof *keys->starts));
    gw_string *text = &keys->text;
    gw_string_clear(text);
    for (int64_t v = 0; v < all; v++) { // a number, or where the text of it begins
        const gw_score_key_row *row = keys->rows[v / count];
        at.index = (int)(v % count);
        const gw_allele *allele = allele_at(&at);
        keys->starts[v] = -1;
        if (row->kind != GW_INFO_STRING) {
            const bool scored = has_number(row, allele);
            const double value = !scored ? 0 : row->number ? row->number(&at) : gw_score_field(row, allele);
            if (row->kind == GW_INFO_FLOAT) keys->numbers[v].real = scored ? (float)value : NAN;
            else keys->numbers[v].integer = scored ? (int32_t)value : INT32_MIN;
        } else if (!row->list || at.index == 0) {
            const int64_t before = text->length;
            GW_TRY(row->text(&at, text));
            if (text->length == before) continue;
            keys->starts[v] = before;
            gw_string_putc(text, 0);
        }
    }
    GW_TRY(gw_string_status(text));
    for (int64_t v = 0; v < all; v++) keys->strings[v] = keys->starts[v] >= 0 ? text->data + keys->starts[v] : NULL;
    for (int k = 0; k < keys->count; k++)
        keys->values[k] = (gw_info_values){.key = &keys->keys[k],
                                           .floats = &keys->numbers[k * count].real,
                                           .integers = &keys->numbers[k * count].integer,
                                           .strings = keys->strings + k * count};
    *values = keys->values;
    if (!keys->vep_key.key) return GW_OK;
    *values = &keys->vep_values;
    return join_fields(keys, record);
}

// ---- a table

void gw_score_keys_columns(const gw_score_keys *keys, gw_columns *out) {
    static const gw_column_kind kinds[] = {
        [GW_INFO_FLOAT] = GW_COLUMN_FLOAT, [GW_INFO_INTEGER] = GW_COLUMN_INTEGER, [GW_INFO_STRING] = GW_COLUMN_TEXT};
    gw_columns_add(out, GW_COLUMN_TEXT, NULL, "CHROM");
    gw_columns_add(out, GW_COLUMN_INTEGER, NULL, "POS");
    gw_columns_add(out, GW_COLUMN_TEXT, NULL, "ID");
    gw_columns_add(out, GW_COLUMN_TEXT, NULL, "REF");
    gw_columns_add(out, GW_COLUMN_TEXT, NULL, "ALT");
    for (int k = 0; k < keys->count; k++) {
        const gw_score_key_row *row = keys->rows[k];
        if (row->columns) row->columns(keys, &keys->keys[k], out);
        else gw_columns_add(out, kinds[row->kind], NULL, "%s", keys->keys[k].key);
    }
}

// The one cell of a key.
static gw_status put_cell(const gw_score_key_row *row, const gw_key_place *at, gw_table_writer *out) {
    const gw_allele *allele = allele_at(at);
    const bool scored = has_number(row, allele);
    if (row->kind == GW_INFO_STRING) {
        gw_string *text = &at->keys->text;
        gw_string_clear(text);
        GW_TRY(row->text(at, text));
        GW_TRY(gw_string_status(text));
        return put_decoded(at->keys, text->data, text->length, out);
    }
    const double value = !scored ? (double)NAN : row->number ? row->number(at) : gw_score_field(row, allele);
    if (row->kind == GW_INFO_FLOAT) gw_cell_real(out, (double)((float)value + 0.0F));
    else if (scored) gw_cell_integer(out, (int64_t)value);
    else gw_cell_missing(out);
    return GW_OK;
}

static gw_status put_row(const gw_score_keys *keys, const gw_key_place *at, gw_table_writer *out) {
    const gw_vcf_record *record = at->record;
    gw_cell_text(out, record->contig);
    gw_cell_integer(out, record->position + 1);
    gw_cell_text(out, strcmp(record->id, ".") == 0 ? NULL : record->id);
    gw_cell_text(out, record->ref);
    gw_cell_text(out, record->alts > 0 ? record->alt[at->index] : NULL);
    for (int k = 0; k < keys->count; k++) {
        const gw_score_key_row *row = keys->rows[k];
        GW_TRY(row->cells ? row->cells(at, out) : put_cell(row, at, out));
    }
    return gw_row_end(out);
}

gw_status gw_score_keys_rows(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                             const float *raw, gw_table_writer *out) {
    static const gw_allele none = {.status = GW_ALLELE_NOALT, .known_value = NAN};
    const gw_score_run *run = keys->run;
    const gw_gene_models *genes = gw_model_labels_bases(run->model) ? gw_allele_scorer_genes(run->scorer) : NULL;
    gw_key_place at = {.keys = keys, .record = record, .alleles = record->alts > 0 ? alleles : &none, .raw = raw};
    do {
        const gw_allele *allele = allele_at(&at);
        const gw_variant *v = &allele->variant;
        gw_known_entry known;
        const bool in_genes = genes && gw_allele_is_scored(allele->status) && !known_entry(&at, at.index, 0, &known);
        at.entry = 0;
        at.gene = in_genes ? gw_gene_models_next(genes, v->contig, v->position, -1) : -1;
        do {
            GW_TRY(put_row(keys, &at, out));
            at.entry++;
            if (at.gene >= 0) at.gene = gw_gene_models_next(genes, v->contig, v->position, at.gene);
        } while (at.gene >= 0 || (genes && known_entry(&at, at.index, at.entry, &known)));
    } while (++at.index < record->alts);
    return GW_OK;
}
