// SPDX-License-Identifier: MIT
// Notes the contigs that records use, and writes lines for those that the header lacks.
#include "score/score_run.h"

#include "base/log.h"
#include "base/memory.h"
#include "seq/vcf/vcf_order.h"

#include <stdlib.h>
#include <string.h>

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
        if (strncmp(file, "chr", 3) == 0 && strcmp(file + 3, own) == 0) return 1;
        if (strncmp(own, "chr", 3) == 0 && strcmp(own + 3, file) == 0) return -1;
    }
    return 0;
}

gw_status gw_missing_contigs(const gw_used_contigs *used, bool complete, const gw_vcf_reader *reader,
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
        const bool strip = difference < 0 && strncmp(name, "chr", 3) == 0;
        append_line(lines, difference > 0 ? "chr" : "", strip ? name + 3 : name, gw_genome_length(genome, i));
    }
    return gw_string_status(lines);
}
