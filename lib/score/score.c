// SPDX-License-Identifier: MIT
// Settles what a run is to do, runs it chunk by chunk, and ends it.
#include "score/score.h"

#include "base/log.h"
#include "score/score_profiles.h"
#include "score/score_run.h"
#include "score/splice_entry.h"
#include "seq/genome/region_choice.h"
#include "seq/vcf/vcf_sample.h"
#include "task/bases/base_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

// A model of splicing has scores of its own.
static gw_status check_splicing(const gw_score_run *s) {
    const gw_score_options *o = s->options;
    if (!gw_model_labels_bases(s->model)) {
        if (!o->anywhere) return GW_OK;
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "--anywhere is for models of splicing and of other labels of bases, which score variants in genes");
    }
    if (o->profiles || o->sites || o->top > 0 || o->scores || o->background || o->collect || o->shifts ||
        o->indel_null > 0 || o->haplotypes || o->vep || o->check_ref == 's')
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "a model of splicing, or of other labels of bases, has delta scores alone: no --profiles, --sites, "
            "--top, --scores, --background, --shifts, --indel-null, --haplotypes, --vep or --check-ref s");
    if (o->mask && !gw_model_splices(s->model))
        return gw_fail(GW_ERR_UNSUPPORTED, "--mask is of splice sites, which this model does not tell");
    return GW_OK;
}

static gw_status check_haplotypes(const gw_score_options *o) {
    if (o->sample && !o->haplotypes) return gw_fail(GW_ERR_USAGE, "--sample says whose --haplotypes are scored");
    if (!o->haplotypes || (!o->sites && o->check_ref != 's' && o->shards == 0)) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "variants of a haplotype are scored together in windows around them, in one run: "
                   "no --sites, --check-ref s or --shard with --haplotypes");
}

static gw_status make_scorer(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const bool splices = gw_model_labels_bases(s->model);
    GW_TRY(check_splicing(s));
    GW_TRY(check_haplotypes(o));
    if (splices && o->genes) GW_TRY(gw_gene_models_read(o->genes, s->genome, &s->gene_models));
    if (splices && o->anywhere) GW_TRY(gw_gene_models_add_strands(&s->gene_models, s->genome));
    const gw_splice_options splice = {.genes = o->genes || o->anywhere ? &s->gene_models : NULL,
                                      .distance = o->distance,
                                      .mask = o->mask,
                                      .plain = o->plain,
                                      .memory = o->memory * 1000000};
    if (s->model->config.labels == 0 && (o->profiles || o->raw || o->sites))
        return gw_fail(GW_ERR_UNSUPPORTED, "--profiles, --raw and --sites are for fine-tuned models; this one is "
                                           "pretrained and has no profiles");
    if (s->model->config.labels > 0 && !splices) GW_TRY(gw_check_sites(s->model, o->sites != NULL));
    if (o->strand && (splices || o->sites || !gw_profile_reads_one_strand(s->model)))
        return gw_fail(GW_ERR_UNSUPPORTED, "--strand is for models of numbers that read one strand; this one does not");
    if (o->sites && gw_score_is_asked(o->scores, "embedding"))
        return gw_fail(GW_ERR_UNSUPPORTED, "the score 'embedding' is of windows around variants, not of start sites");
    if (o->sites && o->indel_null > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "--indel-null is for models that score anywhere, not at the start sites of "
                                           "--sites");
    if (o->sites) GW_TRY(gw_read_sites(&s->sites, s->genome, o->sites));
    const gw_allele_scorer_options options = {.window = o->window,
                                              .batch_tokens = o->batch_tokens,
                                              .sites = o->sites ? &s->sites : NULL,
                                              .reverse = o->strand == '-',
                                              .phases = o->phases,
                                              .gradient = o->approximate != NULL,
                                              .memory = o->plain || o->approximate ? 0 : o->memory * 1000000,
                                              .splice = splices ? &splice : NULL,
                                              .share = o->share,
                                              .divergence = gw_score_is_asked(o->scores, "jsd"),
                                              .states = gw_score_is_asked(o->scores, "embedding"),
                                              .progress = show_windows,
                                              .context = s};
    return gw_allele_scorer_new(s->model, s->genome, &options, &s->scorer);
}

static gw_background_model background_model(const gw_score_run *s) {
    return (gw_background_model){s->model_md5, gw_allele_scorer_window(s->scorer), &s->model->config};
}

// What GW_LLR says of harm is that ALT is less likely; a difference of labels has no such side.
static gw_status choose_tail(const gw_score_run *s, gw_tail *tail) {
    const gw_score_options *o = s->options;
    const bool pretrained = s->model->config.labels == 0, lower = o->tail && strcmp(o->tail, "lower") == 0;
    *tail = lower || (!o->tail && pretrained) ? GW_TAIL_LOWER : GW_TAIL_TWO;
    if (lower && !pretrained)
        return gw_fail(GW_ERR_UNSUPPORTED, "--tail lower is for pretrained models: differences of labels are rare by "
                                           "their size");
    if (*tail == GW_TAIL_LOWER && s->background && !gw_background_has_lower(s->background))
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s has no counts of the lower tail: make it anew by godwit background, or "
                       "give --tail two",
                       o->background);
    return GW_OK;
}

