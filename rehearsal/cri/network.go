package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/containernetworking/cni/libcni"
	cni "github.com/containernetworking/cni/pkg/types/100"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// hostNetworks are HNS' network namespaces, of which each pod has one.
type hostNetworks interface {
	create() (id string, err error)
	// find returns nil if there is no such namespace: a restart of HNS loses all.
	find(id string) (*podNamespace, error)
	remove(id string) error
}

// podNamespace is what a pod's programs know of their network: by its namespace and the endpoint in it.
type podNamespace struct {
	// compartment is the namespace's number.
	compartment int
	// servers and search are for names.
	servers, search []string
}

// podInterface is the interface's name for CNI's plugins, as containerd has it.
const podInterface = "eth0"

// podNetwork is the node's CNI configuration, with what runs it.
type podNetwork struct {
	cni  *libcni.CNIConfig
	list *libcni.NetworkConfigList
}

// podNetwork returns the first CNI configuration of the folder that containerd is configured with; nil if there is none.
func (s *server) podNetwork(ctx context.Context) (*podNetwork, error) {
	response, err := s.containerd.Status(ctx, &runtimeapi.StatusRequest{Verbose: true})
	if err != nil {
		return nil, err
	}
	var config struct {
		CNI struct {
			BinDir  string   `json:"binDir"`
			BinDirs []string `json:"binDirs"`
			ConfDir string   `json:"confDir"`
		} `json:"cni"`
	}
	if err := json.Unmarshal([]byte(response.GetInfo()["config"]), &config); err != nil {
		return nil, fmt.Errorf("containerd's configuration: %w", err)
	}
	files, err := libcni.ConfFiles(config.CNI.ConfDir, []string{".conf", ".conflist", ".json"})
	if err != nil || len(files) == 0 {
		return nil, err
	}
	slices.Sort(files)
	list, err := libcni.NetworkConfFromFile(files[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	plugins := slices.DeleteFunc(append(config.CNI.BinDirs, config.CNI.BinDir), func(dir string) bool { return dir == "" })
	return &podNetwork{libcni.NewCNIConfigWithCacheDir(plugins, s.cniResults, nil), list}, nil
}

// connect gives a sandbox its network as containerd does: a new namespace of HNS, into which CNI's plugins put an endpoint. It
// does nothing on a node without CNI configuration.
func (s *server) connect(ctx context.Context, id string, sb *sandbox) error {
	network, err := s.podNetwork(ctx)
	if err != nil || network == nil {
		return err
	}
	if sb.Namespace, err = s.networks.create(); err != nil {
		return fmt.Errorf("no namespace of HNS: %w", err)
	}
	added, err := network.cni.AddNetworkList(ctx, network.list, sb.runtimeConf(id, sb.Namespace))
	var result *cni.Result
	if err == nil {
		result, err = cni.NewResultFromResult(added)
	}
	if err == nil && len(result.IPs) == 0 {
		err = errors.New("the plugins gave no address")
	}
	if err != nil {
		err = fmt.Errorf("the pod network %s: %w", network.list.Name, err)
		return errors.Join(err, s.disconnect(context.WithoutCancel(ctx), id, sb))
	}
	sb.Status.Network.Ip = result.IPs[0].Address.IP.String()
	return nil
}

// disconnect takes a sandbox's network away. It does nothing if that has been done.
func (s *server) disconnect(ctx context.Context, id string, sb *sandbox) error {
	if sb.Namespace == "" {
		return nil
	}
	network, err := s.podNetwork(ctx)
	if err != nil {
		return err
	}
	found, err := s.networks.find(sb.Namespace)
	if err != nil {
		return err
	}
	namespace := sb.Namespace
	if found == nil {
		// As containerd does, so that the plugins can free the address.
		namespace = ""
	}
	if network != nil {
		if err := network.cni.DelNetworkList(ctx, network.list, sb.runtimeConf(id, namespace)); err != nil {
			return fmt.Errorf("the pod network %s: %w", network.list.Name, err)
		}
	}
	if found == nil {
		return nil
	}
	return s.networks.remove(sb.Namespace)
}

// runtimeConf is what CNI's plugins are told of a sandbox.
func (sb *sandbox) runtimeConf(id, namespace string) *libcni.RuntimeConf {
	pod := sb.Status.GetMetadata()
	return &libcni.RuntimeConf{
		ContainerID: id,
		NetNS:       namespace,
		IfName:      podInterface,
		Args: [][2]string{
			{"IgnoreUnknown", "1"},
			{"K8S_POD_NAMESPACE", pod.GetNamespace()},
			{"K8S_POD_NAME", pod.GetName()},
			{"K8S_POD_INFRA_CONTAINER_ID", id},
			{"K8S_POD_UID", pod.GetUid()},
		},
		CapabilityArgs: map[string]any{"portMappings": sb.portMappings(), "dns": sb.DNS},
	}
}

// portMapping is one of CNI's.
type portMapping struct {
	HostPort      int32  `json:"hostPort"`
	ContainerPort int32  `json:"containerPort"`
	Protocol      string `json:"protocol"`
	HostIP        string `json:"hostIP"`
}

func (sb *sandbox) portMappings() []portMapping {
	mappings := []portMapping{}
	for _, port := range sb.Ports {
		if port.GetHostPort() > 0 {
			protocol := strings.ToLower(port.GetProtocol().String())
			mappings = append(mappings, portMapping{port.GetHostPort(), port.GetContainerPort(), protocol, port.GetHostIp()})
		}
	}
	return mappings
}

// dnsConfig is CNI's form of what a pod's programs resolve names with.
type dnsConfig struct {
	Servers  []string `json:"servers,omitempty"`
	Searches []string `json:"searches,omitempty"`
	Options  []string `json:"options,omitempty"`
}

// podEnvironment returns the variables from which the programs of an image here know their pod (toolchain/windows-goroot): its
// network by HNS, and its name.
func (s *server) podEnvironment(sb *sandbox) ([]string, error) {
	found, err := s.networks.find(sb.Namespace)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("HNS has lost the pod's namespace %s", sb.Namespace)
	}
	return []string{
		fmt.Sprintf("REHEARSAL_COMPARTMENT=%d", found.compartment),
		"REHEARSAL_DNS_SERVERS=" + strings.Join(found.servers, ","),
		"REHEARSAL_DNS_SEARCH=" + strings.Join(found.search, ","),
		"REHEARSAL_HOSTNAME=" + sb.Hostname,
	}, nil
}
