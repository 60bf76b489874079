package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// computeNetwork are HNS' namespaces, asked as containerd does by hcsshim (hcn/hcnnamespace.go).
type computeNetwork struct{}

var computeNetworkDLL = windows.NewLazySystemDLL("computenetwork.dll")

// notFound is ERROR_NOT_FOUND as a result.
const notFound = 0x80070490

type hcnError struct {
	function, record string
	code             uint32
}

func (e *hcnError) Error() string { return fmt.Sprintf("%s: %#x %s", e.function, e.code, e.record) }

// call calls a function of HCN, whose last argument is for an error's record.
func call(function string, args ...unsafe.Pointer) error {
	var record *uint16
	words := []uintptr{}
	for _, arg := range args {
		words = append(words, uintptr(arg))
	}
	result, _, _ := syscall.SyscallN(computeNetworkDLL.NewProc(function).Addr(), append(words, uintptr(unsafe.Pointer(&record)))...)
	if int32(result) >= 0 {
		return nil
	}
	return &hcnError{function, windows.UTF16PtrToString(record), uint32(result)}
}

// query reads an object's properties, and returns whether it is there.
func query(kind, id string, properties any) (bool, error) {
	guid, err := windows.GUIDFromString("{" + id + "}")
	if err != nil {
		return false, err
	}
	var handle unsafe.Pointer
	err = call("HcnOpen"+kind, unsafe.Pointer(&guid), unsafe.Pointer(&handle))
	if failed := (*hcnError)(nil); errors.As(err, &failed) && failed.code == notFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer syscall.SyscallN(computeNetworkDLL.NewProc("HcnClose"+kind).Addr(), uintptr(handle))
	var text *uint16
	none, err := windows.UTF16PtrFromString("")
	if err != nil {
		return false, err
	}
	if err := call("HcnQuery"+kind+"Properties", handle, unsafe.Pointer(none), unsafe.Pointer(&text)); err != nil {
		return false, err
	}
	defer windows.CoTaskMemFree(unsafe.Pointer(text))
	return true, json.Unmarshal([]byte(windows.UTF16PtrToString(text)), properties)
}

func (computeNetwork) create() (string, error) {
	guid, err := windows.GenerateGUID()
	if err != nil {
		return "", err
	}
	settings, err := windows.UTF16PtrFromString(`{"Type":"Host","SchemaVersion":{"Major":2,"Minor":0}}`)
	if err != nil {
		return "", err
	}
	var handle unsafe.Pointer
	if err := call("HcnCreateNamespace", unsafe.Pointer(&guid), unsafe.Pointer(settings), unsafe.Pointer(&handle)); err != nil {
		return "", err
	}
	syscall.SyscallN(computeNetworkDLL.NewProc("HcnCloseNamespace").Addr(), uintptr(handle))
	text := guid.String()
	return text[1 : len(text)-1], nil
}

func (computeNetwork) find(id string) (*podNamespace, error) {
	var namespace struct {
		NamespaceID int `json:"NamespaceId"`
		Resources   []struct {
			Type string
			Data struct {
				ID string `json:"Id"`
			}
		}
	}
	if isThere, err := query("Namespace", id, &namespace); err != nil || !isThere {
		return nil, err
	}
	found := &podNamespace{compartment: namespace.NamespaceID}
	for _, resource := range namespace.Resources {
		var endpoint struct {
			DNS struct{ Search, ServerList []string } `json:"Dns"`
		}
		if _, err := query("Endpoint", resource.Data.ID, &endpoint); err != nil {
			return nil, err
		}
		found.servers = append(found.servers, endpoint.DNS.ServerList...)
		found.search = append(found.search, endpoint.DNS.Search...)
	}
	return found, nil
}

func (computeNetwork) remove(id string) error {
	guid, err := windows.GUIDFromString("{" + id + "}")
	if err != nil {
		return err
	}
	return call("HcnDeleteNamespace", unsafe.Pointer(&guid))
}
