// SPDX-License-Identifier: MIT
// The keys that a run has of the table, the names that their values take, and those values.
#include "score/score_keys.h"

#include "base/memory.h"
#include "model/task.h"
#include "score/allele_values.h"
#include "score/score_key_table.h"
#include "score/splice_entry.h"
#include "seq/genes/tss.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef union {
    float real;
    int32_t integer;
} number;
_Static_assert(sizeof(number) == 4, "floats and integers share one array");

// A text for each of a record's alleles.
typedef struct {
    gw_string text; // each ended by a zero byte
    int64_t *start; // [alleles] in it; -1: none
    int64_t capacity;
} allele_texts;

struct gw_score_keys {
    const gw_config *config;
    const gw_background *background;
    gw_tail tail;
    int count, rows[GW_SCORE_KEYS]; // keys in use, and their rows of the table
    gw_info_key keys[GW_SCORE_KEYS];
    gw_info_values values[GW_SCORE_KEYS];
    number *numbers;      // [count][alleles]
    const char **strings; // [count][alleles]
    int64_t number_capacity, string_capacity;
    char **top_names; // [labels], percent-encoded
    int64_t labels;
    char **site_names; // [sites], the same
    int64_t sites;
    const gw_genes *genes;           // or NULL
    int64_t top;                     // profiles that TOPS lists
    const gw_haplotypes *haplotypes; // or NULL
    allele_texts gene_names, tops, exact, joined, carried;
    gw_consequences *consequences; // or NULL
    gw_string consequence_text;    // of the record
    bool has_consequences;
    const char **bases; // [alleles] of which consequences are listed
    int64_t bases_capacity;
    gw_splice_entry_options splice; // of models of splicing
    gw_string entries[2];           // of the record: scores, probabilities
    gw_string described[2];         // what they are, of models that name their classes
    bool has_entries;
    bool exact_values;
    bool vep;
    gw_info_key vep_key;
    gw_info_values vep_values;
    const char **vep_strings; // [alleles]
    int64_t vep_capacity;
};

static bool is_tag(const char *tag) {
    if (!isalpha((unsigned char)tag[0]) && tag[0] != '_') return false;
    for (const char *c = tag; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.') return false;
    return true;
}

// A model of one label whose column had no name of its own: its task says more.
static bool is_nameless(const gw_config *config) {
    const char *name = config->label_names ? config->label_names[0] : "label";
    return config->task != GW_TASK_PRETRAIN && (strcmp(name, "label") == 0 || strcmp(name, "LABEL_0") == 0);
}

static gw_status name_profiles(gw_score_keys *keys, const gw_config *config) {
    keys->labels = config->labels;
    keys->top_names = gw_alloc(config->labels, sizeof *keys->top_names);
    if (!keys->top_names) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < config->labels; i++) {
        gw_string name = {0};
        if (config->labels == 1 && is_nameless(config)) gw_percent_encode(&name, gw_task_of(config->task)->name);
        else if (config->label_names) gw_percent_encode(&name, config->label_names[i]);
        else gw_string_printf(&name, "profile%lld", (long long)i);
        if (name.length == 0) gw_string_printf(&name, "%%00"); // an empty name must not end the value
        keys->top_names[i] = name.data;
        GW_TRY(gw_string_status(&name));
    }
    return GW_OK;
}

void gw_site_name(gw_string *name, const gw_region *site, const gw_genome *genome) {
    if (site->name && site->name[0] && strcmp(site->name, ".") != 0) gw_percent_encode(name, site->name);
    else
        gw_string_printf(name, "%s:%lld:%c", gw_genome_name(genome, site->contig), (long long)gw_tss_position(site) + 1,
                         site->strand);
}

static gw_status name_sites(gw_score_keys *keys, const gw_score_key_options *options) {
    keys->sites = options->sites->count;
    keys->site_names = gw_alloc(keys->sites, sizeof *keys->site_names);
    if (!keys->site_names) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < keys->sites; i++) {
        gw_string name = {0};
        gw_site_name(&name, &options->sites->items[i], options->genome);
        keys->site_names[i] = name.data;
        GW_TRY(gw_string_status(&name));
    }
    return GW_OK;
}

