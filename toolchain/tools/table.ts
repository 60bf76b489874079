import { fileURLToPath } from "node:url";

import type { ToolArtifact } from "./tool.ts";
import { toolArtifact } from "./tool-artifact.ts";

const module = (name: string): string =>
  fileURLToPath(new URL(`../modules/${name}`, import.meta.url));

/** Version of Kubernetes that is built here, for Linux and Windows. */
export const kubernetesVersion = "1.36.4";

const kubernetesVariables = {
  "k8s.io/component-base/version.gitVersion": `v${kubernetesVersion}`,
  "k8s.io/component-base/version.gitMajor": "1",
  "k8s.io/component-base/version.gitMinor": "36",
  "k8s.io/component-base/version.gitTreeState": "clean",
};

/** Why a tool has no download: a checksum is pinned only where several independent publications agree on it. */
const noChecksum = { none: "no published SHA-256 found that several sources agree on" };
const notUsed = {
  none: "only for images built where there is no registry, hence no download site",
};

/** The engine. Works with version 3.248.0 of the Node.js SDK, the last one for Node.js 20. */
export const pulumi = toolArtifact({
  name: "pulumi",
  version: "3.259.0",
  executables: ["pulumi"],
  installed: {
    versionArguments: ["version"],
    versionPattern: /^v(\S+)/,
  },
  download: noChecksum,
  go: {
    module: module("pulumi"),
    packages: { pulumi: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
    variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "v3.259.0" },
    tags: ["osusergo", "grpcnotrace"],
  },
});

/** Engine plugin that runs a Terraform provider. */
export const terraformBridge = toolArtifact({
  name: "pulumi-terraform-provider",
  version: "1.1.3",
  executables: ["pulumi-resource-terraform-provider"],
  download: noChecksum,
  go: {
    module: module("terraform-bridge"),
    packages: {
      "pulumi-resource-terraform-provider": "github.com/pulumi/pulumi-terraform-bridge/v3/dynamic",
    },
    variables: {
      // Two of its modules register a Protocol Buffers file of the same name.
      "google.golang.org/protobuf/reflect/protoregistry.conflictPolicy": "ignore",
      "github.com/pulumi/pulumi-terraform-bridge/v3/dynamic/version.version": "v1.1.3",
    },
  },
});

/** Last version before the provider was rewritten: it adds DHCP reservations to a running network, later ones replace it. */
export const terraformProviderLibvirt = toolArtifact({
  name: "terraform-provider-libvirt",
  version: "0.8.3",
  executables: ["terraform-provider-libvirt"],
  download: noChecksum,
  go: {
    module: module("terraform-libvirt"),
    packages: { "terraform-provider-libvirt": "github.com/dmacvicar/terraform-provider-libvirt" },
    variables: { "main.version": "0.8.3" },
  },
});

/** Writes the SDK of the libvirt provider; only `make sdk` needs it. */
export const gensdk = toolArtifact({
  name: "gensdk",
  version: "3.259.0",
  executables: ["gensdk"],
  download: { none: "part of this project" },
  go: { module: module("pulumi"), packages: { gensdk: "./gensdk" } },
});

export const kind = toolArtifact({
  name: "kind",
  version: "0.33.0",
  executables: ["kind"],
  installed: { versionArguments: ["version"], versionPattern: /^kind v(\S+) / },
  download: {
    url: "https://github.com/kubernetes-sigs/kind/releases/download/v0.33.0/kind-linux-amd64",
    sha256: "aee6151561422756b764a4ae28e7f44cda5af5a9eead3cc9985112b1de8d8e0d",
  },
  go: { module: module("kind"), packages: { kind: "sigs.k8s.io/kind" } },
});

export const kubectl = toolArtifact({
  name: "kubectl",
  version: kubernetesVersion,
  executables: ["kubectl"],
  installed: {
    versionArguments: ["version", "--client", "--output=json"],
    versionPattern: /"gitVersion": "v([^"]+)"/,
  },
  download: {
    url: `https://dl.k8s.io/release/v${kubernetesVersion}/bin/linux/amd64/kubectl`,
    sha256: "8b8f088da2dab964f853b38464033b1be15ede2839eca751482357c45abdd05a",
  },
  go: {
    module: module("kubernetes"),
    packages: { kubectl: "k8s.io/kubernetes/cmd/kubectl" },
    variables: kubernetesVariables,
  },
});

/** What a control plane and a Linux node run, for the node image of kind. */
export const kubernetesLinux = toolArtifact({
  name: "kubernetes-linux",
  version: kubernetesVersion,
  executables: [
    "kubeadm",
    "kubelet",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-proxy",
  ],
  download: notUsed,
  go: {
    module: module("kubernetes"),
    packages: {
      kubeadm: "k8s.io/kubernetes/cmd/kubeadm",
      kubelet: "k8s.io/kubernetes/cmd/kubelet",
      "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
      "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
      "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
      "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy",
    },
    variables: kubernetesVariables,
  },
});

