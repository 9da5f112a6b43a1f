// SPDX-License-Identifier: MIT
// Settles what a run is to do, runs it chunk by chunk, and ends it.
#include "score/score.h"

#include "base/log.h"
#include "base/memory.h"
#include "network/base_network.h"
#include "score/score_keys.h"
#include "score/score_run.h"
#include "seq/genome/region_choice.h"
#include "seq/vcf/variant_list.h"
#include "seq/vcf/vcf_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Each with its reason, up to a number; the table of reasons has all.
static void list_unread(const gw_score_run *s) {
    enum { SHOWN = 20 };
    const gw_unread_variants *unread = &s->unread;
    const int64_t all = unread->count + unread->read;
    for (int64_t i = 0; i < unread->count && i < SHOWN && all > 1; i++) {
        const gw_unread_variant *v = &unread->items[i];
        if (v->line > 0)
            gw_warn("%s:%lld: variant '%s': %s", s->options->variants_file, (long long)v->line, v->text, v->reason);
        else gw_warn("variant '%s': %s", v->text, v->reason);
    }
    if (unread->count > 0 && unread->read > 0 && !s->options->strict)
        gw_warn("%lld of %lld variants are not scored: they cannot be read%s", (long long)unread->count, (long long)all,
                unread->count > SHOWN && !s->options->reasons ? " (--reasons FILE lists them all)" : "");
}

// The variants of lists as the path of a file, or the file.
static gw_status find_input(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const gw_variant_list_options written = {o->variants, o->variants_file, o->ids, o->genes};
    if (!o->variants && !o->variants_file) {
        gw_string_puts(&s->input, o->input ? o->input : "-");
        return gw_string_status(&s->input);
    }
    gw_string text = {0};
    gw_status status = gw_variant_list_write(&written, s->genome, &text, &s->unread);
    if (status == GW_OK) gw_vcf_path_of_text(text.data, &s->input);
    gw_string_free(&text);
    list_unread(s);
    if (status == GW_OK && o->strict && s->unread.count > 0)
        return gw_fail(GW_ERR_FORMAT, "%lld of %lld variants cannot be read, and with --strict none is scored",
                       (long long)s->unread.count, (long long)(s->unread.count + s->unread.read));
    return status == GW_OK ? gw_string_status(&s->input) : status;
}

static gw_status read_regions(gw_regions *out, gw_genome *genome, const char *text, const char *path) {
    if (text) GW_TRY(gw_regions_parse(out, genome, text));
    if (path) GW_TRY(gw_regions_read_bed(out, genome, path));
    gw_regions_merge(out);
    return GW_OK;
}

// All changes of the regions that are chosen.
static gw_status choose_changes(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const gw_region_choice choice = {o->regions, o->regions_file, o->targets, o->targets_file};
    GW_TRY(gw_regions_choose(&s->regions, s->genome, &choice));
    gw_regions_merge(&s->regions);
    s->filter.changes = &s->regions;
    return GW_OK;
}

static gw_status choose_regions(gw_score_run *s) {
    const gw_score_options *o = s->options;
    if (o->all_snvs) return choose_changes(s);
    const char *text = o->targets, *path = o->targets_file;
    const bool text_out = text && text[0] == '^', path_out = path && path[0] == '^';
    GW_TRY(read_regions(&s->regions, s->genome, o->regions, o->regions_file));
    GW_TRY(read_regions(&s->targets, s->genome, text ? text + text_out : NULL, path ? path + path_out : NULL));
    if (o->regions || o->regions_file) s->filter.regions = &s->regions;
    if (text || path) s->filter.targets = &s->targets;
    s->filter.exclude = text_out || path_out;
    s->filter.include_if = o->include_if;
    s->filter.exclude_if = o->exclude_if;
    return GW_OK;
}

// Inside a chunk: insertions and deletions may take hundreds of windows each.
static void show_windows(void *context, int64_t alleles, int64_t windows) {
    const gw_score_run *s = context;
    const int64_t total = s->scanned ? s->end - s->first : 0, records = s->record_count * alleles / s->alleles.count;
    char detail[64];
    snprintf(detail, sizeof detail, "%lld windows computed for the next %lld records", (long long)windows,
             (long long)s->record_count);
    gw_progress("score", s->done_records + (records < s->record_count ? records : s->record_count - 1), total,
                "records", detail);
}

static gw_background_model background_model(const gw_score_run *s) {
    return (gw_background_model){s->model_md5, gw_allele_scorer_window(s->scorer), &s->model->config};
}

static gw_status read_annotation(gw_score_run *s) {
    const gw_score_options *o = s->options;
    if (!o->consequence) return GW_OK;
    GW_TRY(gw_annotation_read(o->genes, s->genome, &s->annotation));
    return gw_consequences_new(&s->annotation, s->genome, &s->consequences);
}

