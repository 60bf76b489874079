/**
 * The parameters of each step script, by the same names as in its `param()` block; what they mean, their units and
 * their sources stand in the script's help (`Get-Help .\Join-Node.ps1 -Full`).
 *
 * `int` is a whole number, `string` any text a command line can carry.
 */
export const stepParameters = {
  "Test-WindowsHost": {
    ComputerName: "string",
    MinimumBuild: "int",
    MinimumRevision: "int",
    MinimumFreeDiskGiB: "int",
    MinimumMemoryMiB: "int",
    PodNetwork: "string",
  },
  "Enable-ContainersFeature": { RebootDelaySeconds: "int" },
  "Confirm-Reboot": {},
  "Set-MachineProxy": { HttpProxy: "string", HttpsProxy: "string", NoProxy: "string" },
  "Install-Containerd": {
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
  },
  "Add-ContainerImage": { Images: "string", Proxy: "string", TimeoutSeconds: "int" },
  "Install-Kubernetes": {
    Version: "string",
    KubeletPath: "string",
    KubeletSha256: "string",
    KubeadmPath: "string",
    KubeadmSha256: "string",
    KubeLogRunnerPath: "string",
    KubeLogRunnerSha256: "string",
    DefenderExclusions: "int",
    AutomaticUpdates: "int",
  },
  "Install-Flannel": {
    NodeName: "string",
    NodeIp: "string",
    NetConf: "string",
    CniConf: "string",
    DaemonPath: "string",
    DaemonSha256: "string",
    PluginPath: "string",
    PluginSha256: "string",
    CniPluginsPath: "string",
    CniPluginsSha256: "string",
  },
  "Add-ExternalNetwork": { Address: "string", DelaySeconds: "int", Network: "string" },
  "Confirm-ExternalNetwork": { Address: "string", DelaySeconds: "int", Network: "string" },
  "Set-HostsEntry": { Entry: "string", DnsServers: "string" },
  "Join-Node": {
    NodeName: "string",
    ApiServerEndpoint: "string",
    CriSocket: "string",
    NodeIp: "string",
    NodeLabels: "string",
    NodeTaints: "string",
    KubeletArgs: "string",
    TimeoutSeconds: "int",
  },
  "Set-ClusterRoute": { Route: "string" },
  "Export-NodeLog": { TailKiB: "int" },
  "Reset-Node": { CriSocket: "string", TimeoutSeconds: "int" },
} as const satisfies Record<string, Record<string, "string" | "int">>;

/** Name of a step: its script's name without `.ps1`. */
export type StepName = keyof typeof stepParameters;

type ValueOf = { string: string; int: number };
type KindOf<
  S extends StepName,
  P extends keyof (typeof stepParameters)[S],
> = (typeof stepParameters)[S][P] extends keyof ValueOf ? (typeof stepParameters)[S][P] : never;

/** Values for all parameters of a step: none is left to the script's default, so that a diff shows every change. */
export type StepArguments<S extends StepName> = {
  readonly [P in keyof (typeof stepParameters)[S]]: ValueOf[KindOf<S, P>];
};
