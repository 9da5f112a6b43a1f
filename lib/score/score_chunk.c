// SPDX-License-Identifier: MIT
// Records go through in chunks: read, classify each ALT, score those with bases, write in order. A chunk is bounded in
// alleles and in bytes, whatever the file's size.
#include "score/score_keys.h"
#include "score/score_run.h"

#include "base/memory.h"

#include <string.h>

enum { CHUNK_ALLELES = 256, CHUNK_BYTES = 64 << 20 };

int64_t gw_score_raw_values(const gw_score_run *s) {
    const gw_score_options *o = s->options;
    const bool profiles = o->profiles || o->top > 0 || ((o->collect || o->haplotypes) && s->model->config.labels > 0);
    const int64_t splice = gw_allele_scorer_values(s->scorer);
    return splice > 0 ? splice : profiles ? 2 * s->model->config.labels : 0;
}

static gw_score_alleles_options allele_options(const gw_score_run *s) {
    return (gw_score_alleles_options){.genome = s->genome,
                                      .reader = s->reader,
                                      .window = gw_allele_scorer_span(s->scorer),
                                      .check_ref = s->options->check_ref ? s->options->check_ref : 'w'};
}

// Adds the record's ALTs with what their text and the reference say of them.
static gw_status add_alleles(gw_score_run *s, const gw_vcf_record *record) {
    const gw_score_alleles_options options = allele_options(s);
    const int64_t first = s->alleles.count;
    if (record->genome_contig < 0 && !s->unknown && !(s->unknown = gw_strdup(record->contig))) return GW_ERR_MEMORY;
    GW_TRY(gw_score_alleles_add(&s->alleles, &options, record));
    for (int64_t i = first; i < s->alleles.count; i++) {
        const gw_allele *allele = &s->alleles.items[i];
        s->compared +=
            allele->status == GW_ALLELE_REFMISMATCH || (allele->variant.ref && allele->status != GW_ALLELE_NOCONTIG);
    }
    return GW_OK;
}

static bool is_left_to_genes(const gw_score_run *s, const gw_vcf_record *record) {
    if (!s->options->outside) return false;
    const int64_t end = record->position + (int64_t)strlen(record->ref);
    return gw_genes_at(&s->outside, record->genome_contig, record->position, end, NULL);
}

// The next record of the shard, outside genes where those are left out, into its place in the chunk.
static gw_status read_record(gw_score_run *s, gw_vcf_record *record, bool *more) {
    do {
        *more = s->seen < s->end;
        if (*more) GW_TRY(gw_vcf_next(s->reader, record, more));
    } while (*more && (s->seen++ < s->first || is_left_to_genes(s, record)));
    return GW_OK;
}

// Whether the chunk holds enough; neutral ones, and what haplotypes make, come on top.
static bool is_full(const gw_score_run *s, int64_t bytes) {
    const int64_t most = s->options->indel_null > 0 ? CHUNK_ALLELES / 16 : CHUNK_ALLELES;
    return s->alleles.count >= most || s->record_count >= CHUNK_ALLELES || bytes >= CHUNK_BYTES;
}

// The record that was read for this chunk takes the first place.
static bool take_ahead(gw_score_run *s) {
    if (s->ahead == 0) return false;
    const gw_vcf_record first = s->records[0];
    s->records[0] = s->records[s->ahead];
    s->records[s->ahead] = first;
    s->ahead = 0;
    return true;
}

static gw_status reserve_record(gw_score_run *s) {
    const int64_t old = s->record_capacity;
    if (s->record_count < old) return GW_OK;
    GW_TRY(gw_reserve(&s->records, &s->record_capacity, old + 1, sizeof *s->records));
    memset(s->records + old, 0, (size_t)(s->record_capacity - old) * sizeof *s->records);
    return GW_OK;
}

// With haplotypes a chunk ends before a record that joins no group of it, which has to be read to be known.
gw_status gw_score_read_chunk(gw_score_run *s, bool *more) {
    int64_t bytes = 0;
    s->record_count = 0;
    gw_score_alleles_clear(&s->alleles);
    gw_haplotypes_clear(&s->haplotypes);
    *more = true;
    bool have = take_ahead(s);
    while (have || s->options->haplotypes || !is_full(s, bytes)) {
        GW_TRY(reserve_record(s));
        gw_vcf_record *record = &s->records[s->record_count];
        if (!have) GW_TRY(read_record(s, record, more));
        if (!*more) return GW_OK;
        have = false;
        if (is_full(s, bytes) && !gw_score_may_join(s, record)) {
            s->ahead = s->record_count;
            return GW_OK;
        }
        s->record_count++;
        bytes += record->line.length;
        if (!s->scanned && !s->writer) GW_TRY(gw_used_contigs_add(&s->used, record));
        const int64_t first = s->alleles.count;
        GW_TRY(add_alleles(s, record));
        if (s->options->haplotypes) GW_TRY(gw_score_add_carried(s, record, first));
    }
    return GW_OK;
}

