package main

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePodIsAskedForWithKubeletsCredentials(t *testing.T) {
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if len(request.TLS.PeerCertificates) != 1 {
			t.Error("the client has no certificate")
		}
		if request.URL.Path != "/api/v1/namespaces/calico-system/pods/calico-node-windows-1" {
			http.Error(answer, "no such pod", http.StatusNotFound)
			return
		}
		fmt.Fprint(answer, `{"spec": {"initContainers": [{"name": "install-cni"}], "containers": [{"name": "felix"}]}}`)
	}))
	api.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	api.StartTLS()
	defer api.Close()

	folder := t.TempDir()
	file := filepath.Join(folder, "kubelet.conf")
	ask := askAsKubelet(file)
	if _, err := ask(background, "default", "web"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("before the join: %v", err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	key := x509.MarshalPKCS1PrivateKey(api.TLS.Certificates[0].PrivateKey.(*rsa.PrivateKey))
	write(t, filepath.Join(folder, "client.pem"), append(certificate, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: key})...))
	write(t, file, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: default-cluster
  cluster:
    certificate-authority-data: %s
    server: %s
users:
- name: default-auth
  user:
    client-certificate: client.pem
    client-key: client.pem
`, base64.StdEncoding.EncodeToString(certificate), api.URL))

	spec, err := ask(background, "calico-system", "calico-node-windows-1")
	if err != nil {
		t.Fatal(err)
	}
	for name, ends := range map[string]bool{"install-cni": true, "felix": false} {
		if spec.ends(name) != ends {
			t.Errorf("%s ends: %v", name, !ends)
		}
	}
	if _, err := ask(background, "default", "web"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a pod that there is not: %v", err)
	}
	write(t, file, []byte("clusters: []\n"))
	if _, err := ask(background, "default", "web"); err == nil || !strings.Contains(err.Error(), "0 clusters") {
		t.Errorf("a file without a cluster: %v", err)
	}
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
