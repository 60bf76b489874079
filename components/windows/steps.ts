import * as pulumi from "@pulumi/pulumi";
import type { Arguments } from "../../host/ssh/windows-command.ts";
import { localRegistry } from "../../config/local-registry.ts";
import { windowsTimeZone } from "../../config/time-zones.ts";
import { podNetworkSteps } from "../cni/pod-networks.ts";
import { renderLabels, renderSorted, renderTaints } from "../node/node-registration.ts";
import { stageTitles } from "../node/step-title.ts";
import { fileNameOf, artifactPath } from "./media-folder.ts";
import { renderRegistryMirrors, type NodeSetup } from "./node-setup.ts";
import { scriptValues, type OwnScript } from "./own-scripts.ts";
import {
  nodeStep,
  script,
  sessionEndSeconds,
  type ClusterRoute,
  type NodeStep,
  type Script,
  type UndoneBy,
} from "./node-step.ts";
import type { ProgramArtifact, ProgramName, WindowsSoftware } from "./software.ts";

/** The endpoint of containerd as Install-Containerd installs it. */
const criSocket = "npipe:////./pipe/containerd-containerd";

const resetSeconds = 300;

/** Resets a machine to what it was before it became a node, whatever has been done on it. */
export const resetNode = script({
  name: "Reset-Node",
  parameters: { CriSocket: "string", TimeoutSeconds: "int" },
  // Besides kubeadm: two services stop, images are removed, and files in a folder need a new owner to be deleted.
  seconds: resetSeconds + 1500,
});

export const reset: UndoneBy = {
  script: resetNode,
  values: { CriSocket: criSocket, TimeoutSeconds: resetSeconds },
};

export const testWindowsHost = nodeStep({
  name: "Test-WindowsHost",
  title: stageTitles.check,
  parameters: {
    ComputerName: "string",
    MinimumBuild: "int",
    MinimumRevision: "int",
    MinimumFreeDiskGiB: "int",
    MinimumMemoryMiB: "int",
    PodNetwork: "string",
  },
  seconds: 60,
  values: ({ machine, requirements, setup }) => ({
    ComputerName: machine.name,
    MinimumBuild: requirements.minimumBuild,
    MinimumRevision: requirements.minimumRevision,
    MinimumFreeDiskGiB: requirements.minimumFreeDiskGiB,
    MinimumMemoryMiB: requirements.minimumMemoryMiB,
    // Only these pod networks have requirements of their own.
    PodNetwork: /^(calico|flannel)$/.exec(setup.podNetwork.kind)?.[0] ?? "none",
  }),
  // The first resource is deleted last, so the reset runs after everything else is gone, even after a failed run.
  undo: reset,
});

export const rebootValues = { RebootDelaySeconds: sessionEndSeconds };

export const enableContainersFeature = nodeStep({
  name: "Enable-ContainersFeature",
  title: { doing: "gets the feature Containers", noun: "feature" },
  parameters: { RebootDelaySeconds: "int" },
  seconds: 900,
  values: () => rebootValues,
});

export const confirmReboot = nodeStep({
  name: "Confirm-Reboot",
  title: { doing: "comes back from its reboot", noun: "reboot" },
  parameters: {},
  seconds: ({ bootSeconds }) => bootSeconds + 180,
  values: () => ({}),
});

/** Skipped without a proxy. Removing the proxy from the settings removes it from the machine. */
export const setMachineProxy = nodeStep({
  name: "Set-MachineProxy",
  title: { doing: "gets its proxy", noun: "proxy" },
  parameters: { HttpProxy: "string", HttpsProxy: "string", NoProxy: "string" },
  // If containerd and kubelet are already running, they are restarted.
  seconds: 90 + 120 + 60 + 30,
  values: ({ setup: { proxy } }) =>
    proxy && { HttpProxy: proxy.http, HttpsProxy: proxy.https, NoProxy: proxy.noProxy },
  undo: { values: { HttpProxy: "", HttpsProxy: "", NoProxy: "" } },
});