static gw_status score_or_resume(gw_score_run *s, float *raw) {
    gw_allele *alleles = s->alleles.items;
    const int64_t count = s->alleles.count;
    const uint64_t chunk = s->journal ? gw_score_alleles_hash(&s->alleles) : 0;
    bool known = false;
    if (s->journal) GW_TRY(gw_score_journal_next(s->journal, chunk, alleles, count, raw, &known));
    if (known) {
        s->resumed += s->record_count;
        return GW_OK;
    }
    GW_TRY(s->known ? gw_score_known_run(s->known, s->scorer, alleles, count, raw)
                    : gw_allele_scorer_run(s->scorer, alleles, count, raw));
    gw_score_alleles_finish(&s->alleles, raw, s->model->config.labels);
    return s->journal ? gw_score_journal_add(s->journal, chunk, alleles, count, raw) : GW_OK;
}

gw_status gw_score_chunk(gw_score_run *s) {
    float *raw = NULL;
    const gw_score_alleles_options options = allele_options(s);
    if (s->alleles.count == 0) return GW_OK;
    const int64_t own = s->alleles.count;
    if (s->options->shifts) GW_TRY(gw_score_alleles_add_forms(&s->alleles, &options, &s->moved, &s->movable));
    if (s->options->indel_null > 0) {
        const gw_indel_null_options nulls = {.genome = s->genome,
                                             .genes = s->options->genes ? &s->genes : NULL,
                                             .window = options.window,
                                             .count = s->options->indel_null};
        GW_TRY(gw_score_alleles_add_nulls(&s->alleles, own, &nulls, &s->crowded));
    }
    if (s->options->haplotypes) GW_TRY(gw_score_add_joint(s));
    const int64_t values = gw_score_raw_values(s);
    if (values > 0) {
        GW_TRY(gw_reserve(&s->raw, &s->raw_capacity, s->alleles.count * values, sizeof *s->raw));
        raw = s->raw;
    }
    GW_TRY(score_or_resume(s, raw));
    if (s->options->haplotypes) gw_score_finish_joint(s, raw);
    return GW_OK;
}

static bool is_left_out(const gw_score_run *s, const gw_vcf_record *record, const gw_allele *alleles) {
    bool out = false;
    for (int i = 0; i < record->alts && s->options->check_ref == 'x'; i++)
        out = out || alleles[i].status == GW_ALLELE_REFMISMATCH;
    return out;
}

static gw_status write_record(gw_score_run *s, gw_vcf_record *record, int64_t first) {
    const gw_allele *alleles = s->alleles.items + first;
    if (is_left_out(s, record, alleles)) {
        s->left_out++;
        return GW_OK;
    }
    const int64_t values_per_allele = gw_score_raw_values(s);
    const float *all_raw = values_per_allele > 0 ? s->raw + first * values_per_allele : NULL;
    for (int i = 0; i < record->alts; i++) {
        const float *raw = all_raw ? all_raw + i * values_per_allele : NULL;
        s->counts[alleles[i].status]++;
        if (s->options->collect && gw_allele_is_scored(alleles[i].status))
            gw_background_add(*s->options->collect, &alleles[i], raw);
        GW_TRY(gw_score_tables_add(&s->tables, record, i, alleles[i].status, raw));
        if (s->options->each) GW_TRY(s->options->each(s->options->context, record, &alleles[i], s->consequences));
    }
    if (record->alts == 0) {
        s->counts[GW_ALLELE_NOALT]++;
        GW_TRY(gw_score_tables_add(&s->tables, record, -1, GW_ALLELE_NOALT, NULL));
        return s->writer ? gw_vcf_write(s->writer, record, NULL, 0) : GW_OK;
    }
    if (!s->writer) return GW_OK;
    const gw_info_values *values;
    int keys;
    GW_TRY(gw_score_keys_values(s->keys, record, alleles, all_raw, &values));
    gw_score_keys_list(s->keys, &keys);
    return gw_vcf_write(s->writer, record, values, keys);
}

gw_status gw_score_write_chunk(gw_score_run *s) {
    int64_t first = 0;
    for (int64_t i = 0; i < s->record_count; i++) {
        GW_TRY(write_record(s, &s->records[i], first));
        first += s->records[i].alts;
    }
    s->done_records += s->record_count;
    return GW_OK;
}
