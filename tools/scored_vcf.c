// SPDX-License-Identifier: MIT
// Scores in a scored file, from lines of the header's text and entries of INFO; and labels of keys in pictures.
//
// Reference of the lines: Jaganathan et al. 2019, SpliceAI.
#include "tools/scored_vcf.h"

#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The line that declares the key, NULL: there is none.
static const char *find_declaration(const gw_vcf_reader *reader, const char *key) {
    static const char begin[] = "##INFO=<ID=";
    const size_t length = strlen(key), skipped = sizeof begin - 1;
    for (const char *at = gw_vcf_header(reader); (at = strstr(at, begin)) != NULL; at += skipped)
        if (strncmp(at + skipped, key, length) == 0 && at[skipped + length] == ',') return at;
    return NULL;
}

bool gw_scored_has(const gw_vcf_reader *reader, const char *key) {
    return find_declaration(reader, key) != NULL;
}

// The first of these with the tag before it that is declared.
static gw_status find_tagged(const gw_vcf_reader *reader, const char *tag, int length, char **key) {
    static const char *const names[] = {"DIFF", "LLR", "SPLICE", "POLYA", "DELTA", "LFC"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !*key; i++) {
        char *tried = gw_strprintf("%.*s_%s", length, tag, names[i]);
        if (!tried) return GW_ERR_MEMORY;
        if (gw_scored_has(reader, tried)) *key = tried;
        else free(tried);
    }
    return GW_OK;
}

gw_status gw_scored_key(const gw_vcf_reader *reader, char **key) {
    static const char begin[] = "##godwit_scoreTag=";
    *key = NULL;
    GW_TRY(find_tagged(reader, "GW", 2, key));
    for (const char *at = gw_vcf_header(reader); !*key && (at = strstr(at, begin)) != NULL;) {
        at += sizeof begin - 1;
        GW_TRY(find_tagged(reader, at, (int)strcspn(at, "\r\n"), key));
    }
    return GW_OK;
}

void gw_scored_describe(const gw_vcf_reader *reader, const char *key, gw_string *out) {
    static const char begin[] = "Description=\"";
    const char *line = find_declaration(reader, key), *text = line ? strstr(line, begin) : NULL;
    if (!text || text > line + strcspn(line, "\n")) return;
    text += sizeof begin - 1;
    gw_string_append(out, text, (int64_t)strcspn(text, "\"\n"));
}

// DIFF is described otherwise where it is of numbers, and the file has it then.
bool gw_scored_of_numbers(const gw_vcf_reader *reader, const char *key) {
    const char *underscore = strrchr(key, '_');
    char *diff = gw_strprintf("%.*sDIFF", underscore ? (int)(underscore + 1 - key) : 0, key);
    gw_string description = {0};
    if (diff) gw_scored_describe(reader, diff, &description);
    const bool numbers = description.data && strncmp(description.data, "Number of ALT", 13) == 0;
    gw_string_free(&description);
    free(diff);
    return numbers;
}

enum { ENTRY_FIELDS = 10, DELTAS = 4 }; // ALLELE|SYMBOL|DS_AG|DS_AL|DS_DG|DS_DL|DP_AG|DP_AL|DP_DG|DP_DL

bool gw_scored_splicing(const gw_vcf_reader *reader, const gw_vcf_record *record, int alt, gw_string *text,
                        gw_scored_splice *out) {
    static const char *const what[DELTAS] = {"acceptor gain", "acceptor loss", "donor gain", "donor loss"};
    const char *key = gw_scored_has(reader, "OpenSpliceAI") ? "OpenSpliceAI" : "SpliceAI";
    double best = 0, score;
    bool found = false;
    if (!gw_scored_has(reader, key) || !gw_vcf_info(reader, record, key, text) || !text->data) return false;
    for (char *entry = text->data, *next; entry; entry = next) {
        char *fields[ENTRY_FIELDS];
        if ((next = strchr(entry, ','))) *next++ = 0;
        if (gw_split(entry, '|', fields, ENTRY_FIELDS) != ENTRY_FIELDS || strcmp(fields[0], record->alt[alt]) != 0)
            continue;
        for (int d = 0; d < DELTAS; d++) {
            if (gw_parse_double(fields[2 + d], -1, 1, &score) != GW_OK || (found && score <= best)) continue;
            if (gw_parse_int(fields[2 + DELTAS + d], INT32_MIN, INT32_MAX, &out->at) != GW_OK) continue;
            snprintf(out->gene, sizeof out->gene, "%s", fields[1]);
            out->what = what[d];
            best = score;
            found = true;
        }
    }
    return found;
}

