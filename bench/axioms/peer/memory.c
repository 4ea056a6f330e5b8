// Pointer chases, streams, random reads and page faults.
#include "peer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, STEPS = 20000 };

struct chase {
	void **at;
	size_t lines;
};

// link_up deals the lines of a buffer into one cycle: each line swaps what it
// points to with one before it, which joins its own small cycle to the large.
static const char *link_up(struct chase *c, size_t size) {
	if (size == 0)
		return "there is no cache of that level";
	size_t whole = (size + (2u << 20) - 1) & ~(((size_t)2 << 20) - 1);
	unsigned char *m = mapped(whole, 1);
	c->lines = size / LINE;
	for (size_t i = 0; i < c->lines; i++)
		*(void **)(m + i * LINE) = m + i * LINE;
	for (size_t i = 1; i < c->lines; i++) {
		void **a = (void **)(m + i * LINE), **b = (void **)(m + noise() % i * LINE), *t = *a;
		*a = *b;
		*b = t;
	}
	c->at = (void **)m;
	return NULL;
}

static void follow(struct chase *c, size_t steps) {
	void **p = c->at;
	for (size_t i = 0; i < steps; i += 8) {
		p = *p, p = *p, p = *p, p = *p;
		p = *p, p = *p, p = *p, p = *p;
	}
	KEEP(p);
	c->at = p;
}

static double timed(struct chase *c) {
	double start = now();
	follow(c, STEPS);
	return (now() - start) / STEPS;
}

static struct chase l1, l2, l3, far;
static const char *l1_setup(size_t n) { return link_up(&l1, n); }
static const char *l2_setup(size_t n) { return link_up(&l2, n); }
static const char *l3_setup(size_t n) { return link_up(&l3, n); }
static const char *far_setup(size_t n) { return link_up(&far, n); }
static double l1_load(void) { return follow(&l1, 4 * l1.lines), timed(&l1); }
static double l2_load(void) { return follow(&l2, 2 * l2.lines), timed(&l2); }
static double l3_load(void) { return follow(&l3, 2 * l3.lines), timed(&l3); }
static double memory_load(void) { return timed(&far); }

enum { NEAR = 256 << 10, HOT = 1 << 20, COLD = 64 << 20, PASSES = 16 };
typedef float vector __attribute__((vector_size(64)));
static unsigned char *arena, *hot_from, *hot_to, *near;

static void fill(unsigned char *p, size_t n) {
	for (size_t i = 0; i < n / 4; i++)
		((float *)p)[i] = (float)(noise() >> 40) * 0x1p-24f;
}

static const char *streams(size_t size) {
	(void)size;
	if (arena)
		return NULL;
	arena = mapped(2 * COLD, 1);
	fill(arena, 2 * COLD);
	hot_from = mapped(HOT, 0), hot_to = mapped(HOT, 0), near = mapped(NEAR, 0);
	fill(hot_from, HOT), fill(near, NEAR);
	return NULL;
}

// Each stream has a chain of additions of its own, four at a time.
#if defined(__x86_64__)
#define WIDE __attribute__((noinline, target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define WIDE __attribute__((noinline, optimize("O3")))
#endif
static WIDE float sum(const unsigned char *p, size_t n) {
	const vector *v = (const vector *)p;
	vector a = {0}, b = {0}, c = {0}, d = {0};
	for (size_t i = 0; i < n / sizeof *v; i += 4)
		a += v[i], b += v[i + 1], c += v[i + 2], d += v[i + 3];
	a += b + c + d;
	float s = 0;
	for (size_t i = 0; i < sizeof a / 4; i++)
		s += a[i];
	return s;
}

static double read_over(const unsigned char *p, size_t n, int times) {
	float s = 0;
	double start = now();
	for (int i = 0; i < times; i++)
		s += sum(p, n);
	double took = now() - start;
	__asm__ volatile("" : : "x"(s)); // the sums are wanted
	return took / times / (double)n;
}

static double cache_read(void) { return read_over(near, NEAR, PASSES), read_over(near, NEAR, PASSES); }
static double dram_read(void) { return read_over(arena, 2 * COLD, 1); }

