// What the files of this program share. Each file has a table of quantities,
// and main.c answers requests from all of them.
#ifndef PEER_H
#define PEER_H

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

// A quantity is prepared when it is first asked for. sample returns seconds, or
// seconds a byte for a rate; what it needs warm it warms first, untimed. setup
// may be NULL, and returns why the quantity can't be measured here, or NULL.
struct quantity {
	const char *name;
	const char *(*setup)(size_t size);
	double (*sample)(void);
};

// Each table ends with a name of NULL.
extern const struct quantity processor_table[], memory_table[], schedule_table[], network_table[], storage_table[];

extern const char *directory; // on the file system under test

double now(void);           // seconds of the monotonic clock
uint64_t noise(void);       // 64 random bits
void die(const char *what); // ends the program with errno's text

// mapped returns memory that starts at a multiple of 2 MiB, with huge pages
// asked for or refused, every page touched.
unsigned char *mapped(size_t size, int huge);

#define KEEP(x) __asm__ volatile("" : "+r"(x))

#endif
