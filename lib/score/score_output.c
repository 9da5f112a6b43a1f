// SPDX-License-Identifier: MIT
// Header lines of scored files, the journal and the writer, the used contigs, and the tables beside the file.
#include "score/score_output.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "file/digest.h"
#include "model/family.h"
#include "network/base_network.h"
#include "score/score_keys.h"
#include "score/score_run.h"
#include "score/track_scorer.h"
#include "seq/vcf/vcf.h"
#include "store/checkpoint.h"
#include "store/installed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct gw_weights_md5 {
    pthread_t thread;
    const char *folder;
    atomic_bool stopped;
    bool joined;
    gw_status status;
    char hex[33];
};

// MD5 of the files of weights as they are, so that md5sum says the same; of their begin, if it is stopped.
static gw_status read_weights(const char *folder, const atomic_bool *stopped, char hex[33]) {
    enum { PIECE = 1 << 22 };
    gw_checkpoint *stored;
    gw_md5 *md5;
    GW_TRY(gw_checkpoint_open(folder, &stored));
    const gw_status status = gw_md5_start(&md5);
    if (status == GW_OK) {
        const char *bytes;
        int64_t size;
        for (int64_t i = 0; gw_checkpoint_bytes(stored, i, (const void **)&bytes, &size); i++)
            for (int64_t at = 0; at < size && !(stopped && atomic_load(stopped)); at += PIECE)
                gw_md5_add(md5, bytes + at, gw_min(PIECE, size - at));
        gw_md5_finish_hex(md5, hex);
    }
    gw_checkpoint_close(stored);
    return status;
}

gw_status gw_model_md5(const char *folder, char hex[33]) {
    return read_weights(folder, NULL, hex);
}

static void *read_in_thread(void *context) {
    gw_weights_md5 *md5 = context;
    md5->status = read_weights(md5->folder, &md5->stopped, md5->hex);
    return NULL;
}

gw_weights_md5 *gw_weights_md5_begin(const char *folder) {
    gw_weights_md5 *md5 = gw_alloc(1, sizeof *md5);
    if (!md5) return NULL;
    md5->folder = folder;
    if (pthread_create(&md5->thread, NULL, read_in_thread, md5) == 0) return md5;
    free(md5);
    return NULL;
}

static void join(gw_weights_md5 *md5) {
    if (!md5->joined) pthread_join(md5->thread, NULL);
    md5->joined = true;
}

void gw_weights_md5_end(gw_weights_md5 *md5) {
    if (!md5) return;
    atomic_store(&md5->stopped, true);
    join(md5);
    free(md5);
}

// The thread's message of a failure is lost: the files are then read again.
static gw_status find_weights_md5(const gw_score_options *o, char hex[33]) {
    if (o->weights_md5) join(o->weights_md5);
    if (!o->weights_md5 || o->weights_md5->status != GW_OK) return gw_model_md5(o->model_folder, hex);
    memcpy(hex, o->weights_md5->hex, sizeof o->weights_md5->hex);
    return GW_OK;
}

// Of models of tracks: a checksum of the names of those that are computed, and one of the control tracks' files.
static gw_status describe_tracks(gw_score_run *s) {
    const gw_config *config = &s->model->config;
    const gw_string_list *controls = &s->options->controls;
    char file[33];
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    gw_md5_add(md5, &config->labels, sizeof config->labels);
    for (int64_t i = 0; config->label_names && i < config->labels; i++)
        gw_md5_add(md5, config->label_names[i], (int64_t)strlen(config->label_names[i]) + 1);
    gw_md5_finish_hex(md5, s->tracks_md5);
    if (s->options->around > 0)
        gw_string_printf(&s->lines, "##godwit_scoreAround=%lld\n", (long long)s->options->around);
    gw_string_printf(&s->lines, "##godwit_scoreTracks=%s\n", s->tracks_md5);
    if (s->options->genes && !gw_family_of(config->family)->tracks(config).profiles) { // whose start sites have values
        const int64_t around = s->options->around_tss;
        GW_TRY(gw_md5_file(s->options->genes, file));
        gw_string_printf(&s->lines,
                         "##godwit_scoreGenesMD5=%s\n##godwit_scoreAroundTSS=%lld\n##godwit_scoreTSSTracks=%lld\n",
                         file, (long long)(around > 0 ? around : GW_AROUND_TSS),
                         (long long)gw_track_scorer_listed(gw_allele_scorer_tracks(s->scorer)));
    }
    if (controls->count == 0) return GW_OK;
    GW_TRY(gw_md5_start(&md5));
    gw_status status = GW_OK;
    for (int k = 0; status == GW_OK && k < controls->count; k++) {
        status = gw_md5_file(controls->items[k], file);
        if (status == GW_OK) gw_md5_add(md5, file, sizeof file);
    }
    gw_md5_finish_hex(md5, s->controls_md5);
    gw_string_printf(&s->lines, "##godwit_scoreControls=%s\n", s->controls_md5);
    return status;
}

