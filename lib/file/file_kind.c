// SPDX-License-Identifier: MIT
// Recognises each kind by its first line; names the kind and the command that reads it.
#include "file/file_kind.h"

#include "base/string.h"

#include <ctype.h>

// Behind digits and a tab, or NULL.
static const char *skip_number(const char *field, bool last) {
    const size_t digits = strspn(field, "0123456789");
    const char end = field[digits];
    return digits > 0 && (end == '\t' || (last && !end)) ? field + digits + (end == '\t') : NULL;
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
    const char *name, *advice;
} kinds[] = {
    [GW_KIND_FASTA] = {"FASTA",
                       "sequences are read by finetune and eval -d POSITIVES.fa --negatives-fasta NEGATIVES.fa, "
                       "predict -f SEQUENCES.fa and embed SEQUENCES.fa"},
    [GW_KIND_FASTQ] = {"FASTQ", "sequences are read as FASTA: by predict -f, embed and finetune"},
    [GW_KIND_VCF] = {"VCF", "variants are read by score"},
    [GW_KIND_GFF] = {"GFF3", "genes are read by tss, and by --genes of score and predict"},
    [GW_KIND_BED] = {"BED", "regions are read by predict -R; promoters and profiles make sets of them"},
    [GW_KIND_DOCUMENT] = {"a document of JSON", "JSON is read as an object a line"},
    [GW_KIND_SQUAD] = {"SQuAD's JSON",
                       "finetune --task qa reads it, and so do predict and eval of a model that answers questions; "
                       "eval --predictions rates answers to it"},
    [GW_KIND_OBJECT] = {"JSON", "tables of texts are read from it"},
    [GW_KIND_TEXT] = {"plain text", "where texts are read, --headless --text 1 takes each line of a file *.tsv as one"},
};

gw_file_kind gw_file_kind_of(const char *line) {
    if (*line == '>') return GW_KIND_FASTA;
    if (*line == '@' && isgraph((unsigned char)line[1]) && !strpbrk(line, "\t,")) return GW_KIND_FASTQ;
    if (gw_has_prefix(line, "##fileformat=VCF")) return GW_KIND_VCF;
    if (gw_has_prefix(line, "##gff-version")) return GW_KIND_GFF;
    const char *begin = strchr(line, '\t'), *end = begin ? skip_number(begin + 1, false) : NULL;
    if (end && skip_number(end, true)) return GW_KIND_BED;
    // A bracket alone, or a list.
    if (*line == '[' || (*line == '{' && !line[1 + strspn(line + 1, " ")])) return GW_KIND_DOCUMENT;
    if (*line == '{' && strstr(line, "\"data\"") && strstr(line, "\"paragraphs\"")) return GW_KIND_SQUAD;
    if (*line == '{') return GW_KIND_OBJECT;
    return is_text(line) ? GW_KIND_TEXT : GW_KIND_TABLE;
}

gw_status gw_file_kind_refuse(gw_file_kind kind, const char *path, const char *wanted) {
    return gw_fail(GW_ERR_FORMAT, "%s looks like %s, expected %s; %s", path, kinds[kind].name, wanted,
                   kinds[kind].advice);
}
