// Package net, for programs in the rehearsal guest's pods: in place of Go's own file; see
// toolchain/windows-goroot-overlay.ts.

package net

import (
	"os"
	"time"
)

// dnsReadConfig returns the name servers and the search list that the pod's endpoint has in HNS.
func dnsReadConfig(string) *dnsConfig {
	conf := &dnsConfig{ndots: 1, timeout: 5 * time.Second, attempts: 2, servers: defaultNS}
	if servers := splitAtBytes(os.Getenv("REHEARSAL_DNS_SERVERS"), ","); len(servers) > 0 {
		conf.servers = nil
		for _, server := range servers {
			conf.servers = append(conf.servers, JoinHostPort(server, "53"))
		}
	}
	for _, suffix := range splitAtBytes(os.Getenv("REHEARSAL_DNS_SEARCH"), ",") {
		conf.search = append(conf.search, suffix+".")
	}
	return conf
}
