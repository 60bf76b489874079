import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { LibvirtMachine } from "../../../components/machine/libvirt-machine.ts";

/** How a secret looks on its way to the engine. */
const secretMark = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

type Inputs = Record<string, unknown>;

/** A promise for what an output holds, and whether it is a secret. */
async function look<T>(output: pulumi.Output<T>): Promise<{ value: T; secret: boolean }> {
  const value = await new Promise<T>((resolve) => void output.apply(resolve));
  return { value, secret: await pulumi.isSecret(output) };
}

describe("LibvirtMachine", () => {
  const made = new Map<string, Inputs>();
  let machine: LibvirtMachine;

  before(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ type, name, inputs }) => {
        made.set(`${type}/${name}`, inputs as Inputs);
        const stdout = JSON.stringify({
          privateKey: `private of ${name}`,
          publicKey: `ssh-ed25519 ${name}`,
        });
        return { id: `${name}-id`, state: { ...(inputs as Inputs), stdout } };
      },
      call: () => ({}),
    });
    const libvirt = await import("@pulumi/libvirt");
    const { LibvirtMachine: Made } = await import("../../../components/machine/libvirt-machine.ts");
    const { MachineStorage } = await import("../../../components/machine/machine-storage.ts");
    const { SshKey } = await import("../../../components/machine/ssh-key.ts");
    const libvirtProvider = new libvirt.Provider("hypervisor", { uri: "qemu:///system" });
    const storage = new MachineStorage("machines", {
      uri: "qemu:///system",
      poolName: "kindows-t",
      poolPath: "/pool",
      image: { path: "/image.qcow2", hash: "0123456789ab" },
      libvirtProvider,
    });
    machine = new Made("win-1", {
      computerName: "win-1",
      os: "windows",
      domainName: "kindows-t-win-1",
      domainType: "qemu",
      cpus: 2,
      memoryMiB: 3072,
      diskGiB: 8,
      address: "192.168.150.10",
      mac: "52:54:00:ab:cd:ef",
      networkId: "network",
      storage,
      login: { user: "Administrator", key: new SshKey("login", { comment: "t" }) },
      libvirtProvider,
    });
    await look(machine.connection);
    await look((machine.resource as pulumi.CustomResource).id);
  });

  it("names the golden image's volume by its content", () => {
    assert.equal(
      made.get("libvirt:index/volume:Volume/machines-base")?.["name"],
      "kindows-t-0123456789ab.qcow2",
    );
  });

  it("puts an overlay of the asked size on the base", () => {
    const overlay = made.get("libvirt:index/volume:Volume/win-1");
    assert.equal(overlay?.["baseVolumeId"], "machines-base-id");
    assert.equal(overlay?.["size"], 8 * 1024 ** 3);
  });

  it("reserves the address for the machine's MAC and waits for the lease", () => {
    assert.deepEqual(made.get("libvirt:index/domain:Domain/win-1")?.["networkInterfaces"], [
      {
        networkId: "network",
        hostname: "win-1",
        mac: "52:54:00:AB:CD:EF",
        addresses: ["192.168.150.10"],
        waitForLease: true,
      },
    ]);
  });

  it("is told by the identity disk, in secret, who it is and who may log in", () => {
    const given = made.get("libvirt:index/cloudinitDisk:CloudinitDisk/win-1-identity")?.[
      "userData"
    ];
    const { [secretMark]: mark, value: text } = given as Record<string, string>;
    assert.equal(mark, secretSignature);
    assert.match(text ?? "", /private of win-1-host-key/);
    assert.match(text ?? "", /ssh-ed25519 login/);
    assert.doesNotMatch(text ?? "", /private of login/);
  });

  it("hands on a connection that is secret as a whole and pins the host key", async () => {
    const { value, secret } = await look(machine.connection);
    assert.equal(secret, true);
    assert.deepEqual(value, {
      host: "192.168.150.10",
      port: 22,
      user: "Administrator",
      privateKey: "private of login",
      hostKey: "ssh-ed25519 win-1-host-key",
      dialErrorLimit: -1,
      perDialTimeout: 3,
    });
  });

  it("shows its host key, which is no secret", async () => {
    assert.deepEqual(await look(machine.hostKey), {
      value: "ssh-ed25519 win-1-host-key",
      secret: false,
    });
  });
});
