import assert from "node:assert/strict";
import { labOutputs } from "../../../../cli/lab/outputs.ts";
import type { Pulumi } from "../../../../cli/engine/pulumi.ts";

const whole = {
  kubeconfig: "apiVersion: v1",
  sshPrivateKey: "key",
  controlPlane: { endpoint: "plane:6443", hostsEntries: [], kubernetesVersion: "1.36.4" },
  nodes: [
    { name: "win-1", os: "windows", address: "192.0.2.10", hostKey: "k", sshUser: "Administrator" },
  ],
};

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A stack with these outputs. */
function stackWith(outputs: object): Pulumi {
  const pulumi: Pick<Pulumi, "stack" | "state"> = {
    stack: "test",
    state: () => Promise.resolve(JSON.stringify(outputs)),
  };
  return pulumi as Pulumi;
}

describe("the outputs of a lab", () => {
  it("are those of its stack", async () =>
    assert.deepEqual(await labOutputs(stackWith(whole)), whole));

  const partial: Readonly<Record<string, object>> = {
    "that was never up": {},
    "whose last run has lost a host on the way": { ...whole, nodes: unknown },
    "whose control plane was not made": { ...whole, kubeconfig: unknown, controlPlane: unknown },
  };
  for (const [which, outputs] of Object.entries(partial)) {
    it(`are not there for one ${which}`, async () =>
      assert.equal(await labOutputs(stackWith(outputs)), undefined));
  }

  it("of another version are told by their names, without what is in them", () =>
    assert.rejects(labOutputs(stackWith({ ...whole, nodes: ["secret"] })), (error: Error) => {
      assert.match(error.message, /not those of this version of the project \(nodes\.0\)/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    }));
});
