// SPDX-License-Identifier: MIT
// A stack machine; one function has all instructions.
#include "store/pickle.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_PROTOCOL = 2, MOST_PROTOCOL = 5, SHOWN = 80 };

// A slot of the memo: `set` where something was put there.
typedef struct {
    gw_pickle_value value;
    bool set;
} memo_slot;

typedef struct {
    const char *path;
    const unsigned char *begin, *at, *end;
    const gw_pickle_name *names;
    gw_pickle_value *stack;
    int64_t height, stack_capacity;
    int64_t *marks; // heights at which lists of arguments begin
    int64_t mark_count, mark_capacity;
    memo_slot *memo;
    int64_t memo_count, memo_capacity;
    gw_pickle_object *objects;
    bool stopped;
} machine;

static gw_status broken(const machine *m, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: byte %lld of the pickle: %s", m->path, (long long)(m->at - m->begin), what);
}

// The next `count` bytes.
static gw_status take(machine *m, uint64_t count, const unsigned char **out) {
    if (count > (uint64_t)(m->end - m->at)) return broken(m, "it is cut off");
    *out = m->at;
    m->at += count;
    return GW_OK;
}

// An unsigned little-endian number of `bytes` bytes.
static gw_status take_number(machine *m, int bytes, uint64_t *out) {
    const unsigned char *at = NULL;
    GW_TRY(take(m, (uint64_t)bytes, &at));
    *out = 0;
    for (int i = bytes - 1; i >= 0; i--) *out = *out << 8 | at[i];
    return GW_OK;
}

static gw_status push(machine *m, gw_pickle_value value) {
    GW_TRY(gw_reserve(&m->stack, &m->stack_capacity, m->height + 1, sizeof *m->stack));
    m->stack[m->height++] = value;
    return GW_OK;
}

// Values above the last mark are the ones that an instruction may take.
static int64_t floor_of(const machine *m) {
    return m->mark_count > 0 ? m->marks[m->mark_count - 1] : 0;
}

static gw_status pop(machine *m, gw_pickle_value *out) {
    if (m->height <= floor_of(m)) return broken(m, "it takes a value from an empty stack");
    *out = m->stack[--m->height];
    return GW_OK;
}

static gw_pickle_object *make_object(machine *m) {
    gw_pickle_object *object = gw_alloc(1, sizeof *object);
    if (!object) return NULL;
    object->next = m->objects;
    m->objects = object;
    return object;
}

// Moves the `count` topmost values behind the object's items.
static gw_status move_items(machine *m, gw_pickle_object *object, int64_t count) {
    GW_TRY(gw_reserve(&object->items, &object->capacity, object->count + count, sizeof *object->items));
    m->height -= count;
    if (count > 0) memcpy(object->items + object->count, m->stack + m->height, (size_t)count * sizeof *object->items);
    object->count += count;
    return GW_OK;
}

// Replaces the `count` topmost values by a container of them.
static gw_status push_container(machine *m, gw_pickle_kind kind, int64_t count) {
    if (m->height - floor_of(m) < count) return broken(m, "it takes a value from an empty stack");
    gw_pickle_object *object = make_object(m);
    if (!object) return GW_ERR_MEMORY;
    if (count > 0) GW_TRY(move_items(m, object, count));
    return push(m, (gw_pickle_value){.kind = kind, .object = object});
}

// Removes the last mark; *count is the number of values above it.
static gw_status pop_mark(machine *m, int64_t *count) {
    if (m->mark_count == 0) return broken(m, "it closes a list that was not begun");
    *count = m->height - m->marks[--m->mark_count];
    return GW_OK;
}

static gw_status push_int(machine *m, int bytes, bool is_signed) {
    uint64_t value = 0;
    if (bytes > 8) return broken(m, "it holds a number of more than 64 bits");
    GW_TRY(take_number(m, bytes, &value));
    const uint64_t sign = is_signed && bytes > 0 ? 1ull << (8 * bytes - 1) : 0;
    return push(m, (gw_pickle_value){.kind = GW_PICKLE_INT, .integer = (int64_t)((value ^ sign) - sign)});
}

