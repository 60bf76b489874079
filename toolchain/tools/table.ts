import { fileURLToPath } from "node:url";

import { containerd, defaultKubernetes } from "../../host/versions.ts";
import { githubFile } from "../publisher.ts";
import type { Download, DownloadContent, Tool, ToolArtifact } from "./tool.ts";
import { toolArtifact } from "./tool-artifact.ts";

const module = (name: string): string =>
  fileURLToPath(new URL(`../../offline/modules/${name}`, import.meta.url));

/** The version that is built here. */
export const kubernetesVersion = defaultKubernetes;

function releasedTool(
  tool: Omit<Tool, "downloads"> &
    DownloadContent & {
      readonly repository: string;
      readonly file: string;
      readonly checksums?: string;
    },
): ToolArtifact {
  const published = githubFile(tool.repository, tool.version, tool.file, tool.checksums);
  const content = "members" in tool ? { members: tool.members } : { executable: tool.executable };
  return toolArtifact({ ...tool, downloads: [{ ...published, ...content }] });
}

const kubernetesVariables = {
  "k8s.io/component-base/version.gitVersion": `v${kubernetesVersion}`,
  "k8s.io/component-base/version.gitMajor": "1",
  "k8s.io/component-base/version.gitMinor": kubernetesVersion.split(".")[1] ?? "",
  "k8s.io/component-base/version.gitTreeState": "clean",
};

function kubernetesProgram(executable: string): Download {
  const url = `https://dl.k8s.io/release/v${kubernetesVersion}/bin/linux/amd64/${executable}`;
  return { url, checksumUrl: `${url}.sha256`, executable };
}

/** Path of the engine's own language host in its folder: not beside the engine, which would use it automatically. */
export const languageHost = "beside/pulumi-language-nodejs";

/** They change no program, but what they share is only compiled once if all have the same. */
const pulumiTags = ["osusergo", "grpcnotrace"];

/** The engine. */
export const pulumi = releasedTool({
  name: "pulumi",
  version: "3.276.0",
  seconds: 300,
  installed: {
    versionArguments: ["version"],
    versionPattern: /^v(\S+)/,
    beside: { [languageHost]: "pulumi-language-nodejs" },
  },
  repository: "pulumi/pulumi",
  file: "pulumi-v3.276.0-linux-x64.tar.gz",
  checksums: "pulumi-3.276.0-checksums.txt",
  members: { pulumi: "pulumi/pulumi", [languageHost]: "pulumi/pulumi-language-nodejs" },
  go: {
    module: module("pulumi"),
    packages: { pulumi: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
    variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "v3.276.0" },
    tags: pulumiTags,
  },
});

/** The engine's language host for programs in YAML: only tests need it. */
export const yamlHost = releasedTool({
  name: "pulumi-language-yaml",
  version: "1.38.1",
  seconds: 30,
  repository: "pulumi/pulumi-yaml",
  file: "pulumi-language-yaml-v1.38.1-linux-amd64.tar.gz",
  members: { "pulumi-language-yaml": "pulumi-language-yaml" },
  go: {
    module: module("pulumi"),
    packages: { "pulumi-language-yaml": "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml" },
    tags: pulumiTags,
  },
});

export const terraformBridge = releasedTool({
  name: "pulumi-terraform-provider",
  version: "1.1.3",
  seconds: 120,
  repository: "pulumi/pulumi-terraform-provider",
  file: "pulumi-resource-terraform-provider-v1.1.3-linux-amd64.tar.gz",
  members: { "pulumi-resource-terraform-provider": "pulumi-resource-terraform-provider" },
  go: {
    module: module("pulumi"),
    packages: {
      "pulumi-resource-terraform-provider": "github.com/pulumi/pulumi-terraform-bridge/v3/dynamic",
    },
    variables: {
      // Two of its modules register a Protocol Buffers file of the same name.
      "google.golang.org/protobuf/reflect/protoregistry.conflictPolicy": "ignore",
      "github.com/pulumi/pulumi-terraform-bridge/v3/dynamic/version.version": "v1.1.3",
    },
    tags: pulumiTags,
    patch: {
      // Its last release is older than an argument of this function, which may be nil.
      module: "github.com/pulumi/pulumi-terraform-bridge/v3",
      changes: [
        {
          file: "pkg/tf2pulumi/convert/eject.go",
          from: "plugin.NewContext(ctx, nil, nil, pluginHost, nil, cwd, nil, false, nil)",
          to: "plugin.NewContext(ctx, nil, nil, pluginHost, nil, cwd, nil, false, nil, nil)",
        },
        {
          file: "pkg/tfgen/generate.go",
          from: "ctx, sink, sink, pluginHost, nil, cwd, nil, false, nil,",
          to: "ctx, sink, sink, pluginHost, nil, cwd, nil, false, nil, nil,",
        },
      ],
    },
  },
});

