// SPDX-License-Identifier: MIT
// The form of every record is that of torch's own files: versions, times and attributes are 0, padding is an extra
// field "FB" of letters Z.
#include "model/zip.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ALIGN = 64, LOCAL_HEADER = 30, PAD_HEADER = 4, FLAG_UTF8 = 0x800, FLAG_DESCRIPTOR = 8, ZIP64_EXTRA = 1 };
static const uint64_t saturated = 0xffffffff;

static void put(gw_text *text, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++, value >>= 8) gw_text_putc(text, (char)value);
}

static uint64_t low32(uint64_t value) {
    return value < saturated ? value : saturated;
}

// Writes what was built, and frees it.
static gw_status flush(gw_zip_writer *writer, gw_text *text) {
    gw_status status = gw_text_status(text);
    if (status == GW_OK) status = gw_output_write(writer->output, text->data, text->length);
    writer->position += text->length;
    gw_text_free(text);
    return status;
}

static int flags_of(const gw_zip_entry *entry) {
    return entry->size > 0 ? FLAG_UTF8 | FLAG_DESCRIPTOR : FLAG_UTF8;
}

gw_status gw_zip_begin(gw_zip_writer *writer, const char *name, int64_t size) {
    GW_TRY(gw_reserve(&writer->entries, &writer->capacity, writer->count + 1, sizeof *writer->entries));
    gw_zip_entry *entry = &writer->entries[writer->count];
    *entry = (gw_zip_entry){.name = gw_strdup(name), .begin = writer->position, .size = size};
    if (!entry->name) return GW_ERR_MEMORY;
    writer->count++;
    const int64_t length = (int64_t)strlen(name);
    const int64_t content = writer->position + LOCAL_HEADER + length + PAD_HEADER;
    const int64_t padding = (ALIGN - content % ALIGN) % ALIGN;
    gw_text text = {0};
    put(&text, 0x04034b50, 4);
    put(&text, 0, 2);
    put(&text, (uint64_t)flags_of(entry), 2);
    put(&text, 0, 18); // method, time, date, CRC, sizes
    put(&text, (uint64_t)length, 2);
    put(&text, (uint64_t)(PAD_HEADER + padding), 2);
    gw_text_puts(&text, name);
    gw_text_puts(&text, "FB");
    put(&text, (uint64_t)padding, 2);
    for (int64_t i = 0; i < padding; i++) gw_text_putc(&text, 'Z');
    entry->offset = content + padding;
    return flush(writer, &text);
}

gw_status gw_zip_write(gw_zip_writer *writer, const void *bytes, int64_t count) {
    gw_zip_entry *entry = &writer->entries[writer->count - 1];
    entry->crc = (uint32_t)crc32_z(entry->crc, bytes, (size_t)count);
    writer->position += count;
    return gw_output_write(writer->output, bytes, count);
}

gw_status gw_zip_end(gw_zip_writer *writer) {
    const gw_zip_entry *entry = &writer->entries[writer->count - 1];
    if (entry->size == 0) return GW_OK;
    const int bytes = (uint64_t)entry->size < saturated ? 4 : 8;
    gw_text text = {0};
    put(&text, 0x08074b50, 4);
    put(&text, entry->crc, 4);
    put(&text, (uint64_t)entry->size, bytes);
    put(&text, (uint64_t)entry->size, bytes);
    return flush(writer, &text);
}

static void put_central(gw_text *text, const gw_zip_entry *entry) {
    const uint64_t size = (uint64_t)entry->size, begin = (uint64_t)entry->begin;
    const int wide = (size >= saturated ? 16 : 0) + (begin >= saturated ? 8 : 0);
    put(text, 0x02014b50, 4);
    put(text, 0, 4);
    put(text, (uint64_t)flags_of(entry), 2);
    put(text, 0, 6);
    put(text, entry->crc, 4);
    put(text, low32(size), 4);
    put(text, low32(size), 4);
    put(text, strlen(entry->name), 2);
    put(text, wide > 0 ? (uint64_t)wide + 4 : 0, 2);
    put(text, 0, 10);
    put(text, low32(begin), 4);
    gw_text_puts(text, entry->name);
    if (wide == 0) return;
    put(text, ZIP64_EXTRA, 2);
    put(text, (uint64_t)wide, 2);
    if (size >= saturated) put(text, size, 8), put(text, size, 8);
    if (begin >= saturated) put(text, begin, 8);
}

gw_status gw_zip_finish(gw_zip_writer *writer) {
    gw_text text = {0};
    for (int64_t i = 0; i < writer->count; i++) put_central(&text, &writer->entries[i]);
    const uint64_t directory = (uint64_t)writer->position, size = (uint64_t)text.length,
                   count = (uint64_t)writer->count;
    put(&text, 0x06064b50, 4); // zip64 end record
    put(&text, 44, 8);
    put(&text, 0x031e, 2);
    put(&text, 45, 2);
    put(&text, 0, 8);
    put(&text, count, 8);
    put(&text, count, 8);
    put(&text, size, 8);
    put(&text, directory, 8);
    put(&text, 0x07064b50, 4); // its locator
    put(&text, 0, 4);
    put(&text, directory + size, 8);
    put(&text, 1, 4);
    put(&text, 0x06054b50, 4); // end record
    put(&text, 0, 4);
    put(&text, count < 0xffff ? count : 0xffff, 2);
    put(&text, count < 0xffff ? count : 0xffff, 2);
    put(&text, low32(size), 4);
    put(&text, low32(directory), 4);
    put(&text, 0, 2);
    return flush(writer, &text);
}

void gw_zip_writer_free(gw_zip_writer *writer) {
    for (int64_t i = 0; i < writer->count; i++) free(writer->entries[i].name);
    free(writer->entries);
    *writer = (gw_zip_writer){0};
}