static gw_status push_text(machine *m, int length_bytes) {
    uint64_t length = 0;
    const unsigned char *at = NULL;
    GW_TRY(take_number(m, length_bytes, &length));
    GW_TRY(take(m, length, &at));
    return push(m, (gw_pickle_value){.kind = GW_PICKLE_TEXT, .text = {(const char *)at, (int64_t)length}});
}

// Text that somebody else wrote, as it may be shown: cut, without control characters.
static const char *shown(const char *at, int64_t length, char out[SHOWN]) {
    int64_t i = 0;
    for (; i < length && i < SHOWN - 1; i++) out[i] = (unsigned char)at[i] < ' ' || at[i] == 127 ? '?' : at[i];
    out[i] = 0;
    return out;
}

static bool text_is(const char *at, int64_t length, const char *expected) {
    return (size_t)length == strlen(expected) && memcmp(at, expected, (size_t)length) == 0;
}

static gw_status push_name(machine *m, const char *module, int64_t module_length, const char *name, int64_t length) {
    for (const gw_pickle_name *row = m->names; row->module; row++)
        if (text_is(module, module_length, row->module) && text_is(name, length, row->name))
            return push(m, (gw_pickle_value){.kind = GW_PICKLE_NAME, .name = row});
    static const char layers[] = "torch.nn.";
    const bool whole = module_length >= (int64_t)sizeof layers - 1 && memcmp(module, layers, sizeof layers - 1) == 0;
    char first[SHOWN], second[SHOWN];
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: its pickle calls %s.%s, which weights never need; nothing was run%s",
                   m->path, shown(module, module_length, first), shown(name, length, second),
                   whole ? ". A whole network is kept in it: where it was made, "
                           "torch.save(model.state_dict(), \"weights.pt\") writes its weights alone"
                         : "");
}

// Adds the `count` topmost values to the container of that kind below them.
static gw_status extend(machine *m, gw_pickle_kind kind, int64_t count) {
    if (m->height - floor_of(m) <= count) return broken(m, "it adds to nothing");
    const gw_pickle_value container = m->stack[m->height - count - 1];
    if (container.kind != kind)
        return broken(m, kind == GW_PICKLE_DICT ? "it sets items of something that is not a dictionary"
                                                : "it adds to something that is not a list");
    if (kind == GW_PICKLE_DICT && count % 2 != 0) return broken(m, "it sets an item without a value");
    return move_items(m, container.object, count);
}

// A slot needs an instruction of at least one byte to fill it, so that a number beyond the pickle's size is nonsense.
static gw_status put(machine *m, uint64_t slot) {
    gw_pickle_value value = {0};
    GW_TRY(pop(m, &value));
    m->height++; // it stays
    if (slot >= (uint64_t)(m->end - m->begin)) return broken(m, "it numbers its values beyond their count");
    GW_TRY(gw_reserve(&m->memo, &m->memo_capacity, (int64_t)slot + 1, sizeof *m->memo));
    while (m->memo_count <= (int64_t)slot) m->memo[m->memo_count++].set = false;
    m->memo[slot] = (memo_slot){value, true};
    return GW_OK;
}

static gw_status get(machine *m, int bytes) {
    uint64_t slot = 0;
    GW_TRY(take_number(m, bytes, &slot));
    if (slot >= (uint64_t)m->memo_count || !m->memo[slot].set) return broken(m, "it recalls a value that was not kept");
    return push(m, m->memo[slot].value);
}

// Text up to the next line feed.
static gw_status take_line(machine *m, const char **line, int64_t *length) {
    const unsigned char *end = memchr(m->at, '\n', (size_t)(m->end - m->at));
    if (!end) return broken(m, "it is cut off");
    *line = (const char *)m->at;
    *length = end - m->at;
    m->at = end + 1;
    return GW_OK;
}

