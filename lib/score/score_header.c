// SPDX-License-Identifier: MIT
// What the header of scored files says of how they were made, and the 32 digits of it that a journal must share.
#include "score/score_keys.h"
#include "score/score_run.h"

#include "file/md5.h"
#include "score/model_md5.h"
#include "store/card.h"
#include "store/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The table of genes is part of what scores depend on; the weights' licence goes with what they made.
static gw_status describe_splicing(const gw_score_run *s, gw_string *lines) {
    char genes[33], licence[GW_CARD_VALUE];
    if (s->options->genes) {
        GW_TRY(gw_md5_file(s->options->genes, genes));
        gw_string_printf(lines, "##godwit_scoreGenesMD5=%s\n", genes);
    }
    if (gw_score_is_anywhere(s->options)) gw_string_puts(lines, "##godwit_scoreAnywhere=1\n");
    char *folder; // of a model that may be named
    GW_TRY(gw_checkpoint_folder(s->options->model_folder, &folder));
    const gw_status status = gw_card_read_value(folder, "license", licence);
    free(folder);
    GW_TRY(status);
    gw_string_printf(lines, "##godwit_scoreDistance=%lld\n", (long long)s->options->distance);
    gw_string_printf(lines, "##godwit_scoreMask=%d\n", s->options->mask);
    if (licence[0]) gw_string_printf(lines, "##godwit_scoreModelLicence=%s\n", licence);
    return GW_OK;
}

static const char *strands_of(const gw_score_run *s) {
    if (gw_allele_scorer_values(s->scorer) > 0) return "gene";
    if (s->options->sites) return "site";
    if (!gw_profile_reads_one_strand(s->model)) return "both";
    return s->options->strand == '-' ? "reverse" : "forward";
}

// What scores depend on, as lines of the header.
gw_status gw_score_describe(gw_score_run *s) {
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
    gw_string_printf(lines, "##godwit_scoreStrands=%s\n", strands_of(s));
    gw_string_printf(lines, "##godwit_scoreAttention=%s\n", pattern);
    gw_string_printf(lines, "##godwit_scoreDtype=%s\n", s->model->precision == GW_BF16 ? "bf16" : "f32");
    if (gw_config_temperature(&s->model->config) != 1)
        gw_string_printf(lines, "##godwit_scoreTemperature=%.9g\n", gw_config_temperature(&s->model->config));
    if (s->options->phases > 1) gw_string_printf(lines, "##godwit_scorePhases=%lld\n", (long long)s->options->phases);
    if (s->options->share > 0)
        gw_string_printf(lines, "##godwit_scoreShareWindows=%lld\n", (long long)s->options->share);
    if (s->options->approximate) gw_string_printf(lines, "##godwit_scoreApproximate=%s\n", s->options->approximate);
    if (s->model->pad_to > 0) gw_string_printf(lines, "##godwit_scorePadTo=%lld\n", (long long)s->model->pad_to);
    free(pattern);
    if (gw_allele_scorer_values(s->scorer) > 0) GW_TRY(describe_splicing(s, lines));
    return gw_string_status(lines);
}

// The weights' checksum does not tell what is computed with them.
gw_status gw_score_settings(const gw_score_run *s, char line[GW_SCORE_SETTINGS]) {
    char hex[33];
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    gw_md5_add(md5, s->lines.data, s->lines.length);
    gw_md5_add(md5, s->model->config.stem.text, (int64_t)strlen(s->model->config.stem.text));
    gw_md5_finish_hex(md5, hex);
    snprintf(line, GW_SCORE_SETTINGS, "##godwit_scoreSettings=%s\n", hex);
    return GW_OK;
}

static void put_path(gw_string *lines, const char *key, const char *path) {
    gw_string_printf(lines, "##godwit_score%s=", key);
    gw_string_put_field(lines, path);
    gw_string_putc(lines, '\n');
}

// All lines of the header that say how the scores were made.
static gw_status provenance(const gw_score_run *s, gw_string *lines) {
    const gw_score_options *o = s->options;
    gw_string_printf(lines, "##godwit_scoreCommand=%s\n", o->command);
    gw_string_printf(lines, "##godwit_scoreTag=%s\n", o->tag);
    put_path(lines, "Model", o->model_folder);
    put_path(lines, "Reference", gw_genome_path(s->genome));
    if (o->genes) put_path(lines, "Genes", o->genes);
    if (o->background) put_path(lines, "Background", o->background);
    gw_string_append(lines, s->lines.data, s->lines.length);
    if (o->all_snvs) {
        char settings[GW_SCORE_SETTINGS];
        GW_TRY(gw_score_settings(s, settings));
        gw_string_puts(lines, settings);
    }
    return gw_string_status(lines);
}

// Those lines and the start sites as 32 digits.
static gw_status settings_key(const gw_score_run *s, char hex[33]) {
    const int64_t size = (int64_t)sizeof(gw_allele);
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    gw_md5_add(md5, s->lines.data, s->lines.length);
    gw_md5_add(md5, &size, sizeof size);
    for (int64_t i = 0; i < gw_allele_scorer_sites(s->scorer)->count; i++) {
        const gw_region *site = &gw_allele_scorer_sites(s->scorer)->items[i];
        gw_md5_add(md5, &site->contig, sizeof site->contig);
        gw_md5_add(md5, &site->begin, sizeof site->begin);
        gw_md5_add(md5, &site->strand, sizeof site->strand);
    }
    gw_md5_finish_hex(md5, hex);
    return GW_OK;
}

gw_status gw_score_open_journal(gw_score_run *s) {
    const char *output = s->options->collect ? NULL : s->options->output;
    struct stat info;
    if (!output || strcmp(output, "-") == 0 || (stat(output, &info) == 0 && !S_ISREG(info.st_mode))) return GW_OK;
    char key[33];
    GW_TRY(settings_key(s, key));
    const gw_score_journal_run run = {.key = key,
                                      .raw_values = gw_score_raw_values(s),
                                      .labels = s->model->config.labels,
                                      .sites = gw_allele_scorer_sites(s->scorer)->count};
    return gw_score_journal_open(output, &run, &s->journal);
}

gw_status gw_score_open_writer(gw_score_run *s) {
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
