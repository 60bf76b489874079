import assert from "node:assert/strict";

import type { Pulumi } from "../../../../cli/engine/pulumi.ts";
import { onEachHypervisor } from "../../../../cli/host-resources/on-each-hypervisor.ts";
import { labOfPool } from "../../../../cli/host-resources/resource-kind.ts";
import { pools } from "../../../../cli/host-resources/storage.ts";
import { assertAllReachable, unreachableAmong, exclusionOf, leftText } from "../../../../cli/lab/fleet.ts";
import type { Host } from "../../../../cli/lab/host.ts";
import { labOutputs } from "../../../../cli/lab/outputs.ts";
import { resolveSettings } from "../../../../config/resolve.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
const settings = resolveSettings(
  {
    hypervisors: ["b", "c"].map((name) => ({
      ...{ name, uri: `qemu+ssh://root@${name}/system`, hostKey: key },
      ...{ privateKeyFile: "/k", bridge: "br0" },
    })),
    nodes: [
      { name: "win-1", hypervisor: "local" },
      { name: "win-2", hypervisor: "b" },
      { name: "win-3", hypervisor: "b" },
    ],
  },
  { stack: "t", file: "Pulumi.t.yaml" },
);
const remote = (name: string) => ({
  ...{ name, uri: `qemu+ssh://root@${name}/system`, virshUri: `virsh-of-${name}` },
});
const [b, c] = [remote("b"), remote("c")];
const unreachableB = { ...b, reason: "no route" };

/** A host whose libvirts have these pools, by address; one that is not listed does not answer. */
function hostWith(poolsByUri: Readonly<Record<string, readonly string[]>>): Host & {
  readonly asked: readonly string[];
} {
  const asked: string[] = [];
  return {
    ...{ libvirtUri: "here", others: [b, c], asked },
    run: (_program, [, , uri = "", ...words]) => {
      asked.push(`${uri}: ${words.join(" ")}`);
      const names = poolsByUri[uri];
      if (names === undefined) return Promise.reject(new Error("no route"));
      return Promise.resolve(
        words[0] === "pool-uuid" ? `uuid of ${words[1]}\n` : `${names.join("\n")}\n`,
      );
    },
  };
}

describe("a lab on several hypervisors", () => {
  it("knows its pools by the lab's name, also with a hypervisor's behind it", () => {
    const labs = ["kindows-a", "kindows-a.b-2", "kindows-a.", "kindows-a.b.c", "my.b", "default"];
    const ofLab = labs.filter((each) => labOfPool(each) === "kindows-a");
    assert.deepEqual(ofLab, ["kindows-a", "kindows-a.b-2"]);
    assert.equal(labs.filter((each) => labOfPool(each) !== undefined).length, 2);
  });

  it("finds things on each, once where two addresses lead to one libvirt", async () => {
    const here = ["kindows-t", "kindows-t.c"];
    const host = hostWith({ here, "virsh-of-b": ["kindows-t.b"], "virsh-of-c": here });
    const found = await onEachHypervisor(pools).find(host);
    assert.deepEqual(
      found.map(({ name, lab, hypervisor }) => [name, lab, hypervisor]),
      [
        ["kindows-t", "kindows-t", undefined],
        ["kindows-t.c", "kindows-t", undefined],
        ["kindows-t.b", "kindows-t", "b"],
      ],
    );
  });

  it("removes a thing where it is", async () => {
    const host = hostWith({ here: [], "virsh-of-b": [], "virsh-of-c": [] });
    const thing = { kind: "libvirt pool", name: "kindows-t.b", lab: "kindows-t", identity: "i" };
    await onEachHypervisor(pools).remove({ ...thing, hypervisor: "b" }, host);
    assert.ok(host.asked.length > 0 && host.asked.every((line) => line.startsWith("virsh-of-b: ")));
  });

  it("names the hypervisor that fails while it is looked at", async () => {
    const host = hostWith({ here: [], "virsh-of-c": [] });
    const found = onEachHypervisor(pools).find(host);
    await assert.rejects(found, /on the hypervisor b \(qemu\+ssh:\/\/root@b\/system\): no route/);
  });

  it("tells those that do not answer, with virsh's reason in one line", async () => {
    const reason = "error: failed\nerror: no route";
    const unreachable = await unreachableAmong([b, c], (uri) => {
      const end = uri === b.virshUri ? { how: "badly" as const, reason } : { how: "well" as const };
      return Promise.resolve({ stdout: "", stderr: "", reason: "", ...end });
    });
    assert.deepEqual(unreachable, [{ ...b, reason: "failed: no route" }]);
  });

  it("leaves what is unreachable as it is: out of the program, and out of what the engine compares", () => {
    assert.deepEqual(exclusionOf({ reachable: [c], unreachable: [unreachableB] }, settings, ["urn:1", "urn:2"]), {
      args: ["--continue-on-error", "--exclude", "urn:1", "--exclude", "urn:2"],
      environment: { KINDOWS_AWAY: "b" },
    });
    const text =
      "the hypervisor b (qemu+ssh://root@b/system) does not answer: no route; left as they are: win-2, win-3";
    assert.equal(leftText([unreachableB], settings), text);
  });

  it("names to the program none that only the state knows", () => {
    const former = { ...unreachableB, name: "former" };
    const { environment } = exclusionOf({ reachable: [], unreachable: [former] }, settings, []);
    assert.deepEqual(environment, {});
  });

  it("changes nothing for a lab on one", () => {
    const none = { reachable: [], unreachable: [] };
    assert.deepEqual(exclusionOf(none, { hypervisors: [] }, []), { args: [], environment: {} });
    assertAllReachable(none, "t");
  });

  it("does not go while one is unreachable, and says how it goes without", () =>
    assert.throws(() => assertAllReachable({ reachable: [], unreachable: [unreachableB] }, "t"), {
      name: "Failure",
      message:
        /b \(qemu\+ssh:\/\/root@b\/system\) does not answer: no route.*`KINDOWS_GONE=b kindows down --stack t`/s,
    }));
});

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