/** Last version before the provider was rewritten: it adds DHCP reservations to a running network, later ones replace it. */
export const terraformProviderLibvirt = releasedTool({
  name: "terraform-provider-libvirt",
  version: "0.8.3",
  seconds: 30,
  repository: "dmacvicar/terraform-provider-libvirt",
  file: "terraform-provider-libvirt_0.8.3_linux_amd64.zip",
  checksums: "terraform-provider-libvirt_0.8.3_SHA256SUMS",
  members: { "terraform-provider-libvirt": "terraform-provider-libvirt_v0.8.3" },
  go: {
    module: module("terraform-libvirt"),
    packages: { "terraform-provider-libvirt": "github.com/dmacvicar/terraform-provider-libvirt" },
    variables: { "main.version": "0.8.3" },
  },
});

/** Writes the SDK of the libvirt provider; only `make sdk` needs it. */
export const gensdk = toolArtifact({
  name: "gensdk",
  version: "3.276.0",
  go: { module: module("pulumi"), packages: { gensdk: "./gensdk" }, tags: pulumiTags },
});

export const kind = releasedTool({
  name: "kind",
  version: "0.33.0",
  installed: { versionArguments: ["version"], versionPattern: /^kind v(\S+) / },
  repository: "kubernetes-sigs/kind",
  file: "kind-linux-amd64",
  checksums: "kind-linux-amd64.sha256sum",
  executable: "kind",
  go: { module: module("kind"), packages: { kind: "sigs.k8s.io/kind" } },
});

export const kubectl = toolArtifact({
  name: "kubectl",
  version: kubernetesVersion,
  seconds: 60,
  installed: {
    versionArguments: ["version", "--client", "--output=json"],
    versionPattern: /"gitVersion": "v([^"]+)"/,
  },
  downloads: [kubernetesProgram("kubectl")],
  go: {
    module: module("kubernetes"),
    packages: { kubectl: "k8s.io/kubernetes/cmd/kubectl" },
    variables: kubernetesVariables,
  },
});

const kubernetesLinuxPrograms = [
  "kubeadm",
  "kubelet",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-proxy",
];

/** Not with the others, because tests run it alone. */
export const kubeApiserver = toolArtifact({
  name: "kube-apiserver",
  version: kubernetesVersion,
  seconds: 240,
  downloads: [kubernetesProgram("kube-apiserver")],
  go: {
    module: module("kubernetes"),
    packages: { "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver" },
    variables: kubernetesVariables,
  },
});

/** The other programs of control planes and Linux nodes, for kind's node image. */
export const kubernetesLinux = toolArtifact({
  name: "kubernetes-linux",
  version: kubernetesVersion,
  seconds: 240,
  downloads: kubernetesLinuxPrograms.map(kubernetesProgram),
  go: {
    module: module("kubernetes"),
    packages: Object.fromEntries(
      kubernetesLinuxPrograms.map((name) => [name, `k8s.io/kubernetes/cmd/${name}`]),
    ),
    variables: kubernetesVariables,
  },
});

