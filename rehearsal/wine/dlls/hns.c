/*
 * The Host Networking Service for programs: computenetwork.dll (HCN) and vmcompute.dll (HNSCall) in one source.
 *
 * Each call is a message to the model of Windows, which answers it (rehearsal/windows/hns/serve.ts). A message is a line
 * of fields: they are separated by U+001F, which JSON can't contain, and end with NUL. The signatures are those of
 * github.com/Microsoft/hcsshim, hcn/hcn.go. Handles are ids of objects.
 */
#include <winsock2.h>
#include <windows.h>
#include <objbase.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNAVAILABLE HRESULT_FROM_WIN32(RPC_S_SERVER_UNAVAILABLE)
#define SEPARATOR '\x1f'
#define EXPORT __declspec(dllexport) HRESULT WINAPI

/* One connection for all calls of a program, because connecting is expensive on an emulated CPU. */
static SRWLOCK lock = SRWLOCK_INIT;
static SOCKET connection = INVALID_SOCKET;

static void disconnect(void)
{
    closesocket(connection);
    connection = INVALID_SOCKET;
}

static BOOL connected(void)
{
    static BOOL started = FALSE;
    WSADATA data;
    struct sockaddr_in host = { .sin_family = AF_INET, .sin_port = htons(HNS_PORT) };
    if (connection != INVALID_SOCKET) return TRUE;
    if (!started && WSAStartup(MAKEWORD(2, 2), &data)) return FALSE;
    started = TRUE;
    host.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection == INVALID_SOCKET) return FALSE;
    if (!connect(connection, (struct sockaddr *)&host, sizeof(host))) return TRUE;
    disconnect();
    return FALSE;
}

static BOOL send_all(const char *message, int length)
{
    while (length > 0) {
        int sent = send(connection, message, length, 0);
        if (sent <= 0) return FALSE;
        message += sent;
        length -= sent;
    }
    return TRUE;
}

/* The answer without its NUL, to be freed; NULL if there is none. */
static char *receive(void)
{
    size_t size = 1 << 14, length = 0;
    char *answer = malloc(size);
    while (answer) {
        int received = recv(connection, answer + length, (int)(size - length), 0);
        if (received <= 0) break;
        length += received;
        if (answer[length - 1] == 0) return answer;
        if (length == size) answer = realloc(answer, size *= 2);
    }
    free(answer);
    return NULL;
}

static char *utf8(const WCHAR *text)
{
    int size = text ? WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL) : 1;
    char *result = calloc(1, size);
    if (text && result) WideCharToMultiByte(CP_UTF8, 0, text, -1, result, size, NULL, NULL);
    return result;
}

/* For the caller, who frees it by CoTaskMemFree. */
static WCHAR *task_memory(const char *text)
{
    int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    WCHAR *result = CoTaskMemAlloc(size * sizeof(WCHAR));
    if (result) MultiByteToWideChar(CP_UTF8, 0, text, -1, result, size);
    return result;
}

/* Asks the model. Returns its answer, to be freed, and what the call returns. */
static char *ask(const char *operation, const char *kind, const char *id, const char *parent, const WCHAR *json,
                 HRESULT *result)
{
    char *body = utf8(json), *answer = NULL;
    size_t size = strlen(operation) + strlen(kind) + strlen(id) + strlen(parent) + strlen(body) + 5;
    char *message = malloc(size);
    int length = snprintf(message, size, "%s%c%s%c%s%c%s%c%s", operation, SEPARATOR, kind, SEPARATOR, id, SEPARATOR,
                          parent, SEPARATOR, body);
    AcquireSRWLockExclusive(&lock);
    if (connected()) {
        if (send_all(message, length + 1)) answer = receive();
        if (!answer) disconnect();
    }
    ReleaseSRWLockExclusive(&lock);
    free(message);
    free(body);
    *result = answer ? (HRESULT)strtoul(answer, NULL, 16) : UNAVAILABLE;
    return answer;
}

static const char *text_of(const char *answer)
{
    const char *separator = answer ? strchr(answer, SEPARATOR) : NULL;
    return separator ? separator + 1 : "";
}

