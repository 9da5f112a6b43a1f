// SPDX-License-Identifier: MIT
// Settles what a run is to do, runs it chunk by chunk, and ends it.
#include "score/score.h"

#include "base/log.h"
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
