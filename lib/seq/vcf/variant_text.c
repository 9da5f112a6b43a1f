// SPDX-License-Identifier: MIT
// Recognises the notation, then fills in REF and ALT from the genome. A list is split, its names are looked up in one
// pass through the file, and a line is written for each record.
#include "seq/vcf/variant_text.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/vcf/hgvs.h"
#include "seq/vcf/vcf.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4 };

// Cuts the last three fields off at their separators; false where there are fewer.
static bool split(char *text, char separator, char *fields[FIELDS]) {
    fields[0] = text;
    for (int i = FIELDS - 1; i > 0; i--) {
        char *at = strrchr(text, separator);
        if (!at) return false;
        *at = 0;
        fields[i] = at + 1;
    }
    return true;
}

static int count(const char *text, char c) {
    int found = 0;
    for (; *text; text++) found += *text == c;
    return found;
}

// The letter before the '.' of HGVS, which stands behind a colon or, without a name, at the beginning; NULL: there is
// none.
static const char *hgvs_of(const char *text) {
    if (text[0] && strchr("gmcnpr", text[0]) && text[1] == '.') return text;
    const char *colon = strchr(text, ':');
    while (colon && !(colon[1] && colon[2] == '.')) colon = strchr(colon + 1, ':');
    return colon ? colon + 1 : NULL;
}

// REF, position and ALT in one word: A2717506C.
static bool is_short(const char *word) {
    static const char bases[] = "ACGTNacgtn";
    const size_t ref = strspn(word, bases), digits = strspn(word + ref, "0123456789"),
                 alt = strspn(word + ref + digits, bases);
    return ref > 0 && digits > 0 && alt > 0 && !word[ref + digits + alt];
}

bool gw_variant_text_is_name(const char *text) {
    return !strchr(text, ':') && count(text, '-') < FIELDS - 1 && !hgvs_of(text) && !is_short(text);
}

static bool is_of_transcript(char kind) {
    return kind == 'c' || kind == 'n' || kind == 'p';
}

static bool names_transcript(const char *text) {
    const char *hgvs = hgvs_of(text);
    return hgvs && is_of_transcript(*hgvs);
}

bool gw_variant_text_is_of_protein(const char *text) {
    const char *hgvs = hgvs_of(text);
    return hgvs && *hgvs == 'p';
}

static gw_status check_allele(const char *name, const char *allele) {
    if (*allele && !allele[strspn(allele, "ACGTNacgtn")]) return GW_OK;
    return gw_fail(GW_ERR_FORMAT,
                   "%s is '%s', expected bases: of an insertion or deletion with the base before it (CA and C), or as "
                   "HGVS (g.100del, g.100_101insA)",
                   name, allele);
}

// The alleles as they are written behind the contig and the position.
static gw_status take_fields(const char *contig, const char *at, const char *ref, const char *alt, gw_genome *genome,
                             gw_written_alleles *out) {
    int64_t position;
    GW_TRY(gw_hgvs_contig(genome, contig, &out->contig));
    gw_status status = gw_parse_int(at, 1, INT64_MAX / 2, &position);
    if (status != GW_OK) return gw_fail_in(status, "position");
    GW_TRY(check_allele("REF", ref));
    GW_TRY(check_allele("ALT", alt));
    out->position = position - 1;
    if (!(out->ref = gw_strdup(ref)) || !(out->alt = gw_strdup(alt))) return GW_ERR_MEMORY;
    gw_normalise_bases(out->ref, (int64_t)strlen(out->ref));
    gw_normalise_bases(out->alt, (int64_t)strlen(out->alt));
    return gw_written_ref_check(genome, out->contig, out->position, out->ref);
}

static gw_status add_one(gw_written_list *list, gw_written_alleles **out) {
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    *out = &list->items[list->count++];
    **out = (gw_written_alleles){0};
    return GW_OK;
}

