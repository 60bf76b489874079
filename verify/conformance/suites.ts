import { exitCodes, Failure } from "../../host/failure.ts";

/** A case of windows-operational-readiness: a capability that a node must have, and the test that shows it. */
interface ReadinessCase {
  readonly category: string;
  readonly what: string;
  /** Part of the tests' names, as a regular expression. */
  readonly focus: string;
}

const of = (category: string, cases: Readonly<Record<string, string>>): ReadinessCase[] =>
  Object.entries(cases).map(([what, focus]) => ({ category, what, focus }));

/**
 * The cases of kubernetes-sigs/windows-operational-readiness (specifications, last changed in 2024) that are not
 * commented out there, without duplicates. Tests that it selects by `[Feature:Windows]` are selected by `[sig-windows]`
 * here, because the position of the former in the tests' names has changed. The two cases of Active Directory are left
 * out, because no lab has a domain.
 */
export const readinessCases: readonly ReadinessCase[] = [
  ...of("Core.Network", {
    "Windows and Linux pods reach each other":
      "should have stable networking for Linux and Windows pods",
    "Services by their cluster address": "should be able to up and down services",
    "Services by NodePort": "should be able to create a functioning NodePort service for Windows",
    "ten pods of a node have addresses and figures":
      "Kubelet stats collection for Windows nodes when running 10 pods should return within 10 seconds",
    "StatefulSets keep their names": "should provide basic identity",
    "DNS within the cluster": "should provide DNS for the cluster",
    "DNS of external names": "should provide DNS for ExternalName services",
    "DNS of Services": "should provide DNS for services",
    EndpointSlices: "should create Endpoints and EndpointSlices for Pods matching a Service",
  }),
  ...of("Core.Storage", {
    "hostPath volumes are read and written": "should support r/w",
    "Secrets and ConfigMaps as volumes":
      "should be consumable from pods in volume \\[NodeConformance\\]",
  }),
  ...of("Core.Scheduling", {
    "memory limits hold": "Memory Limits",
    "CPU limits hold": "Cpu Resources",
  }),
  ...of("Core.Concurrent", { "ten pods at a time": "Density" }),
  ...of("Extend.Network", {
    "Services with several ports": "should serve multiport endpoints from pods",
    "NodePorts of both systems": "should be able to create a functioning NodePort service",
  }),
  ...of("Extend.NetworkPolicy", {
    "policies keep other namespaces out": "should deny ingress from pods on other namespaces",
  }),
];

/** Names that do not mention Windows; only SIG-Windows' tests with these names are meant. */
const ofWindowsOnly = ["Memory Limits", "Cpu Resources", "Density"];

function readinessFocus(): string {
  return readinessCases
    .map(({ focus }) => (ofWindowsOnly.includes(focus) ? `\\[sig-windows\\](.*)${focus}` : focus))
    .map((focus) => focus.replaceAll(" ", "."))
    .join("|");
}

interface Suite {
  readonly id: string;
  readonly what: string;
  /** Regular expression of the tests' names. */
  readonly focus: string;
  readonly skip: string;
  /** Nodes that the tests' pods are for. Default: Windows. */
  readonly os?: "linux";
  readonly parallel: number;
  /** Longest run in seconds, images aside. */
  readonly timeoutSeconds: number;
}

/** Tests that no lab can run, because they need Linux, special hardware, or features that are off by default. */
const never = [
  "\\[LinuxOnly\\]",
  "\\[Feature:DynamicResourceAllocation\\]",
  "\\[Feature:GPUDevicePlugin\\]",
  "\\[Feature:WindowsHyperVContainers\\]",
  "\\[Alpha\\]",
  "\\[Beta\\].\\[Feature:OffByDefault\\]",
  "\\[FeatureGate:HostnameOverride\\]",
];

/** Tests that SIG-Windows leaves out of its own runs (windows-testing, capz/run-capz-e2e.sh). */
const leftOutUpstream = [
  "\\[Excluded:WindowsDocker\\]",
  "Networking.Granular.Checks(.*)node-pod.communication",
  "Guestbook.application.should.create.and.stop.a.working.application",
  "Container.Lifecycle.Hook.when.create.a.pod.with.lifecycle.hook.should.execute(.*)http.hook.properly",
  "\\[sig-api-machinery\\].Garbage.collector",
  "should.run.with.an.image.specified.user.ID",
  "should.support.memory.backed.volumes.of.specified.size",
];

