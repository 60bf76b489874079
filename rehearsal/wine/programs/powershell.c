/*
 * PowerShell and netsh for programs under Wine, whose own powershell.exe prints nothing, and whose netsh.exe does nothing.
 *
 * It answers the two commands with which kubeadm's preflight checks ask for the name and the version of Windows, from a
 * registry key (k8s.io/system-validators, os_validator_windows.go and types_windows.go). All other commands the
 * interpreter runs, in the host of the rehearsal, which sends back what they write (rehearsal/machine/serve-powershell.ts).
 * This program has no console and needs no C runtime; sockets are loaded only if they are needed.
 */
#include <winsock2.h>
#include <windows.h>

#define SEPARATOR '\x1f'

static struct {
    int(WINAPI *startup)(WORD, WSADATA *);
    SOCKET(WINAPI *socket)(int, int, int);
    int(WINAPI *connect)(SOCKET, const struct sockaddr *, int);
    int(WINAPI *send)(SOCKET, const char *, int, int);
    int(WINAPI *recv)(SOCKET, char *, int, int);
} sockets;

static const WCHAR key[] = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

static DWORD number(const WCHAR *name)
{
    DWORD value = 0, size = sizeof(value);
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_DWORD, NULL, &value, &size)) ExitProcess(2);
    return value;
}

static void text(const WCHAR *name, WCHAR *value, DWORD characters)
{
    DWORD size = characters * sizeof(WCHAR);
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, value, &size)) ExitProcess(2);
}

/* "10.0.20348". Not with wsprintfW: it is in user32, which would start a desktop. */
static void version(WCHAR *into, DWORD major, DWORD minor, const WCHAR *build)
{
    if (major > 99 || minor > 9) ExitProcess(2);
    if (major > 9) *into++ = L'0' + major / 10;
    *into++ = L'0' + major % 10;
    *into++ = L'.';
    *into++ = L'0' + minor;
    *into++ = L'.';
    lstrcpyW(into, build);
}

static void write_line(DWORD stream, const WCHAR *line)
{
    char bytes[512];
    DWORD written;
    int length = WideCharToMultiByte(CP_UTF8, 0, line, -1, bytes, sizeof(bytes) - 2, NULL, NULL) - 1;
    if (length < 0) ExitProcess(2);
    bytes[length++] = '\r';
    bytes[length++] = '\n';
    WriteFile(GetStdHandle(stream), bytes, length, &written, NULL);
}

/* Whether the command line contains some words. */
static BOOL asks(const WCHAR *words)
{
    const WCHAR *from = GetCommandLineW();
    int length = lstrlenW(words);
    for (; lstrlenW(from) >= length; from++)
        if (CompareStringOrdinal(from, length, words, length, FALSE) == CSTR_EQUAL) return TRUE;
    return FALSE;
}

static void fail(const WCHAR *why)
{
    write_line(STD_ERROR_HANDLE, why);
    ExitProcess(1);
}

/* Adds a text and a separator to the message; returns its new end. */
static char *add(char *end, char *limit, const WCHAR *text, char separator)
{
    int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, end, (int)(limit - end), NULL, NULL);
    if (!length) fail(L"rehearsed: the command line and the environment are too long for this powershell.exe");
    end[length - 1] = separator;
    return end + length;
}

/* The command line, the current folder and the environment, separated by U+001F; ends with NUL. */
static int compose(char *message, int size)
{
    WCHAR folder[MAX_PATH];
    char *end = message, *limit = message + size;
    const WCHAR *variable = GetEnvironmentStringsW();
    if (!GetCurrentDirectoryW(MAX_PATH, folder)) lstrcpyW(folder, L"C:\\");
    end = add(end, limit, GetCommandLineW(), SEPARATOR);
    end = add(end, limit, folder, SEPARATOR);
    for (; *variable; variable += lstrlenW(variable) + 1) end = add(end, limit, variable, SEPARATOR);
    *end++ = 0;
    return (int)(end - message);
}

static BOOL receive(SOCKET host, char *into, DWORD length)
{
    while (length) {
        int received = sockets.recv(host, into, length, 0);
        if (received <= 0) return FALSE;
        into += received;
        length -= received;
    }
    return TRUE;
}

/* Writes what the host sends: a byte that names the stream, the length, the bytes. 'x' is the end, with the exit code. */
static void relay(SOCKET host)
{
    static char data[1 << 16];
    struct { char stream; DWORD length; } frame;
    while (receive(host, &frame.stream, 1) && receive(host, (char *)&frame.length, 4)) {
        DWORD written;
        if (frame.stream == 'x') ExitProcess(frame.length);
        if (frame.length > sizeof(data) || !receive(host, data, frame.length)) break;
        WriteFile(GetStdHandle(frame.stream == 'e' ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE), data, frame.length, &written,
                  NULL);
    }
    fail(L"rehearsed: the host of the rehearsal has ended, which ran this command");
}

static void run_on_host(void)
{
    static char message[1 << 17];
    static WSADATA data;
    static struct sockaddr_in address;
    HMODULE library = LoadLibraryA("ws2_32.dll");
    SOCKET host;
    int length = compose(message, sizeof(message) - 1), sent = 0;
    sockets.startup = (void *)GetProcAddress(library, "WSAStartup");
    sockets.socket = (void *)GetProcAddress(library, "socket");
    sockets.connect = (void *)GetProcAddress(library, "connect");
    sockets.send = (void *)GetProcAddress(library, "send");
    sockets.recv = (void *)GetProcAddress(library, "recv");
    sockets.startup(MAKEWORD(2, 2), &data);
    address.sin_family = AF_INET;
    address.sin_port = (HOST_PORT & 255) << 8 | HOST_PORT >> 8;
    address.sin_addr.s_addr = 0x0100007f;
    host = sockets.socket(AF_INET, SOCK_STREAM, 0);
    if (host == INVALID_SOCKET || sockets.connect(host, (struct sockaddr *)&address, sizeof(address)))
        fail(L"rehearsed: the host of the rehearsal, which runs PowerShell's commands, does not answer");
    while (sent < length) {
        int now = sockets.send(host, message + sent, length - sent, 0);
        if (now <= 0) break;
        sent += now;
    }
    relay(host);
}

void start(void)
{
    WCHAR answer[256] = L"", build[32];
    if (asks(L"CurrentVersion').ProductName")) {
        text(L"ProductName", answer, ARRAYSIZE(answer));
    } else if (asks(L"$($props.CurrentMajorVersionNumber).$($props.CurrentMinorVersionNumber).$($props.CurrentBuildNumber)")) {
        text(L"CurrentBuildNumber", build, ARRAYSIZE(build));
        version(answer, number(L"CurrentMajorVersionNumber"), number(L"CurrentMinorVersionNumber"), build);
    } else {
        run_on_host();
    }
    write_line(STD_OUTPUT_HANDLE, answer);
    ExitProcess(0);
}