// A copy of the text, which is cut up.
static gw_status read_copy(char *text, gw_genome *genome, const gw_gene_models *transcripts, gw_written_list *out) {
    char *fields[FIELDS];
    gw_written_alleles *only;
    const char *hgvs = hgvs_of(text);
    if (hgvs) {
        const char kind = *hgvs;
        text[hgvs > text ? hgvs - text - 1 : 0] = 0;
        if (is_of_transcript(kind)) return gw_hgvs_of_transcript(text, kind, hgvs + 2, genome, transcripts, out);
        if (kind == 'r') return gw_fail(GW_ERR_UNSUPPORTED, "a change of RNA (r.) is not read: give it as g.");
        if (kind != 'g' && kind != 'm')
            return gw_fail(GW_ERR_FORMAT, "'%c.' is not a kind of HGVS: expected g., c. or p.", kind);
        GW_TRY(add_one(out, &only));
        return gw_hgvs_of_genome(text, kind, hgvs + 2, genome, only);
    }
    GW_TRY(add_one(out, &only));
    char *colon = strrchr(text, ':'), *word = colon ? colon + 1 : text;
    if (is_short(word)) {
        if (colon) *colon = 0;
        const size_t ref = strcspn(word, "0123456789"), digits = strspn(word + ref, "0123456789");
        char *bases = gw_strndup(word, ref), *position = gw_strndup(word + ref, digits);
        gw_status status = bases && position ? GW_OK : GW_ERR_MEMORY;
        if (status == GW_OK)
            status = take_fields(colon ? text : "", position, bases, word + ref + digits, genome, only);
        free(bases);
        free(position);
        return status;
    }
    if (split(text, count(text, ':') >= FIELDS - 1 ? ':' : '-', fields))
        return take_fields(fields[0], fields[1], fields[2], fields[3], genome, only);
    return gw_fail(GW_ERR_FORMAT, "expected chr17:43045711:G:A, chr17-43045711-G-A, chr17:G43045711A or HGVS as "
                                  "chr17:g.43045711G>A, BRCA1:c.68-7T>A or rpoB:p.S531L");
}

gw_status gw_variant_text_read_all(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                                   gw_written_list *out) {
    const int64_t first = out->count;
    char *copy = gw_strdup(text);
    if (!copy) return GW_ERR_MEMORY;
    const gw_status status = read_copy(copy, genome, transcripts, out);
    free(copy);
    if (status != GW_OK || strcmp(out->items[first].ref, out->items[first].alt) != 0) return status;
    return gw_fail(GW_ERR_FORMAT, "REF and ALT are the same");
}

gw_status gw_variant_text_read(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                               gw_written_alleles *out) {
    gw_written_list list = {0};
    *out = (gw_written_alleles){0};
    gw_status status = gw_variant_text_read_all(text, genome, transcripts, &list);
    if (status == GW_OK && list.count > 1) {
        const gw_written_alleles *v = &list.items[0];
        status = gw_fail(
            GW_ERR_UNSUPPORTED, "%lld changes of its codon have this effect: give one of them, such as %s:%lld:%s:%s",
            (long long)list.count, gw_genome_name(genome, v->contig), (long long)v->position + 1, v->ref, v->alt);
    }
    if (status == GW_OK) {
        *out = list.items[0];
        list.items[0] = (gw_written_alleles){0};
    }
    gw_written_list_free(&list);
    return status;
}

typedef struct {
    char *text, *reason; // of the list; why it is not read, or NULL
    int64_t line;        // of the file; 0: of the list
    gw_string lines;     // of the VCF
} item;

typedef struct {
    item *items; // in the list's order
    int64_t count, capacity;
    item **names; // [name_count] those that are names, sorted
    int64_t name_count;
    gw_gene_models transcripts; // without first: no variant asks for any
} item_list;

// line: of the file that has the text; 0: none.
static gw_status split_list(item_list *list, const char *text, int64_t line) {
    static const char between[] = ", \t\r\n";
    for (const char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
        const size_t length = strcspn(at, between);
        GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
        item *added = &list->items[list->count];
        *added = (item){.text = gw_strndup(at, length), .line = line};
        if (!added->text) return GW_ERR_MEMORY;
        list->count++;
        at += length;
    }
    return GW_OK;
}

static gw_status split_line(void *context, const gw_line_reader *reader, char *line) {
    return line[0] == '#' ? GW_OK : split_list(context, line, gw_lines_number(reader));
}

// What is wrong with a variant is kept beside it; other failures end the reading.
static gw_status keep_reason(item *of, gw_status status) {
    if (status == GW_OK || status == GW_ERR_MEMORY || status == GW_ERR_INTERRUPTED || status == GW_ERR_IO)
        return status;
    if (!of->reason && !(of->reason = gw_strdup(gw_message()))) return GW_ERR_MEMORY;
    return GW_OK;
}

