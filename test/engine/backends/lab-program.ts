/** Replaces index.ts in a test: makes no machine or cluster, but a state like a lab's. LAB has its parts as JSON. */
import * as pulumi from "@pulumi/pulumi";
import { local, remote } from "@pulumi/command";

interface Lab {
  readonly connection: { readonly host: string; readonly port: number; readonly user: string };
  readonly hostKey: string;
  readonly privateKey: string;
  readonly kubeconfig: string;
  readonly removed: string;
}

const lab = JSON.parse(process.env["LAB"] ?? "") as Lab;
export const kubeconfig = pulumi.secret(lab.kubeconfig);
export const sshPrivateKey = pulumi.secret(lab.privateKey);

class Part extends pulumi.ComponentResource {
  constructor(
    type: string,
    facts: object,
    outputs: pulumi.Inputs = {},
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    super(type, "win-1", { facts }, opts);
    this.registerOutputs(outputs);
  }
}

const cluster = { name: "kw", image: "i", controlPlanes: ["kw"], podCidr: "a", serviceCidr: "b" };
new Part("kindows:controlplane:KindCluster", cluster, { kubeconfig });
const { hostKey } = lab;
const connection = { ...lab.connection, privateKey: sshPrivateKey, hostKey };
const node = { node: "win-1" };
const machine = new Part("kindows:machine:ExistingMachine", node, { connection });
const windows = { ...node, checkFolder: "C:\\kindows" };
const joined = new Part("kindows:windows:WindowsNode", windows, {}, { parent: machine });
// Says that a run has waited for the node (components/node/step-trigger.ts): `up` does otherwise.
const triggers = [{ machine: "win-1", step: "await-ready" }];
new remote.Command(
  "step",
  { create: "true", addPreviousOutputInEnv: false, connection, triggers },
  { parent: joined },
);
new local.Command("made", { create: "true", delete: `echo gone > ${lab.removed}` });

export const controlPlane = {
  endpoint: "kw:6443",
  hostsEntries: [],
  kubernetesVersion: "1.36.4",
  nodeNames: [],
};
export const nodes = [
  { ...node, name: "win-1", os: "windows", address: "127.0.0.1", hostKey, sshUser: "me" },
];