// The key that has all others as its fields, as VEP's CSQ: its readers take the names from the description. Some want a
// consequence; a model knows of none, and sequence_variant is the term for any.
static gw_status make_vep(gw_score_keys *keys, const char *tag) {
    gw_string description = {0};
    gw_string_printf(&description, "Effects by godwit. Format: Allele|Consequence");
    for (int i = 0; i < keys->count; i++) gw_string_printf(&description, "|%s", gw_score_key_rows[keys->rows[i]].name);
    char *key = gw_strprintf("%s_CSQ", tag);
    keys->vep_key = (gw_info_key){key, GW_INFO_STRING, description.data, false};
    return key ? gw_string_status(&description) : GW_ERR_MEMORY;
}

gw_status gw_score_keys_new(const gw_config *config, const gw_score_key_options *options, gw_score_keys **out) {
    const char *tag = options->tag;
    *out = NULL;
    if (!is_tag(tag))
        return gw_fail(GW_ERR_FORMAT, "'%s' cannot be the prefix of INFO keys: letters, digits, _ and . only", tag);
    gw_score_keys *keys = gw_alloc(1, sizeof *keys);
    if (!keys) return GW_ERR_MEMORY;
    keys->config = config;
    keys->genes = options->genes;
    keys->consequences = options->consequences;
    keys->haplotypes = options->haplotypes;
    keys->background = options->background;
    keys->tail = options->tail;
    keys->splice = (gw_splice_entry_options){
        .genes = options->splice, .each = options->splice_values, .classes = config->labels, .digits = options->digits};
    keys->top = options->top < config->labels ? options->top : config->labels;
    keys->vep = options->vep;
    keys->exact_values = options->values;
    gw_status status = gw_score_key_check(config->labels > 0, options);
    if (status == GW_OK && gw_config_has_numbers(config) && options->scores && strstr(options->scores, "log2fc"))
        status = gw_fail(GW_ERR_UNSUPPORTED, "log2fc is of probabilities; the model's labels are numbers");
    for (int i = 0; status == GW_OK && options->describes && i < 2; i++) {
        gw_base_description(config, i == 1, &keys->described[i]);
        status = gw_string_status(&keys->described[i]);
    }
    for (int row = 0; row < GW_SCORE_KEYS && status == GW_OK; row++) {
        if (!gw_score_key_is_used(&gw_score_key_rows[row], config->labels > 0, options)) continue;
        const gw_key_use use = gw_score_key_rows[row].use;
        const bool entries = use == GW_KEY_ENTRIES || use == GW_KEY_PROBABILITIES,
                   list = entries || use == GW_KEY_CONSEQUENCES;
        char *key = use == GW_KEY_ENTRIES  ? gw_strdup(options->entries)
                    : use == GW_KEY_VALUES ? gw_strdup(gw_allele_values_key)
                                           : gw_strprintf("%s_%s", tag, gw_score_key_rows[row].name);
        if (!key) status = GW_ERR_MEMORY;
        const char *other = gw_config_has_numbers(config) ? gw_score_key_rows[row].of_numbers : NULL;
        if (entries && options->describes) other = keys->described[use == GW_KEY_PROBABILITIES].data;
        keys->keys[keys->count] =
            (gw_info_key){key, gw_score_key_rows[row].kind, other ? other : gw_score_key_rows[row].description, list};
        keys->rows[keys->count++] = row;
    }
    if (status == GW_OK && config->labels > 0) status = name_profiles(keys, config);
    if (status == GW_OK && options->sites) status = name_sites(keys, options);
    if (status == GW_OK && options->vep) status = make_vep(keys, tag);
    if (status == GW_OK) *out = keys;
    else gw_score_keys_free(keys);
    return status;
}

