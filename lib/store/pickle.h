// SPDX-License-Identifier: MIT
// Pickles (CPython, Lib/pickletools.py) as data. A stack machine supports only the instructions that torch writes for
// weights; none can run code. A call is stored as its name and arguments. Names must be in a list; any other name is an
// error that reports it.
#ifndef GW_STORE_PICKLE_H
#define GW_STORE_PICKLE_H

#include "base/status.h"

#include <stdint.h>

typedef enum {
    GW_PICKLE_NONE,
    GW_PICKLE_BOOL,
    GW_PICKLE_INT,
    GW_PICKLE_REAL,
    GW_PICKLE_TEXT,
    GW_PICKLE_TUPLE,
    GW_PICKLE_LIST,
    GW_PICKLE_DICT,      // items: key, value, key, value ...
    GW_PICKLE_NAME,      // a name of the list, as a value
    GW_PICKLE_CALL,      // object->name called with the items of object->arguments
    GW_PICKLE_REFERENCE, // a persistent id; the items are its parts
    GW_PICKLE_MODULE,    // an instance of object->name; object->arguments: its attributes as a dictionary, or NULL
} gw_pickle_kind;

typedef enum { GW_PICKLE_AS_VALUE, GW_PICKLE_AS_CALL, GW_PICKLE_AS_DICT, GW_PICKLE_AS_MODULE } gw_pickle_role;

// An allowed name: as a value, a call, a constructor of an empty dictionary, or the class of an instance, of which the
// attributes are kept.
typedef struct {
    const char *module, *name;
    gw_pickle_role role;
} gw_pickle_name;

typedef struct gw_pickle_object gw_pickle_object;

typedef struct {
    gw_pickle_kind kind;
    union {
        int64_t integer; // BOOL, INT
        double real;
        struct {
            const char *at; // into the pickle; not terminated
            int64_t length;
        } text;
        gw_pickle_object *object;   // TUPLE, LIST, DICT, CALL, REFERENCE, MODULE
        const gw_pickle_name *name; // NAME
    };
} gw_pickle_value;

struct gw_pickle_object {
    gw_pickle_value *items;
    int64_t count, capacity;
    const gw_pickle_name *name;        // of a call or an instance
    const gw_pickle_object *arguments; // of a call or an instance; shared if the pickle shares them
    gw_pickle_object *next;            // next in the list of all objects
};

typedef struct {
    gw_pickle_value root;
    gw_pickle_object *objects;
} gw_pickle;

// Reads a pickle. `names` ends with a row with module NULL. `path` is for messages. Memory is a small multiple of
// `size`. The bytes must outlive the result.
gw_status gw_pickle_read(const char *path, const unsigned char *bytes, int64_t size, const gw_pickle_name *names,
                         gw_pickle *out) GW_MUST_CHECK;
void gw_pickle_free(gw_pickle *pickle);

#endif