const gmsa = "GMSA|gmsa";

const anyOf = (...parts: readonly string[]): string => parts.join("|");

export const suites: readonly Suite[] = [
  {
    id: "sig-windows",
    what: "SIG-Windows' tests of Windows itself, without slow ones and those that need the cluster to themselves",
    focus: "\\[sig-windows\\]",
    skip: anyOf("\\[Serial\\]", "\\[Slow\\]", gmsa, ...never),
    parallel: 4,
    timeoutSeconds: 7200,
  },
  {
    id: "sig-windows-serial",
    what: "SIG-Windows' other tests, one at a time: limits, density, reboots and evictions",
    focus: "\\[sig-windows\\](.*)(\\[Serial\\]|\\[Slow\\])",
    skip: anyOf(gmsa, ...never),
    parallel: 1,
    timeoutSeconds: 14_400,
  },
  {
    id: "conformance",
    what: "the tests of SIG-Windows' own CI: Kubernetes' conformance tests and related ones, with Windows pods",
    focus: anyOf(
      ...["\\[Conformance\\]", "\\[NodeConformance\\]", "\\[sig-windows\\]"],
      ...["\\[sig-apps\\].CronJob", "\\[sig-api-machinery\\].ResourceQuota"],
      "\\[sig-scheduling\\].SchedulerPreemption",
    ),
    skip: anyOf("\\[Serial\\]", "\\[Slow\\]", gmsa, ...never, ...leftOutUpstream),
    parallel: 4,
    timeoutSeconds: 14_400,
  },
  {
    id: "operational-readiness",
    what: "the cases of windows-operational-readiness (KEP-2578), except those of Active Directory",
    focus: readinessFocus(),
    skip: anyOf(gmsa, ...never),
    parallel: 1,
    timeoutSeconds: 14_400,
  },
];

/** @throws Failure that lists the existing suites. */
export function suiteNamed(id: string): Suite {
  const found = suites.find((suite) => suite.id === id);
  if (found !== undefined) return found;
  const known = suites.map((suite) => suite.id).join(", ");
  throw new Failure(`there is no suite "${id}": write one of ${known}`, exitCodes.usage);
}

export interface ConformanceRun {
  readonly suite: Suite;
  /** Version of Kubernetes and its tests, without a leading `v`. */
  readonly kubernetesVersion: string;
  readonly windowsNodes: number;
  /** Longest run in seconds, images aside. */
  readonly timeoutSeconds: number;
  readonly focus?: string;
  readonly skip?: string;
}

/** Attempts for each test, as upstream, because the tests are known to be flaky. */
const flakeAttempts = 2;

/** Locations of the programs and files of a run. */
interface Place {
  readonly program: string;
  readonly results: string;
  /** Undefined in the cluster, where the tests use their service account. */
  readonly kubeconfig: string | undefined;
}

/**
 * Arguments of `ginkgo` that run a suite, on Windows nodes like windows-testing's capz/run-capz-e2e.sh.
 *
 * The provider `skeleton` needs no cloud. Without `--node-os-distro=windows`, the tests use Linux images and skip the
 * tests for Windows.
 */
export function ginkgoArguments(run: ConformanceRun, place: Place): readonly string[] {
  const { suite } = run;
  return [
    `--nodes=${String(suite.parallel)}`,
    "--no-color",
    place.program,
    "--",
    "--provider=skeleton",
    ...(suite.os === "linux" ? [] : ["--node-os-distro=windows"]),
    `--num-nodes=${String(run.windowsNodes)}`,
    "--prepull-images=true",
    "--disable-log-dump=true",
    "--dump-logs-on-failure=true",
    `--report-dir=${place.results}`,
    ...(place.kubeconfig === undefined ? [] : [`--kubeconfig=${place.kubeconfig}`]),
    `--ginkgo.timeout=${String(run.timeoutSeconds)}s`,
    `--ginkgo.flake-attempts=${String(flakeAttempts)}`,
    `--ginkgo.focus=${run.focus ?? suite.focus}`,
    `--ginkgo.skip=${run.skip ?? suite.skip}`,
  ];
}
