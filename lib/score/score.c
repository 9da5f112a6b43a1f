// SPDX-License-Identifier: MIT
// Records go through in chunks: read, classify each ALT, score those with bases, write in order. A chunk is bounded in
// alleles and in bytes, whatever the file's size.
#include "score/score.h"

#include "base/log.h"
#include "base/memory.h"
#include "score/allele_scorer.h"
#include "score/model_md5.h"
#include "score/score_alleles.h"
#include "score/score_contigs.h"
#include "score/score_journal.h"
#include "score/score_keys.h"
#include "score/score_tables.h"
#include "seq/md5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK_ALLELES = 256, CHUNK_BYTES = 64 << 20, ENOUGH_COMPARED = 1000 };

typedef struct {
    gw_model *model;
    gw_genome *genome;
    const gw_score_options *options;
    gw_regions regions, targets, sites;
    gw_genes genes;
    gw_vcf_filter filter;
    gw_vcf_reader *reader;
    gw_vcf_writer *writer;
    gw_score_keys *keys;
    gw_background *background; // to compare with, or NULL
    gw_score_tables tables;
    gw_allele_scorer *scorer;
    gw_score_journal *journal; // or NULL
    gw_used_contigs used;
    bool scanned; // `used` is complete
    char model_md5[33];
    gw_string lines;    // of the header: what scores depend on
    int64_t first, end; // records of the shard
    int64_t seen;       // records read, those before the shard too
    // the chunk
    gw_vcf_record *records;
    int64_t record_count, record_capacity;
    gw_score_alleles alleles;
    float *raw; // [alleles][2][labels] with --profiles
    int64_t raw_capacity;
    // counts of the run
    int64_t moved, movable; // insertions and deletions that do not stand leftmost; that have several forms
    int64_t done_records, resumed, left_out, counts[GW_ALLELE_STATUSES], compared;
    bool warned;
    char *unknown; // the first contig that the genome lacks
} score_run;

// ---- settling what is to be done

static gw_status read_regions(gw_regions *out, gw_genome *genome, const char *text, const char *path) {
    if (text) GW_TRY(gw_regions_parse(out, genome, text));
    if (path) GW_TRY(gw_regions_read_bed(out, genome, path));
    gw_regions_merge(out);
    return GW_OK;
}

static gw_status choose_regions(score_run *s) {
    const gw_score_options *o = s->options;
    const char *text = o->targets, *path = o->targets_file;
    const bool text_out = text && text[0] == '^', path_out = path && path[0] == '^';
    if (text && path && text_out != path_out)
        return gw_fail(GW_ERR_UNSUPPORTED, "targets by -t and by -T are either both kept or both left out (^)");
    GW_TRY(read_regions(&s->regions, s->genome, o->regions, o->regions_file));
    GW_TRY(read_regions(&s->targets, s->genome, text ? text + text_out : NULL, path ? path + path_out : NULL));
    if (o->regions || o->regions_file) s->filter.regions = &s->regions;
    if (text || path) s->filter.targets = &s->targets;
    s->filter.exclude = text_out || path_out;
    s->filter.include_if = o->include_if;
    s->filter.exclude_if = o->exclude_if;
    return GW_OK;
}

static gw_status make_scorer(score_run *s) {
    const gw_score_options *o = s->options;
    if (s->model->config.labels == 0 && (o->profiles || o->raw || o->sites))
        return gw_fail(GW_ERR_UNSUPPORTED, "--profiles, --raw and --sites are for fine-tuned models; this one is "
                                           "pretrained and has no profiles");
    if (s->model->config.labels > 0) GW_TRY(gw_check_sites(s->model, o->sites != NULL));
    if (o->sites) GW_TRY(gw_read_sites(&s->sites, s->genome, o->sites));
    const gw_allele_scorer_options options = {.window = o->window,
                                              .batch_tokens = o->batch_tokens,
                                              .pad_to = o->pad_to,
                                              .sites = o->sites ? &s->sites : NULL,
                                              .phases = o->phases};
    return gw_allele_scorer_new(s->model, s->genome, &options, &s->scorer);
}

static gw_background_model background_model(const score_run *s) {
    return (gw_background_model){s->model_md5, gw_allele_scorer_window(s->scorer), &s->model->config};
}