/** Skipped without certificates. Removing them from the settings removes them from the machine. */
export const setTrustedCertificate = nodeStep({
  name: "Set-TrustedCertificate",
  title: { doing: "gets its certificates", noun: "certificates" },
  parameters: { Thumbprints: "string" },
  // The longest list of certificates, each with a call of certutil.exe that mostly takes 1 s, and at most a minute.
  seconds: 600,
  values: ({ setup: { certificates } }) =>
    certificates.length === 0 ? undefined : certificateValues(certificates),
  stdin: ({ setup: { certificates } }) => certificateInput(certificates),
  undo: { values: { Thumbprints: "" } },
});

export const certificateValues = (
  certificates: NodeSetup["certificates"],
): { readonly Thumbprints: string } => ({
  Thumbprints: certificates.map(({ sha1 }) => sha1).join(";"),
});

export const certificateInput = (
  certificates: NodeSetup["certificates"],
): { readonly certificates: readonly string[] } => ({
  certificates: certificates.map(({ der }) => der),
});

/** SHA-256 of programs by their names, in lower case; empty for a missing program. */
type Checksums<Names extends ProgramName> = Readonly<Record<Names, string>>;

const containerdParameters = {
  Version: "string",
  ArchivePath: "string",
  ArchiveSha256: "string",
  PauseImage: "string",
  CniBinDirectory: "string",
  CniConfDirectory: "string",
  RegistryMirrors: "string",
  DefenderExclusions: "int",
  CrictlPath: "string",
  CrictlSha256: "string",
  Releases: "string",
} as const;

/** Parameters of Install-Containerd, on a node and in an image. */
export function containerdValues(
  software: WindowsSoftware,
  setup: NodeSetup,
  checksums: Checksums<"containerd" | "crictl">,
  registry?: string,
): Arguments<typeof containerdParameters> {
  const { crictl } = software;
  return {
    Version: software.versions.containerd,
    ArchivePath: placeOf(software.containerd, checksums.containerd),
    ArchiveSha256: checksums.containerd,
    PauseImage: software.pauseImage,
    // The defaults of Calico's operator.
    CniBinDirectory: "C:/opt/cni/bin",
    CniConfDirectory: "C:/etc/cni/net.d",
    RegistryMirrors: renderRegistryMirrors({
      ...setup.registryMirrors,
      ...(registry !== undefined && { [localRegistry.host]: [`http://${registry}`] }),
    }),
    DefenderExclusions: setup.defenderExclusions ? 1 : 0,
    CrictlPath: crictl === undefined ? "" : placeOf(crictl, checksums.crictl),
    CrictlSha256: checksums.crictl,
    Releases: software.containerd.releases ?? "",
  };
}

export const installContainerd = nodeStep({
  name: "Install-Containerd",
  title: { doing: "gets containerd", noun: "containerd" },
  parameters: containerdParameters,
  seconds: 600,
  programs: ["containerd", "crictl"],
  drains: ["Version", "ArchiveSha256"],
  values: ({ software, setup, checksums, registry }) =>
    pulumi
      .all([checksums("containerd", "crictl"), registry])
      .apply(([known, address]) => containerdValues(software, setup, known, address)),
});

const kubernetesParameters = {
  Version: "string",
  KubeletPath: "string",
  KubeletSha256: "string",
  KubeadmPath: "string",
  KubeadmSha256: "string",
  KubeLogRunnerPath: "string",
  KubeLogRunnerSha256: "string",
  DefenderExclusions: "int",
  AutomaticUpdates: "int",
  TimeZone: "string",
  KubeletReleases: "string",
  KubeadmReleases: "string",
  KubeProxyPath: "string",
  KubeProxySha256: "string",
  KubeProxyReleases: "string",
} as const;