static int compare(const void *a, const void *b) {
    const item *const *x = a, *const *y = b;
    return strcmp((*x)->text, (*y)->text);
}

static void put_line(item *to, const char *contig, int64_t position, const char *ref) {
    gw_string_printf(&to->lines, "%s\t%lld\t", contig, (long long)position + 1);
    for (const char *c = to->text; *c; c++) gw_string_putc(&to->lines, *c == ';' ? ',' : *c);
    gw_string_printf(&to->lines, "\t%s\t", ref);
}

// The record of the file under a name of the list.
static gw_status take_record(item *of, const gw_vcf_reader *reader, const gw_vcf_record *record, gw_genome *genome) {
    if (record->genome_contig < 0)
        return keep_reason(of, gw_vcf_fail(reader, record, GW_ERR_MISMATCH, "it lies on '%s', which %s lacks",
                                           record->contig, gw_genome_path(genome)));
    const gw_status status = gw_written_ref_check(genome, record->genome_contig, record->position, record->ref);
    if (status != GW_OK) return keep_reason(of, gw_fail_in(status, "%s", gw_vcf_path(reader)));
    put_line(of, gw_genome_name(genome, record->genome_contig), record->position, record->ref);
    for (int i = 0; i < record->alts; i++) gw_string_printf(&of->lines, "%s%s", i > 0 ? "," : "", record->alt[i]);
    gw_string_printf(&of->lines, "%s\t.\t.\t.\n", record->alts > 0 ? "" : ".");
    return gw_string_status(&of->lines);
}

// The record's IDs, which are cut up in `ids`, among the names; one name may stand in the list twice.
static gw_status match_record(const item_list *list, const gw_vcf_reader *reader, const gw_vcf_record *record,
                              char *ids, gw_genome *genome) {
    for (char *id; (id = strsep(&ids, ";")) != NULL;) {
        const item sought = {.text = id}, *key = &sought;
        item **found = bsearch(&key, list->names, (size_t)list->name_count, sizeof *list->names, compare);
        if (!found) continue;
        while (found > list->names && strcmp(found[-1]->text, id) == 0) found--;
        for (; found < list->names + list->name_count && strcmp((*found)->text, id) == 0; found++)
            GW_TRY(take_record(*found, reader, record, genome));
    }
    return GW_OK;
}

static gw_status match_all(const item_list *list, gw_vcf_reader *reader, gw_vcf_record *record, gw_genome *genome) {
    for (bool more = true; more;) {
        GW_TRY(gw_vcf_next(reader, record, &more));
        if (!more || strcmp(record->id, ".") == 0) continue;
        char *ids = gw_strdup(record->id);
        if (!ids) return GW_ERR_MEMORY;
        const gw_status status = match_record(list, reader, record, ids, genome);
        free(ids);
        GW_TRY(status);
    }
    return GW_OK;
}