// What scores depend on. Of splicing the table of genes is part of it, and the weights' licence goes with what they
// made.
gw_status gw_score_describe(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const double temperature = gw_config_temperature(&s->model->config);
    const bool splices = gw_model_labels_bases(s->model), signals = gw_model_reads_signals(s->model);
    const char *strands = gw_config_has_tracks(&s->model->config)  ? "forward"
                          : signals                                ? "signal"
                          : splices                                ? "gene"
                          : o->sites                               ? "site"
                          : !gw_profile_reads_one_strand(s->model) ? "both"
                          : o->strand == '-'                       ? "reverse"
                                                                   : "forward";
    gw_string *lines = &s->lines;
    char genome_md5[33];
    GW_TRY(find_weights_md5(o, s->model_md5));
    GW_TRY(gw_genome_md5(s->genome, genome_md5));
    char *pattern = gw_model_attention(s->model);
    if (!pattern) return GW_ERR_MEMORY;
    gw_string_printf(lines, "##godwit_scoreVersion=%s\n", o->version);
    gw_string_printf(lines, "##godwit_scoreModelMD5=%s\n", s->model_md5);
    gw_string_printf(lines, "##godwit_scoreReferenceMD5=%s\n", genome_md5);
    gw_string_printf(lines, "##godwit_scoreWindow=%lld\n", (long long)gw_allele_scorer_window(s->scorer));
    gw_string_printf(lines, "##godwit_scoreStrands=%s\n", strands);
    gw_string_printf(lines, "##godwit_scoreAttention=%s\n", pattern);
    free(pattern);
    gw_string_printf(lines, "##godwit_scoreDtype=%s\n", s->model->precision == GW_BF16 ? "bf16" : "f32");
    if (temperature != 1) gw_string_printf(lines, "##godwit_scoreTemperature=%.9g\n", temperature);
    if (o->phases > 1) gw_string_printf(lines, "##godwit_scorePhases=%lld\n", (long long)o->phases);
    if (o->share > 0) gw_string_printf(lines, "##godwit_scoreShareWindows=%lld\n", (long long)o->share);
    if (o->approximate) gw_string_printf(lines, "##godwit_scoreApproximate=%s\n", o->approximate);
    if (s->model->pad_to > 0) gw_string_printf(lines, "##godwit_scorePadTo=%lld\n", (long long)s->model->pad_to);
    const bool tracks = gw_config_has_tracks(&s->model->config);
    if (tracks) GW_TRY(describe_tracks(s));
    if (!splices && !signals && !tracks) return gw_string_status(lines);
    char genes[33], licence[GW_CARD_VALUE];
    char *folder; // of a model that may be named
    GW_TRY(gw_checkpoint_folder(o->model_folder, &folder));
    const gw_status status = gw_card_read_value(folder, "license", licence);
    free(folder);
    GW_TRY(status);
    if (splices && o->genes) {
        GW_TRY(gw_md5_file(o->genes, genes));
        gw_string_printf(lines, "##godwit_scoreGenesMD5=%s\n", genes);
    }
    if (splices && gw_score_is_anywhere(o)) gw_string_puts(lines, "##godwit_scoreAnywhere=1\n");
    if (splices) gw_string_printf(lines, "##godwit_scoreDistance=%lld\n", (long long)o->distance);
    if (splices) gw_string_printf(lines, "##godwit_scoreMask=%d\n", o->mask);
    if (licence[0]) gw_string_printf(lines, "##godwit_scoreModelLicence=%s\n", licence); // last, as tables have it
    return gw_string_status(lines);
}

// The weights' checksum does not tell what is computed with them.
gw_status gw_score_settle(gw_score_run *s) {
    char hex[33];
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    gw_md5_add(md5, s->lines.data, s->lines.length);
    gw_md5_add(md5, s->model->config.stem.text, (int64_t)strlen(s->model->config.stem.text));
    gw_md5_finish_hex(md5, hex);
    snprintf(s->settings, sizeof s->settings, "##godwit_scoreSettings=%s\n", hex);
    return GW_OK;
}