static gw_status push_global(machine *m) {
    const char *module = NULL, *name = NULL;
    int64_t module_length = 0, length = 0;
    GW_TRY(take_line(m, &module, &module_length));
    GW_TRY(take_line(m, &name, &length));
    return push_name(m, module, module_length, name, length);
}

// A call of a name becomes a value; nothing is run.
static gw_status push_call(machine *m) {
    gw_pickle_value arguments = {0}, called = {0};
    GW_TRY(pop(m, &arguments));
    GW_TRY(pop(m, &called));
    if (called.kind != GW_PICKLE_NAME || arguments.kind != GW_PICKLE_TUPLE)
        return broken(m, "it calls something that is not a name");
    const gw_pickle_name *name = called.name;
    if (name->role == GW_PICKLE_AS_DICT && arguments.object->count == 0) return push_container(m, GW_PICKLE_DICT, 0);
    if (name->role != GW_PICKLE_AS_CALL)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: its pickle calls %s.%s in a way that weights never need", m->path,
                       name->module, name->name);
    gw_pickle_object *object = make_object(m);
    if (!object) return GW_ERR_MEMORY;
    object->name = name;
    object->arguments = arguments.object;
    return push(m, (gw_pickle_value){.kind = GW_PICKLE_CALL, .object = object});
}

// An instance of a class without arguments, whose attributes come later.
static gw_status push_module(machine *m) {
    gw_pickle_value arguments = {0}, of = {0};
    GW_TRY(pop(m, &arguments));
    GW_TRY(pop(m, &of));
    if (of.kind != GW_PICKLE_NAME || arguments.kind != GW_PICKLE_TUPLE)
        return broken(m, "it makes an instance of something that is not a name");
    if (of.name->role != GW_PICKLE_AS_MODULE || arguments.object->count > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: its pickle calls %s.%s in a way that weights never need", m->path,
                       of.name->module, of.name->name);
    gw_pickle_object *object = make_object(m);
    if (!object) return GW_ERR_MEMORY;
    object->name = of.name;
    return push(m, (gw_pickle_value){.kind = GW_PICKLE_MODULE, .object = object});
}

