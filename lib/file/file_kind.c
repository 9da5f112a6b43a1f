// SPDX-License-Identifier: MIT
// A row of the table for each kind: how its first line is recognised, what it is called, and what reads it.
#include "file/file_kind.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

static bool is_fasta(const char *line) {
    return *line == '>';
}

static bool is_fastq(const char *line) {
    return *line == '@' && isgraph((unsigned char)line[1]) && !strpbrk(line, "\t,");
}

static bool is_vcf(const char *line) {
    return begins(line, "##fileformat=VCF");
}

static bool is_gff(const char *line) {
    return begins(line, "##gff-version");
}

// Behind digits and a tab, or NULL.
static const char *skip_number(const char *field, bool last) {
    const size_t digits = strspn(field, "0123456789");
    const char end = field[digits];
    return digits > 0 && (end == '\t' || (last && !end)) ? field + digits + (end == '\t') : NULL;
}

static bool is_bed(const char *line) {
    const char *begin = strchr(line, '\t'), *end = begin ? skip_number(begin + 1, false) : NULL;
    return end && skip_number(end, true);
}

static bool is_squad(const char *line) {
    return *line == '{' && strstr(line, "\"data\"") && strstr(line, "\"paragraphs\"");
}

// A bracket alone, or a list.
static bool is_document(const char *line) {
    return *line == '[' || (*line == '{' && !line[1 + strspn(line + 1, " ")]);
}

static bool is_object(const char *line) {
    return *line == '{';
}

static bool is_text(const char *line) {
    enum { WORDS_OF_A_FIELD = 2 };
    int64_t words = 0, commas = 0;
    for (const char *c = line; *c; c++) {
        if (*c == '\t') return false;
        commas += *c == ',';
        words += *c != ' ' && (c == line || c[-1] == ' ');
    }
    return words > 1 && (commas == 0 || words >= WORDS_OF_A_FIELD * (commas + 1));
}

static const struct {
    bool (*is)(const char *line);
    const char *name, *advice;
} kinds[] = {
    [GW_KIND_FASTA] = {is_fasta, "FASTA",
                       "sequences are read by finetune and eval -d POSITIVES.fa --negatives-fasta NEGATIVES.fa, "
                       "predict -f SEQUENCES.fa and embed SEQUENCES.fa"},
    [GW_KIND_FASTQ] = {is_fastq, "FASTQ", "sequences are read as FASTA: by predict -f, embed and finetune"},
    [GW_KIND_VCF] = {is_vcf, "VCF", "variants are read by score"},
    [GW_KIND_GFF] = {is_gff, "GFF3", "genes are read by tss, and by --genes of score and predict"},
    [GW_KIND_BED] = {is_bed, "BED", "regions are read by predict -R; promoters and profiles make sets of them"},
    [GW_KIND_DOCUMENT] = {is_document, "a document of JSON", "JSON is read as an object a line"},
    [GW_KIND_SQUAD] = {is_squad, "SQuAD's JSON",
                       "finetune --task qa reads it, and so do predict and eval of a model that answers questions; "
                       "eval --predictions rates answers to it"},
    [GW_KIND_OBJECT] = {is_object, "JSON", "tables of texts are read from it"},
    [GW_KIND_TEXT] = {is_text, "plain text",
                      "where texts are read, --headless --text 1 takes each line of a file *.tsv as one"},
};

gw_file_kind gw_file_kind_of(const char *line) {
    // SQuAD's object comes before an object.
    for (size_t k = GW_KIND_FASTA; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].is(line)) return (gw_file_kind)k;
    return GW_KIND_TABLE;
}

gw_status gw_file_kind_refuse(gw_file_kind kind, const char *path, const char *wanted) {
    return gw_fail(GW_ERR_FORMAT, "%s looks like %s, expected %s; %s", path, kinds[kind].name, wanted,
                   kinds[kind].advice);
}
