// SPDX-License-Identifier: MIT
// OpenMP as far as the library and oneDNN ask for it, by threads that are made for each parallel region and joined
// behind it: ThreadSanitizer sees who waits for whom, which it does not with libgomp (make test-races).
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int count);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);

enum { MOST = 64 };

static _Thread_local int number, team = 1;
static int most;

typedef struct {
    pthread_t thread;
    void (*function)(void *);
    void *data;
    int number, team;
    pthread_barrier_t *begin; // together, or the first would do all that is little
} member;

static void *run(void *argument) {
    const member *m = argument;
    number = m->number;
    team = m->team;
    pthread_barrier_wait(m->begin);
    m->function(m->data);
    return NULL;
}

int omp_get_thread_num(void) {
    return number;
}

int omp_get_num_threads(void) {
    return team;
}

int omp_get_max_threads(void) {
    const int count = most ? most : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count < MOST ? count : MOST;
}

int omp_in_parallel(void) {
    return team > 1;
}

void omp_set_num_threads(int count) {
    most = count;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    member members[MOST];
    pthread_barrier_t begin;
    (void)flags;
    const int count = omp_in_parallel() ? 1 : threads == 0 || threads > MOST ? omp_get_max_threads() : (int)threads;
    pthread_barrier_init(&begin, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        members[i] = (member){.function = function, .data = data, .number = i, .team = count, .begin = &begin};
    for (int i = 1; i < count; i++)
        if (pthread_create(&members[i].thread, NULL, run, &members[i]) != 0) abort();
    const int outer_number = number, outer_team = team;
    run(&members[0]);
    number = outer_number;
    team = outer_team;
    for (int i = 1; i < count; i++) pthread_join(members[i].thread, NULL);
    pthread_barrier_destroy(&begin);
}