static gw_status make_keys(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const gw_background_model model = background_model(s);
    if (o->genes && !gw_model_labels_bases(s->model)) GW_TRY(gw_genes_read(o->genes, s->genome, &s->genes));
    GW_TRY(read_annotation(s));
    if (o->background) GW_TRY(gw_background_read(o->background, &model, &s->background));
    if (s->background && gw_background_alleles(s->background) < GW_BACKGROUND_LEAST)
        gw_warn("%s has %lld alleles, fewer than %d: e-values, z and percentiles are missing", o->background,
                (long long)gw_background_alleles(s->background), GW_BACKGROUND_LEAST);
    if (o->collect) GW_TRY(gw_background_new(&model, o->collect));
    if (o->by) GW_TRY(gw_background_by_context(*o->collect));
    if (o->outside) GW_TRY(gw_genes_read(o->outside, s->genome, &s->outside));
    return gw_score_keys_new(s, &s->keys);
}

static gw_status open_known(gw_score_run *s) {
    const gw_score_options *o = s->options;
    if (!o->known) return GW_OK;
    char settings[GW_SCORE_SETTINGS];
    GW_TRY(gw_score_settings(s, settings));
    return gw_score_known_open(o->known, s->genome, settings, s->lines.data, gw_score_raw_values(s), &s->known);
}

// A file is read once beforehand: what is wrong with it shows before hours of work, and its contigs are known when the
// header is written. A stream cannot be.
static gw_status scan(gw_score_run *s) {
    const gw_score_options *o = s->options;
    struct stat info;
    s->end = INT64_MAX;
    s->scanned =
        o->all_snvs || (strcmp(s->input.data, "-") != 0 && (stat(s->input.data, &info) != 0 || S_ISREG(info.st_mode)));
    if (!s->scanned && o->shards > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "shards need a file: the records of a stream cannot be counted beforehand");
    if (!s->scanned) return GW_OK;
    int64_t records = 0;
    GW_TRY(gw_used_contigs_scan(&s->used, s->input.data, s->genome, &s->filter, o->index != NULL, &records));
    s->first = o->shards > 0 ? records * (o->shard - 1) / o->shards : 0;
    s->end = o->shards > 0 ? records * o->shard / o->shards : records;
    return GW_OK;
}

static gw_status run_chunks(gw_score_run *s) {
    const int64_t total = s->scanned ? s->end - s->first : 0;
    for (bool more = true; more;) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_score_read_chunk(s, &more));
        if (!s->writer && !s->options->collect) GW_TRY(gw_score_open_writer(s));
        GW_TRY(gw_score_chunk(s));
        GW_TRY(gw_score_write_chunk(s));
        gw_score_warn_of_mismatches(s, !more);
        // Records that were scored before say nothing about the time that is left.
        if (s->done_records > s->resumed || !more) gw_progress("score", s->done_records, total, "records", NULL);
    }
    gw_progress_end();
    return GW_OK;
}

static gw_status finish(gw_score_run *s) {
    GW_TRY(gw_score_tables_close(&s->tables));
    gw_vcf_writer *writer = s->writer;
    s->writer = NULL;
    if (writer) GW_TRY(gw_vcf_finish(writer));
    gw_vcf_warn_of_records(s->reader);
    gw_score_report(s);
    return GW_OK;
}

static void close_journal(gw_score_run *s, gw_status status) {
    if (status != GW_OK && s->journal && !gw_score_journal_is_empty(s->journal))
        gw_note("what is scored is kept in %s; the same command%s goes on from there",
                gw_score_journal_path(s->journal), gw_vcf_is_out_of_order(s->writer) ? " without --write-index" : "");
    gw_score_journal_close(s->journal, status == GW_OK);
}

static void release(gw_score_run *s) {
    gw_string_free(&s->input);
    gw_unread_variants_free(&s->unread);
    gw_string_free(&s->lines);
    gw_vcf_abandon(s->writer);
    gw_score_tables_abandon(&s->tables);
    gw_vcf_close(s->reader);
    gw_score_keys_free(s->keys);
    gw_background_free(s->background);
    gw_score_known_free(s->known);
    gw_allele_scorer_free(s->scorer);
    gw_used_contigs_free(&s->used);
    gw_regions_free(&s->regions);
    gw_regions_free(&s->targets);
    gw_genes_free(&s->genes);
    gw_genes_free(&s->outside);
    gw_consequences_free(s->consequences);
    gw_annotation_free(&s->annotation);
    for (int64_t i = 0; i < s->record_capacity; i++) gw_vcf_record_free(&s->records[i]);
    free(s->records);
    gw_score_alleles_free(&s->alleles);
    gw_haplotypes_free(&s->haplotypes);
    free(s->raw);
    free(s->unknown);
}

