/** A case of windows-operational-readiness: what a node must be able to do, and the test that shows it. */
export interface ReadinessCase {
  readonly category: string;
  readonly what: string;
  /** Part of the tests' names, as a regular expression. */
  readonly focus: string;
}

const of = (category: string, cases: readonly (readonly [string, string])[]): ReadinessCase[] =>
  cases.map(([what, focus]) => ({ category, what, focus }));

/**
 * The cases of kubernetes-sigs/windows-operational-readiness (specifications, last changed in 2024) that are not
 * commented out there, without those it has twice. What it finds by `[Feature:Windows]` is found by `[sig-windows]` here:
 * the place of the other in a test's name has changed. Active Directory's two are left out: no lab has a domain.
 */
export const readinessCases: readonly ReadinessCase[] = [
  ...of("Core.Network", [
    [
      "Windows and Linux pods reach each other",
      "should have stable networking for Linux and Windows pods",
    ],
    ["Services by their cluster address", "should be able to up and down services"],
    ["Services by NodePort", "should be able to create a functioning NodePort service for Windows"],
    [
      "ten pods of a node have addresses and figures",
      "Kubelet stats collection for Windows nodes when running 10 pods should return within 10 seconds",
    ],
    ["StatefulSets keep their names", "should provide basic identity"],
    ["DNS within the cluster", "should provide DNS for the cluster"],
    ["DNS of external names", "should provide DNS for ExternalName services"],
    ["DNS of Services", "should provide DNS for services"],
    ["EndpointSlices", "should create Endpoints and EndpointSlices for Pods matching a Service"],
  ]),
  ...of("Core.Storage", [
    ["hostPath volumes are read and written", "should support r/w"],
    [
      "Secrets and ConfigMaps as volumes",
      "should be consumable from pods in volume \\[NodeConformance\\]",
    ],
  ]),
  ...of("Core.Scheduling", [
    ["memory limits hold", "Memory Limits"],
    ["CPU limits hold", "Cpu Resources"],
  ]),
  ...of("Core.Concurrent", [["ten pods at a time", "Density"]]),
  ...of("Extend.Network", [
    ["Services with several ports", "should serve multiport endpoints from pods"],
    ["NodePorts of both systems", "should be able to create a functioning NodePort service"],
  ]),
  ...of("Extend.NetworkPolicy", [
    ["policies keep other namespaces out", "should deny ingress from pods on other namespaces"],
  ]),
];

/** Cases whose names do not mention Windows: only SIG-Windows' tests with these names are meant. */
const ofWindowsOnly = ["Memory Limits", "Cpu Resources", "Density"];

/** All cases as one regular expression. */
export function readinessFocus(): string {
  return readinessCases
    .map(({ focus }) => (ofWindowsOnly.includes(focus) ? `\\[sig-windows\\](.*)${focus}` : focus))
    .map((focus) => focus.replaceAll(" ", "."))
    .join("|");
}