/** Programs of Windows nodes, for the rehearsal guest: upstream's, with a changed standard library. */
export const kubernetesWindows = toolArtifact({
  name: "kubernetes-windows",
  version: kubernetesVersion,
  seconds: 330,
  go: {
    module: module("kubernetes"),
    packages: {
      "kubelet.exe": "k8s.io/kubernetes/cmd/kubelet",
      "kubeadm.exe": "k8s.io/kubernetes/cmd/kubeadm",
      "kube-log-runner.exe": "k8s.io/component-base/logs/kube-log-runner",
    },
    variables: kubernetesVariables,
    forWine: true,
  },
});

/** hcsshim's own tests of HNS, which judge the rehearsal's model of it. */
export const hcnTests = toolArtifact({
  name: "hcn-tests",
  version: "0.13.0",
  seconds: 20,
  go: {
    module: module("hcsshim"),
    packages: { "hcn.test.exe": "github.com/Microsoft/hcsshim/hcn" },
    tags: ["integration"],
    tests: true,
    forWine: true,
  },
});

/** kube-proxy for the rehearsal guest's HostProcess containers; see rehearsal/cri/programs.go. */
export const kubeProxyWindows = toolArtifact({
  name: "kube-proxy-windows",
  version: kubernetesVersion,
  seconds: 60,
  go: {
    module: module("kubernetes"),
    packages: { "kube-proxy.exe": "k8s.io/kubernetes/cmd/kube-proxy" },
    variables: kubernetesVariables,
    forWine: true,
  },
});

const cniPlugins = "github.com/containernetworking/plugins";

/** Flannel's daemon for the rehearsal guest. */
export const flannelWindows = toolArtifact({
  name: "flannel-windows",
  version: "0.28.9",
  seconds: 60,
  go: {
    module: module("flannel"),
    packages: { "flanneld.exe": "github.com/flannel-io/flannel" },
    variables: { "github.com/flannel-io/flannel/pkg/version.Version": "v0.28.9" },
    forWine: true,
  },
});

/** The CNI plugins that Flannel's calls, for the rehearsal guest. */
export const cniPluginsWindows = toolArtifact({
  name: "cni-plugins-windows",
  version: "1.9.1",
  seconds: 20,
  go: {
    module: module("flannel"),
    packages: {
      "host-local.exe": `${cniPlugins}/plugins/ipam/host-local`,
      "win-bridge.exe": `${cniPlugins}/plugins/main/windows/win-bridge`,
      "win-overlay.exe": `${cniPlugins}/plugins/main/windows/win-overlay`,
    },
    variables: { [`${cniPlugins}/pkg/utils/buildversion.BuildVersion`]: "v1.9.1" },
    forWine: true,
  },
});

const flannelPlugin = "plugins/meta/flannel/flannel_windows.go";
const sandboxId = "hns.GetSandboxContainerID(args.ContainerID, args.Netns), n.DataDir";

/**
 * Flannel's CNI plugin for the rehearsal guest: the CNI project's last one, before Flannel took it over, whose own module is
 * not served. It is compiled with today's CNI library, which knows the version of our configuration; what it takes from a
 * sandbox's name is only for Docker.
 */
export const flannelPluginWindows = toolArtifact({
  name: "flannel-plugin-windows",
  version: "0.9.1",
  seconds: 20,
  go: {
    module: module("flannel-plugin"),
    packages: { "flannel-amd64.exe": `${cniPlugins}/plugins/meta/flannel` },
    forWine: true,
    patch: {
      module: cniPlugins,
      changes: [
        { file: flannelPlugin, from: `\t"${cniPlugins}/pkg/hns"\n`, to: "" },
        {
          file: flannelPlugin,
          from: `delegateAdd(${sandboxId}`,
          to: "delegateAdd(args.ContainerID, n.DataDir",
        },
        {
          file: flannelPlugin,
          from: `consumeScratchNetConf(${sandboxId}`,
          to: "consumeScratchNetConf(args.ContainerID, n.DataDir",
        },
      ],
    },
  },
});

/** etcd and CoreDNS as kubeadm installs them. What else runs in a cluster shares Kubernetes' packages, and so its module. */
export const etcd = toolArtifact({
  name: "etcd",
  version: "3.6.8",
  seconds: 20,
  go: { module: module("kubernetes"), packages: { etcd: "./etcd" } },
});

