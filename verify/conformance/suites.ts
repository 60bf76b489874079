import { readinessFocus } from "./readiness-cases.ts";

/** A selection of Kubernetes' own tests. */
export interface Suite {
  readonly id: string;
  /** What it is, in a few words. */
  readonly what: string;
  /** Regular expression of the tests' names. */
  readonly focus: string;
  /** Regular expression of those left out. */
  readonly skip: string;
  /** Tests at a time. */
  readonly parallel: number;
  /** Longest run in seconds, images aside. */
  readonly timeoutSeconds: number;
}

/** Tests that no lab of this project can run: they need Linux, other hardware, or features that are off by default. */
const never = [
  "\\[LinuxOnly\\]",
  "\\[Feature:DynamicResourceAllocation\\]",
  "\\[Feature:GPUDevicePlugin\\]",
  "\\[Feature:WindowsHyperVContainers\\]",
  "\\[Alpha\\]",
  "\\[Beta\\].\\[Feature:OffByDefault\\]",
  "\\[FeatureGate:HostnameOverride\\]",
];

/** Left out of SIG-Windows' own runs (windows-testing, capz/run-capz-e2e.sh). */
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

/** The selections, the default one first. */
export const suites: readonly Suite[] = [
  {
    id: "sig-windows",
    what: "what SIG-Windows tests of Windows itself, but for what is slow or wants the cluster to itself",
    focus: "\\[sig-windows\\]",
    skip: anyOf("\\[Serial\\]", "\\[Slow\\]", gmsa, ...never),
    parallel: 4,
    timeoutSeconds: 7200,
  },
  {
    id: "sig-windows-serial",
    what: "the rest of it, one test at a time: limits, density, reboots and evictions",
    focus: "\\[sig-windows\\](.*)(\\[Serial\\]|\\[Slow\\])",
    skip: anyOf(gmsa, ...never),
    parallel: 1,
    timeoutSeconds: 14_400,
  },
  {
    id: "conformance",
    what: "the selection of SIG-Windows' own CI: Kubernetes' conformance and what goes with it, on Windows pods",
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
    what: "the cases of windows-operational-readiness (KEP-2578), but for Active Directory's",
    focus: readinessFocus(),
    skip: anyOf(gmsa, ...never),
    parallel: 1,
    timeoutSeconds: 14_400,
  },
];

/** @throws naming the existing suites. */
export function suiteNamed(id: string): Suite {
  const found = suites.find((suite) => suite.id === id);
  if (found === undefined) {
    throw new Error(
      `there is no suite "${id}": write one of ${suites.map((suite) => suite.id).join(", ")}`,
    );
  }
  return found;
}