bool gw_score_writes_variants(const gw_score_options *o) {
    return !o->collect && (o->output || !o->table);
}

// The journal's key is of those lines, of the start sites and of the table of known scores.
gw_status gw_score_open_journal(gw_score_run *s) {
    const gw_score_options *o = s->options;
    const char *output = o->collect ? NULL : o->output ? o->output : o->table;
    const gw_regions *sites = gw_allele_scorer_sites(s->scorer);
    const int64_t size = (int64_t)sizeof(gw_allele);
    struct stat info;
    if (!output || strcmp(output, "-") == 0 || (stat(output, &info) == 0 && !S_ISREG(info.st_mode))) return GW_OK;
    char key[33];
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    gw_md5_add(md5, s->lines.data, s->lines.length);
    gw_md5_add(md5, &size, sizeof size);
    for (int i = 0; i < 2; i++) {
        const char *known = i == 0 ? s->options->known : s->options->known_columns;
        if (known) gw_md5_add(md5, known, (int64_t)strlen(known) + 1);
    }
    for (int64_t i = 0; i < sites->count; i++) {
        gw_md5_add(md5, &sites->items[i].contig, sizeof sites->items[i].contig);
        gw_md5_add(md5, &sites->items[i].begin, sizeof sites->items[i].begin);
        gw_md5_add(md5, &sites->items[i].strand, sizeof sites->items[i].strand);
    }
    gw_md5_finish_hex(md5, key);
    const gw_score_journal_run run = {
        .key = key, .raw_values = s->raw_values, .labels = s->model->config.labels, .sites = sites->count};
    return gw_score_journal_open(output, &run, &s->journal);
}

// ---- contigs

gw_status gw_used_contigs_add(gw_used_contigs *used, const gw_vcf_record *record) {
    if (used->count > 0 && strcmp(used->names[used->last], record->contig) == 0) return GW_OK;
    for (int64_t i = 0; i < used->count; i++) {
        if (strcmp(used->names[i], record->contig) != 0) continue;
        used->last = i;
        return GW_OK;
    }
    GW_TRY(gw_reserve(&used->names, &used->capacity, used->count + 1, sizeof *used->names));
    GW_TRY(gw_reserve(&used->genome_contigs, &used->genome_capacity, used->count + 1, sizeof *used->genome_contigs));
    used->names[used->count] = gw_strdup(record->contig);
    if (!used->names[used->count]) return GW_ERR_MEMORY;
    used->genome_contigs[used->count] = record->genome_contig;
    used->last = used->count++;
    return GW_OK;
}

void gw_used_contigs_free(gw_used_contigs *used) {
    for (int64_t i = 0; i < used->count; i++) free(used->names[i]);
    free(used->names);
    free(used->genome_contigs);
    *used = (gw_used_contigs){0};
}

gw_status gw_used_contigs_scan(gw_used_contigs *used, const char *path, gw_genome *genome, const gw_vcf_filter *filter,
                               bool to_be_indexed, int64_t *records) {
    gw_vcf_reader *reader;
    gw_vcf_order order = {0};
    gw_vcf_record record = {0};
    gw_preparing("reading %s for its contigs and the number of its records", path);
    GW_TRY(gw_vcf_open(path, genome, filter, &reader));
    gw_status status = GW_OK;
    for (bool got = true; got && status == GW_OK;) {
        status = gw_vcf_next(reader, &record, &got);
        if (status != GW_OK || !got) break;
        status = gw_used_contigs_add(used, &record);
        if (status == GW_OK && to_be_indexed) status = gw_vcf_order_check(&order, reader, &record);
        ++*records;
    }
    gw_vcf_order_free(&order);
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
    return status;
}

