// Package runtime, for Wine: added to Go's own; see toolchain/windows-goroot-overlay.ts.
//
// Under Wine every wait on an event or a timer, and every setting of one, asks another process (wineserver). A Go
// program waits some hundred times a second even when it has nothing to do, and on an emulated CPU that alone took half
// a core per node. Alerts between threads are futexes in Wine, and a plain sleep is one too.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

//go:cgo_import_dynamic runtime._NtAlertThreadByThreadId NtAlertThreadByThreadId%1 "ntdll.dll"
//go:cgo_import_dynamic runtime._NtWaitForAlertByThreadId NtWaitForAlertByThreadId%2 "ntdll.dll"
//go:cgo_import_dynamic runtime._Sleep Sleep%1 "kernel32.dll"

var (
	_NtAlertThreadByThreadId,
	_NtWaitForAlertByThreadId,
	_Sleep stdFunction
)

// semacreate has nothing to do: waitsema is not a handle here, but 1 when its thread has been woken.
//
//go:nosplit
func semacreate(mp *m) {}

//go:nosplit
func semasleep(ns int64) int32 {
	mp := getg().m
	var deadline int64
	if ns >= 0 {
		deadline = nanotime() + ns
	}
	for {
		if atomic.Casuintptr(&mp.waitsema, 1, 0) {
			return 0
		}
		var left int64
		var timeout uintptr
		if ns >= 0 {
			// Negative means from now on, in units of 100 ns.
			left = (nanotime() - deadline) / 100
			if left >= 0 {
				return -1
			}
			timeout = uintptr(unsafe.Pointer(&left))
		}
		// Others may use the thread's alert as well: what counts is waitsema, looked at before every wait.
		stdcall(_NtWaitForAlertByThreadId, uintptr(unsafe.Pointer(&mp.waitsema)), timeout)
	}
}

//go:nosplit
func semawakeup(mp *m) {
	atomic.Storeuintptr(&mp.waitsema, 1)
	stdcall(_NtAlertThreadByThreadId, uintptr(mp.procid))
}

// usleep is never shorter than it should be; the runtime asks for some microseconds at least, and gets a millisecond.
//
//go:nosplit
func usleep(us uint32) {
	systemstack(func() {
		stdcall(_Sleep, uintptr(us+999)/1000)
	})
}

// preemptM leaves a goroutine to its own next point of preemption, as where threads cannot be suspended: suspending one
// is several requests and a signal.
func preemptM(mp *m) {
	mp.preemptGen.Add(1)
}