static gw_status make_keys(score_run *s) {
    const gw_score_options *o = s->options;
    const gw_background_model model = background_model(s);
    if (s->model->config.labels == 0 && o->top > 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "--top is for fine-tuned models; this one is pretrained and has no profiles");
    if (o->genes) GW_TRY(gw_genes_read(o->genes, s->genome, &s->genes));
    if (o->background) GW_TRY(gw_background_read(o->background, &model, &s->background));
    if (o->collect) GW_TRY(gw_background_new(&model, o->collect));
    const gw_score_key_options options = {.tag = o->tag,
                                          .raw = o->raw,
                                          .sites = o->sites ? &s->sites : NULL,
                                          .genome = s->genome,
                                          .genes = o->genes ? &s->genes : NULL,
                                          .scores = o->scores,
                                          .background = s->background,
                                          .top = o->top,
                                          .spread = o->phases > 1,
                                          .shifts = o->shifts,
                                          .vep = o->vep};
    return gw_score_keys_new(&s->model->config, &options, &s->keys);
}

// A file is read once beforehand: what is wrong with it shows before hours of work, and its contigs are known when the
// header is written. A stream cannot be.
static gw_status scan(score_run *s) {
    const gw_score_options *o = s->options;
    struct stat info;
    s->end = INT64_MAX;
    s->scanned = strcmp(o->input, "-") != 0 && (stat(o->input, &info) != 0 || S_ISREG(info.st_mode));
    if (!s->scanned && o->shards > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "shards need a file: the records of a stream cannot be counted beforehand");
    if (!s->scanned) return GW_OK;
    int64_t records = 0;
    GW_TRY(gw_used_contigs_scan(&s->used, o->input, s->genome, &s->filter, &records));
    s->first = o->shards > 0 ? records * (o->shard - 1) / o->shards : 0;
    s->end = o->shards > 0 ? records * o->shard / o->shards : records;
    return GW_OK;
}

// ---- the header

// What scores depend on, as lines of the header.
static gw_status describe(score_run *s) {
    gw_string *lines = &s->lines;
    char genome_md5[33];
    GW_TRY(gw_model_md5(s->options->model_folder, s->model_md5));
    GW_TRY(gw_genome_md5(s->genome, genome_md5));
    char *pattern = gw_model_attention(s->model);
    if (!pattern) return GW_ERR_MEMORY;
    gw_string_printf(lines, "##godwit_scoreVersion=%s\n", s->options->version);
    gw_string_printf(lines, "##godwit_scoreModelMD5=%s\n", s->model_md5);
    gw_string_printf(lines, "##godwit_scoreReferenceMD5=%s\n", genome_md5);
    gw_string_printf(lines, "##godwit_scoreWindow=%lld\n", (long long)gw_allele_scorer_window(s->scorer));
    gw_string_printf(lines, "##godwit_scoreStrands=%s\n", s->options->sites ? "site" : "both");
    gw_string_printf(lines, "##godwit_scoreAttention=%s\n", pattern);
    gw_string_printf(lines, "##godwit_scoreDtype=%s\n", s->model->precision == GW_BF16 ? "bf16" : "f32");
    if (s->options->phases > 1) gw_string_printf(lines, "##godwit_scorePhases=%lld\n", (long long)s->options->phases);
    if (s->options->pad_to > 0) gw_string_printf(lines, "##godwit_scorePadTo=%lld\n", (long long)s->options->pad_to);
    free(pattern);
    return gw_string_status(lines);
}

// All lines of the header that say how the scores were made.
static gw_status provenance(const score_run *s, gw_string *lines) {
    const gw_score_options *o = s->options;
    gw_string_printf(lines, "##godwit_scoreCommand=%s\n", o->command);
    gw_string_printf(lines, "##godwit_scoreTag=%s\n", o->tag);
    gw_string_printf(lines, "##godwit_scoreModel=%s\n", o->model_folder);
    gw_string_printf(lines, "##godwit_scoreReference=%s\n", gw_genome_path(s->genome));
    if (o->genes) gw_string_printf(lines, "##godwit_scoreGenes=%s\n", o->genes);
    if (o->background) gw_string_printf(lines, "##godwit_scoreBackground=%s\n", o->background);
    gw_string_append(lines, s->lines.data, s->lines.length);
    return gw_string_status(lines);
}