static gw_status read_annotation(gw_score_run *s) {
    const gw_score_options *o = s->options;
    if (!o->consequence) return GW_OK;
    if (!o->genes) return gw_fail(GW_ERR_UNSUPPORTED, "--consequence needs --genes, whose transcripts it tells of");
    if (o->vep)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "--consequence writes a list of entries, which the key of --vep cannot hold");
    GW_TRY(gw_annotation_read(o->genes, s->genome, &s->annotation));
    return gw_consequences_new(&s->annotation, s->genome, &s->consequences);
}

static gw_status make_keys(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const gw_background_model model = background_model(s);
    gw_tail tail;
    if (s->model->config.labels == 0 && o->top > 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "--top is for fine-tuned models; this one is pretrained and has no profiles");
    const bool splices = gw_model_labels_bases(s->model);
    if (o->genes && !splices) GW_TRY(gw_genes_read(o->genes, s->genome, &s->genes));
    GW_TRY(read_annotation(s));
    if (o->background) GW_TRY(gw_background_read(o->background, &model, &s->background));
    GW_TRY(choose_tail(s, &tail));
    if (s->background && gw_background_alleles(s->background) < GW_BACKGROUND_LEAST)
        gw_warn("%s has %lld alleles, fewer than %d: e-values, z and percentiles are missing", o->background,
                (long long)gw_background_alleles(s->background), GW_BACKGROUND_LEAST);
    if (o->collect) GW_TRY(gw_background_new(&model, o->collect));
    if (o->by) GW_TRY(gw_background_by_context(*o->collect));
    if (o->outside) GW_TRY(gw_genes_read(o->outside, s->genome, &s->outside));
    const gw_score_key_options options = {.tag = o->tag,
                                          .raw = o->raw,
                                          .sites = o->sites ? &s->sites : NULL,
                                          .genome = s->genome,
                                          .genes = o->genes && !splices ? &s->genes : NULL,
                                          .consequences = s->consequences,
                                          .splice = splices ? &s->gene_models : NULL,
                                          .splice_values = gw_allele_scorer_values(s->scorer),
                                          .digits = (int)o->digits,
                                          .entries = gw_splice_key(s->model),
                                          .describes = splices && !gw_model_splices(s->model),
                                          .scores = o->scores,
                                          .background = s->background,
                                          .tail = tail,
                                          .top = o->top,
                                          .spread = o->phases > 1,
                                          .shifts = o->shifts,
                                          .nulls = o->indel_null > 0,
                                          .haplotypes = o->haplotypes ? &s->haplotypes : NULL,
                                          .values = o->all_snvs,
                                          .vep = o->vep};
    return gw_score_keys_new(&s->model->config, &options, &s->keys);
}

// Scores of other models depend, in their last bits, on what else is in a batch.
static gw_status open_known(gw_score_run *s) {
    const gw_score_options *o = s->options;
    if (!o->known && !o->all_snvs) return GW_OK;
    if (!gw_model_labels_bases(s->model) || s->model->config.layers > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "--all-snvs and --known are for models of splicing, and of other labels of "
                                           "bases by convolutions alone");
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
    s->scanned = o->all_snvs || (strcmp(o->input, "-") != 0 && (stat(o->input, &info) != 0 || S_ISREG(info.st_mode)));
    if (!s->scanned && o->shards > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "shards need a file: the records of a stream cannot be counted beforehand");
    if (!s->scanned) return GW_OK;
    int64_t records = 0;
    GW_TRY(gw_used_contigs_scan(&s->used, o->input, s->genome, &s->filter, o->index != NULL, &records));
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
    gw_regions_free(&s->sites);
    gw_genes_free(&s->genes);
    gw_genes_free(&s->outside);
    gw_gene_models_free(&s->gene_models);
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
    GW_TRY_GOTO(status, choose_regions(&s), done);
    GW_TRY_GOTO(status, scan(&s), done);
    GW_TRY_GOTO(status, make_scorer(&s), done);
    GW_TRY_GOTO(status, gw_score_describe(&s), done);
    GW_TRY_GOTO(status, open_known(&s), done);
    GW_TRY_GOTO(status, make_keys(&s), done);
    GW_TRY_GOTO(status, gw_vcf_open(options->input, genome, &s.filter, &s.reader), done);
    if (options->haplotypes) GW_TRY_GOTO(status, gw_vcf_find_sample(s.reader, options->sample, &s.sample), done);
    gw_vcf_warn_of_header(s.reader);
    GW_TRY_GOTO(status, gw_score_tables_open(&s.tables, options->reasons, options->profiles, &model->config), done);
    GW_TRY_GOTO(status, gw_score_open_journal(&s), done);
    GW_TRY_GOTO(status, run_chunks(&s), done);
    status = finish(&s);
done:
    close_journal(&s, status);
    release(&s);
    return status;
}