export const coredns = toolArtifact({
  name: "coredns",
  version: "1.14.2",
  seconds: 20,
  go: { module: module("kubernetes"), packages: { coredns: "./coredns" } },
});

export const containerdVersion = containerd.built;

const containerdVariables = (version: string): Readonly<Record<string, string>> => ({
  "github.com/containerd/containerd/v2/version.Version": version,
});

export const containerdLinux = toolArtifact({
  name: "containerd-linux",
  version: containerdVersion,
  seconds: 100,
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

/** The long-term support release, which real nodes get: only for tests of its configuration. */
export const containerdWindowsLts = windowsContainerd(
  "containerd-windows-lts",
  containerd.default,
  "containerd-2.3",
);

function windowsContainerd(name: string, version: string, moduleName: string): ToolArtifact {
  return toolArtifact({
    name,
    version,
    seconds: 100,
    go: {
      module: module(moduleName),
      packages: {
        "containerd.exe": "github.com/containerd/containerd/v2/cmd/containerd",
        "ctr.exe": "github.com/containerd/containerd/v2/cmd/ctr",
      },
      variables: containerdVariables(version),
      forWine: true,
    },
  });
}

/** Serves the default StorageClass of a kind cluster. */
export const localPathProvisioner = toolArtifact({
  name: "local-path-provisioner",
  version: "0.0.30",
  go: {
    module: module("kubernetes"),
    packages: { "local-path-provisioner": "github.com/rancher/local-path-provisioner" },
    variables: { "main.VERSION": "v0.0.30" },
  },
});

/** Kubernetes' own program for tests of its network, which `kindows verify` runs. */
export const agnhost = toolArtifact({
  name: "agnhost",
  version: kubernetesVersion,
  seconds: 60,
  go: {
    module: module("kubernetes"),
    packages: { agnhost: "k8s.io/kubernetes/test/images/agnhost" },
  },
});

/** agnhost for the rehearsal guest's containers; see rehearsal/cri/programs.go. */
export const agnhostWindows = toolArtifact({
  name: "agnhost-windows",
  version: kubernetesVersion,
  seconds: 60,
  go: {
    module: module("kubernetes"),
    packages: { "agnhost.exe": "k8s.io/kubernetes/test/images/agnhost" },
    forWine: true,
  },
});

/** Checks GitHub's workflows, and the shell lines in them; only `make lint` needs it. */
export const actionlint = releasedTool({
  name: "actionlint",
  version: "1.7.12",
  repository: "rhysd/actionlint",
  file: "actionlint_1.7.12_linux_amd64.tar.gz",
  checksums: "actionlint_1.7.12_checksums.txt",
  members: { actionlint: "actionlint" },
  go: {
    module: module("actionlint"),
    packages: { actionlint: "github.com/rhysd/actionlint/cmd/actionlint" },
  },
});

/** An S3 server, for the tests of backends. */
export const versitygw = toolArtifact({
  name: "versitygw",
  version: "1.8.0",
  seconds: 60,
  go: {
    module: module("versitygw"),
    packages: { versitygw: "github.com/versity/versitygw/cmd/versitygw" },
  },
});

const registryBase = "registry/storage/driver/base/base.go";

/** The registry of a lab (`kindows:registry`), where its official image cannot be pulled. */
export const registry = toolArtifact({
  name: "registry",
  version: "3.0.0",
  seconds: 40,
  go: {
    module: module("registry"),
    packages: { registry: "./registry" },
    patch: {
      // Half of what is compiled would be the exporters of its traces.
      module: "github.com/distribution/distribution/v3",
      changes: [
        {
          file: registryBase,
          from: '\t"github.com/distribution/distribution/v3/tracing"\n',
          to: "",
        },
        {
          file: registryBase,
          from: "var tracer = otel.Tracer(",
          to: 'var tracing = struct{ AttributePrefix string }{"io.cncf.distribution."}\n\nvar tracer = otel.Tracer(',
        },
      ],
    },
  },
});