/** Parameters of Install-Kubernetes, on a node and in an image. */
export function kubernetesValues(
  software: WindowsSoftware,
  setup: NodeSetup,
  checksums: Checksums<"kubelet" | "kubeadm" | "kubeLogRunner" | "kubeProxy">,
): Arguments<typeof kubernetesParameters> {
  const { kubeProxy } = software;
  return {
    Version: software.versions.kubernetes,
    KubeletPath: placeOf(software.kubelet, checksums.kubelet),
    KubeletSha256: checksums.kubelet,
    KubeadmPath: placeOf(software.kubeadm, checksums.kubeadm),
    KubeadmSha256: checksums.kubeadm,
    KubeLogRunnerPath: placeOf(software.kubeLogRunner, checksums.kubeLogRunner),
    KubeLogRunnerSha256: checksums.kubeLogRunner,
    DefenderExclusions: setup.defenderExclusions ? 1 : 0,
    AutomaticUpdates: setup.automaticUpdates ? 1 : 0,
    TimeZone: (setup.timeZone && windowsTimeZone(setup.timeZone)) ?? "",
    KubeletReleases: software.kubelet.releases ?? "",
    KubeadmReleases: software.kubeadm.releases ?? "",
    KubeProxyPath: kubeProxy === undefined ? "" : placeOf(kubeProxy, checksums.kubeProxy),
    KubeProxySha256: checksums.kubeProxy,
    KubeProxyReleases: kubeProxy?.releases ?? "",
  };
}

export const installKubernetes = nodeStep({
  name: "Install-Kubernetes",
  title: { doing: "gets kubelet", noun: "kubelet" },
  parameters: kubernetesParameters,
  seconds: 300,
  programs: ["kubelet", "kubeadm", "kubeLogRunner", "kubeProxy"],
  drains: ["Version", "KubeletSha256", "KubeLogRunnerSha256"],
  values: ({ software, setup, checksums }) =>
    checksums("kubelet", "kubeadm", "kubeLogRunner", "kubeProxy").apply((known) =>
      kubernetesValues(software, setup, known),
    ),
});

function placeOf(artifact: ProgramArtifact, sha256: string): string {
  return artifactPath(sha256, fileNameOf(artifact));
}

export const setHostsEntry = nodeStep({
  name: "Set-HostsEntry",
  title: stageTitles.join,
  parameters: { Entry: "string", DnsServers: "string" },
  seconds: 60,
  needsCluster: true,
  values: ({ controlPlane, setup }) => ({
    Entry: controlPlane.hostsEntries.apply((entries) =>
      entries.map(({ address, name }) => `${address}=${name}`).join(";"),
    ),
    DnsServers: setup.dnsServers.join(","),
  }),
});

/** Has no undo of its own: if the machine stays, undoing the first step resets it. */
export const joinNode = nodeStep({
  name: "Join-Node",
  title: stageTitles.join,
  parameters: {
    NodeName: "string",
    ApiServerEndpoint: "string",
    CriSocket: "string",
    NodeIp: "string",
    NodeLabels: "string",
    NodeTaints: "string",
    KubeletArgs: "string",
    TimeoutSeconds: "int",
  },
  // Besides the join: reaching the API server, resetting the remains of an earlier join, starting kubelet.
  seconds: ({ joinSeconds }) => joinSeconds + 90 + 120 + 60,
  values: ({ machine, controlPlane, nodeIp, labels, taints, kubeletArgs, timeouts }) => ({
    NodeName: machine.name,
    ApiServerEndpoint: controlPlane.endpoint,
    CriSocket: criSocket,
    NodeIp: nodeIp,
    NodeLabels: renderLabels(labels),
    NodeTaints: renderTaints(taints),
    KubeletArgs: renderSorted(kubeletArgs, " "),
    TimeoutSeconds: timeouts.joinSeconds,
  }),
  stdin: ({ token, controlPlane }) => ({ token, caCertHashes: [controlPlane.caCertHash] }),
});

