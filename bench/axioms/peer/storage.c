// Files: from the page cache, past it, and through it to the device.
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, CHUNK = 1 << 20, RUN = 16 << 20, LARGE = 64 << 20 };

static unsigned char *data; // CHUNK random bytes, aligned

static void fill(void) {
	if (data)
		return;
	data = mapped(CHUNK, 0);
	for (int i = 0; i < CHUNK / 8; i++)
		((uint64_t *)data)[i] = noise();
}

// written makes a file of that size, all of whose blocks are written and synced.
// It has no name: nothing is left behind, however the program ends.
static int written(size_t size) {
	fill();
	char path[4096];
	if ((size_t)snprintf(path, sizeof path, "%s/peer-XXXXXX", directory) >= sizeof path) {
		errno = ENAMETOOLONG;
		die(directory);
	}
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		die(path);
	for (size_t at = 0; at < size; at += CHUNK) {
		size_t n = size - at < CHUNK ? size - at : CHUNK;
		if (pwrite(fd, data, n, (off_t)at) != (ssize_t)n)
			die("writing a file");
	}
	if (fsync(fd))
		die("fsync");
	unlink(path);
	return fd;
}

// past opens a file without a name again, past the page cache; -1 where that is
// refused.
static int past(int fd) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
}

static int cached, direct, sequential, small;

static const char *cached_setup(size_t size) {
	(void)size;
	cached = written(CHUNK);
	return NULL;
}

static double file_read(void) {
	static unsigned char *to;
	if (!to)
		to = mapped(CHUNK, 0);
	if (pread(cached, to, CHUNK, 0) != CHUNK)
		die("pread");
	double start = now();
	if (pread(cached, to, CHUNK, 0) != CHUNK)
		die("pread");
	return (now() - start) / CHUNK;
}

static const char *direct_setup(size_t size) {
	(void)size;
	direct = past(written(LARGE));
	return direct < 0 ? "O_DIRECT is refused here" : NULL;
}

static double direct_read(void) {
	static unsigned char *to;
	if (!to)
		to = mapped(PAGE, 0);
	off_t at = (off_t)(noise() % (LARGE / PAGE)) * PAGE;
	double start = now();
	if (pread(direct, to, PAGE, at) != PAGE)
		die("pread past the page cache");
	return now() - start;
}

// The file is the other program's: of two files of one size on one disk, one
// was seen to take a fifth longer for as long as both existed.
static const char *sequential_setup(size_t size) {
	(void)size;
	fill();
	char path[4096];
	if ((size_t)snprintf(path, sizeof path, "%s/seq-write", directory) >= sizeof path) {
		errno = ENAMETOOLONG;
		die(directory);
	}
	sequential = open(path, O_WRONLY | O_CLOEXEC);
	if (sequential < 0)
		die(path);
	if (lseek(sequential, 0, SEEK_END) != RUN)
		return "the other program's file has another length";
	return NULL;
}

static double seq_write(void) {
	double start = now();
	for (off_t at = 0; at < RUN; at += CHUNK)
		if (pwrite(sequential, data, CHUNK, at) != CHUNK)
			die("pwrite");
	if (fsync(sequential))
		die("fsync");
	return (now() - start) / RUN;
}

static const char *small_setup(size_t size) {
	(void)size;
	small = written(PAGE);
	return NULL;
}

static double write_fsync(void) {
	double start = now();
	if (pwrite(small, data, PAGE, 0) != PAGE || fsync(small))
		die("overwriting a page");
	return now() - start;
}

const struct quantity storage_table[] = {
	{"file-read", cached_setup, file_read},       {"direct-read", direct_setup, direct_read},
	{"seq-write", sequential_setup, seq_write}, {"write-fsync", small_setup, write_fsync},
	{NULL, NULL, NULL},
};
