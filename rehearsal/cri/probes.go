package main

import (
	"log"
	"net"
	"net/http"
	"strconv"
)

// probe is what a modelled container needs of one of kubelet's probes.
type probe struct {
	HTTPGet   *probedPort `json:"httpGet"`
	TCPSocket *probedPort `json:"tcpSocket"`
}

// probedPort is a number, or the name of one of the container's ports.
type probedPort struct {
	Port any `json:"port"`
}

type containerPort struct {
	Name          string `json:"name"`
	ContainerPort int    `json:"containerPort"`
}

// probedPorts returns the ports at which kubelet's HTTP and TCP probes ask the container.
func (c *podContainer) probedPorts() []int {
	ports := []int{}
	for _, each := range []*probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if each == nil {
			continue
		}
		for _, asked := range []*probedPort{each.HTTPGet, each.TCPSocket} {
			if asked == nil {
				continue
			}
			switch port := asked.Port.(type) {
			case float64:
				ports = append(ports, int(port))
			case string:
				for _, named := range c.Ports {
					if named.Name == port {
						ports = append(ports, named.ContainerPort)
					}
				}
			}
		}
	}
	return ports
}

// answerProbes listens where kubelet probes a modelled container with the machine's network, so that its HTTP and TCP probes
// pass, as its exec probes do. A port that a program of the machine has is that program's.
func (s *server) answerProbes(id string, c *container) {
	sb := s.state.Sandboxes[c.SandboxID]
	if sb == nil || !sb.HostProcess || c.Process || !c.isRunning() {
		return
	}
	named := sb.Spec.container(c.Status.Metadata.GetName())
	if named == nil {
		return
	}
	answer := &http.Server{ReadHeaderTimeout: askTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(rehearsed))
	})}
	for _, port := range named.probedPorts() {
		listener, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(port)))
		if err != nil {
			log.Printf("probes of the modelled container %s: %v", named.Name, err)
			continue
		}
		go answer.Serve(listener)
	}
	s.answers[id] = answer
}

// endAnswers stops answering probes.
func (s *server) endAnswers(id string) {
	if answer := s.answers[id]; answer != nil {
		answer.Close()
		delete(s.answers, id)
	}
}
