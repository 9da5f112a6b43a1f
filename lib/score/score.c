// SPDX-License-Identifier: MIT
// A `score` run: settles input and options, reads records in chunks, scores the alleles of a chunk, writes its records
// in order, and ends. A chunk is limited in alleles and bytes, for files of any size.
#include "score/score.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "network/base_network.h"
#include "score/places.h"
#include "score/score_keys.h"
#include "score/score_run.h"
#include "seq/genome/assemblies.h"
#include "seq/genome/regions.h"
#include "seq/vcf/variant_text.h"
#include "seq/vcf/vcf.h"
#include "store/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK_ALLELES = 256, CHUNK_BYTES = 64 << 20 };
// Of so many alleles, or all of a file, a tenth that the reference contradicts is warned of. More than a quarter of so
// few at least are a file of another assembly, which ends the run.
enum { ENOUGH_COMPARED = 1000, FEWEST_COMPARED = 20 };

// ---- what is read, and what is asked of it

// The variants of lists as the path of a file, or the file. Variants that cannot be read are named with their reasons,
// up to a number; the table of reasons has all.
static gw_status find_input(gw_score_run *s) {
    enum { SHOWN = 20 };
    const gw_score_options *o = s->options;
    const gw_variant_list_options written = {o->variants, o->variants_file, o->ids, o->genes};
    const gw_unread_variants *unread = &s->unread;
    if (!o->variants && !o->variants_file) {
        gw_string_puts(&s->input, o->input ? o->input : "-");
        return gw_string_status(&s->input);
    }
    gw_string text = {0};
    gw_status status = gw_variant_list_write(&written, s->genome, &text, &s->unread);
    if (status == GW_OK) gw_vcf_path_of_text(text.data, &s->input);
    gw_string_free(&text);
    const int64_t all = unread->count + unread->read;
    for (int64_t i = 0; i < unread->count && i < SHOWN && all > 1; i++) {
        const gw_unread_variant *v = &unread->items[i];
        if (v->line > 0) gw_warn("%s:%lld: variant '%s': %s", o->variants_file, (long long)v->line, v->text, v->reason);
        else gw_warn("variant '%s': %s", v->text, v->reason);
    }
    if (unread->count > 0 && unread->read > 0 && !o->strict)
        gw_warn("%lld of %lld variants are not scored: they cannot be read%s", (long long)unread->count, (long long)all,
                unread->count > SHOWN && !o->reasons ? " (--reasons FILE lists them all)" : "");
    if (status == GW_OK && o->strict && unread->count > 0)
        return gw_fail(GW_ERR_FORMAT, "%lld of %lld variants cannot be read, and with --strict none is scored",
                       (long long)unread->count, (long long)all);
    return status == GW_OK ? gw_string_status(&s->input) : status;
}

static gw_status read_regions(gw_regions *out, gw_genome *genome, const char *text, const char *path) {
    if (text) GW_TRY(gw_regions_parse(out, genome, text));
    if (path) GW_TRY(gw_regions_read_bed(out, genome, path));
    gw_regions_merge(out);
    return GW_OK;
}