/** What a Windows node runs, for the rehearsal guest: the programs are upstream's, their standard library is not. */
export const kubernetesWindows = toolArtifact({
  name: "kubernetes-windows",
  version: kubernetesVersion,
  executables: ["kubeadm.exe", "kubelet.exe", "kube-log-runner.exe"],
  download: notUsed,
  go: {
    module: module("kubernetes"),
    packages: {
      "kubelet.exe": "k8s.io/kubernetes/cmd/kubelet",
      "kubeadm.exe": "k8s.io/kubernetes/cmd/kubeadm",
      "kube-log-runner.exe": "k8s.io/component-base/logs/kube-log-runner",
    },
    variables: kubernetesVariables,
    os: "windows",
    forWine: true,
  },
});

/** Not in the guest, whose pods are modelled: only for the tests that put it before our arguments. */
export const kubeProxyWindows = toolArtifact({
  name: "kube-proxy-windows",
  version: kubernetesVersion,
  executables: ["kube-proxy.exe"],
  download: notUsed,
  go: {
    module: module("kubernetes"),
    packages: { "kube-proxy.exe": "k8s.io/kubernetes/cmd/kube-proxy" },
    variables: kubernetesVariables,
    os: "windows",
    forWine: true,
  },
});

export const etcd = toolArtifact({
  name: "etcd",
  version: "3.6.8",
  executables: ["etcd"],
  download: notUsed,
  go: { module: module("etcd"), packages: { etcd: "." } },
});

export const coredns = toolArtifact({
  name: "coredns",
  version: "1.15.0",
  executables: ["coredns"],
  download: notUsed,
  go: { module: module("coredns"), packages: { coredns: "github.com/coredns/coredns" } },
});

/** Version of containerd that is built here, for Linux and Windows. */
export const containerdVersion = "2.4.2";

const containerdVariables = (version: string): Readonly<Record<string, string>> => ({
  "github.com/containerd/containerd/v2/version.Version": version,
});

export const containerdLinux = toolArtifact({
  name: "containerd-linux",
  version: containerdVersion,
  executables: ["containerd", "containerd-shim-runc-v2", "ctr"],
  download: notUsed,
  go: {
    module: module("containerd"),
    packages: {
      containerd: "github.com/containerd/containerd/v2/cmd/containerd",
      "containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
      ctr: "github.com/containerd/containerd/v2/cmd/ctr",
    },
    variables: containerdVariables(containerdVersion),
  },
});

export const containerdWindows = windowsContainerd(
  "containerd-windows",
  containerdVersion,
  "containerd",
);

/** The line with long-term support, which real nodes get: only for the tests that put it before our configuration. */
export const containerdWindowsLts = windowsContainerd(
  "containerd-windows-lts",
  "2.3.4",
  "containerd-2.3",
);

function windowsContainerd(name: string, version: string, moduleName: string): ToolArtifact {
  return toolArtifact({
    name,
    version,
    executables: ["containerd.exe"],
    download: notUsed,
    go: {
      module: module(moduleName),
      packages: { "containerd.exe": "github.com/containerd/containerd/v2/cmd/containerd" },
      variables: containerdVariables(version),
      os: "windows",
      forWine: true,
    },
  });
}

/** Serves the default StorageClass of a kind cluster. */
export const localPathProvisioner = toolArtifact({
  name: "local-path-provisioner",
  version: "0.0.30",
  executables: ["local-path-provisioner"],
  download: notUsed,
  go: {
    module: module("local-path-provisioner"),
    packages: { "local-path-provisioner": "github.com/rancher/local-path-provisioner" },
    variables: { "main.VERSION": "v0.0.30" },
  },
});

/** Kubernetes' own program for tests of its network, which `kindows verify` runs. */
export const agnhost = toolArtifact({
  name: "agnhost",
  version: kubernetesVersion,
  executables: ["agnhost"],
  download: notUsed,
  go: {
    module: module("agnhost"),
    packages: { agnhost: "k8s.io/kubernetes/test/images/agnhost" },
  },
});

/** The same for the rehearsal guest, whose HostProcess containers it is in; see rehearsal/cri/programs.go. */
export const agnhostWindows = toolArtifact({
  name: "agnhost-windows",
  version: kubernetesVersion,
  executables: ["agnhost.exe"],
  download: notUsed,
  go: {
    module: module("agnhost"),
    packages: { "agnhost.exe": "k8s.io/kubernetes/test/images/agnhost" },
    os: "windows",
    forWine: true,
  },
});

/** Checks GitHub's workflows, and the shell lines in them; only `make lint` needs it. */
export const actionlint = toolArtifact({
  name: "actionlint",
  version: "1.7.12",
  executables: ["actionlint"],
  download: noChecksum,
  go: {
    module: module("actionlint"),
    packages: { actionlint: "github.com/rhysd/actionlint/cmd/actionlint" },
  },
});