static gw_status read_all(item_list *list, const gw_variant_list_options *o, gw_genome *genome) {
    if (o->list) GW_TRY(split_list(list, o->list, 0));
    if (o->file) GW_TRY(gw_lines_each(o->file, split_line, list));
    if (list->count == 0)
        return gw_fail(GW_ERR_FORMAT, "%s%s", o->file ? o->file : "the list of variants",
                       o->file ? " holds no variant" : " is empty");
    if (!(list->names = gw_alloc(list->count, sizeof *list->names))) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < list->count; i++)
        if (gw_variant_text_is_name(list->items[i].text)) list->names[list->name_count++] = &list->items[i];
    qsort(list->names, (size_t)list->name_count, sizeof *list->names, compare);
    if (list->name_count > 0 && o->known) {
        gw_vcf_reader *reader;
        gw_vcf_record record = {0};
        GW_TRY(gw_vcf_open(o->known, genome, NULL, &reader));
        const gw_status status = match_all(list, reader, &record, genome);
        gw_vcf_record_free(&record);
        gw_vcf_close(reader);
        GW_TRY(status);
    }
    for (int64_t i = 0; i < list->name_count; i++) {
        item *name = list->names[i];
        if (name->lines.length > 0 || name->reason) continue;
        if (o->known) GW_TRY(keep_reason(name, gw_fail(GW_ERR_MISMATCH, "%s has no variant of this name", o->known)));
        else
            GW_TRY(keep_reason(
                name,
                gw_fail(
                    GW_ERR_UNSUPPORTED,
                    "it is only a name, which needs a file of known variants; without such a file write the variant "
                    "as chr17:43045711:G:A or chr17:g.43045711G>A")));
    }
    bool asked = false;
    for (int64_t i = 0; i < list->count; i++) asked = asked || names_transcript(list->items[i].text);
    if (asked && o->genes) GW_TRY(gw_transcripts_read(o->genes, genome, &list->transcripts));
    const gw_gene_models *transcripts = list->transcripts.first ? &list->transcripts : NULL;
    for (int64_t i = 0; i < list->count; i++) {
        item *of = &list->items[i];
        gw_written_list found = {0};
        if (gw_variant_text_is_name(of->text)) continue;
        gw_status status = gw_variant_text_read_all(of->text, genome, transcripts, &found);
        for (int64_t k = 0; status == GW_OK && k < found.count; k++) {
            const gw_written_alleles *v = &found.items[k];
            put_line(of, gw_genome_name(genome, v->contig), v->position, v->ref);
            gw_string_printf(&of->lines, "%s\t.\t.\t%s%s\n", v->alt, v->codons[0] ? "CODON=" : ".", v->codons);
        }
        gw_written_list_free(&found);
        GW_TRY(status == GW_OK ? gw_string_status(&of->lines) : keep_reason(of, status));
    }
    return GW_OK;
}

// Takes over the text and the reason of each that could not be read.
static gw_status take_unread(item_list *list, gw_unread_variants *unread) {
    for (int64_t i = 0; i < list->count; i++) {
        item *of = &list->items[i];
        unread->read += !of->reason;
        if (!of->reason) continue;
        GW_TRY(gw_reserve(&unread->items, &unread->capacity, unread->count + 1, sizeof *unread->items));
        unread->items[unread->count++] = (gw_unread_variant){of->text, of->reason, of->line};
        of->text = of->reason = NULL;
    }
    if (unread->read > 0) return GW_OK;
    const gw_unread_variant *first = &unread->items[0];
    if (unread->count == 1) return gw_fail(GW_ERR_FORMAT, "variant '%s': %s", first->text, first->reason);
    return gw_fail(GW_ERR_FORMAT, "none of %lld variants can be read", (long long)unread->count);
}

gw_status gw_variant_list_write(const gw_variant_list_options *options, gw_genome *genome, gw_string *out,
                                gw_unread_variants *unread) {
    item_list items = {0};
    gw_status status = read_all(&items, options, genome);
    if (status == GW_OK) {
        bool codons = false;
        for (int64_t i = 0; i < items.count; i++)
            codons = codons || (!items.items[i].reason && gw_variant_text_is_of_protein(items.items[i].text));
        gw_string_puts(out, "##fileformat=VCFv4.2\n");
        if (codons)
            gw_string_puts(out, "##INFO=<ID=CODON,Number=1,Type=String,Description=\"Codon of the transcript, and the "
                                "one in its place\">\n");
        gw_string_puts(out, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n");
        for (int64_t i = 0; i < items.count; i++)
            if (!items.items[i].reason) gw_string_puts(out, items.items[i].lines.data);
        status = gw_string_status(out);
    }
    if (status == GW_OK) status = take_unread(&items, unread);
    for (int64_t i = 0; i < items.count; i++) {
        gw_string_free(&items.items[i].lines);
        free(items.items[i].text);
        free(items.items[i].reason);
    }
    free(items.items);
    free(items.names);
    gw_gene_models_free(&items.transcripts);
    return status;
}

void gw_unread_variants_free(gw_unread_variants *unread) {
    for (int64_t i = 0; i < unread->count; i++) {
        free(unread->items[i].text);
        free(unread->items[i].reason);
    }
    free(unread->items);
    *unread = (gw_unread_variants){0};
}

void gw_vcf_path_of_text(const char *text, gw_string *out) {
    gw_string_puts(out, GW_VCF_TEXT);
    for (const char *c = text; *c; c++) {
        if (*c == '%') gw_string_puts(out, "%25");
        else gw_string_putc(out, *c);
    }
}