// Regions and targets of a file, or of all changes the regions that both leave.
static gw_status choose_regions(gw_score_run *s) {
    const gw_score_options *o = s->options;
    if (o->all_snvs) {
        const gw_region_choice choice = {o->regions, o->regions_file, o->targets, o->targets_file};
        GW_TRY(gw_regions_choose(&s->regions, s->genome, &choice));
        gw_regions_merge(&s->regions);
        s->filter.changes = &s->regions;
        return GW_OK;
    }
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

// A file is read once beforehand: what is wrong with it shows before hours of work, and its contigs are known when the
// header is written. A stream cannot be.
static gw_status scan(gw_score_run *s) {
    const gw_score_options *o = s->options;
    struct stat info;
    s->end = INT64_MAX;
    s->scanned =
        o->all_snvs || (strcmp(s->input.data, "-") != 0 && (stat(s->input.data, &info) != 0 || S_ISREG(info.st_mode)));
    if (!s->scanned && o->shards > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "shards need a file: the records of a stream cannot be counted in advance");
    if (!s->scanned) return GW_OK;
    int64_t records = 0;
    GW_TRY(gw_used_contigs_scan(&s->used, s->input.data, s->genome, &s->filter, o->index != NULL, &records));
    s->first = o->shards > 0 ? records * (o->shard - 1) / o->shards : 0;
    s->end = o->shards > 0 ? records * o->shard / o->shards : records;
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

// The background that is asked for, else the model's own, which is left out where it is of other windows or options.
static gw_status open_background(gw_score_run *s, const gw_background_model *model) {
    const char *asked = s->options->background;
    char *folder = NULL;
    if (!asked) GW_TRY(gw_checkpoint_folder(s->options->model_folder, &folder));
    s->background_path = asked ? gw_strdup(asked) : gw_join_path(folder, GW_BACKGROUND_FILE);
    free(folder);
    if (!s->background_path) return GW_ERR_MEMORY;
    if (!asked && !gw_file_exists(s->background_path)) return GW_OK;
    const gw_status status = gw_background_read(s->background_path, model, &s->background);
    if (status == GW_ERR_MISMATCH && !asked) {
        gw_note("the model's background is left out: %s", gw_message());
        return GW_OK;
    }
    GW_TRY(status);
    const gw_activity *activity = gw_background_activity(s->background);
    const int64_t alleles = gw_background_alleles(s->background);
    if (alleles < GW_BACKGROUND_LEAST && (alleles > 0 || !activity))
        gw_warn("%s has %lld alleles, fewer than %d: e-values, z and percentiles are missing", s->background_path,
                (long long)alleles, GW_BACKGROUND_LEAST);
    if (activity && activity->places < GW_ACTIVITY_LEAST)
        gw_warn("%s has %lld places, fewer than %d: quantiles are missing", s->background_path,
                (long long)activity->places, GW_ACTIVITY_LEAST);
    return GW_OK;
}

static gw_status predict_places(gw_score_run *s) {
    gw_activity activity;
    const gw_status status =
        gw_predict_places(gw_allele_scorer_tracks(s->scorer), s->genome, s->options->places, &activity);
    if (status == GW_OK) gw_background_take_activity(*s->options->collect, &activity);
    gw_activity_free(&activity);
    return status;
}

// The scorer, and what its scores are set beside: a file of known ones, genes, a background.
static gw_status prepare(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const bool bases = gw_model_labels_bases(s->model);
    GW_TRY(gw_allele_scorer_new(s->model, s->genome, o, &s->scorer));
    gw_allele_scorer_watch(s->scorer, show_windows, s);
    const int64_t labels = s->model->config.labels, splice = gw_allele_scorer_values(s->scorer);
    const bool profiles = o->profiles || o->top > 0 || ((o->collect || o->haplotypes) && labels > 0);
    s->raw_values = splice > 0 ? splice : profiles ? 2 * labels : 0;
    GW_TRY(gw_score_describe(s));
    GW_TRY(gw_score_settle(s));
    if (o->genes && !bases) GW_TRY(gw_genes_read(o->genes, s->genome, &s->genes));
    if (o->consequence) {
        GW_TRY(gw_annotation_read(o->genes, s->genome, &s->annotation));
        GW_TRY(gw_consequences_new(&s->annotation, s->genome, &s->consequences));
    }
    if (o->motifs) {
        GW_TRY(gw_motifs_read(o->motifs, &s->motifs));
        const double p_value = o->motif_p_value > 0 ? o->motif_p_value : 1e-4;
        GW_TRY(gw_motif_scanner_make(&s->motifs, p_value, s->motifs.one_strand, &s->motif_scanner));
    }
    const gw_background_model model = {.md5 = s->model_md5,
                                       .window = gw_allele_scorer_window(s->scorer),
                                       .config = &s->model->config,
                                       .distance = bases ? o->distance : 0,
                                       .mask = bases ? o->mask : 0,
                                       .single = bases || gw_model_reads_signals(s->model) ||
                                                 gw_config_has_tracks(&s->model->config),
                                       .name = o->name,
                                       .around = o->around,
                                       .tracks = s->tracks_md5,
                                       .controls = s->controls_md5};
    if (o->collect) GW_TRY(gw_background_new(&model, o->collect));
    else GW_TRY(open_background(s, &model));
    if (o->places) GW_TRY(predict_places(s));
    if (o->by) GW_TRY(gw_background_by_context(*o->collect));
    if (o->outside) GW_TRY(gw_genes_read(o->outside, s->genome, &s->outside));
    gw_score_keys_fields(s, &s->known_fields);
    if (o->known) GW_TRY(gw_score_known_open(s, &s->known_fields, &s->known));
    return gw_score_keys_new(s, &s->keys);
}

// ---- a chunk: its records, their scores, their way out

static gw_score_alleles_options allele_options(const gw_score_run *s) {
    return (gw_score_alleles_options){.genome = s->genome,
                                      .reader = s->reader,
                                      .window = gw_allele_scorer_span(s->scorer),
                                      .check_ref = s->options->check_ref ? s->options->check_ref : 'w'};
}

// The next record of the shard, outside genes where those are left out.
static gw_status read_record(gw_score_run *s, gw_vcf_record *record, bool *more) {
    for (bool left_out = true; left_out;) {
        *more = s->seen < s->end;
        if (*more) GW_TRY(gw_vcf_next(s->reader, record, more));
        if (!*more) return GW_OK;
        const int64_t end = record->position + (int64_t)strlen(record->ref);
        left_out = s->seen++ < s->first || (s->options->outside && gw_genes_at(&s->outside, record->genome_contig,
                                                                               record->position, end, NULL));
    }
    return GW_OK;
}

// Whether the chunk holds enough; neutral ones, and what haplotypes make, come on top.
static bool is_full(const gw_score_run *s, int64_t bytes) {
    const int64_t most = s->options->indel_null > 0 ? CHUNK_ALLELES / 16 : CHUNK_ALLELES;
    return s->alleles.count >= most || s->record_count >= CHUNK_ALLELES || bytes >= CHUNK_BYTES;
}

// Records with their ALTs, and what the text of each and the reference say of it. With haplotypes a chunk ends before a
// record that joins no group of it, which has to be read to be known: it takes the first place of the next.
static gw_status read_chunk(gw_score_run *s, bool *more) {
    const gw_score_alleles_options options = allele_options(s);
    int64_t bytes = 0;
    bool have = s->ahead > 0;
    if (have) {
        const gw_vcf_record first = s->records[0];
        s->records[0] = s->records[s->ahead];
        s->records[s->ahead] = first;
    }
    s->ahead = s->record_count = 0;
    gw_score_alleles_clear(&s->alleles);
    gw_haplotypes_clear(&s->haplotypes);
    *more = true;
    while (have || s->options->haplotypes || !is_full(s, bytes)) {
        const int64_t room = s->record_capacity, first = s->alleles.count;
        GW_TRY(gw_reserve(&s->records, &s->record_capacity, s->record_count + 1, sizeof *s->records));
        if (s->record_capacity > room)
            memset(s->records + room, 0, (size_t)(s->record_capacity - room) * sizeof *s->records);
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
        if (record->genome_contig < 0 && !s->unknown && !(s->unknown = gw_strdup(record->contig))) return GW_ERR_MEMORY;
        GW_TRY(gw_score_alleles_add(&s->alleles, &options, record));
        for (int64_t i = first; i < s->alleles.count; i++) {
            const gw_allele *allele = &s->alleles.items[i];
            const bool contradicted = allele->status == GW_ALLELE_REFMISMATCH;
            s->contradicted += contradicted;
            s->compared += contradicted || (allele->variant.ref && allele->status != GW_ALLELE_NOCONTIG);
        }
        if (s->options->haplotypes) GW_TRY(gw_score_add_carried(s, record, first));
    }
    return GW_OK;
}

// The alleles' scores, with those of their other forms, of neutral ones and of haplotypes: from the journal, where a
// run that was stopped had them, else from the scorer.
static gw_status score_chunk(gw_score_run *s) {
    const gw_score_alleles_options options = allele_options(s);
    gw_score_alleles *alleles = &s->alleles;
    const int64_t own = alleles->count;
    if (own == 0) return GW_OK;
    if (s->options->shifts) GW_TRY(gw_score_alleles_add_forms(alleles, &options, &s->moved, &s->movable));
    if (s->options->indel_null > 0) {
        const gw_indel_null_options nulls = {.genome = s->genome,
                                             .genes = s->options->genes ? &s->genes : NULL,
                                             .window = options.window,
                                             .count = s->options->indel_null};
        GW_TRY(gw_score_alleles_add_nulls(alleles, own, &nulls, &s->crowded));
    }
    if (s->options->haplotypes) GW_TRY(gw_score_add_joint(s));
    const int64_t count = alleles->count;
    if (s->raw_values > 0) GW_TRY(gw_reserve(&s->raw, &s->raw_capacity, count * s->raw_values, sizeof *s->raw));
    float *raw = s->raw_values > 0 ? s->raw : NULL;
    const uint64_t chunk = s->journal ? gw_score_alleles_hash(alleles) : 0;
    bool kept = false;
    if (s->known) GW_TRY(gw_score_known_find(s->known, alleles->items, count, raw));
    if (s->journal) GW_TRY(gw_score_journal_next(s->journal, chunk, alleles->items, count, raw, &kept));
    if (kept) s->resumed += s->record_count;
    else {
        GW_TRY(s->known ? gw_score_known_compute(s->known, alleles->items, count, raw)
                        : gw_allele_scorer_run(s->scorer, alleles->items, count, raw));
        gw_score_alleles_finish(alleles, raw, s->model->config.labels);
        if (s->journal) GW_TRY(gw_score_journal_add(s->journal, chunk, alleles->items, count, raw));
    }
    if (s->options->haplotypes) gw_score_finish_joint(s, raw);
    return GW_OK;
}

static gw_status write_record(gw_score_run *s, gw_vcf_record *record, int64_t first) {
    const gw_allele *alleles = s->alleles.items + first;
    const float *all_raw = s->raw_values > 0 ? s->raw + first * s->raw_values : NULL;
    for (int i = 0; i < record->alts && s->options->check_ref == 'x'; i++)
        if (alleles[i].status == GW_ALLELE_REFMISMATCH) {
            s->left_out++;
            return GW_OK;
        }
    for (int i = 0; i < record->alts; i++) {
        const float *raw = all_raw ? all_raw + i * s->raw_values : NULL;
        s->counts[alleles[i].status]++;
        if (s->options->collect && gw_allele_is_scored(alleles[i].status))
            gw_background_add(*s->options->collect, &alleles[i], raw);
        GW_TRY(gw_score_tables_add(&s->tables, record, i, alleles[i].status, raw));
        if (s->options->each) GW_TRY(s->options->each(s->options->context, record, &alleles[i], s->consequences));
    }
    if (s->table) GW_TRY(gw_score_keys_rows(s->keys, record, alleles, all_raw, s->table));
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

// Stops where so many REF are not the reference's that the file is of another assembly, unless it was said what is to
// be done with such alleles.
static gw_status check_assembly(const gw_score_run *s) {
    const char *vcf = gw_vcf_path(s->reader), *fasta = gw_genome_path(s->genome);
    if (s->options->check_ref || s->compared < FEWEST_COMPARED || 4 * s->contradicted <= s->compared) return GW_OK;
    const gw_assembly *from = gw_assembly_of_header(gw_vcf_header(s->reader)), *to = gw_assembly_of_genome(s->genome);
    gw_string text = {0};
    gw_string_printf(&text, "REF differs from %s in %lld of the first %lld alleles: %s is probably of another assembly",
                     fasta, (long long)s->contradicted, (long long)s->compared, vcf);
    if (from) gw_string_printf(&text, " (its header names %s)", gw_assembly_name(from));
    gw_string_puts(&text, ". This brings it over: ");
    gw_assembly_put_liftover(from, to, s->input.data, fasta, &text);
    gw_string_puts(&text, ". --check-ref w scores the other alleles all the same, and s those whose REF and ALT are "
                          "changed about");
    const gw_status status = text.failed ? GW_ERR_MEMORY : gw_fail(GW_ERR_MISMATCH, "%s", text.data);
    gw_string_free(&text);
    return status;
}

static gw_status run_chunks(gw_score_run *s) {
    const int64_t total = s->scanned ? s->end - s->first : 0;
    for (bool more = true; more;) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(read_chunk(s, &more));
        GW_TRY(check_assembly(s));
        if (!s->writer && gw_score_writes_variants(s->options)) GW_TRY(gw_score_open_writer(s));
        GW_TRY(score_chunk(s));
        for (int64_t i = 0, first = 0; i < s->record_count; first += s->records[i++].alts)
            GW_TRY(write_record(s, &s->records[i], first));
        s->done_records += s->record_count;
        const int64_t wrong = s->counts[GW_ALLELE_REFMISMATCH];
        if (!s->warned && 10 * wrong > s->compared && (!more || s->compared >= ENOUGH_COMPARED)) {
            s->warned = true;
            gw_warn("REF differs from the reference in %lld of %lld alleles: are %s and %s of the same genome build?",
                    (long long)wrong, (long long)s->compared, gw_vcf_path(s->reader), gw_genome_path(s->genome));
        }
        // Records that were scored before say nothing about the time that is left.
        if (s->done_records > s->resumed || !more) gw_progress("score", s->done_records, total, "records", NULL);
    }
    gw_progress_end();
    return GW_OK;
}

// ---- the end

// Closes what is written, and says what the run saw.
static gw_status finish(gw_score_run *s) {
    GW_TRY(gw_score_tables_close(&s->tables));
    gw_table_writer *table = s->table;
    s->table = NULL;
    if (table) GW_TRY(gw_table_writer_close(table));
    gw_vcf_writer *writer = s->writer;
    s->writer = NULL;
    if (writer) GW_TRY(gw_vcf_finish(writer));
    gw_vcf_warn_of_records(s->reader);
    if (s->resumed > 0)
        gw_note("%lld records had been scored by a run that was stopped (%s)", (long long)s->resumed,
                gw_score_journal_path(s->journal));
    if (s->known)
        gw_note("%lld alleles had been scored before (%s)", (long long)gw_score_known_taken(s->known),
                s->options->known);
    if (s->left_out > 0)
        gw_warn("%lld records whose REF differs from the reference were left out", (long long)s->left_out);
    if (s->crowded > 0)
        gw_note("%lld insertions and deletions have fewer than %lld places for neutral ones within %d kb",
                (long long)s->crowded, (long long)s->options->indel_null, GW_NULL_REACH / 1000);
    if (s->haplotypes.cut > 0)
        gw_warn("variants of one haplotype were too dense to be joined %lld times: each is scored, but together only "
                "with variants within %lld bases",
                (long long)s->haplotypes.cut, (long long)gw_score_longest_haplotype(s));
    if (s->options->shifts)
        gw_note(
            "%lld insertions and deletions could be written at several places; %lld of them are not at the leftmost "
            "place, where bcftools norm would write them",
            (long long)s->movable, (long long)s->moved);
    int64_t alleles = 0, scored = 0;
    for (int i = 0; i < GW_ALLELE_STATUSES; i++) {
        alleles += s->counts[i];
        if (gw_allele_is_scored((gw_allele_status)i)) scored += s->counts[i];
    }
    gw_string text = {0};
    gw_string_printf(&text, "%lld records: %lld alleles scored", (long long)s->done_records, (long long)scored);
    for (int i = GW_ALLELE_PASS + 1; i < GW_ALLELE_STATUSES; i++)
        if (s->counts[i] > 0)
            gw_string_printf(&text, ", %lld %s", (long long)s->counts[i], gw_allele_status_name((gw_allele_status)i));
    if (!text.failed) gw_note("%s", text.data);
    gw_string_free(&text);
    // Nothing else tells that a file was not scored because the names of its contigs are others, so it is said under -q
    // too.
    if (alleles > 0 && 2 * s->counts[GW_ALLELE_NOCONTIG] > alleles)
        gw_warn("%lld of %lld alleles lie on contigs that %s lacks (NOCONTIG), such as '%s'; it has '%s' and %d "
                "others: --chr-map gives names",
                (long long)s->counts[GW_ALLELE_NOCONTIG], (long long)alleles, gw_genome_path(s->genome), s->unknown,
                gw_genome_name(s->genome, 0), gw_genome_contigs(s->genome) - 1);
    return GW_OK;
}

static void release(gw_score_run *s) {
    gw_string_free(&s->input);
    gw_unread_variants_free(&s->unread);
    gw_string_free(&s->lines);
    gw_vcf_abandon(s->writer);
    gw_table_writer_abandon(s->table);
    gw_score_tables_abandon(&s->tables);
    gw_vcf_close(s->reader);
    gw_score_keys_free(s->keys);
    gw_background_free(s->background);
    free(s->background_path);
    gw_score_known_free(s->known);
    gw_allele_scorer_free(s->scorer);
    gw_used_contigs_free(&s->used);
    gw_regions_free(&s->regions);
    gw_regions_free(&s->targets);
    gw_genes_free(&s->genes);
    gw_genes_free(&s->outside);
    gw_consequences_free(s->consequences);
    gw_motif_scanner_free(s->motif_scanner);
    gw_motifs_free(&s->motifs);
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
    const bool places_alone = options->places && !options->input; // there are no alleles
    GW_TRY_GOTO(status, find_input(&s), done);
    GW_TRY_GOTO(status, choose_regions(&s), done);
    if (!places_alone) GW_TRY_GOTO(status, scan(&s), done);
    GW_TRY_GOTO(status, prepare(&s), done);
    if (places_alone) goto done;
    GW_TRY_GOTO(status, gw_vcf_open(s.input.data, genome, &s.filter, &s.reader), done);
    if (options->haplotypes) GW_TRY_GOTO(status, gw_vcf_find_sample(s.reader, options->sample, &s.sample), done);
    gw_vcf_warn_of_header(s.reader);
    GW_TRY_GOTO(status, gw_score_tables_open(&s.tables, options, &model->config, &s.unread), done);
    if (options->table) GW_TRY_GOTO(status, gw_score_open_table(&s), done);
    GW_TRY_GOTO(status, gw_score_open_journal(&s), done);
    GW_TRY_GOTO(status, run_chunks(&s), done);
    status = finish(&s);
done:
    if (status != GW_OK && s.journal && !gw_score_journal_is_empty(s.journal))
        gw_note("the scores so far are kept in %s; the same command%s continues from there",
                gw_score_journal_path(s.journal), gw_vcf_is_out_of_order(s.writer) ? " without --write-index" : "");
    gw_score_journal_close(s.journal, status == GW_OK);
    release(&s);
    return status;
}