/* A call of HCN: the text is the output of one that succeeds, else the error's record. */
static HRESULT hcn(const char *operation, const char *kind, const char *id, const char *parent, const WCHAR *json,
                   WCHAR **output, WCHAR **error)
{
    HRESULT result;
    char *answer = ask(operation, kind, id, parent, json, &result);
    if (error) *error = FAILED(result) && answer ? task_memory(text_of(answer)) : NULL;
    if (output) *output = SUCCEEDED(result) ? task_memory(text_of(answer)) : NULL;
    free(answer);
    return result;
}

/* Opens or creates an object. Its handle is the id. */
static HRESULT handle_of(const char *operation, const char *kind, const char *id, const char *parent, const WCHAR *json,
                         void **handle, WCHAR **error)
{
    HRESULT result;
    char *answer = ask(operation, kind, id, parent, json, &result);
    if (error) *error = FAILED(result) && answer ? task_memory(text_of(answer)) : NULL;
    *handle = SUCCEEDED(result) ? strdup(text_of(answer)) : NULL;
    free(answer);
    return result;
}

#define ID_SIZE 37

static const char *id_of(const GUID *id, char *text)
{
    snprintf(text, ID_SIZE, "%08lX-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X", id->Data1, id->Data2, id->Data3,
             id->Data4[0], id->Data4[1], id->Data4[2], id->Data4[3], id->Data4[4], id->Data4[5], id->Data4[6],
             id->Data4[7]);
    return text;
}

#define FUNCTIONS(Name, kind)                                                                                            \
    EXPORT HcnEnumerate##Name##s(const WCHAR *query, WCHAR **ids, WCHAR **error)                                         \
    {                                                                                                                    \
        return hcn("enumerate", kind, "", "", query, ids, error);                                                        \
    }                                                                                                                    \
    EXPORT HcnOpen##Name(const GUID *id, void **handle, WCHAR **error)                                                   \
    {                                                                                                                    \
        char text[ID_SIZE];                                                                                              \
        return handle_of("open", kind, id_of(id, text), "", NULL, handle, error);                                        \
    }                                                                                                                    \
    EXPORT HcnModify##Name(void *handle, const WCHAR *settings, WCHAR **error)                                           \
    {                                                                                                                    \
        return hcn("modify", kind, handle, "", settings, NULL, error);                                                   \
    }                                                                                                                    \
    EXPORT HcnQuery##Name##Properties(void *handle, const WCHAR *query, WCHAR **properties, WCHAR **error)               \
    {                                                                                                                    \
        return hcn("query", kind, handle, "", query, properties, error);                                                 \
    }                                                                                                                    \
    EXPORT HcnDelete##Name(const GUID *id, WCHAR **error)                                                                \
    {                                                                                                                    \
        char text[ID_SIZE];                                                                                              \
        return hcn("delete", kind, id_of(id, text), "", NULL, NULL, error);                                              \
    }                                                                                                                    \
    EXPORT HcnClose##Name(void *handle)                                                                                  \
    {                                                                                                                    \
        free(handle);                                                                                                    \
        return S_OK;                                                                                                     \
    }

#define CREATE(Name, kind)                                                                                               \
    EXPORT HcnCreate##Name(const GUID *id, const WCHAR *settings, void **handle, WCHAR **error)                          \
    {                                                                                                                    \
        char text[ID_SIZE];                                                                                              \
        return handle_of("create", kind, id_of(id, text), "", settings, handle, error);                                  \
    }

FUNCTIONS(Network, "network")
CREATE(Network, "network")
FUNCTIONS(Endpoint, "endpoint")
FUNCTIONS(Namespace, "namespace")
CREATE(Namespace, "namespace")
FUNCTIONS(LoadBalancer, "loadBalancer")
CREATE(LoadBalancer, "loadBalancer")
FUNCTIONS(SdnRoute, "route")
CREATE(SdnRoute, "route")

EXPORT HcnCreateEndpoint(void *network, const GUID *id, const WCHAR *settings, void **handle, WCHAR **error)
{
    char text[ID_SIZE];
    return handle_of("create", "endpoint", id_of(id, text), network, settings, handle, error);
}

/* Its response also says why a call has failed. */
EXPORT HNSCall(const WCHAR *method, const WCHAR *path, const WCHAR *request, WCHAR **response)
{
    HRESULT result;
    char *what = utf8(method), *where = utf8(path);
    char *answer = ask("call", what, where, "", request, &result);
    *response = answer ? task_memory(text_of(answer)) : NULL;
    free(answer);
    free(where);
    free(what);
    return result;
}