// Appends a term that is not there yet.
static void add_term(gw_string *out, const char *term) {
    const size_t length = strlen(term);
    for (const char *at = out->length > 0 ? out->data : NULL; at; at = gw_next_item(at, '&'))
        if (strncmp(at, term, length) == 0 && (at[length] == '&' || !at[length])) return;
    if (out->length > 0) gw_string_putc(out, '&');
    gw_string_puts(out, term);
}

void gw_scored_consequences(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, int alt,
                            gw_string *text, gw_string *out) {
    enum { TERMS, CHANGE = 6, FIELDS };
    const char *underscore = strrchr(key, '_');
    char *own = gw_strprintf("%.*s_BCSQ", underscore ? (int)(underscore - key) : 0, key);
    const bool has_own = own && gw_scored_has(reader, own);
    const bool found = (has_own || gw_scored_has(reader, "BCSQ")) &&
                       gw_vcf_info(reader, record, has_own ? own : "BCSQ", text) && text->data;
    for (char *entry = found ? text->data : NULL, *next; entry; entry = next) {
        char *fields[FIELDS] = {NULL}, *term, *rest;
        if ((next = strchr(entry, ','))) *next++ = 0;
        const int count = gw_split(entry, '|', fields, FIELDS);
        const char *to = count > CHANGE ? strrchr(fields[CHANGE], '>') : NULL; // as in 1234A>T
        if (record->alts > 1 && to && strcmp(to + 1, record->alt[alt]) != 0) continue;
        for (term = fields[TERMS]; term; term = rest) {
            if ((rest = strchr(term, '&'))) *rest++ = 0;
            if (*term && strcmp(term, ".") != 0) add_term(out, term);
        }
    }
    free(own);
}

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return at ? (int)(at - digits) : -1;
}

char *gw_scored_names(const char *text) {
    gw_string out = {0};
    gw_string_puts(&out, "");
    for (; *text; text++) {
        const int high = *text == '%' ? hex_digit(text[1]) : -1, low = high >= 0 ? hex_digit(text[2]) : -1;
        if (low >= 0) gw_string_putc(&out, (char)(high * 16 + low)), text += 2;
        else if (*text == '&') gw_string_puts(&out, ", ");
        else gw_string_putc(&out, *text);
    }
    if (!out.failed) return out.data;
    gw_string_free(&out);
    return NULL;
}

// ---- pictures

const gw_picture_line gw_splice_lines[GW_SPLICE_LINES] = {
    {0.2, "0.2 high recall"}, {0.5, "0.5 recommended"}, {0.8, "0.8 high precision"}};

static const char *name_of(const char *key) {
    const char *underscore = strrchr(key, '_');
    return underscore ? underscore + 1 : key;
}

bool gw_score_is_splicing(const char *key) {
    return strcmp(name_of(key), "SPLICE") == 0;
}

gw_score_axis gw_score_axis_of(const char *key, bool numbers) {
    static const struct {
        const char *name;
        bool numbers;
        gw_score_axis axis;
    } known[] = {
        {"DIFF", true, {"predicted number, ALT - REF", "higher with ALT", "lower with ALT"}},
        {"LOGIT", true, {"predicted number, ALT - REF, in standard deviations", "higher with ALT", "lower with ALT"}},
        {"LLR", false, {"log-likelihood ratio, bits", "ALT is more likely than REF", "ALT is less likely than REF"}},
        {"DIFF", false, {"p(ALT) - p(REF)", "p is higher with ALT", "p is lower with ALT"}},
        {"LOGIT", false, {"difference of logits", "p is higher with ALT", "p is lower with ALT"}},
        {"LOG2FC", false, {"log2 of p(ALT) / p(REF)", "p is higher with ALT", "p is lower with ALT"}},
        {"POLYA", false, {"log odds of cleavage, ALT - REF", "RNA is cut more often with ALT", "less often with ALT"}},
        {"LFC", false, {"log2 of predicted signal, ALT / REF", "more signal with ALT", "less signal with ALT"}},
        {"SPLICE", false, {"largest delta score of splicing", NULL, NULL}},
        {"DELTA", false, {"largest gain or loss of a class of bases", NULL, NULL}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name_of(key)) == 0 && (numbers || !known[i].numbers)) return known[i].axis;
    return (gw_score_axis){NULL, "above 0", "below 0"};
}

void gw_score_axis_label(gw_string *out, const char *key, bool numbers) {
    const gw_score_axis axis = gw_score_axis_of(key, numbers);
    gw_string_puts(out, key);
    if (axis.measure) gw_string_printf(out, " (%s)", axis.measure);
}
