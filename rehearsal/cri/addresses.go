package main

import (
	"fmt"
	"net/netip"
)

// firstPodOffset is the first address of the node's range that a pod gets: Windows keeps the first two for its gateway.
const firstPodOffset = 3

// setPodCIDR sets the range; kubelet gives a node's pod ranges comma-separated, of which the first is used.
func (st *state) setPodCIDR(cidr string) error {
	for i, r := range cidr {
		if r == ',' {
			cidr = cidr[:i]
			break
		}
	}
	if _, err := netip.ParsePrefix(cidr); err != nil {
		return fmt.Errorf("the node's pod range: %w", err)
	}
	st.PodCIDR = cidr
	return nil
}

// freeIP is the lowest address of the node's range that no living sandbox has.
func (st *state) freeIP() (string, error) {
	if st.PodCIDR == "" {
		return "", fmt.Errorf("the node has no pod range yet")
	}
	prefix, err := netip.ParsePrefix(st.PodCIDR)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, sb := range st.Sandboxes {
		if sb.Ready {
			taken[sb.IP] = true
		}
	}
	address := prefix.Masked().Addr()
	for range firstPodOffset {
		address = address.Next()
	}
	// The last address is the range's broadcast address.
	for ; prefix.Contains(address.Next()); address = address.Next() {
		if !taken[address.String()] {
			return address.String(), nil
		}
	}
	return "", fmt.Errorf("the node's pod range %s has no free address", st.PodCIDR)
}
