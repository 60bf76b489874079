import assert from "node:assert/strict";
import { askCluster, checkLab, type LabAnswers } from "../../../../cli/doctor/examine-lab.ts";
import { labState, withToken, type NodeMachine } from "../../../../cli/lab/lab-state.ts";
import { withNewClient } from "../../../../cli/doctor/repairs.ts";
import { eachCase } from "../../each-case.ts";
import { component, connection, deployment, resource, secret } from "../recovery/state-builder.ts";

const joinInput = JSON.stringify({ token: "abcdef.0123456789abcdef", caCertHashes: ["sha256:0"] });

const cluster = component(
  "kindows:controlplane:KindCluster",
  "control-plane",
  { name: "kindows-x", image: "", podCidr: "", serviceCidr: "", controlPlanes: [] },
  { outputs: { kubeconfig: secret("KUBECONFIG") } },
);
const tokens = component("kindows:controlplane:BootstrapToken", "win-1", { node: "win-1" });
const token = resource("command:local:Command", "win-1", { parent: tokens.urn });
const machine = component(
  "kindows:machine:HyperVMachine",
  "win-1",
  { node: "win-1" },
  { outputs: { connection: secret(connection) } },
);
const checkFolder = "C:\\kindows\\steps\\Test-0";
const node = component("kindows:windows:WindowsNode", "win-1", { node: "win-1", checkFolder });
const steps = resource("command:remote:Command", "win-1-steps", { parent: node.urn });
const join = resource("command:remote:Command", "win-1-join-node", {
  parent: node.urn,
  inputs: { create: secret("powershell Join-Node.ps1"), stdin: secret(joinInput) },
  dependencies: [token.urn],
});
const unjoined = [cluster, tokens, token, machine, node, steps];
const all = [...unjoined, join];

describe("what a stack's state says of its lab", () => {
  it("is the kubeconfig, each machine with its join, and nobody that has not joined", () => {
    const state = labState(deployment(all));
    assert.equal(state.kubeconfig, "KUBECONFIG");
    const machines = state.machines.map((each) => [each.node, each.checkFolder, each.join]);
    assert.deepEqual(machines, [
      ["win-1", checkFolder, { command: "powershell Join-Node.ps1", input: joinInput }],
    ]);
    assert.deepEqual(state.unjoined, []);
  });

  it("is a token nobody has used, where the join is not in it", () => {
    const state = labState(deployment(unjoined));
    assert.deepEqual(state.unjoined, ["win-1"]);
    assert.equal(state.machines[0]?.join, undefined);
  });

  it("is nothing for an empty one", () => {
    const none = { kubeconfig: undefined, machines: [], unjoined: [] };
    assert.deepEqual(labState(deployment([])), none);
  });

  it("gives a join another token, and refuses what is no join", () => {
    const expected = { token: "t", caCertHashes: ["sha256:0"] };
    assert.deepEqual(JSON.parse(withToken(joinInput, "t")), expected);
    for (const bad of ["", "no", "{}"]) {
      assert.throws(() => withToken(bad, "t"), /run `kindows up`/);
    }
  });
});

describe("a lab as a whole", () => {
  const machine: NodeMachine = {
    ...{ node: "win-1", ...connection, scripts: "C:\\kindows\\steps\\0", checkFolder },
    join: { command: "join", input: joinInput },
  };
  const ready = (name: string): object => ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  const now = new Date("2027-03-01T12:00:00Z");
  const later = new Date("2028-01-01T00:00:00Z");
  const plane = {
    ...{ container: "cp", authorities: [], kubelet: [], troubles: [] },
    controlPlane: [{ name: "apiserver", until: later }],
  };
  const fine: LabAnswers = {
    state: { kubeconfig: "", machines: [machine], unjoined: [] },
    cluster: {
      nodes: { items: [ready("cp"), ready("win-1")] },
      ...{ pods: { items: [] }, leases: { items: [] } },
    },
    ...{ tokens: undefined, certificates: [plane], now },
    clocks: [{ node: "win-1", time: now, asked: now, answered: now }],
    running: new Set(["win-1", "cp"]),
  };
  const clocks = [{ node: "win-1", time: later, asked: now, answered: now }];
  const expired = [{ ...plane, controlPlane: [{ name: "apiserver", until: now }] }];

  type Named = readonly (readonly [name: string, repair: string | undefined])[];
  const cases: Readonly<Record<string, readonly [Partial<LabAnswers>, Named]>> = {
    "in order": [{}, []],
    "whose clock is wrong": [{ clocks }, [["clock of win-1", "run-join"]]],
    "whose API server is silent": [
      { cluster: "connect ECONNREFUSED", clocks },
      [
        ["API server", "restart-kubelet"],
        ["clock of win-1", undefined],
      ],
    ],
    "whose API server is silent because of its certificates": [
      { cluster: "certificate has expired", certificates: expired },
      [
        ["certificates of cp", "renew-certificates"],
        ["API server", undefined],
      ],
    ],
    "of which nothing runs": [
      { cluster: "connect EHOSTUNREACH", certificates: [], clocks: [], running: new Set() },
      [["API server", undefined]],
    ],
    "whose API server answers something else": [
      { cluster: { nodes: "<html>", pods: "<html>", leases: "<html>" } },
      [["API server", undefined]],
    ],
    "that was not finished": [
      { state: { ...fine.state, unjoined: ["win-2"] }, tokens: [] },
      [["join of win-2", undefined]],
    ],
    "whose machine does not answer": [
      { clocks: [{ node: "win-1", trouble: "no end within 60 s" }] },
      [["machine win-1", undefined]],
    ],
  };
  eachCase("%s", cases, ([change, expected]) => {
    const found = checkLab({ ...fine, ...change });
    const kinds = found.map(({ name: each, repair }) => [each, repair?.kind]);
    assert.deepEqual(kinds, expected);
  });

  it("without a kubeconfig says so, and asks nobody", async () =>
    assert.match(JSON.stringify(await askCluster(undefined)), /has no kubeconfig/));

  it("with a kubeconfig that is none says why", async () =>
    assert.match(JSON.stringify(await askCluster("{}")), /no cluster or no user/));
});

describe("a state whose client has a new certificate", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const kubeconfig = (certificate: string, key: string): string =>
    [
      "clusters: [{cluster: {server: https://h:6443, certificate-authority-data: Y2E=}}]",
      `users: [{user: {client-certificate-data: ${base64(certificate)}, client-key-data: ${base64(key)}}}]`,
    ].join("\n");

  it("has it wherever the old one was, also in secrets within secrets", () => {
    const before = kubeconfig("old-certificate", "old-key");
    const state = JSON.stringify({ a: before, b: secret(secret(before)), other: base64("ca") });
    const after = withNewClient(state, before, kubeconfig("new-certificate", "new-key"));
    assert.ok(!after.includes(base64("old-certificate")) && !after.includes(base64("old-key")));
    assert.equal(after.split(base64("new-certificate")).length, 3);
    assert.equal(after.split(base64("new-key")).length, 3);
    assert.ok(after.includes(base64("ca")));
    JSON.parse(after);
  });
});
