// SPDX-License-Identifier: MIT
// Splits the list, finds what its names stand for in one pass through the file, and writes a line for each record.
#include "seq/vcf/variant_list.h"

#include "base/memory.h"
#include "seq/vcf/variant_text.h"
#include "seq/vcf/vcf.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text;      // of the list
    gw_string lines; // of the VCF
} item;

typedef struct {
    item *items; // in the list's order
    int64_t count, capacity;
    item **names; // [name_count] those that are names, sorted
    int64_t name_count;
    gw_gene_models transcripts; // without first: no variant asks for any
} item_list;

static void release(item_list *list) {
    for (int64_t i = 0; i < list->count; i++) {
        gw_string_free(&list->items[i].lines);
        free(list->items[i].text);
    }
    free(list->items);
    free(list->names);
    gw_gene_models_free(&list->transcripts);
}

static gw_status add_item(item_list *list, const char *text, size_t length) {
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    item *added = &list->items[list->count];
    *added = (item){.text = gw_strndup(text, length)};
    if (!added->text) return GW_ERR_MEMORY;
    list->count++;
    return GW_OK;
}

static gw_status split(item_list *list, const char *text) {
    static const char between[] = ", \t\r\n";
    for (const char *at = text + strspn(text, between); *at;) {
        const size_t length = strcspn(at, between);
        GW_TRY(add_item(list, at, length));
        at += length;
        at += strspn(at, between);
    }
    return list->count > 0 ? GW_OK : gw_fail(GW_ERR_FORMAT, "the list of variants is empty");
}

static int compare(const void *a, const void *b) {
    const item *const *x = a, *const *y = b;
    return strcmp((*x)->text, (*y)->text);
}

static gw_status gather_names(item_list *list) {
    if (!(list->names = gw_alloc(list->count, sizeof *list->names))) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < list->count; i++)
        if (gw_variant_text_is_name(list->items[i].text)) list->names[list->name_count++] = &list->items[i];
    qsort(list->names, (size_t)list->name_count, sizeof *list->names, compare);
    return GW_OK;
}

static void put_line(item *to, const char *contig, int64_t position, const char *ref) {
    gw_string_printf(&to->lines, "%s\t%lld\t", contig, (long long)position + 1);
    for (const char *c = to->text; *c; c++) gw_string_putc(&to->lines, *c == ';' ? ',' : *c);
    gw_string_printf(&to->lines, "\t%s\t", ref);
}

static gw_status read_transcripts(item_list *list, const char *genes, gw_genome *genome) {
    bool asked = false;
    for (int64_t i = 0; i < list->count; i++) asked = asked || gw_variant_text_is_of_transcript(list->items[i].text);
    return asked && genes ? gw_transcripts_read(genes, genome, &list->transcripts) : GW_OK;
}

static gw_status read_text(item *of, gw_genome *genome, const gw_gene_models *transcripts) {
    gw_written_alleles v;
    const gw_status status = gw_variant_text_read(of->text, genome, transcripts->first ? transcripts : NULL, &v);
    if (status == GW_OK) {
        put_line(of, gw_genome_name(genome, v.contig), v.position, v.ref);
        gw_string_printf(&of->lines, "%s\t.\t.\t.\n", v.alt);
    }
    gw_written_alleles_free(&v);
    return status == GW_OK ? gw_string_status(&of->lines) : gw_fail_in(status, "variant '%s'", of->text);
}

// The record of the file under a name of the list.
static gw_status take_record(item *of, const gw_vcf_reader *reader, const gw_vcf_record *record, gw_genome *genome) {
    if (record->genome_contig < 0)
        return gw_vcf_fail(reader, record, GW_ERR_MISMATCH, "%s lies on '%s', which %s lacks", of->text, record->contig,
                           gw_genome_path(genome));
    const gw_status status = gw_written_ref_check(genome, record->genome_contig, record->position, record->ref);
    if (status != GW_OK) return gw_fail_in(status, "%s: %s", gw_vcf_path(reader), of->text);
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

static gw_status find_names(item_list *list, const char *known, gw_genome *genome) {
    gw_vcf_reader *reader;
    gw_vcf_record record = {0};
    GW_TRY(gw_vcf_open(known, genome, NULL, &reader));
    const gw_status status = match_all(list, reader, &record, genome);
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
    return status;
}

static gw_status check_found(const item *name, const char *known) {
    if (name->lines.length > 0) return GW_OK;
    if (known) return gw_fail(GW_ERR_MISMATCH, "%s has no variant '%s'", known, name->text);
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "variant '%s' is a name alone, which a file of known variants must explain; without one it is to be "
                   "written as chr17:43045711:G:A or chr17:g.43045711G>A",
                   name->text);
}

static gw_status read_all(item_list *list, const char *text, const char *known, const char *genes, gw_genome *genome) {
    GW_TRY(split(list, text));
    GW_TRY(gather_names(list));
    if (list->name_count > 0 && known) GW_TRY(find_names(list, known, genome));
    for (int64_t i = 0; i < list->name_count; i++) GW_TRY(check_found(list->names[i], known));
    GW_TRY(read_transcripts(list, genes, genome));
    for (int64_t i = 0; i < list->count; i++)
        if (!gw_variant_text_is_name(list->items[i].text))
            GW_TRY(read_text(&list->items[i], genome, &list->transcripts));
    return GW_OK;
}

gw_status gw_variant_list_write(const char *list, const char *known, const char *genes, gw_genome *genome,
                                gw_string *out) {
    item_list items = {0};
    const gw_status status = read_all(&items, list, known, genes, genome);
    gw_string_puts(out, "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n");
    for (int64_t i = 0; status == GW_OK && i < items.count; i++) gw_string_puts(out, items.items[i].lines.data);
    release(&items);
    return status == GW_OK ? gw_string_status(out) : status;
}

void gw_vcf_path_of_text(const char *text, gw_string *out) {
    gw_string_puts(out, GW_VCF_TEXT);
    for (const char *c = text; *c; c++) {
        if (*c == '%') gw_string_puts(out, "%25");
        else gw_string_putc(out, *c);
    }
}
