// Peer measures the axioms of package envelope/internal/probe in C, in its own
// way: one line "NAME SIZE" on standard input asks for one sample, and one line
// answers it with a number, or with "skip" and a reason.
#include "peer.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

const char *directory;

double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

uint64_t noise(void) {
	static uint64_t x = 0x9e3779b97f4a7c15u;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x * 0x2545f4914f6cdd1du;
}

void die(const char *what) {
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

unsigned char *mapped(size_t size, int huge) {
	const size_t align = 2u << 20;
	unsigned char *raw = mmap(NULL, size + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (raw == MAP_FAILED)
		die("mmap");
	unsigned char *at = raw + (align - (uintptr_t)raw % align) % align;
	madvise(at, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); // a kernel without huge pages refuses both
	for (size_t i = 0; i < size; i += 4096)
		at[i] = 1;
	return at;
}

static const struct quantity *const tables[] = {processor_table, memory_table, schedule_table, network_table, storage_table};
enum { TABLES = sizeof tables / sizeof tables[0], MOST = 64 };

static const struct quantity *find(const char *name, int *number) {
	*number = 0;
	for (int t = 0; t < TABLES; t++)
		for (const struct quantity *q = tables[t]; q->name; q++, ++*number)
			if (strcmp(q->name, name) == 0)
				return q;
	return NULL;
}

static void *idle(void *unused) {
	for (;;)
		pause();
	return unused;
}

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: peer DIRECTORY <requests\n");
		return 2;
	}
	directory = argv[1];
	// While there is one thread only, the C library's locks are no atomic
	// operations; those of a Go program always are.
	pthread_t other;
	if ((errno = pthread_create(&other, NULL, idle, NULL)))
		die("pthread_create");
	static char ready[MOST];
	static const char *reasons[MOST];
	char line[256], name[64];
	size_t size;
	while (fgets(line, sizeof line, stdin)) {
		int number;
		const struct quantity *q = NULL;
		if (sscanf(line, "%63s %zu", name, &size) == 2)
			q = find(name, &number);
		if (!q || number >= MOST) {
			printf("skip no such quantity in this program\n");
		} else {
			if (!ready[number]) {
				ready[number] = 1;
				reasons[number] = q->setup ? q->setup(size) : NULL;
			}
			if (reasons[number])
				printf("skip %s\n", reasons[number]);
			else
				printf("%.9e\n", q->sample());
		}
		fflush(stdout);
	}
	return 0;
}
