// Calls, branches, locks and checksums.
#include "peer.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 200000 };

static __attribute__((noinline)) uint64_t callee(uint64_t x) {
	KEEP(x); // without a side effect the compiler would drop the calls
	return x + 1;
}

static double function_call(void) {
	uint64_t x = 1;
	double start = now();
	for (int i = 0; i < TIMES; i++)
		x = callee(x);
	double took = now() - start;
	KEEP(x);
	return took / TIMES;
}

// Bits are packed 64 to a word, unlike in the other program: the branch alone
// is common to both.
enum { WORDS = 1024, BITS = WORDS * 64 };

static __attribute__((noinline)) double walk(const uint64_t *words) {
	uint64_t zeros = 0, ones = 0;
	double start = now();
	for (int w = 0; w < WORDS; w++) {
		uint64_t bits = words[w];
		for (int i = 0; i < 64; i++, bits >>= 1) {
			if (bits & 1) {
				ones++;
				KEEP(ones); // keeps the branch a branch
			} else {
				zeros += 3;
				KEEP(zeros);
			}
		}
	}
	double took = now() - start;
	KEEP(zeros);
	KEEP(ones);
	return took;
}

// Half of the branches on random bits are mispredicted; on the others none.
static double branch_miss(void) {
	static uint64_t random[WORDS], even[WORDS];
	for (int w = 0; w < WORDS; w++) {
		random[w] = noise();
		even[w] = w < WORDS / 2 ? 0 : ~(uint64_t)0;
	}
	walk(even);
	double hit = walk(even);
	double miss = walk(random);
	return (miss - hit) / (BITS / 2);
}

