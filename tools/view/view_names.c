// SPDX-License-Identifier: MIT
// Names of variants: beyond the end of the stem, else right or left of it; never over a stem or another name.
#include "base/memory.h"
#include "tools/view/view_page.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = GW_TEXT_SIZE - 2, DOT = 3 };

typedef struct {
    double left, right, top, bottom;
} box;

typedef struct {
    gw_view_page *page;
    const gw_scale *y;
    box *placed;
    int64_t count;
} names;

static bool apart(const box *a, const box *b) {
    return a->left >= b->right || b->left >= a->right || a->top >= b->bottom || b->top >= a->bottom;
}

static box stem_of(const names *n, const gw_view_variant *v) {
    const double x = gw_scale_position(&n->page->x, (double)v->position + 0.5), zero = gw_scale_position(n->y, 0),
                 end = gw_scale_position(n->y, v->score);
    return (box){x - DOT, x + DOT, fmin(zero, end - DOT), fmax(zero, end + DOT)};
}

static bool is_free(const names *n, const box *place) {
    const gw_view *view = n->page->view;
    const gw_scale *x = &n->page->x;
    if (place->left < x->from || place->right > x->to) return false;
    for (int64_t p = 0; p < n->count; p++)
        if (!apart(place, &n->placed[p])) return false;
    for (int64_t i = 0; i < view->variant_count; i++) {
        if (!isfinite(view->variants[i].score)) continue;
        const box stem = stem_of(n, &view->variants[i]);
        if (!apart(place, &stem)) return false;
    }
    return true;
}

// Places are tried in order; a name that has none is left out.
static void place_name(names *n, const gw_view_variant *v) {
    const gw_scale *x = &n->page->x;
    const box stem = stem_of(n, v);
    const double width = gw_canvas_text_width(&n->page->canvas, SIZE, v->name), middle = (stem.left + stem.right) / 2;
    const double over = fmin(fmax(middle - width / 2, x->from), x->to - width); // inside the panel
    const double beyond = v->score < 0 ? stem.bottom + 2 : stem.top - 2 - SIZE;
    const double level = v->score < 0 ? stem.bottom - DOT - SIZE / 2.0 : stem.top + DOT - SIZE / 2.0;
    const double left[] = {over, stem.right + 2, stem.left - 2 - width}, top[] = {beyond, level, level};
    for (int i = 0; i < 3; i++) {
        const box place = {left[i], left[i] + width, top[i], top[i] + SIZE};
        if (!is_free(n, &place)) continue;
        n->placed[n->count++] = place;
        gw_canvas_text(&n->page->canvas, place.left, place.bottom - 2, 0, SIZE, v->name);
        return;
    }
}

static int by_size(const void *a, const void *b) {
    const gw_view_variant *const *x = a, *const *y = b;
    const double d = fabs((*y)->score) - fabs((*x)->score);
    return (d > 0) - (d < 0);
}

gw_status gw_view_name_variants(gw_view_page *page, const gw_scale *y) {
    const gw_view *view = page->view;
    const gw_view_variant **sorted = gw_alloc(view->variant_count, sizeof *sorted);
    names n = {page, y, gw_alloc(view->named, sizeof *n.placed), 0};
    const gw_status status = sorted && n.placed ? GW_OK : GW_ERR_MEMORY;
    int64_t scored = 0;
    for (int64_t i = 0; status == GW_OK && i < view->variant_count; i++)
        if (isfinite(view->variants[i].score)) sorted[scored++] = &view->variants[i];
    if (status == GW_OK) qsort(sorted, (size_t)scored, sizeof *sorted, by_size);
    for (int64_t i = 0; i < scored && i < view->named; i++) place_name(&n, sorted[i]);
    free(sorted);
    free(n.placed);
    return status;
}
