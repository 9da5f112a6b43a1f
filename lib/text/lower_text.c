// SPDX-License-Identifier: MIT
// A sigma ends a word where a cased letter stands before it and none behind it, whatever is ignored in between.
#include "text/answers.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <utf8proc.h>

enum { CAPITAL_SIGMA = 0x3A3, SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };

typedef struct {
    uint32_t first, last;
} range;

static bool is_among(uint32_t point, const range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last) return true;
    return false;
}
#define IS_AMONG(point, ranges) is_among(point, ranges, sizeof(ranges) / sizeof(ranges)[0])

// Property Cased: letters with a case, and Other_Lowercase and Other_Uppercase of PropList.txt.
static bool is_cased(uint32_t c) {
    static const range others[] = {{0xAA, 0xAA},     {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},
                                   {0x2E0, 0x2E4},   {0x345, 0x345},     {0x37A, 0x37A},     {0x10FC, 0x10FC},
                                   {0x1D2C, 0x1D6A}, {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},   {0x2071, 0x2071},
                                   {0x207F, 0x207F}, {0x2090, 0x209C},   {0x2160, 0x217F},   {0x24B6, 0x24E9},
                                   {0x2C7C, 0x2C7D}, {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},
                                   {0xAB5C, 0xAB5F}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
    const uint32_t with_case = 1u << UTF8PROC_CATEGORY_LU | 1u << UTF8PROC_CATEGORY_LL | 1u << UTF8PROC_CATEGORY_LT;
    return (gw_category(c) & with_case) || IS_AMONG(c, others);
}

// Property Case_Ignorable: marks, formats, modifiers, and what stands inside words (Word_Break MidLetter and so on).
static bool is_ignored(uint32_t c) {
    static const range inside[] = {{'\'', '\''},     {'.', '.'},       {':', ':'},       {0xB7, 0xB7},
                                   {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x2018, 0x2019},
                                   {0x2024, 0x2024}, {0x2027, 0x2027}, {0xFE13, 0xFE13}, {0xFE52, 0xFE52},
                                   {0xFE55, 0xFE55}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1A}};
    const uint32_t ignored = 1u << UTF8PROC_CATEGORY_MN | 1u << UTF8PROC_CATEGORY_ME | 1u << UTF8PROC_CATEGORY_CF |
                             1u << UTF8PROC_CATEGORY_LM | 1u << UTF8PROC_CATEGORY_SK;
    return (gw_category(c) & ignored) || IS_AMONG(c, inside);
}

// Whether the first character that is not ignored, from `i` on by `step`, is a cased letter.
static bool is_cased_towards(const gw_points *text, int64_t i, int step) {
    while (i >= 0 && i < text->count && is_ignored(text->point[i])) i += step;
    return i >= 0 && i < text->count && is_cased(text->point[i]);
}

static gw_status append(gw_points *text, uint32_t point) {
    GW_TRY(gw_reserve(&text->point, &text->capacity, text->count + 1, sizeof *text->point));
    text->point[text->count++] = point;
    return GW_OK;
}

static gw_status read_points(const char *text, gw_points *out) {
    for (int bytes; *text; text += bytes) GW_TRY(append(out, gw_utf8_read(text, &bytes)));
    return GW_OK;
}

static gw_status append_lower(const gw_points *text, int64_t i, gw_points *out) {
    uint32_t lower[2];
    if (text->point[i] == CAPITAL_SIGMA) {
        const bool final = is_cased_towards(text, i - 1, -1) && !is_cased_towards(text, i + 1, 1);
        return append(out, final ? FINAL_SIGMA : SIGMA);
    }
    const int count = gw_lower_case(text->point[i], lower);
    for (int k = 0; k < count; k++) GW_TRY(append(out, lower[k]));
    return GW_OK;
}

gw_status gw_lower_text(const char *text, gw_points *out) {
    gw_points as_given = {0};
    gw_status status = read_points(text, &as_given);
    for (int64_t i = 0; i < as_given.count && status == GW_OK; i++) status = append_lower(&as_given, i, out);
    gw_points_free(&as_given);
    return status;
}

void gw_points_free(gw_points *text) {
    free(text->point);
    *text = (gw_points){0};
}