// Those lines and the start sites as 32 digits.
static gw_status settings_key(const score_run *s, char hex[33]) {
    const int64_t size = (int64_t)sizeof(gw_allele);
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    gw_md5_add(md5, s->lines.data, s->lines.length);
    gw_md5_add(md5, &size, sizeof size);
    for (int64_t i = 0; i < s->sites.count; i++) {
        const gw_region *site = &s->sites.items[i];
        gw_md5_add(md5, &site->contig, sizeof site->contig);
        gw_md5_add(md5, &site->begin, sizeof site->begin);
        gw_md5_add(md5, &site->strand, sizeof site->strand);
    }
    gw_md5_finish_hex(md5, hex);
    return GW_OK;
}

// Whether all profiles of each allele are wanted.
static bool needs_raw(const score_run *s) {
    return s->options->profiles || s->options->top > 0 || (s->options->collect && s->model->config.labels > 0);
}

static gw_status open_journal(score_run *s) {
    const char *output = s->options->output;
    struct stat info;
    if (!output || strcmp(output, "-") == 0 || (stat(output, &info) == 0 && !S_ISREG(info.st_mode))) return GW_OK;
    char key[33];
    GW_TRY(settings_key(s, key));
    return gw_score_journal_open(output, key, needs_raw(s) ? 2 * s->model->config.labels : 0, &s->journal);
}

static gw_status open_writer(score_run *s) {
    gw_vcf_output output = {
        .format = s->options->format, .index = s->options->index, .overwrite = s->options->overwrite};
    gw_string lines = {0};
    gw_status status = gw_missing_contigs(&s->used, s->scanned, s->reader, s->genome, &lines);
    if (status == GW_OK) status = provenance(s, &lines);
    output.keys = gw_score_keys_list(s->keys, &output.key_count);
    output.lines = lines.data;
    if (status == GW_OK) status = gw_vcf_create(s->options->output, s->reader, &output, &s->writer);
    gw_string_free(&lines);
    return status;
}

// ---- chunks

static gw_score_alleles_options allele_options(const score_run *s) {
    return (gw_score_alleles_options){.genome = s->genome,
                                      .reader = s->reader,
                                      .window = gw_allele_scorer_window(s->scorer),
                                      .check_ref = s->options->check_ref ? s->options->check_ref : 'w'};
}

