/*
 * Answers the two commands with which kubeadm's preflight checks ask PowerShell for the name and the version of Windows,
 * from a registry key (k8s.io/system-validators, os_validator_windows.go and types_windows.go).
 *
 * With Wine's own powershell.exe, which prints nothing, kubeadm's check of the system could not pass. This program has no
 * console and needs no C runtime.
 */
#include <windows.h>

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

void start(void)
{
    WCHAR answer[256] = L"", build[32];
    if (asks(L"CurrentVersion').ProductName")) {
        text(L"ProductName", answer, ARRAYSIZE(answer));
    } else if (asks(L"$($props.CurrentMajorVersionNumber).$($props.CurrentMinorVersionNumber).$($props.CurrentBuildNumber)")) {
        text(L"CurrentBuildNumber", build, ARRAYSIZE(build));
        version(answer, number(L"CurrentMajorVersionNumber"), number(L"CurrentMinorVersionNumber"), build);
    } else {
        write_line(STD_ERROR_HANDLE, L"rehearsed: this powershell.exe answers kubeadm's two questions about Windows, no others");
        ExitProcess(1);
    }
    write_line(STD_OUTPUT_HANDLE, answer);
    ExitProcess(0);
}
