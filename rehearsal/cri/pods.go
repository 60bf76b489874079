package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// askTime limits a question to the API server. kubelet tries again.
const askTime = 10 * time.Second

// podSpec is what CRI's requests do not say about a pod's containers: which are init containers, and how they are probed.
type podSpec struct {
	InitContainers []podContainer `json:"initContainers"`
	Containers     []podContainer `json:"containers"`
}

type podContainer struct {
	Name          string   `json:"name"`
	Command       []string `json:"command"`
	Args          []string `json:"args"`
	RestartPolicy string   `json:"restartPolicy"`

	Ports          []containerPort `json:"ports"`
	StartupProbe   *probe          `json:"startupProbe"`
	ReadinessProbe *probe          `json:"readinessProbe"`
	LivenessProbe  *probe          `json:"livenessProbe"`
}

// container returns a container by its name; nil if there is none.
func (p *podSpec) container(name string) *podContainer {
	for _, containers := range [][]podContainer{p.InitContainers, p.Containers} {
		for i := range containers {
			if containers[i].Name == name {
				return &containers[i]
			}
		}
	}
	return nil
}

// ends is whether a container must end before the next one starts: it is an init container, and no sidecar.
func (p *podSpec) ends(name string) bool {
	return slices.ContainsFunc(p.InitContainers, func(c podContainer) bool {
		return c.Name == name && c.RestartPolicy != "Always"
	})
}

// words returns a container's command as the pod has it. kubelet's has variables replaced, which may be secrets.
func (p *podSpec) words(name string) []string {
	if c := p.container(name); c != nil {
		return slices.Concat(c.Command, c.Args)
	}
	return nil
}

// kubeconfig is the part of kubelet's that this program needs.
type kubeconfig struct {
	Clusters []struct {
		Cluster struct {
			Server string `yaml:"server"`
			CA     string `yaml:"certificate-authority-data"`
		} `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		User struct {
			Certificate string `yaml:"client-certificate"`
			Key         string `yaml:"client-key"`
		} `yaml:"user"`
	} `yaml:"users"`
}

// askAsKubelet returns a function that asks the API server for a pod. It reads kubelet's credentials each time, because
// they come with the join and change.
func askAsKubelet(file string) func(ctx context.Context, namespace, name string) (*podSpec, error) {
	return func(ctx context.Context, namespace, name string) (*podSpec, error) {
		ctx, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		server, settings, err := readKubeconfig(file)
		if err != nil {
			return nil, fmt.Errorf("kubelet's credentials: %w", err)
		}
		address, err := url.JoinPath(server, "api/v1/namespaces", namespace, "pods", name)
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		client := http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: settings, DisableKeepAlives: true,
		}}
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("GET %s: %s", address, response.Status)
		}
		var pod struct {
			Spec podSpec `json:"spec"`
		}
		if err := json.NewDecoder(response.Body).Decode(&pod); err != nil {
			return nil, fmt.Errorf("GET %s: %w", address, err)
		}
		return &pod.Spec, nil
	}
}

// readKubeconfig returns the address of the API server, and how to connect to it.
func readKubeconfig(file string) (string, *tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	var config kubeconfig
	if err := yaml.Unmarshal(text, &config); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(config.Clusters) != 1 || len(config.Users) != 1 {
		return "", nil, fmt.Errorf("%s has %d clusters and %d users, not one", file, len(config.Clusters), len(config.Users))
	}
	cluster, user := config.Clusters[0].Cluster, config.Users[0].User
	ca, err := base64.StdEncoding.DecodeString(cluster.CA)
	if err != nil {
		return "", nil, fmt.Errorf("%s: the cluster's certificate: %w", file, err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(ca) {
		return "", nil, fmt.Errorf("%s has no certificate of the cluster", file)
	}
	beside := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(filepath.Dir(file), path)
	}
	pair, err := tls.LoadX509KeyPair(beside(user.Certificate), beside(user.Key))
	if err != nil {
		return "", nil, err
	}
	return cluster.Server, &tls.Config{RootCAs: authorities, Certificates: []tls.Certificate{pair}}, nil
}
