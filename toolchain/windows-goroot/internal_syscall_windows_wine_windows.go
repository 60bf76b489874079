// Package windows, for Wine: added to Go's own; see toolchain/windows-goroot-overlay.ts.

package windows

// Wine 8 has no FileDispositionInformationEx and says so with a status that Deleteat does not expect
// (STATUS_NOT_IMPLEMENTED), so that os.RemoveAll removes nothing: kubelet could not take down the volumes of a pod, and
// the pod stayed. What Deleteat does on an old Windows works.
func init() {
	TestDeleteatFallback = true
}
