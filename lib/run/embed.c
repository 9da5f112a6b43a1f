// SPDX-License-Identifier: MIT
// Passes each sequence of regions, records or rows to the embedder, with its name.
#include "run/embed.h"

#include "base/memory.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/genome/fasta_stream.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; // bases read at a time

static gw_status embed_region(gw_embedder *embedder, gw_genome *genome, const gw_region *region, char *bases) {
    const int64_t length = region->end - region->begin;
    const char *contig = gw_genome_name(genome, region->contig);
    char *locus = gw_strprintf("%s:%lld-%lld", contig, (long long)region->begin + 1, (long long)region->end);
    if (!locus) return GW_ERR_MEMORY;
    const char *name = region->name && *region->name ? region->name : locus;
    const gw_embed_source source = {name, contig, region->begin, region->strand};
    gw_status status = gw_genome_fetch(genome, region->contig, region->begin, region->end, bases);
    if (status == GW_OK && region->strand == '-') {
        gw_reverse_complement(bases, length, bases + length);
        bases += length;
    }
    if (status == GW_OK) status = gw_embedder_add(embedder, &source, bases, length);
    free(locus);
    return status;
}

gw_status gw_embed_regions(gw_embedder *embedder, gw_genome *genome, const gw_regions *regions) {
    char *bases = NULL; // the region, then room for its reverse complement
    int64_t capacity = 0;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < regions->count; i++) {
        const gw_region *region = &regions->items[i];
        status = gw_reserve(&bases, &capacity, 2 * (region->end - region->begin) + 1, 1);
        if (status == GW_OK) status = embed_region(embedder, genome, region, bases);
    }
    free(bases);
    return status;
}

// The sequence that the reader has come to, whole.
static gw_status read_sequence(gw_fasta *fasta, gw_string *bases) {
    char piece[PIECE];
    gw_string_clear(bases);
    for (;;) {
        int64_t count;
        GW_TRY(gw_fasta_read(fasta, piece, sizeof piece, &count));
        if (count == 0) return gw_string_status(bases);
        gw_string_append(bases, piece, count);
    }
}

gw_status gw_embed_fasta(gw_embedder *embedder, const char *path) {
    gw_fasta *fasta;
    gw_string bases = {0};
    GW_TRY(gw_fasta_open(path, &fasta));
    gw_status status;
    for (;;) {
        const char *name;
        GW_TRY_GOTO(status, gw_fasta_next(fasta, &name), done);
        if (!name) break;
        const gw_embed_source source = {.name = name, .contig = name, .strand = '+'};
        GW_TRY_GOTO(status, read_sequence(fasta, &bases), done);
        GW_TRY_GOTO(status, gw_embedder_add(embedder, &source, bases.data, bases.length), done);
    }
done:
    gw_string_free(&bases);
    gw_fasta_close(fasta);
    return status;
}

typedef struct {
    char *name;
    gw_string text;
} text_record;

static gw_status embed_record(gw_embedder *embedder, const text_record *record) {
    if (!record->name) return GW_OK;
    const gw_embed_source source = {.name = record->name, .contig = record->name, .strand = '.'};
    GW_TRY(gw_string_status(&record->text));
    return gw_embedder_add(embedder, &source, record->text.length > 0 ? record->text.data : "", record->text.length);
}

static gw_status take_line(gw_embedder *embedder, const gw_line_reader *lines, text_record *record, const char *line,
                           int64_t length) {
    if (*line == '>') {
        const size_t named = strcspn(line + 1, " \t");
        GW_TRY(embed_record(embedder, record));
        if (named == 0) return gw_lines_fail(lines, GW_ERR_FORMAT, "expected a name after '>'");
        gw_string_clear(&record->text);
        free(record->name);
        record->name = gw_strndup(line + 1, named);
        return record->name ? GW_OK : GW_ERR_MEMORY;
    }
    if (!record->name && length > 0)
        return gw_lines_fail(
            lines, GW_ERR_FORMAT,
            "expected a header ('>'), found '%c'; a text in each line is read by -d %s --headless --text 1", *line,
            gw_lines_path(lines));
    if (record->text.length > 0) gw_string_putc(&record->text, '\n');
    gw_string_append(&record->text, line, length);
    return GW_OK;
}

gw_status gw_embed_text(gw_embedder *embedder, const char *path) {
    gw_line_reader *lines;
    text_record record = {0};
    GW_TRY(gw_lines_open(path, &lines));
    gw_status status;
    for (;;) {
        char *line;
        int64_t length;
        GW_TRY_GOTO(status, gw_lines_next(lines, &line, &length), done);
        if (!line) break;
        GW_TRY_GOTO(status, take_line(embedder, lines, &record, line, length), done);
    }
    if (!record.name) status = gw_fail(GW_ERR_FORMAT, "%s: no text found: the file is empty", gw_lines_path(lines));
    else status = embed_record(embedder, &record);
done:
    free(record.name);
    gw_string_free(&record.text);
    gw_lines_close(lines);
    return status;
}

static gw_status embed_rows(gw_embedder *embedder, gw_table *table, const gw_embed_table_options *options,
                            int64_t *row) {
    const bool bases = options->bases;
    int column;
    GW_TRY(gw_table_column(table, options->column, &column));
    for (bool found;;) {
        char name[32];
        const char *text;
        GW_TRY(gw_table_next(table, &found));
        if (!found) return GW_OK;
        snprintf(name, sizeof name, "%lld", (long long)++*row);
        GW_TRY(gw_table_text(table, column, &text));
        if (!text[strspn(text, " \t\n\r")])
            return gw_table_fail(table, GW_ERR_FORMAT, "\"%s\" is empty", gw_table_name(table, column));
        for (const char *c = text; bases && *c; c++)
            if (!isalpha((unsigned char)*c))
                return gw_table_fail(table, GW_ERR_FORMAT, "byte %lld of \"%s\" is not a letter of a sequence",
                                     (long long)(c - text) + 1, gw_table_name(table, column));
        const gw_embed_source source = {.name = name, .contig = name, .strand = bases ? '+' : '.'};
        GW_TRY(gw_embedder_add(embedder, &source, text, (int64_t)strlen(text)));
    }
}

gw_status gw_embed_table(gw_embedder *embedder, const char *path, const gw_embed_table_options *options, int64_t *row) {
    gw_table *table;
    GW_TRY(gw_table_open(path, &options->table, &table));
    const int64_t before = *row;
    gw_status status = embed_rows(embedder, table, options, row);
    if (status == GW_OK && *row == before) status = gw_fail(GW_ERR_FORMAT, "%s has no rows", path);
    gw_table_close(table);
    return status;
}
