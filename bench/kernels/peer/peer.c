// The other side of the comparison: a streaming read and a multiply-add loop as a C compiler makes them, and OpenBLAS. It
// answers one request a line, `read THREADS`, `fma THREADS`, `mul BATCH THREADS MATRIX` or `vec THREADS`, with
// `wall-seconds cpu-seconds work check`: work in bytes or floating-point operations, check a number that needs the result.
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cblas.h>

#if defined(__AVX512F__)
enum { BYTES = 64, CHAINS = 24 };
#elif defined(__AVX2__)
enum { BYTES = 32, CHAINS = 12 };
#else
enum { BYTES = 16, CHAINS = 24 };
#endif
enum { LANES = BYTES / 4, SUMS = 8 };
typedef float vec __attribute__((vector_size(BYTES)));

enum { SIDE = 4096, MATRICES = 4, BATCH = 256 };
#define VALUES ((size_t)SIDE * SIDE * MATRICES)
#define PIECE ((size_t)1 << 18)   // values in a piece of a read: 1 MiB
#define ROUNDS (1 << 13)          // rounds in a piece of a multiply-add loop
#define PIECES 192                // pieces of a loop, a thread
#define MAX_THREADS 256

static float *weights, *x, *y;

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static float lanes(vec v) {
    float sum = 0;
    for (int i = 0; i < LANES; i++) sum += v[i];
    return sum;
}

static float stream(const float *p, size_t n) {
    vec sum[SUMS] = {0};
    for (size_t i = 0; i < n; i += SUMS * LANES) {
#pragma GCC unroll 8
        for (int j = 0; j < SUMS; j++) sum[j] += *(const vec *)(p + i + j * LANES);
    }
    float total = 0;
    for (int j = 0; j < SUMS; j++) total += lanes(sum[j]);
    return total;
}

static volatile float factor = -(1 - 1.f / 1024), term = 1;

static float multiply_add(long rounds) {
    vec v[CHAINS], f = factor - (vec){0}, t = term - (vec){0};
    for (int j = 0; j < CHAINS; j++)
        for (int i = 0; i < LANES; i++) v[j][i] = 0.25f + (j * LANES + i) / 512.f;
    for (long r = 0; r < rounds; r++) {
#pragma GCC unroll 24
        for (int j = 0; j < CHAINS; j++) v[j] = v[j] * f + t;
    }
    float total = 0;
    for (int j = 0; j < CHAINS; j++) total += lanes(v[j]);
    return total;
}

// A job is pieces that threads take from one counter, as the Go side does.
static struct {
    int kind; // 0 read, 1 multiply-add
    size_t next, pieces;
    float sum[MAX_THREADS];
    int ready; // helpers that wait for the start
    pthread_barrier_t start;
} job;

static void take(int thread) {
    float sum = 0;
    for (;;) {
        size_t piece = __atomic_fetch_add(&job.next, 1, __ATOMIC_RELAXED);
        if (piece >= job.pieces) break;
        sum += job.kind ? multiply_add(ROUNDS) : stream(weights + piece * PIECE, PIECE);
    }
    job.sum[thread] = sum;
}

static void *helper(void *number) {
    __atomic_fetch_add(&job.ready, 1, __ATOMIC_RELEASE);
    pthread_barrier_wait(&job.start);
    take((int)(intptr_t)number);
    return NULL;
}

static void answer(double wall, double cpu, double work, double check) {
    printf("%.9f %.9f %.0f %.9g\n", wall, cpu, work, check);
    fflush(stdout);
}

// awake keeps the processor busy for a while, as the Go side does before its clock starts.
static void awake(void) {
    for (double start = clock_of(CLOCK_MONOTONIC); clock_of(CLOCK_MONOTONIC) - start < 12e-3;);
}

