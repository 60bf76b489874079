/*
 * Loaded into Wine's server, which makes all sockets of the programs under Wine: makes those of a pod's programs in the pod's
 * network namespace.
 *
 * Such programs name the namespace by the protocol (toolchain/windows-goroot/net_pod_windows.go): Wine's server passes those of
 * IPX on as they are (server/sock.c, get_unix_protocol), and Linux has none. A connection that a listener accepts is in the
 * listener's namespace anyway.
 *
 * Without headers and libraries, because the server's libc is not the one of the machine that compiles this.
 */
#define IPX 1000
#define IPX_END 1255
#define SYS_SOCKET 41
#define O_RDONLY_CLOEXEC 02000000
#define CLONE_NEWNET 0x40000000

long syscall(long number, ...);
int open(const char *path, int flags, ...);
int close(int file);
int setns(int file, int kind);
int snprintf(char *text, unsigned long size, const char *format, ...);
char *getenv(const char *name);

/* The folder with the namespaces, where `ip netns` makes them. */
static const char *folder(void)
{
    const char *given = getenv("NETWORK_NAMESPACES");
    return given ? given : "/run/netns";
}

int socket(int family, int type, int protocol)
{
    static int own = -1;
    char path[256];
    int pod, made;
    if (protocol < IPX || protocol > IPX_END) return syscall(SYS_SOCKET, family, type, protocol);
    if (own < 0) own = open("/proc/self/ns/net", O_RDONLY_CLOEXEC);
    if (own < 0) return -1;
    snprintf(path, sizeof(path), "%s/pod%d", folder(), protocol - IPX);
    pod = open(path, O_RDONLY_CLOEXEC);
    if (pod < 0) return -1;
    made = setns(pod, CLONE_NEWNET) ? -1 : syscall(SYS_SOCKET, family, type, 0);
    close(pod);
    /* A server in a pod's namespace would make all others' sockets there. */
    if (setns(own, CLONE_NEWNET)) __builtin_trap();
    return made;
}