static WIDE void store(unsigned char *p, size_t n, const unsigned char *from) {
	vector *v = (vector *)p, with = *(const vector *)from;
	for (size_t i = 0; i < n / sizeof *v; i += 4) {
		v[i] = with, v[i + 1] = with, v[i + 2] = with, v[i + 3] = with;
		__asm__ volatile("" : : : "memory"); // or the loop becomes a library call
	}
}

static double write_over(unsigned char *p, size_t n, int times) {
	double start = now();
	for (int i = 0; i < times; i++)
		store(p, n, hot_from);
	return (now() - start) / times / (double)n;
}

static double cache_write(void) { return write_over(near, NEAR, PASSES), write_over(near, NEAR, PASSES); }
static double dram_write(void) { return write_over(arena, 2 * COLD, 1); }

// The C library's copy of large blocks is not the fastest everywhere. This one
// goes past the caches on its way to the target.
#if defined(__x86_64__)
#include <immintrin.h>
static __attribute__((noinline, target("avx2"))) void past_caches(unsigned char *to, const unsigned char *from, size_t n) {
	for (size_t i = 0; i < n; i += 128) {
		_mm_prefetch((const char *)from + i + 1024, _MM_HINT_T0);
		_mm_prefetch((const char *)from + i + 1088, _MM_HINT_T0);
		__m256i a = _mm256_load_si256((const __m256i *)(from + i)), b = _mm256_load_si256((const __m256i *)(from + i + 32));
		__m256i c = _mm256_load_si256((const __m256i *)(from + i + 64)), d = _mm256_load_si256((const __m256i *)(from + i + 96));
		_mm256_stream_si256((__m256i *)(to + i), a), _mm256_stream_si256((__m256i *)(to + i + 32), b);
		_mm256_stream_si256((__m256i *)(to + i + 64), c), _mm256_stream_si256((__m256i *)(to + i + 96), d);
	}
	_mm_sfence();
}
#endif

static void copy_large(unsigned char *to, const unsigned char *from, size_t n) {
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		past_caches(to, from, n);
		return;
	}
#endif
	memcpy(to, from, n);
}

static double copy(unsigned char *to, const unsigned char *from, size_t n) {
	double start = now();
	if (n >= COLD)
		copy_large(to, from, n);
	else
		memcpy(to, from, n);
	__asm__ volatile("" : : : "memory");
	return (now() - start) / (double)n;
}

static double cache_copy(void) { return copy(hot_to, hot_from, HOT), copy(hot_to, hot_from, HOT); }
static double dram_copy(void) { return copy(arena + COLD, arena, COLD); }

static double random_read(void) {
	static uint32_t at[STEPS];
	for (int i = 0; i < STEPS; i++)
		at[i] = (uint32_t)(noise() % (2u * COLD / LINE));
	uint64_t s = 0;
	double start = now();
	for (int i = 0; i < STEPS; i++) {
		const uint64_t *line = (const uint64_t *)(arena + (size_t)at[i] * LINE);
		s += line[0] + line[7];
	}
	double took = now() - start;
	KEEP(s);
	return took / ((double)STEPS * LINE);
}

static double page_fault(void) {
	enum { PAGES = 1024 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
	volatile unsigned char *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		die("mmap");
	madvise((void *)m, size, MADV_NOHUGEPAGE);
	double start = now();
	for (size_t i = 0; i < size; i += page)
		m[i] = 1;
	double took = now() - start;
	munmap((void *)m, size);
	return took / PAGES;
}

const struct quantity memory_table[] = {
	{"l1-load", l1_setup, l1_load},       {"l2-load", l2_setup, l2_load},       {"l3-load", l3_setup, l3_load},
	{"memory-load", far_setup, memory_load}, {"cache-read", streams, cache_read}, {"dram-read", streams, dram_read},
	{"cache-write", streams, cache_write}, {"dram-write", streams, dram_write}, {"cache-copy", streams, cache_copy},
	{"dram-copy", streams, dram_copy},     {"random-read", streams, random_read}, {"page-fault", NULL, page_fault},
	{NULL, NULL, NULL},
};