static gw_status run_instruction(machine *m, int code) {
    gw_pickle_value a = {0}, b = {0};
    const unsigned char *at = NULL;
    uint64_t number = 0;
    int64_t count = 0;
    switch (code) {
    case 0x80: // PROTO
        GW_TRY(take_number(m, 1, &number));
        if (number >= LEAST_PROTOCOL && number <= MOST_PROTOCOL) return GW_OK;
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: its pickle has protocol %llu; 2 to 5 are read", m->path,
                       (unsigned long long)number);
    case 0x95: return take_number(m, 8, &number); // FRAME, a hint for readers of streams
    case '.': m->stopped = true; return GW_OK;
    case '(': // MARK
        GW_TRY(gw_reserve(&m->marks, &m->mark_capacity, m->mark_count + 1, sizeof *m->marks));
        m->marks[m->mark_count++] = m->height;
        return GW_OK;

    case 'N': return push(m, (gw_pickle_value){.kind = GW_PICKLE_NONE});
    case 0x88:
    case 0x89: return push(m, (gw_pickle_value){.kind = GW_PICKLE_BOOL, .integer = code == 0x88});
    case 'K': return push_int(m, 1, false);
    case 'M': return push_int(m, 2, false);
    case 'J': return push_int(m, 4, true);
    case 0x8a: // LONG1
        GW_TRY(take_number(m, 1, &number));
        return push_int(m, (int)number, true);
    case 'G': // BINFLOAT, big endian, unlike every other number here
        GW_TRY(take(m, 8, &at));
        for (int i = 0; i < 8; i++) number = number << 8 | at[i];
        a.kind = GW_PICKLE_REAL;
        memcpy(&a.real, &number, sizeof number);
        return push(m, a);
    case 0x8c: return push_text(m, 1);
    case 'X': return push_text(m, 4);
    case 0x8d: return push_text(m, 8);

    case 'c': return push_global(m);
    case 'i': // INST, an old instruction that names what it calls in the same way
        GW_TRY(push_global(m));
        return broken(m, "it calls by an instruction that weights never need");
    case 0x93: // STACK_GLOBAL
        GW_TRY(pop(m, &b));
        GW_TRY(pop(m, &a));
        if (a.kind != GW_PICKLE_TEXT || b.kind != GW_PICKLE_TEXT) return broken(m, "a name is not text");
        return push_name(m, a.text.at, a.text.length, b.text.at, b.text.length);
    case 'R': return push_call(m);
    case 0x81: return push_module(m); // NEWOBJ

    case ')': return push_container(m, GW_PICKLE_TUPLE, 0);
    case 0x85:
    case 0x86:
    case 0x87: return push_container(m, GW_PICKLE_TUPLE, code - 0x84);
    case 't': GW_TRY(pop_mark(m, &count)); return push_container(m, GW_PICKLE_TUPLE, count);
    case ']': return push_container(m, GW_PICKLE_LIST, 0);
    case '}': return push_container(m, GW_PICKLE_DICT, 0);
    case 'a': return extend(m, GW_PICKLE_LIST, 1);
    case 's': return extend(m, GW_PICKLE_DICT, 2);
    case 'e':
    case 'u': GW_TRY(pop_mark(m, &count)); return extend(m, code == 'e' ? GW_PICKLE_LIST : GW_PICKLE_DICT, count);

    case 'b': // BUILD: attributes of a dictionary, such as the _metadata of a state_dict, are of no use here
        GW_TRY(pop(m, &b));
        GW_TRY(pop(m, &a));
        m->height++;
        if (a.kind == GW_PICKLE_MODULE && b.kind == GW_PICKLE_DICT) a.object->arguments = b.object;
        else if (a.kind != GW_PICKLE_DICT) return broken(m, "it sets attributes of something that is not a dictionary");
        return GW_OK;
    case 'Q': // BINPERSID
        GW_TRY(pop(m, &a));
        if (a.kind != GW_PICKLE_TUPLE) return broken(m, "a persistent id is not a tuple");
        return push(m, (gw_pickle_value){.kind = GW_PICKLE_REFERENCE, .object = a.object});

    case 'q':
    case 'r': GW_TRY(take_number(m, code == 'q' ? 1 : 4, &number)); return put(m, number);
    case 0x94: return put(m, (uint64_t)m->memo_count); // MEMOIZE
    case 'h': return get(m, 1);
    case 'j': return get(m, 4);
    default:
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: its pickle uses the instruction 0x%02x, which weights never need",
                       m->path, code);
    }
}

gw_status gw_pickle_read(const char *path, const unsigned char *bytes, int64_t size, const gw_pickle_name *names,
                         gw_pickle *out) {
    machine m = {.path = path, .begin = bytes, .at = bytes, .end = bytes + size, .names = names};
    *out = (gw_pickle){0};
    gw_status status = GW_OK;
    while (status == GW_OK && !m.stopped) {
        const unsigned char *code = NULL;
        status = take(&m, 1, &code);
        if (status == GW_OK) status = run_instruction(&m, *code);
    }
    if (status == GW_OK && (m.height != 1 || m.mark_count != 0))
        status = broken(&m, "it ends with other than one value");
    if (status == GW_OK) out->root = m.stack[0];
    out->objects = m.objects;
    free(m.stack);
    free(m.marks);
    free(m.memo);
    if (status != GW_OK) gw_pickle_free(out);
    return status;
}

void gw_pickle_free(gw_pickle *pickle) {
    while (pickle->objects) {
        gw_pickle_object *object = pickle->objects;
        pickle->objects = object->next;
        free(object->items);
        free(object);
    }
    *pickle = (gw_pickle){0};
}
