import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { HyperVMachine } from "../../../../components/machine/hyper-v/hyper-v-machine.ts";

/** How a secret looks on its way to the engine. */
const secretMark = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

interface Made {
  readonly create?: string;
  readonly delete?: string;
  readonly triggers?: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
}

describe("HyperVMachine", () => {
  const made = new Map<string, Made>();
  let machine: HyperVMachine;

  before(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => {
        made.set(name, inputs as Made);
        const stdout = JSON.stringify({
          id: `id of ${name}`,
          privateKey: `private of ${name}`,
          publicKey: `ssh-ed25519 ${name}`,
        });
        return { id: `${name}-id`, state: { ...(inputs as object), stdout } };
      },
      call: () => ({}),
    });
    const { SshKey } = await import("../../../../components/machine/ssh-key.ts");
    const { HyperVHost } = await import("../../../../components/machine/hyper-v/hyper-v-host.ts");
    const { HyperVMachine: Machine } =
      await import("../../../../components/machine/hyper-v/hyper-v-machine.ts");
    const { addressReservation } =
      await import("../../../../components/machine/address-reservation.ts");
    const key = new SshKey("login", { comment: "t" });
    const host = new HyperVHost("hyper-v-rack-3", {
      host: {
        ...{ name: "rack-3", address: "192.0.2.3", port: 22, user: "Administrator" },
        ...{ hostKey: "ssh-ed25519 AAAA", privateKeyFile: "/k", switchName: "Lab" },
        ...{ folder: "D:\\kindows", baseDisk: "D:\\image.vhdx", lab: "kindows-t" },
      },
      loginPublicKey: key.publicKey,
    });
    machine = new Machine("win-1", {
      ...{ computerName: "win-1", machineName: "kindows-t-win-1", generation: 2 },
      ...{ secureBoot: true, cpus: 4, memoryMiB: 8192, diskGiB: 60 },
      ...{ address: "192.168.150.10", mac: "52:54:00:ab:cd:ef", host },
      reservation: addressReservation("win-1", {
        ...{ uri: "qemu:///system", network: "kindows-t", networkId: "id" },
        ...{ mac: "52:54:00:ab:cd:ef", address: "192.168.150.10", computerName: "win-1" },
      }),
      login: { user: "Administrator", key },
    });
    await new Promise((resolve) => {
      machine.instanceId.apply(resolve);
    });
  });

  /** What an action gets. The mocks tell a group with a secret in it as a secret as a whole. */
  const environment = (name: string): Readonly<Record<string, unknown>> => {
    const told = made.get(name)?.environment ?? assert.fail(`there is no ${name}`);
    return told[secretMark] === secretSignature
      ? (told["value"] as Readonly<Record<string, unknown>>)
      : told;
  };
  const json = (value: unknown): Record<string, unknown> =>
    JSON.parse(String(value)) as Record<string, unknown>;

  it("is made and removed by its action, with what the host and the machine are", () => {
    assert.match(made.get("win-1")?.create ?? "", /make-hyper-v-machine\.ts$/);
    assert.match(made.get("win-1")?.delete ?? "", /make-hyper-v-machine\.ts --remove$/);
    const { owner, ...host } = json(environment("win-1")["HYPER_V_HOST"]);
    assert.match(String(owner), /^[0-9a-f]{12}$/);
    assert.equal(host["folder"], "D:\\kindows");
    const { making, ...spec } = json(environment("win-1")["MACHINE"]);
    assert.match(String(making), /^[0-9a-f]{12}$/);
    assert.deepEqual(spec, {
      ...{ name: "kindows-t-win-1", generation: 2, secureBoot: true, macAddress: "525400ABCDEF" },
      ...{ address: "192.168.150.10", cpus: 4, memoryMiB: 8192, diskGiB: 60 },
    });
    assert.deepEqual(made.get("win-1")?.triggers, [making]);
  });

  it("gives its identity as a secret, and its host no secret at all", () => {
    assert.equal(made.get("win-1")?.environment?.[secretMark], secretSignature);
    assert.equal(made.get("hyper-v-rack-3")?.environment?.[secretMark], undefined);
    assert.match(String(environment("win-1")["IDENTITY"]), /private of win-1-host-key/);
    for (const name of ["HYPER_V_HOST", "MACHINE"]) {
      assert.doesNotMatch(String(environment("win-1")[name]), /private of/);
    }
  });

  it("has a host that is looked at first, and left without anything of the lab", () => {
    const host = made.get("hyper-v-rack-3");
    assert.match(host?.create ?? "", /prepare-hyper-v-host\.ts$/);
    assert.match(host?.delete ?? "", /prepare-hyper-v-host\.ts --remove$/);
    // How it is reached makes nothing anew: what is there stays.
    assert.deepEqual(host?.triggers, ["ssh-ed25519 AAAA", "D:\\kindows"]);
  });

  it("is reached over SSH with its own host key pinned, all of it secret", async () => {
    assert.equal(await pulumi.isSecret(machine.connection), true);
    const connection = await new Promise<Record<string, unknown>>((resolve) => {
      machine.connection.apply((value) => {
        resolve(value as unknown as Record<string, unknown>);
      });
    });
    assert.equal(connection["host"], "192.168.150.10");
    assert.equal(connection["hostKey"], "ssh-ed25519 win-1-host-key");
    assert.equal(connection["dialErrorLimit"], -1);
  });

  it("is another instance for each making, by Hyper-V's own id", async () => {
    const id = await new Promise((resolve) => {
      machine.instanceId.apply(resolve);
    });
    assert.equal(id, "id of win-1");
    assert.equal(await pulumi.isSecret(machine.instanceId), false);
  });
});
