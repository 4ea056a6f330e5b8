// One byte there and back over sockets, between two threads.
#include "peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 200 };

static int tcp, local;

static void *answer(void *fd) {
	int s = (int)(intptr_t)fd;
	char c;
	while (recv(s, &c, 1, 0) == 1 && send(s, &c, 1, MSG_NOSIGNAL) == 1)
		;
	return NULL;
}

static void serve(int fd) {
	pthread_t t;
	if ((errno = pthread_create(&t, NULL, answer, (void *)(intptr_t)fd)))
		die("pthread_create");
}

static const char *tcp_setup(size_t size) {
	(void)size;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), other = -1;
	tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || tcp < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &length) || connect(tcp, (struct sockaddr *)&at, sizeof at) ||
	    (other = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) < 0)
		die("a connection over loopback");
	if (setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) || setsockopt(other, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one))
		die("TCP_NODELAY");
	close(listener);
	serve(other);
	return NULL;
}

static const char *local_setup(size_t size) {
	(void)size;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		die("socketpair");
	local = ends[0];
	serve(ends[1]);
	return NULL;
}

static double volley(int fd) {
	char c = 'x';
	double start = now();
	for (int i = 0; i < TURNS; i++)
		if (send(fd, &c, 1, MSG_NOSIGNAL) != 1 || recv(fd, &c, 1, 0) != 1)
			die("a round trip");
	return (now() - start) / TURNS;
}

static double tcp_trip(void) { return volley(tcp); }
static double local_trip(void) { return volley(local); }

const struct quantity network_table[] = {
	{"tcp-round-trip", tcp_setup, tcp_trip},
	{"unix-round-trip", local_setup, local_trip},
	{NULL, NULL, NULL},
};