/** Routes to the cluster for a machine without a pod network. Removing them from the settings removes them from it. */
const setClusterRoute = nodeStep({
  name: "Set-ClusterRoute",
  title: { doing: "gets its routes", noun: "routes" },
  parameters: { Route: "string" },
  seconds: 60,
  values: ({ routes }) => routes && { Route: routes.apply(renderRoutes) },
  undo: { values: { Route: "" } },
});

/** Longest time that all scripts before or after the join get together. */
const ownScriptsSeconds = 3600;

/** Runs the user's scripts; skipped without any. What they have done is not undone. */
function ownScriptsStep(name: string, when: OwnScript["when"]) {
  return nodeStep({
    name,
    title: { doing: "runs your scripts", noun: `scripts ${when}` },
    parameters: { Scripts: "string", TimeoutSeconds: "int" },
    seconds: ownScriptsSeconds,
    scripts: when,
    values: ({ setup }) => scriptValues(setup.ownScripts, when, ownScriptsSeconds),
  });
}

export const scriptsBeforeJoin = ownScriptsStep("Invoke-ScriptBeforeJoin", "before-join");
const scriptsAfterJoin = ownScriptsStep("Invoke-ScriptAfterJoin", "after-join");

export function renderRoutes(routes: readonly ClusterRoute[]): string {
  return routes.map(({ range, nextHop }) => `${range}=${nextHop}`).join(";");
}

/**
 * The steps from a fresh Windows Server to a joined node, in order. Steps without values are skipped. The steps before
 * Set-HostsEntry only need the machine, not the cluster.
 */
export const nodeSteps: readonly NodeStep[] = [
  testWindowsHost,
  enableContainersFeature,
  confirmReboot,
  setTrustedCertificate,
  setMachineProxy,
  installContainerd,
  installKubernetes,
  scriptsBeforeJoin,
  ...podNetworkSteps.beforeJoin,
  setHostsEntry,
  joinNode,
  ...podNetworkSteps.afterJoin,
  setClusterRoute,
  scriptsAfterJoin,
];

/** TimeoutSeconds of Add-ContainerImage, for some 500 MB. */
export const pullSeconds = 600;

export const addContainerImage = script({
  name: "Add-ContainerImage",
  parameters: { Images: "string", Proxy: "string", TimeoutSeconds: "int" },
  // Besides pulling: starting containerd, and listing its images.
  seconds: pullSeconds + 120 + 60,
});

/** Time limit for collecting a machine's logs: some thirty queries that may take 20 s each, but mostly take 1 s. */
export const logSeconds = 240;

export const exportNodeLog = script({
  name: "Export-NodeLog",
  parameters: { TailKiB: "int" },
  seconds: logSeconds,
});

const importSeconds = 1200;

/** Imports the images of an archive on the machine, for `kindows load`. */
export const importImage = script({
  name: "Import-Image",
  parameters: { Archive: "string", Sha256: "string", Images: "string", TimeoutSeconds: "int" },
  seconds: importSeconds + 120,
});

export const importLimit = { TimeoutSeconds: importSeconds };

/** Longest waits of the two scripts below: services stop and start, programs are run for their versions. */
const exchangeSeconds = 90 + 120 + 60 + 60;

/** Puts a program of the user's in place of an installed one, for `kindows deploy`. */
export const installOwnProgram = script({
  name: "Install-OwnProgram",
  parameters: { Path: "string", Archive: "string", Sha256: "string", Releases: "string" },
  seconds: exchangeSeconds + 300,
});

export const restoreInstalledProgram = script({
  name: "Restore-InstalledProgram",
  parameters: { Paths: "string" },
  seconds: exchangeSeconds,
});

/** Scripts that no resource runs, so that an edit of one reruns nothing. */
export const scriptsOfCommands: readonly Script[] = [
  exportNodeLog,
  importImage,
  installOwnProgram,
  restoreInstalledProgram,
];

/** Every script that is copied to a machine, by its name. */
export const nodeScripts: ReadonlyMap<string, Script> = new Map(
  [...nodeSteps, addContainerImage, ...scriptsOfCommands, resetNode].map((each) => [
    each.name,
    each,
  ]),
);
