// SPDX-License-Identifier: MIT
// A compiled expression. For regex_parse.c and regex_find.c.
#ifndef GW_TEXT_JSON_REGEX_PRIVATE_H
#define GW_TEXT_JSON_REGEX_PRIVATE_H

#include "text/json/regex.h"

enum { GW_REGEX_ASCII = 128, GW_REGEX_ENDLESS = INT32_MAX };

// One part of a class: a range, or the characters of some general categories, or white space, or of words.
typedef struct {
    enum { GW_ITEM_RANGE, GW_ITEM_CATEGORY, GW_ITEM_SPACE, GW_ITEM_WORD } what;
    bool negated;
    uint32_t low, high; // GW_ITEM_CATEGORY: low is the set
} gw_class_item;

typedef struct {
    gw_class_item *items;
    int32_t count;
    int64_t capacity;
    bool negated;
    bool ascii[GW_REGEX_ASCII]; // what it says of those
} gw_class;

typedef struct {
    enum {
        GW_REGEX_CLASS,      // takes a character of class x
        GW_REGEX_SPLIT,      // goes on at x, or else at y (relative)
        GW_REGEX_JUMP,       // goes on at x (relative)
        GW_REGEX_LOOK,       // a character of class x follows; y: none does
        GW_REGEX_LINE_BEGIN, // ^
        GW_REGEX_LINE_END,   // $
        GW_REGEX_TEXT_BEGIN, // \A
        GW_REGEX_TEXT_END,   // \z
        GW_REGEX_MATCH
    } op;
    int32_t x, y;
} gw_regex_step;

struct gw_regex {
    gw_regex_step *steps;
    int32_t count;
    int64_t capacity;
    gw_class *classes;
    int32_t class_count;
    int64_t class_capacity;
    // Where the expression is one class, repeated greedily or not at all, searches are loops:
    bool is_run;
    int32_t least, most;
    bool filters; // a match begins with one of these bytes
    bool starts[256];
};

bool gw_class_has(const gw_class *set, uint32_t point);

#endif