void gw_score_keys_free(gw_score_keys *keys) {
    if (!keys) return;
    for (int i = 0; i < keys->count; i++) free((void *)keys->keys[i].key);
    for (int64_t i = 0; keys->top_names && i < keys->labels; i++) free(keys->top_names[i]);
    for (int64_t i = 0; keys->site_names && i < keys->sites; i++) free(keys->site_names[i]);
    free(keys->top_names);
    free(keys->site_names);
    allele_texts *const texts[] = {&keys->gene_names, &keys->tops, &keys->exact, &keys->joined, &keys->carried};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        gw_string_free(&texts[i]->text);
        free(texts[i]->start);
    }
    for (int i = 0; i < 2; i++) gw_string_free(&keys->entries[i]);
    for (int i = 0; i < 2; i++) gw_string_free(&keys->described[i]);
    free((void *)keys->vep_key.key);
    free((void *)keys->vep_key.description);
    gw_string_free(&keys->consequence_text);
    free(keys->bases);
    free(keys->vep_strings);
    free(keys->numbers);
    free(keys->strings);
    free(keys);
}

const gw_info_key *gw_score_keys_list(const gw_score_keys *keys, int *count) {
    *count = keys->vep ? 1 : keys->count;
    return keys->vep ? &keys->vep_key : keys->keys;
}

static gw_status begin_texts(allele_texts *texts, int count) {
    gw_string_clear(&texts->text);
    return gw_reserve(&texts->start, &texts->capacity, count, sizeof *texts->start);
}

static const char *text_of(const allele_texts *texts, int index) {
    return texts->start[index] >= 0 ? texts->text.data + texts->start[index] : NULL;
}

// Genes are those of the reference, so that an allele need not be scored to have them.
static gw_status find_genes(gw_score_keys *keys, const gw_allele *alleles, int count) {
    gw_string *names = &keys->gene_names.text;
    GW_TRY(begin_texts(&keys->gene_names, count));
    for (int i = 0; i < count; i++) {
        const gw_variant *v = &alleles[i].variant;
        const int64_t start = names->length;
        const bool any = v->ref && gw_genes_at(keys->genes, v->contig, v->position, v->position + v->ref_length, names);
        keys->gene_names.start[i] = any ? start : -1;
        if (any) gw_string_putc(names, 0);
    }
    return gw_string_status(names);
}