// Names that a ##contig line can hold (VCF 4.3, 1.4.7).
static bool can_be_declared(const char *name) {
    static const char first[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&+./:;?@^_|~-";
    return name[0] && strchr(first, name[0]) && !name[strcspn(name, " \t,<>[](){}\"'`\\")];
}

static void append_line(gw_string *lines, const char *prefix, const char *name, int64_t length) {
    gw_string_printf(lines, "##contig=<ID=%s%s", prefix, name);
    if (length >= 0) gw_string_printf(lines, ",length=%lld", (long long)length);
    gw_string_puts(lines, ">\n");
}

static bool is_known(const gw_used_contigs *used, const gw_vcf_reader *reader, const gw_genome *genome, int contig) {
    for (int64_t i = 0; i < used->count; i++)
        if (used->genome_contigs[i] == contig) return true;
    for (int i = 0; i < gw_vcf_declared_contigs(reader); i++) {
        const char *name = gw_vcf_declared_contig(reader, i);
        if (name && gw_genome_find(genome, name, gw_vcf_declared_length(reader, i)) == contig) return true;
    }
    return false;
}

// How the file's names differ from the genome's: +1 they have "chr" in front, -1 they lack it, 0 neither.
static int prefix_difference(const gw_used_contigs *used, const gw_genome *genome) {
    for (int64_t i = 0; i < used->count; i++) {
        if (used->genome_contigs[i] < 0) continue;
        const char *file = used->names[i], *own = gw_genome_name(genome, used->genome_contigs[i]);
        if (gw_has_prefix(file, "chr") && strcmp(file + 3, own) == 0) return 1;
        if (gw_has_prefix(own, "chr") && strcmp(own + 3, file) == 0) return -1;
    }
    return 0;
}

// Appends a ##contig line for each used contig that the header does not declare, under the file's own name and with
// the genome's length. Where `used` may be incomplete (a stream) and one was missing, every contig of the genome that
// is neither declared nor used is added too, with or without "chr" as the used ones have it.
static gw_status missing_contigs(const gw_used_contigs *used, bool complete, const gw_vcf_reader *reader,
                                 const gw_genome *genome, gw_string *lines) {
    bool missing = false;
    for (int64_t i = 0; i < used->count; i++) {
        if (gw_vcf_declares_contig(reader, used->names[i]) || !can_be_declared(used->names[i])) continue;
        const int contig = used->genome_contigs[i];
        append_line(lines, "", used->names[i], contig < 0 ? -1 : gw_genome_length(genome, contig));
        missing = true;
    }
    if (complete || !missing) return gw_string_status(lines);
    const int difference = prefix_difference(used, genome);
    for (int i = 0; i < gw_genome_contigs(genome); i++) {
        if (is_known(used, reader, genome, i) || !can_be_declared(gw_genome_name(genome, i))) continue;
        const char *name = gw_genome_name(genome, i);
        const bool strip = difference < 0 && gw_has_prefix(name, "chr");
        append_line(lines, difference > 0 ? "chr" : "", strip ? name + 3 : name, gw_genome_length(genome, i));
    }
    return gw_string_status(lines);
}

static void put_path(gw_string *lines, const char *key, const char *path) {
    gw_string_printf(lines, "##godwit_score%s=", key);
    gw_string_put_field(lines, path);
    gw_string_putc(lines, '\n');
}

// How the scores were made: the command, the files, and what the scores depend on.
static void put_origin(const gw_score_run *s, gw_string *lines) {
    const gw_score_options *o = s->options;
    gw_string_printf(lines, "##godwit_scoreCommand=%s\n", o->command);
    gw_string_printf(lines, "##godwit_scoreTag=%s\n", o->tag);
    put_path(lines, "Model", o->model_folder);
    put_path(lines, "Reference", gw_genome_path(s->genome));
    if (o->genes) put_path(lines, "Genes", o->genes);
    if (o->motifs) put_path(lines, "Motifs", o->motifs);
    if (s->background) put_path(lines, "Background", s->background_path);
    gw_string_append(lines, s->lines.data, s->lines.length);
}

gw_status gw_score_open_table(gw_score_run *s) {
    gw_string origin = {0};
    gw_columns columns = {0};
    gw_score_keys_columns(s->keys, &columns);
    put_origin(s, &origin);
    columns.made = origin.data;
    if (origin.failed) columns.failed = true;
    const gw_status status = gw_table_writer_open(s->options->table, &columns, "", &s->table);
    gw_string_free(&origin);
    return status;
}

// The header says of which contigs the records are, and how the scores were made.
gw_status gw_score_open_writer(gw_score_run *s) {
    const gw_score_options *o = s->options;
    gw_vcf_output output = {.format = o->format, .index = o->index, .overwrite = o->overwrite};
    gw_string lines = {0};
    gw_status status = missing_contigs(&s->used, s->scanned, s->reader, s->genome, &lines);
    put_origin(s, &lines);
    if (o->all_snvs && gw_allele_scorer_values(s->scorer) > 0) gw_string_puts(&lines, s->settings);
    if (status == GW_OK) status = gw_string_status(&lines);
    output.keys = gw_score_keys_list(s->keys, &output.key_count);
    output.lines = lines.data;
    if (status == GW_OK) status = gw_vcf_create(o->output, s->reader, &output, &s->writer);
    gw_string_free(&lines);
    return status;
}

// ---- tables

static gw_status write_names(const char *path, const gw_config *config) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    gw_string text = {0};
    gw_string_puts(&text, "index\tprofile\n");
    for (int64_t i = 0; i < config->labels; i++) {
        gw_string_printf(&text, "%lld\t", (long long)i);
        gw_string_put_field(&text, config->label_names ? config->label_names[i] : ".");
        gw_string_putc(&text, '\n');
    }
    gw_status status = gw_string_status(&text);
    if (status == GW_OK) status = gw_writer_write(out, text.data, text.length);
    gw_string_free(&text);
    return gw_writers_close(status, out, NULL);
}

