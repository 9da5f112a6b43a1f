// SPDX-License-Identifier: MIT
// torch.save() of an OrderedDict, instruction by instruction: CPython's pickler keeps every text, name, tuple and
// object in a numbered slot ("put"), and recalls what comes again ("get").
#include "model/torch_file.h"

#include "base/text.h"
#include "model/pour.h"
#include "model/zip.h"

#include <stdio.h>
#include <string.h>

enum { BATCH = 1000, LONGEST_ENTRY = 64, MOST_CLASSES = 16, TUPLE1 = 0x85, LONG1 = 0x8a, FALSE = 0x89, PROTO = 0x80 };

// Slots of what every tensor recalls.
typedef struct {
    gw_text text;
    gw_store_type type;
    int slots; // used so far
    int ordered_dict, rebuild, storage, device;
    struct {
        const gw_value_type *type;
        int slot;
    } classes[MOST_CLASSES]; // of storages, in order of appearance
} pickler;

static void put_number(gw_text *text, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) gw_text_putc(text, (char)(value >> (8 * i)));
}

// Keeps the value on top in the next slot, whose number is returned.
static int put(pickler *p) {
    const bool small = p->slots < 256;
    gw_text_putc(&p->text, small ? 'q' : 'r');
    put_number(&p->text, (uint64_t)p->slots, small ? 1 : 4);
    return p->slots++;
}

static void get(pickler *p, int slot) {
    gw_text_putc(&p->text, slot < 256 ? 'h' : 'j');
    put_number(&p->text, (uint64_t)slot, slot < 256 ? 1 : 4);
}

// A name or text that is written once, and recalled from then on; *slot 0: not yet (slot 0 is the OrderedDict's).
static void name_once(pickler *p, int *slot, const char *module, const char *name) {
    if (*slot > 0) {
        get(p, *slot);
        return;
    }
    gw_text_printf(&p->text, "c%s\n%s\n", module, name);
    *slot = put(p);
}

static int put_text(pickler *p, const char *text) {
    gw_text_putc(&p->text, 'X');
    put_number(&p->text, strlen(text), 4);
    gw_text_puts(&p->text, text);
    return put(p);
}

static void text_once(pickler *p, int *slot, const char *text) {
    if (*slot > 0) get(p, *slot);
    else *slot = put_text(p, text);
}

static void put_class(pickler *p, const gw_value_type *type) {
    int i = 0;
    while (p->classes[i].type && p->classes[i].type != type) i++;
    p->classes[i].type = type;
    name_once(p, &p->classes[i].slot, "torch", type->torch);
}

// A whole number >= 0 in as few bytes as the pickler takes.
static void put_int(pickler *p, int64_t value) {
    int bytes = 1;
    while (value >> (8 * bytes - 1) != 0) bytes++; // with room for the sign
    if (value < 1 << 8) gw_text_putc(&p->text, 'K'), put_number(&p->text, (uint64_t)value, 1);
    else if (value < 1 << 16) gw_text_putc(&p->text, 'M'), put_number(&p->text, (uint64_t)value, 2);
    else if (value <= INT32_MAX) gw_text_putc(&p->text, 'J'), put_number(&p->text, (uint64_t)value, 4);
    else {
        gw_text_putc(&p->text, (char)LONG1);
        gw_text_putc(&p->text, (char)bytes);
        put_number(&p->text, (uint64_t)value, bytes);
    }
}

static void put_tuple(pickler *p, const int64_t *numbers, int count) {
    if (count == 0) {
        gw_text_putc(&p->text, ')');
        return;
    }
    if (count > 3) gw_text_putc(&p->text, '(');
    for (int i = 0; i < count; i++) put_int(p, numbers[i]);
    gw_text_putc(&p->text, count > 3 ? 't' : (char)(TUPLE1 + count - 1));
    put(p);
}