// Appends text with the separators of lists within a value as codes.
static void append_escaped(gw_string *out, const char *text) {
    for (const char *c = text; *c; c++) {
        if (strchr("&|", *c)) gw_string_printf(out, "%%%02X", *c);
        else gw_string_putc(out, *c);
    }
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

static gw_status list_tops(gw_score_keys *keys, const gw_allele *alleles, const float *raw, int count) {
    gw_string *text = &keys->tops.text;
    GW_TRY(begin_texts(&keys->tops, count));
    for (int i = 0; i < count; i++) {
        const float *ref = raw + 2 * i * keys->labels, *alt = ref + keys->labels;
        keys->tops.start[i] = gw_allele_is_scored(alleles[i].status) ? text->length : -1;
        if (keys->tops.start[i] < 0) continue;
        int64_t profile = -1;
        for (int64_t k = 0; k < keys->top; k++) {
            profile = next_top(ref, alt, keys->labels, profile);
            if (k > 0) gw_string_putc(text, '&');
            append_escaped(text, keys->top_names[profile]);
            gw_string_printf(text, ":%g", (double)(alt[profile] - ref[profile] + 0.0F));
        }
        gw_string_putc(text, 0);
    }
    return gw_string_status(text);
}

static gw_status list_haplotypes(gw_score_keys *keys, const gw_allele *alleles, int count) {
    gw_string *text = &keys->carried.text;
    GW_TRY(begin_texts(&keys->carried, count));
    for (int i = 0; i < count; i++) {
        const int32_t *group = alleles[i].group;
        keys->carried.start[i] = group[0] > 0 || group[1] > 0 ? text->length : -1;
        if (keys->carried.start[i] < 0) continue;
        if (group[0] > 0) gw_haplotype_describe(keys->haplotypes, group[0] - 1, text);
        if (group[0] > 0 && group[1] > 0) gw_string_putc(text, '&');
        if (group[1] > 0) gw_haplotype_describe(keys->haplotypes, group[1] - 1, text);
        gw_string_putc(text, 0);
    }
    return gw_string_status(text);
}

static gw_status list_values(gw_score_keys *keys, const gw_allele *alleles, const float *raw, int count) {
    gw_string *text = &keys->exact.text;
    const int64_t each = keys->splice.each;
    GW_TRY(begin_texts(&keys->exact, count));
    for (int i = 0; i < count; i++) {
        keys->exact.start[i] = text->length;
        gw_allele_values_append(&alleles[i], raw + i * each, each, text);
        gw_string_putc(text, 0);
    }
    return gw_string_status(text);
}

static gw_status list_entries(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                              const float *raw) {
    for (int i = 0; i < 2; i++) {
        gw_string_clear(&keys->entries[i]);
        keys->splice.probabilities = i == 1;
        keys->has_entries = gw_splice_entries(&keys->splice, record, alleles, raw, &keys->entries[i]);
        GW_TRY(gw_string_status(&keys->entries[i]));
    }
    return GW_OK;
}

// Bases that the reference does not contradict, and <INS>; GW_STATUS says why there is nothing of others.
static bool is_told(const gw_vcf_record *record, const gw_allele *allele, const char *alt) {
    const gw_allele_status kind = gw_allele_kind(alt), status = allele->status;
    if (kind == GW_ALLELE_SYMBOLIC) return strncmp(alt, "<INS", 4) == 0;
    if (kind != GW_ALLELE_PASS || allele->swapped) return false;
    if (status == GW_ALLELE_REFMISMATCH || status == GW_ALLELE_ABSENT) return false;
    return !gw_allele_is_ambiguous(record->ref) && !gw_allele_is_ambiguous(alt);
}

static gw_status list_consequences(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles) {
    GW_TRY(gw_reserve(&keys->bases, &keys->bases_capacity, record->alts, sizeof *keys->bases));
    for (int i = 0; i < record->alts; i++)
        keys->bases[i] = is_told(record, &alleles[i], record->alt[i]) ? record->alt[i] : NULL;
    const gw_consequence_site site = {record->genome_contig, record->position, record->ref, keys->bases, record->alts};
    gw_string_clear(&keys->consequence_text);
    return gw_consequences_of(keys->consequences, &site, &keys->consequence_text, &keys->has_consequences);
}

static double fold(const gw_allele *allele) {
    const double least = 1e-7;
    return log2(fmax((double)allele->alt_value, least) / fmax((double)allele->ref_value, least));
}

static double number_of(const gw_score_keys *keys, int row, const gw_allele *allele) {
    float field;
    switch (gw_score_key_rows[row].source) {
    case GW_FROM_FOLD: return fold(allele);
    case GW_FROM_EFFECT: return gw_allele_effect(keys->config, allele);
    case GW_FROM_EVALUE: return gw_background_evalue(keys->background, allele, keys->tail);
    case GW_FROM_Z: return gw_background_z(keys->background, allele);
    case GW_FROM_CONTEXT: return gw_background_in_context(keys->background, allele);
    case GW_FROM_PERCENTILE: return gw_background_percentile(keys->background, allele);
    default: memcpy(&field, (const char *)allele + gw_score_key_rows[row].offset, sizeof field); return (double)field;
    }
}

static const char *string_of(const gw_score_keys *keys, int row, const gw_allele *allele, int index, bool scored) {
    switch (gw_score_key_rows[row].source) {
    case GW_FROM_TOP_NAME: return scored ? keys->top_names[allele->top] : NULL;
    case GW_FROM_TOPS: return text_of(&keys->tops, index);
    case GW_FROM_SITE: return scored && allele->site >= 0 ? keys->site_names[allele->site] : NULL;
    case GW_FROM_HAPLOTYPES: return text_of(&keys->carried, index);
    case GW_FROM_GENES: return text_of(&keys->gene_names, index);
    case GW_FROM_CONSEQUENCES: return keys->has_consequences ? keys->consequence_text.data : NULL;
    case GW_FROM_ENTRIES: return keys->has_entries ? keys->entries[0].data : NULL;
    case GW_FROM_VALUES: return text_of(&keys->exact, index);
    case GW_FROM_PROBABILITIES: return keys->has_entries ? keys->entries[1].data : NULL;
    default: return gw_allele_status_name(allele->status);
    }
}

static int32_t integer_of(int row, const gw_allele *allele, const gw_vcf_record *record) {
    if (gw_score_key_rows[row].source != GW_FROM_SHIFT) return allele->top;
    return allele->shift + (int32_t)(allele->variant.position - record->position);
}

static void set_value(const gw_score_keys *keys, int row, const gw_vcf_record *record, const gw_allele *alleles,
                      int index, number *as_number, const char **string) {
    const gw_allele *allele = &alleles[index];
    const bool scored = gw_allele_is_scored(allele->status);
    switch (gw_score_key_rows[row].kind) {
    case GW_INFO_FLOAT: as_number->real = scored ? (float)number_of(keys, row, allele) : NAN; break;
    case GW_INFO_INTEGER: as_number->integer = scored ? integer_of(row, allele, record) : INT32_MIN; break;
    default: *string = string_of(keys, row, allele, index, scored); break;
    }
}

// One value as a field; nothing where it is missing.
static void append_field(gw_string *out, const gw_info_values *values, int alt) {
    if (values->key->kind == GW_INFO_FLOAT && !isnan(values->floats[alt]))
        gw_string_printf(out, "%g", (double)(values->floats[alt] + 0.0F));
    if (values->key->kind == GW_INFO_INTEGER && values->integers[alt] != INT32_MIN)
        gw_string_printf(out, "%d", (int)values->integers[alt]);
    const char *text = values->key->kind == GW_INFO_STRING ? values->strings[alt] : NULL;
    for (; text && *text; text++) {
        if (*text == '|') gw_string_puts(out, "%7C");
        else gw_string_putc(out, *text);
    }
}

static gw_status join_fields(gw_score_keys *keys, const gw_vcf_record *record) {
    gw_string *text = &keys->joined.text;
    GW_TRY(begin_texts(&keys->joined, record->alts));
    GW_TRY(gw_reserve(&keys->vep_strings, &keys->vep_capacity, record->alts, sizeof *keys->vep_strings));
    for (int alt = 0; alt < record->alts; alt++) {
        keys->joined.start[alt] = text->length;
        gw_percent_encode(text, record->alt[alt]);
        gw_string_puts(text, "|sequence_variant");
        for (int k = 0; k < keys->count; k++) {
            gw_string_putc(text, '|');
            append_field(text, &keys->values[k], alt);
        }
        gw_string_putc(text, 0);
    }
    GW_TRY(gw_string_status(text));
    for (int alt = 0; alt < record->alts; alt++) keys->vep_strings[alt] = text_of(&keys->joined, alt);
    keys->vep_values = (gw_info_values){.key = &keys->vep_key, .strings = keys->vep_strings};
    return GW_OK;
}

gw_status gw_score_keys_values(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                               const float *raw, const gw_info_values **values) {
    const int count = record->alts;
    GW_TRY(gw_reserve(&keys->numbers, &keys->number_capacity, (int64_t)keys->count * count, sizeof *keys->numbers));
    GW_TRY(gw_reserve(&keys->strings, &keys->string_capacity, (int64_t)keys->count * count, sizeof *keys->strings));
    if (keys->genes) GW_TRY(find_genes(keys, alleles, count));
    if (keys->consequences) GW_TRY(list_consequences(keys, record, alleles));
    if (keys->top > 0) GW_TRY(list_tops(keys, alleles, raw, count));
    if (keys->haplotypes) GW_TRY(list_haplotypes(keys, alleles, count));
    if (keys->exact_values) GW_TRY(list_values(keys, alleles, raw, count));
    if (keys->splice.genes) GW_TRY(list_entries(keys, record, alleles, raw));
    for (int k = 0; k < keys->count; k++) {
        number *numbers = keys->numbers + (int64_t)k * count;
        const char **strings = keys->strings + (int64_t)k * count;
        for (int i = 0; i < count; i++) set_value(keys, keys->rows[k], record, alleles, i, &numbers[i], &strings[i]);
        keys->values[k] = (gw_info_values){
            .key = &keys->keys[k], .floats = &numbers->real, .integers = &numbers->integer, .strings = strings};
    }
    if (keys->vep) GW_TRY(join_fields(keys, record));
    *values = keys->vep ? &keys->vep_values : keys->values;
    return GW_OK;
}