// The lock is two atomic changes of a word, as any is while nobody else wants
// it. What the C library adds to that (kinds, owners) is its own affair.
static double mutex(void) {
	static unsigned lock;
	double start = now();
	for (int i = 0; i < TIMES / 10; i++) {
		unsigned free = 0;
		if (!__atomic_compare_exchange_n(&lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			die("a lock that nobody holds is taken");
		if (__atomic_fetch_sub(&lock, 1, __ATOMIC_RELEASE) != 1)
			die("a lock was lost");
	}
	return (now() - start) / (TIMES / 10);
}

// Multiply-adds in registers, as many chains as hide the instruction's four
// cycles on two units. Every lane begins elsewhere, so that no two chains can be
// merged, and no value settles or grows.
enum { ROUNDS = 1 << 15, CHAINS = 12 };
static volatile float factor = -(1 - 1.f / 1024), term = 1;

#define FMA_LOOP(name, bytes, attribute)                                                \
	attribute static double name(void) {                                                \
		typedef float vec __attribute__((vector_size(bytes)));                           \
		vec v[CHAINS], f = factor - (vec){0}, t = term - (vec){0};                       \
		for (int j = 0; j < CHAINS; j++)                                                 \
			for (int i = 0; i < (bytes) / 4; i++)                                        \
				v[j][i] = 0.25f + (float)(j * (bytes) / 4 + i) / 512;                    \
		double start = now();                                                            \
		for (long r = 0; r < ROUNDS; r++) {                                              \
			_Pragma("GCC unroll 12") for (int j = 0; j < CHAINS; j++) v[j] = v[j] * f + t; \
		}                                                                                \
		for (int j = 0; j < CHAINS; j++)                                                 \
			__asm__ volatile("" : "+m"(v[j]));                                           \
		double took = now() - start;                                                     \
		return took / (2.0 * CHAINS * (bytes) / 4 * ROUNDS);                             \
	}

#if defined(__x86_64__)
FMA_LOOP(fma_512, 64, __attribute__((target("avx512f"))))
FMA_LOOP(fma_256, 32, __attribute__((target("avx2,fma"))))

static double core_peak(void) {
	return __builtin_cpu_supports("avx512f") ? fma_512() : fma_256();
}

static const char *peak_setup(size_t size) {
	(void)size;
	if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
		return "this processor has no 256-bit multiply-add";
	core_peak();
	return NULL;
}
#else
FMA_LOOP(core_peak, 16, )

static const char *peak_setup(size_t size) {
	(void)size;
	return NULL;
}
#endif

static double system_call(void) {
	enum { CALLS = 2000 };
	double start = now();
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return (now() - start) / CALLS;
}

static double clock_reading(void) {
	enum { READINGS = 2000 };
	struct timespec t;
	double start = now();
	for (int i = 0; i < READINGS; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return (now() - start) / READINGS;
}

enum { BUFFER = 256 << 10, THIRD = 1 << 12 };
static unsigned char *buffer;

#if defined(__x86_64__)
#define HAVE_CRC __builtin_cpu_supports("sse4.2")
#define CRC_TARGET __attribute__((target("sse4.2")))
#define CRC8(c, v) ((uint32_t)__builtin_ia32_crc32di((c), (v)))
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define HAVE_CRC (getauxval(AT_HWCAP) & (1u << 7))
#define CRC_TARGET __attribute__((target("+crc")))
#define CRC8(c, v) __crc32cd((c), (v))
#else
#define HAVE_CRC 0
#define CRC_TARGET
#define CRC8(c, v) ((uint32_t)((c) ^ (v)))
#endif

// shifts[k][b] is byte k of a checksum, of value b, followed by THIRD zeros.
static uint32_t shifts[4][256];

static CRC_TARGET uint32_t over_zeros(uint32_t c) {
	for (int i = 0; i < THIRD; i += 8)
		c = CRC8(c, 0);
	return c;
}

static uint32_t shift(uint32_t c) {
	return shifts[0][c & 255] ^ shifts[1][c >> 8 & 255] ^ shifts[2][c >> 16 & 255] ^ shifts[3][c >> 24];
}

static CRC_TARGET uint32_t plain(const unsigned char *p, size_t n, uint32_t c) {
	for (; n >= 8; p += 8, n -= 8)
		c = CRC8(c, *(const uint64_t *)p);
	for (; n > 0; p++, n--) { // bit by bit: only ever a few bytes
		c ^= *p;
		for (int i = 0; i < 8; i++)
			c = c >> 1 ^ (c & 1 ? 0x82f63b78u : 0);
	}
	return c;
}

// The instruction takes three cycles, and one can start in each: three streams
// side by side, joined by what the later ones' length does to a checksum.
static CRC_TARGET uint32_t crc32c(const unsigned char *p, size_t n) {
	uint32_t a = ~0u;
	for (; n >= 3 * THIRD; p += 3 * THIRD, n -= 3 * THIRD) {
		uint32_t b = 0, c = 0;
		const uint64_t *x = (const uint64_t *)p, *y = x + THIRD / 8, *z = y + THIRD / 8;
		for (int i = 0; i < THIRD / 8; i++) {
			a = CRC8(a, x[i]);
			b = CRC8(b, y[i]);
			c = CRC8(c, z[i]);
		}
		a = shift(shift(a) ^ b) ^ c;
	}
	return ~plain(p, n, a);
}

static const char *crc_setup(size_t size) {
	(void)size;
	if (!HAVE_CRC)
		return "this processor has no CRC-32C instruction";
	for (int k = 0; k < 4; k++)
		for (uint32_t b = 0; b < 256; b++)
			shifts[k][b] = over_zeros(b << 8 * k);
	buffer = mapped(BUFFER, 0);
	for (int i = 0; i < BUFFER / 8; i++)
		((uint64_t *)buffer)[i] = noise();
	if (~plain((const unsigned char *)"123456789", 9, ~0u) != 0xe3069283u || crc32c(buffer, BUFFER) != ~plain(buffer, BUFFER, ~0u))
		return "its checksum is wrong";
	return NULL;
}

static double crc_sample(void) {
	uint32_t c = crc32c(buffer, BUFFER);
	double start = now();
	c ^= crc32c(buffer, BUFFER);
	double took = now() - start;
	KEEP(c);
	return took / BUFFER;
}

const struct quantity processor_table[] = {
	{"function-call", NULL, function_call}, {"branch-miss", NULL, branch_miss}, {"mutex", NULL, mutex},
	{"core-peak", peak_setup, core_peak},
	{"system-call", NULL, system_call},     {"clock", NULL, clock_reading},     {"crc32c", crc_setup, crc_sample},
	{NULL, NULL, NULL},
};
