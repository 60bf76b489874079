/*
 * The performance counters that kubelet's Windows statistics read.
 *
 * Wine's own pdh.dll does not know these counters, and kubelet does not start without them. The values are modelled:
 * constants of an idle machine, chosen by the counter's path.
 */
#include <windows.h>

/* <pdh.h> can't be used: it declares these functions as imported from another DLL. */
typedef LONG PDH_STATUS;
typedef HANDLE PDH_HQUERY, PDH_HCOUNTER;
typedef struct { DWORD CStatus; double doubleValue; } PDH_FMT_COUNTERVALUE;
typedef struct { WCHAR *szName; PDH_FMT_COUNTERVALUE FmtValue; } PDH_FMT_COUNTERVALUE_ITEM_W;
#define PDH_MORE_DATA ((PDH_STATUS)0x800007D2)

enum { OTHER = 1, PROCESSOR_TIME, WORKING_SET, COMMITTED };

static double value_of(PDH_HCOUNTER counter)
{
    switch ((SIZE_T)counter) {
    case PROCESSOR_TIME: return 7;
    case WORKING_SET: return 700e6;
    case COMMITTED: return 1200e6;
    default: return 0;
    }
}

__declspec(dllexport) PDH_STATUS WINAPI PdhOpenQuery(void *source, DWORD_PTR user, PDH_HQUERY *query)
{
    static volatile LONG last = 0;
    *query = (PDH_HQUERY)(SIZE_T)InterlockedIncrement(&last);
    return ERROR_SUCCESS;
}

__declspec(dllexport) PDH_STATUS WINAPI PdhAddEnglishCounterW(PDH_HQUERY query, const WCHAR *path,
                                                              DWORD_PTR user, PDH_HCOUNTER *counter)
{
    SIZE_T kind = OTHER;
    if (wcsstr(path, L"Processor Time")) kind = PROCESSOR_TIME;
    else if (wcsstr(path, L"Working Set")) kind = WORKING_SET;
    else if (wcsstr(path, L"Committed")) kind = COMMITTED;
    *counter = (PDH_HCOUNTER)kind;
    return ERROR_SUCCESS;
}

__declspec(dllexport) PDH_STATUS WINAPI PdhAddCounterW(PDH_HQUERY query, const WCHAR *path,
                                                       DWORD_PTR user, PDH_HCOUNTER *counter)
{
    return PdhAddEnglishCounterW(query, path, user, counter);
}

__declspec(dllexport) PDH_STATUS WINAPI PdhCloseQuery(PDH_HQUERY query) { return ERROR_SUCCESS; }

__declspec(dllexport) PDH_STATUS WINAPI PdhCollectQueryData(PDH_HQUERY query) { return ERROR_SUCCESS; }

__declspec(dllexport) PDH_STATUS WINAPI PdhValidatePathW(const WCHAR *path) { return ERROR_SUCCESS; }

__declspec(dllexport) PDH_STATUS WINAPI PdhGetFormattedCounterValue(PDH_HCOUNTER counter, DWORD format,
                                                                    DWORD *type, PDH_FMT_COUNTERVALUE *value)
{
    value->CStatus = ERROR_SUCCESS;
    value->doubleValue = value_of(counter);
    return ERROR_SUCCESS;
}

/* One instance, "_Total". As on Windows, the first call without a buffer returns the size it needs. */
__declspec(dllexport) PDH_STATUS WINAPI PdhGetFormattedCounterArrayW(PDH_HCOUNTER counter, DWORD format,
                                                                     DWORD *size, DWORD *count,
                                                                     PDH_FMT_COUNTERVALUE_ITEM_W *items)
{
    static WCHAR total[] = L"_Total";
    DWORD needed = sizeof(*items);
    *count = 1;
    if (!items || *size < needed) {
        *size = needed;
        return PDH_MORE_DATA;
    }
    items->szName = total;
    items->FmtValue.CStatus = ERROR_SUCCESS;
    items->FmtValue.doubleValue = value_of(counter);
    return ERROR_SUCCESS;
}