// The threads exist before the clock starts, and begin after it: what is timed is the loop and the wait for the last thread.
static void run(int kind, int threads) {
    pthread_t id[MAX_THREADS];
    job.kind = kind;
    job.next = 0;
    job.ready = 0;
    job.pieces = kind ? (size_t)PIECES * threads : VALUES / PIECE;
    pthread_barrier_init(&job.start, NULL, threads);
    for (int i = 1; i < threads; i++) pthread_create(&id[i], NULL, helper, (void *)(intptr_t)i);
    awake();
    while (__atomic_load_n(&job.ready, __ATOMIC_ACQUIRE) < threads - 1) sched_yield();
    double cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
    pthread_barrier_wait(&job.start);
    take(0);
    for (int i = 1; i < threads; i++) pthread_join(id[i], NULL);
    wall = clock_of(CLOCK_MONOTONIC) - wall;
    cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    double check = 0;
    for (int i = 0; i < threads; i++) check += job.sum[i];
    double flops = 2.0 * CHAINS * LANES * ROUNDS * PIECES * threads;
    answer(wall, cpu, kind ? flops : 4.0 * VALUES, check);
    pthread_barrier_destroy(&job.start);
}

static void product(int matrix, int batch, int vector) {
    const float *w = weights + (size_t)matrix * SIDE * SIDE;
    if (vector)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, SIDE, SIDE, 1, w, SIDE, x, 1, 0, y, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, SIDE, SIDE, 1, x, SIDE, w, SIDE, 0, y, SIDE);
}

// Small batches go once over all matrices, so that none is in a cache; a large one takes one.
static void multiply(int batch, int threads, int first, int vector) {
    int times = batch < 64 ? MATRICES : 1;
    openblas_set_num_threads(threads);
    awake();
    double cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);
    for (int i = 0; i < times; i++) product((first + i) % MATRICES, batch, vector);
    wall = clock_of(CLOCK_MONOTONIC) - wall;
    cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    double check = 0;
    for (size_t i = 0; i < (size_t)batch * SIDE; i++) check += fabs(y[i]);
    // Its helpers spin for a while after their work, and would take part in what is measured next.
    if (threads > 1) nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    answer(wall, cpu, 2.0 * times * batch * SIDE * SIDE, check);
}

static float *reserve(size_t values) {
    size_t huge = 2 << 20, bytes = (values * 4 + huge - 1) / huge * huge;
    char *p = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    p = (char *)(((uintptr_t)p + huge - 1) & ~(huge - 1));
    madvise(p, bytes, MADV_HUGEPAGE);
    return (float *)p;
}

// The Go side fills its arrays in the same way.
static void fill(float *p, size_t n, uint32_t state) {
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        p[i] = (float)(state >> 8) / (1 << 24) - 0.5f;
    }
}

// How much of this process lies in huge pages, in MiB; -1 where the kernel does not say.
static long huge(void) {
    char line[256];
    long kib, sum = -1;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    if (!f) return -1;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "AnonHugePages: %ld kB", &kib) == 1) sum = kib >> 10;
    fclose(f);
    return sum;
}

int main(void) {
    char line[100];
    int a, b, c;
    weights = reserve(VALUES);
    x = reserve((size_t)BATCH * SIDE);
    y = reserve((size_t)BATCH * SIDE);
    fill(weights, VALUES, 1);
    fill(x, (size_t)BATCH * SIDE, 2);
    size_t reserved = VALUES + 2 * (size_t)BATCH * SIDE;
    printf("%s, %s; C for %d-byte vectors; %ld of %zu MiB in huge pages\n", openblas_get_config(), openblas_get_corename(), BYTES, huge(), reserved * 4 >> 20);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "read %d", &a) == 1 && a <= MAX_THREADS) run(0, a);
        else if (sscanf(line, "fma %d", &a) == 1 && a <= MAX_THREADS) run(1, a);
        else if (sscanf(line, "mul %d %d %d", &a, &b, &c) == 3 && a <= BATCH) multiply(a, b, c, 0);
        else if (sscanf(line, "vec %d", &a) == 1) multiply(1, a, 0, 1);
        else return 2;
    }
    return 0;
}