// _rebuild_tensor_v2((storage, class, key, device, values), offset, sizes, strides, requires_grad, hooks)
static void put_tensor(pickler *p, const gw_tensor_values *tensor, int key) {
    char key_text[16];
    int64_t strides[GW_STORED_DIMENSIONS] = {0}, stride = 1;
    for (int d = tensor->dimensions - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= tensor->shape[d] > 0 ? tensor->shape[d] : 1;
    }
    snprintf(key_text, sizeof key_text, "%d", key);
    name_once(p, &p->rebuild, "torch._utils", "_rebuild_tensor_v2");
    gw_text_puts(&p->text, "((");
    text_once(p, &p->storage, "storage");
    put_class(p, gw_pour_type(tensor, p->type));
    put_text(p, key_text);
    text_once(p, &p->device, "cpu");
    put_int(p, tensor->count);
    gw_text_putc(&p->text, 't');
    put(p);
    gw_text_putc(&p->text, 'Q');
    put_int(p, 0);
    put_tuple(p, tensor->shape, tensor->dimensions);
    put_tuple(p, strides, tensor->dimensions);
    gw_text_putc(&p->text, (char)FALSE);
    get(p, p->ordered_dict);
    gw_text_puts(&p->text, ")R");
    put(p);
    gw_text_putc(&p->text, 't');
    put(p);
    gw_text_putc(&p->text, 'R');
    put(p);
}

static gw_text make_pickle(const gw_tensor_values *tensors, int count, gw_store_type type) {
    pickler p = {.type = type};
    gw_text_putc(&p.text, (char)PROTO);
    gw_text_putc(&p.text, 2);
    gw_text_puts(&p.text, "ccollections\nOrderedDict\n");
    p.ordered_dict = put(&p);
    gw_text_puts(&p.text, ")R");
    put(&p);
    for (int first = 0; first < count; first += BATCH) {
        const int end = count - first < BATCH ? count : first + BATCH;
        if (end - first > 1) gw_text_putc(&p.text, '(');
        for (int i = first; i < end; i++) {
            put_text(&p, tensors[i].name);
            put_tensor(&p, &tensors[i], i);
        }
        gw_text_putc(&p.text, end - first > 1 ? 'u' : 's');
    }
    gw_text_putc(&p.text, '.');
    return p.text;
}

static gw_status add_piece(void *writer, const void *bytes, int64_t count) {
    return gw_zip_write(writer, bytes, count);
}

static gw_status add_entry(gw_zip_writer *writer, const char *name, const char *bytes, int64_t count) {
    char path[LONGEST_ENTRY];
    snprintf(path, sizeof path, "archive/%s", name);
    GW_TRY(gw_zip_begin(writer, path, count));
    GW_TRY(gw_zip_write(writer, bytes, count));
    return gw_zip_end(writer);
}

static gw_status add_storage(gw_zip_writer *writer, const gw_tensor_values *tensor, int key, gw_store_type type) {
    char path[LONGEST_ENTRY];
    snprintf(path, sizeof path, "archive/data/%d", key);
    GW_TRY(gw_zip_begin(writer, path, tensor->count * gw_pour_type(tensor, type)->bytes));
    GW_TRY(gw_pour(tensor, type, add_piece, writer));
    return gw_zip_end(writer);
}

static gw_status add_all(gw_zip_writer *writer, const gw_text *pickle, const gw_tensor_values *tensors, int count,
                         gw_store_type type) {
    GW_TRY(add_entry(writer, "data.pkl", pickle->data, pickle->length));
    GW_TRY(add_entry(writer, ".format_version", "1", 1));
    GW_TRY(add_entry(writer, ".storage_alignment", "64", 2));
    GW_TRY(add_entry(writer, "byteorder", "little", 6));
    for (int i = 0; i < count; i++) GW_TRY(add_storage(writer, &tensors[i], i, type));
    GW_TRY(add_entry(writer, "version", "3\n", 2));
    return gw_zip_finish(writer);
}

gw_status gw_torch_file_write(gw_output *output, const gw_tensor_values *tensors, int count, gw_store_type type) {
    for (int i = 0; i < count; i++)
        if (!gw_pour_type(&tensors[i], type)->torch)
            return gw_fail(GW_ERR_UNSUPPORTED, "tensor %s: torch's files have no storage for type %s", tensors[i].name,
                           gw_pour_type(&tensors[i], type)->name);
    gw_zip_writer writer = {.output = output};
    gw_text pickle = make_pickle(tensors, count, type);
    gw_status status = gw_text_status(&pickle);
    if (status == GW_OK) status = add_all(&writer, &pickle, tensors, count, type);
    gw_zip_writer_free(&writer);
    gw_text_free(&pickle);
    return status;
}