gw_status gw_score_tables_open(gw_score_tables *tables, const gw_score_options *options, const gw_config *config,
                               const gw_unread_variants *unread) {
    *tables = (gw_score_tables){0};
    if (options->reasons) {
        GW_TRY(gw_writer_open(options->reasons, &tables->reasons));
        GW_TRY(gw_writer_printf(tables->reasons, "contig\tposition\tid\tref\talt\treason\n"));
        for (int64_t i = 0; i < unread->count; i++)
            GW_TRY(gw_writer_printf(tables->reasons, ".\t.\t%s\t.\t.\tUNREAD: %s\n", unread->items[i].text,
                                    unread->items[i].reason));
    }
    const char *path = options->profiles;
    if (!path) return GW_OK;
    const int length = (int)strlen(path), stem = length > 4 && gw_has_suffix(path, ".npy") ? length - 4 : length;
    tables->rows_path = gw_strprintf("%.*s.rows.tsv", stem, path);
    tables->names_path = gw_strprintf("%.*s.profiles.tsv", stem, path);
    if (!tables->rows_path || !tables->names_path) return GW_ERR_MEMORY;
    GW_TRY(gw_npy_open(&tables->profiles, path, 2, config->labels));
    GW_TRY(write_names(tables->names_path, config));
    GW_TRY(gw_writer_open(tables->rows_path, &tables->rows));
    return gw_writer_printf(tables->rows, "row\tcontig\tposition\tid\tref\talt\tstatus\n");
}

static gw_status write_allele(gw_text_writer *out, const gw_vcf_record *record, int alt, gw_allele_status status) {
    return gw_writer_printf(out, "%s\t%lld\t%s\t%s\t%s\t%s\n", record->contig, (long long)record->position + 1,
                            record->id, record->ref, alt < 0 ? "." : record->alt[alt], gw_allele_status_name(status));
}

gw_status gw_score_tables_add(gw_score_tables *tables, const gw_vcf_record *record, int alt, gw_allele_status status,
                              const float *raw) {
    if (tables->reasons && !gw_allele_is_scored(status) && status != GW_ALLELE_KNOWN)
        GW_TRY(write_allele(tables->reasons, record, alt, status));
    if (!tables->rows || alt < 0) return GW_OK;
    GW_TRY(gw_writer_printf(tables->rows, "%lld\t", (long long)tables->alleles++));
    GW_TRY(write_allele(tables->rows, record, alt, status));
    return gw_npy_add(&tables->profiles, raw);
}

static void release(gw_score_tables *tables) {
    free(tables->rows_path);
    free(tables->names_path);
    *tables = (gw_score_tables){0};
}

gw_status gw_score_tables_close(gw_score_tables *tables) {
    gw_status status = GW_OK;
    if (tables->reasons) status = gw_writer_close(tables->reasons);
    tables->reasons = NULL;
    if (status == GW_OK && tables->rows) {
        status = gw_writer_close(tables->rows);
        tables->rows = NULL;
        if (status == GW_OK) status = gw_npy_close(&tables->profiles);
    }
    if (status != GW_OK) gw_score_tables_abandon(tables);
    else release(tables);
    return status;
}

void gw_score_tables_abandon(gw_score_tables *tables) {
    gw_writer_abandon(tables->reasons);
    gw_writer_abandon(tables->rows);
    gw_npy_abandon(&tables->profiles);
    release(tables);
}