gw_status gw_score(gw_model *model, gw_genome *genome, const gw_score_options *options) {
    gw_score_run s = {.model = model, .genome = genome, .options = options};
    gw_status status;
    GW_TRY_GOTO(status, find_input(&s), done);
    GW_TRY_GOTO(status, choose_regions(&s), done);
    GW_TRY_GOTO(status, scan(&s), done);
    GW_TRY_GOTO(status, gw_allele_scorer_new(model, genome, options, &s.scorer), done);
    gw_allele_scorer_watch(s.scorer, show_windows, &s);
    GW_TRY_GOTO(status, gw_score_describe(&s), done);
    GW_TRY_GOTO(status, open_known(&s), done);
    GW_TRY_GOTO(status, make_keys(&s), done);
    GW_TRY_GOTO(status, gw_vcf_open(s.input.data, genome, &s.filter, &s.reader), done);
    if (options->haplotypes) GW_TRY_GOTO(status, gw_vcf_find_sample(s.reader, options->sample, &s.sample), done);
    gw_vcf_warn_of_header(s.reader);
    GW_TRY_GOTO(status, gw_score_tables_open(&s.tables, options, &model->config, &s.unread), done);
    GW_TRY_GOTO(status, gw_score_open_journal(&s), done);
    GW_TRY_GOTO(status, run_chunks(&s), done);
    status = finish(&s);
done:
    close_journal(&s, status);
    release(&s);
    return status;
}

// Records go through in chunks: read, classify each ALT, score those with bases, write in order. A chunk is bounded in
// alleles and in bytes, whatever the file's size.

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

// What a run says of the alleles that it saw.

enum { ENOUGH_COMPARED = 1000 };

void gw_score_warn_of_mismatches(gw_score_run *s, bool at_end) {
    const int64_t wrong = s->counts[GW_ALLELE_REFMISMATCH];
    if (s->warned || 10 * wrong <= s->compared || (!at_end && s->compared < ENOUGH_COMPARED)) return;
    s->warned = true;
    gw_warn("REF differs from the reference in %lld of %lld alleles: are %s and %s of the same genome build?",
            (long long)wrong, (long long)s->compared, gw_vcf_path(s->reader), gw_genome_path(s->genome));
}

// Nothing else tells that a file was not scored because the names of its contigs are others, so it is said under -q
// too.
static void warn_of_contigs(const gw_score_run *s) {
    int64_t alleles = 0;
    for (int i = 0; i < GW_ALLELE_STATUSES; i++) alleles += s->counts[i];
    if (2 * s->counts[GW_ALLELE_NOCONTIG] <= alleles || alleles == 0) return;
    gw_warn("%lld of %lld alleles lie on contigs that %s lacks (NOCONTIG), such as '%s'; it has '%s' and %d others: "
            "--chr-map gives names",
            (long long)s->counts[GW_ALLELE_NOCONTIG], (long long)alleles, gw_genome_path(s->genome), s->unknown,
            gw_genome_name(s->genome, 0), gw_genome_contigs(s->genome) - 1);
}

static int64_t scored_alleles(const gw_score_run *s) {
    int64_t scored = 0;
    for (int i = 0; i < GW_ALLELE_STATUSES; i++)
        if (gw_allele_is_scored((gw_allele_status)i)) scored += s->counts[i];
    return scored;
}

static void note_counts(const gw_score_run *s) {
    gw_string text = {0};
    gw_string_printf(&text, "%lld records: %lld alleles scored", (long long)s->done_records,
                     (long long)scored_alleles(s));
    for (int i = GW_ALLELE_PASS + 1; i < GW_ALLELE_STATUSES; i++)
        if (s->counts[i] > 0)
            gw_string_printf(&text, ", %lld %s", (long long)s->counts[i], gw_allele_status_name((gw_allele_status)i));
    if (!text.failed) gw_note("%s", text.data);
    gw_string_free(&text);
}

void gw_score_report(const gw_score_run *s) {
    if (s->resumed > 0)
        gw_note("%lld records had been scored by a run that was stopped (%s)", (long long)s->resumed,
                gw_score_journal_path(s->journal));
    if (s->known)
        gw_note("%lld alleles had been scored before (%s)", (long long)gw_score_known_taken(s->known),
                gw_score_known_path(s->known));
    if (s->left_out > 0)
        gw_warn("%lld records whose REF differs from the reference were left out", (long long)s->left_out);
    if (s->crowded > 0)
        gw_note("%lld insertions and deletions have fewer than %lld places for neutral ones within %d kb",
                (long long)s->crowded, (long long)s->options->indel_null, GW_NULL_REACH / 1000);
    if (s->haplotypes.cut > 0)
        gw_warn("%lld times variants of one haplotype stood more densely than can be joined: each is scored, but "
                "together only with those within %lld bases",
                (long long)s->haplotypes.cut, (long long)gw_score_longest_haplotype(s));
    if (s->options->shifts)
        gw_note(
            "%lld insertions and deletions could be written at several places; %lld of them do not stand leftmost, as "
            "bcftools norm would have them",
            (long long)s->movable, (long long)s->moved);
    note_counts(s);
    warn_of_contigs(s);
}