// Adds the record's ALTs with what their text and the reference say of them.
static gw_status add_alleles(score_run *s, const gw_vcf_record *record) {
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

// The next record of the shard into its place in the chunk.
static gw_status read_record(score_run *s, gw_vcf_record *record, bool *more) {
    do {
        *more = s->seen < s->end;
        if (*more) GW_TRY(gw_vcf_next(s->reader, record, more));
    } while (*more && s->seen++ < s->first);
    return GW_OK;
}

static gw_status read_chunk(score_run *s, bool *more) {
    int64_t bytes = 0;
    s->record_count = 0;
    gw_score_alleles_clear(&s->alleles);
    *more = true;
    while (s->alleles.count < CHUNK_ALLELES && s->record_count < CHUNK_ALLELES && bytes < CHUNK_BYTES) {
        if (s->record_count == s->record_capacity) {
            const int64_t old = s->record_capacity;
            GW_TRY(gw_reserve(&s->records, &s->record_capacity, old + 1, sizeof *s->records));
            memset(s->records + old, 0, (size_t)(s->record_capacity - old) * sizeof *s->records);
        }
        gw_vcf_record *record = &s->records[s->record_count];
        GW_TRY(read_record(s, record, more));
        if (!*more) return GW_OK;
        s->record_count++;
        bytes += record->line.length;
        if (!s->scanned && !s->writer) GW_TRY(gw_used_contigs_add(&s->used, record));
        GW_TRY(add_alleles(s, record));
    }
    return GW_OK;
}

static gw_status score_or_resume(score_run *s, float *raw) {
    gw_allele *alleles = s->alleles.items;
    const int64_t count = s->alleles.count;
    const uint64_t chunk = s->journal ? gw_score_alleles_hash(&s->alleles) : 0;
    bool known = false;
    if (s->journal) GW_TRY(gw_score_journal_next(s->journal, chunk, alleles, count, raw, &known));
    if (known) {
        s->resumed += s->record_count;
        return GW_OK;
    }
    GW_TRY(gw_allele_scorer_run(s->scorer, alleles, count, raw));
    gw_score_alleles_finish(&s->alleles, raw, s->model->config.labels);
    return s->journal ? gw_score_journal_add(s->journal, chunk, alleles, count, raw) : GW_OK;
}

static gw_status score_chunk(score_run *s) {
    float *raw = NULL;
    const gw_score_alleles_options options = allele_options(s);
    if (s->alleles.count == 0) return GW_OK;
    if (s->options->shifts) GW_TRY(gw_score_alleles_add_forms(&s->alleles, &options, &s->moved, &s->movable));
    if (needs_raw(s)) {
        const int64_t values = 2 * s->model->config.labels;
        GW_TRY(gw_reserve(&s->raw, &s->raw_capacity, s->alleles.count * values, sizeof *s->raw));
        raw = s->raw;
    }
    return score_or_resume(s, raw);
}

static bool is_left_out(const score_run *s, const gw_vcf_record *record, const gw_allele *alleles) {
    bool out = false;
    for (int i = 0; i < record->alts && s->options->check_ref == 'x'; i++)
        out = out || alleles[i].status == GW_ALLELE_REFMISMATCH;
    return out;
}

static gw_status write_record(score_run *s, gw_vcf_record *record, int64_t first) {
    const gw_allele *alleles = s->alleles.items + first;
    if (is_left_out(s, record, alleles)) {
        s->left_out++;
        return GW_OK;
    }
    const int64_t values_per_allele = 2 * s->model->config.labels;
    const float *all_raw = needs_raw(s) ? s->raw + first * values_per_allele : NULL;
    for (int i = 0; i < record->alts; i++) {
        const float *raw = all_raw ? all_raw + i * values_per_allele : NULL;
        s->counts[alleles[i].status]++;
        if (s->options->collect && gw_allele_is_scored(alleles[i].status))
            gw_background_add(*s->options->collect, &alleles[i], raw);
        GW_TRY(gw_score_tables_add(&s->tables, record, i, alleles[i].status, raw));
        if (s->options->each) GW_TRY(s->options->each(s->options->context, record, &alleles[i]));
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

static gw_status write_chunk(score_run *s) {
    int64_t first = 0;
    for (int64_t i = 0; i < s->record_count; i++) {
        GW_TRY(write_record(s, &s->records[i], first));
        first += s->records[i].alts;
    }
    s->done_records += s->record_count;
    return GW_OK;
}

static void warn_of_mismatches(score_run *s, bool at_end) {
    const int64_t wrong = s->counts[GW_ALLELE_REFMISMATCH];
    if (s->warned || 10 * wrong <= s->compared || (!at_end && s->compared < ENOUGH_COMPARED)) return;
    s->warned = true;
    gw_warn("REF differs from the reference in %lld of %lld alleles: are %s and %s of the same genome build?",
            (long long)wrong, (long long)s->compared, gw_vcf_path(s->reader), gw_genome_path(s->genome));
}

// Nothing else tells that a file was not scored because the names of its contigs are others, so it is said under -q
// too.
static void warn_of_contigs(const score_run *s) {
    int64_t alleles = 0;
    for (int i = 0; i < GW_ALLELE_STATUSES; i++) alleles += s->counts[i];
    if (2 * s->counts[GW_ALLELE_NOCONTIG] <= alleles || alleles == 0) return;
    gw_warn("%lld of %lld alleles lie on contigs that %s lacks (NOCONTIG), such as '%s'; it has '%s' and %d others: "
            "--chr-map gives names",
            (long long)s->counts[GW_ALLELE_NOCONTIG], (long long)alleles, gw_genome_path(s->genome), s->unknown,
            gw_genome_name(s->genome, 0), gw_genome_contigs(s->genome) - 1);
}

static int64_t scored_alleles(const score_run *s) {
    return s->counts[GW_ALLELE_PASS] + s->counts[GW_ALLELE_NRICH] + s->counts[GW_ALLELE_SWAPPED];
}

static void note_counts(const score_run *s) {
    gw_string text = {0};
    gw_string_printf(&text, "%lld records: %lld alleles scored", (long long)s->done_records,
                     (long long)scored_alleles(s));
    for (int i = GW_ALLELE_PASS + 1; i < GW_ALLELE_STATUSES; i++)
        if (s->counts[i] > 0)
            gw_string_printf(&text, ", %lld %s", (long long)s->counts[i], gw_allele_status_name((gw_allele_status)i));
    if (!text.failed) gw_note("%s", text.data);
    gw_string_free(&text);
}

static gw_status run_chunks(score_run *s) {
    const int64_t total = s->scanned ? s->end - s->first : 0;
    for (bool more = true; more;) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(read_chunk(s, &more));
        if (!s->writer && !s->options->collect) GW_TRY(open_writer(s));
        GW_TRY(score_chunk(s));
        GW_TRY(write_chunk(s));
        warn_of_mismatches(s, !more);
        // Records that were scored before say nothing about the time that is left.
        if (s->done_records > s->resumed || !more) gw_progress("score", s->done_records, total, "records", NULL);
    }
    gw_progress_end();
    return GW_OK;
}

static gw_status finish(score_run *s) {
    GW_TRY(gw_score_tables_close(&s->tables));
    gw_vcf_writer *writer = s->writer;
    s->writer = NULL;
    if (writer) GW_TRY(gw_vcf_finish(writer));
    if (s->resumed > 0)
        gw_note("%lld records had been scored by a run that was stopped (%s)", (long long)s->resumed,
                gw_score_journal_path(s->journal));
    if (s->left_out > 0)
        gw_warn("%lld records whose REF differs from the reference were left out", (long long)s->left_out);
    if (s->options->shifts)
        gw_note(
            "%lld insertions and deletions could be written at several places; %lld of them do not stand leftmost, as "
            "bcftools norm would have them",
            (long long)s->movable, (long long)s->moved);
    note_counts(s);
    warn_of_contigs(s);
    return GW_OK;
}

static void close_journal(score_run *s, gw_status status) {
    if (status != GW_OK && s->journal && !gw_score_journal_is_empty(s->journal))
        gw_note("what is scored is kept in %s; the same command goes on from there", gw_score_journal_path(s->journal));
    gw_score_journal_close(s->journal, status == GW_OK);
}

static void release(score_run *s) {
    gw_string_free(&s->lines);
    gw_vcf_abandon(s->writer);
    gw_score_tables_abandon(&s->tables);
    gw_vcf_close(s->reader);
    gw_score_keys_free(s->keys);
    gw_background_free(s->background);
    gw_allele_scorer_free(s->scorer);
    gw_used_contigs_free(&s->used);
    gw_regions_free(&s->regions);
    gw_regions_free(&s->targets);
    gw_regions_free(&s->sites);
    gw_genes_free(&s->genes);
    for (int64_t i = 0; i < s->record_capacity; i++) gw_vcf_record_free(&s->records[i]);
    free(s->records);
    gw_score_alleles_free(&s->alleles);
    free(s->raw);
    free(s->unknown);
}

gw_status gw_score(gw_model *model, gw_genome *genome, const gw_score_options *options) {
    score_run s = {.model = model, .genome = genome, .options = options};
    gw_status status;
    GW_TRY_GOTO(status, choose_regions(&s), done);
    GW_TRY_GOTO(status, scan(&s), done);
    GW_TRY_GOTO(status, make_scorer(&s), done);
    GW_TRY_GOTO(status, describe(&s), done);
    GW_TRY_GOTO(status, make_keys(&s), done);
    GW_TRY_GOTO(status, gw_vcf_open(options->input, genome, &s.filter, &s.reader), done);
    gw_vcf_warn_of_header(s.reader);
    GW_TRY_GOTO(status, gw_score_tables_open(&s.tables, options->reasons, options->profiles, &model->config), done);
    GW_TRY_GOTO(status, open_journal(&s), done);
    GW_TRY_GOTO(status, run_chunks(&s), done);
    status = finish(&s);
done:
    close_journal(&s, status);
    release(&s);
    return status;
}
