import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { domainXslt } from "../../../components/machine/domain-xslt.ts";
import type {
  LibvirtMachine,
  LibvirtMachineArgs,
} from "../../../components/machine/libvirt-machine.ts";
import { windowsDomainXslt } from "../../../components/machine/windows-domain-xslt.ts";

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
    const { addressReservation } =
      await import("../../../components/machine/address-reservation.ts");
    const { SshKey } = await import("../../../components/machine/ssh-key.ts");
    const libvirtProvider = new libvirt.Provider("hypervisor", { uri: "qemu:///system" });
    const storage = new MachineStorage("machines", {
      uri: "qemu:///system",
      poolName: "kindows-t",
      poolPath: "/pool",
      image: { path: "/image.qcow2", hash: "0123456789ab" },
      libvirtProvider,
    });
    const args: LibvirtMachineArgs = {
      computerName: "win-1",
      os: "windows",
      guest: "rehearsal",
      domainName: "kindows-t-win-1",
      domainType: "qemu",
      cpus: 2,
      memoryMiB: 3072,
      diskGiB: 8,
      address: "192.168.150.10",
      mac: "52:54:00:ab:cd:ef",
      segment: { kind: "network", networkId: "network" },
      storage,
      login: { user: "Administrator", key: new SshKey("login", { comment: "t" }) },
      libvirtProvider,
    };
    machine = new Made("win-1", args);
    const real = { ...args, guest: "windows", computerName: "win-2" } as const;
    const machines = [
      machine,
      new Made("win-kvm", { ...real, domainType: "kvm" }),
      new Made("win-emulated", real),
      new Made("win-away", {
        ...args,
        computerName: "win-3",
        segment: {
          kind: "bridge",
          bridge: "br-lab",
          reservation: addressReservation("win-away", {
            ...{ uri: "qemu:///system", network: "kindows-t", networkId: "network-id" },
            ...{ mac: args.mac, address: args.address, computerName: "win-3" },
          }),
        },
      }),
      new Made("win-uefi", { ...real, uefi: { code: "/CODE.fd", variables: "/VARS.fd" } }),
    ];
    await Promise.all(machines.map((each) => look((each.resource as pulumi.CustomResource).id)));
    await look(machine.connection);
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

  it("describes each guest's machine in its own way", () => {
    const xslt = (name: string): unknown =>
      made.get(`libvirt:index/domain:Domain/${name}`)?.["xml"];
    assert.deepEqual(xslt("win-1"), { xslt: domainXslt() });
    assert.deepEqual(xslt("win-kvm"), { xslt: windowsDomainXslt({ kvm: true }) });
    assert.deepEqual(xslt("win-emulated"), { xslt: windowsDomainXslt({ kvm: false }) });
  });

  it("boots with the firmware its image was installed with", () => {
    const firmware = (name: string): unknown[] => {
      const domain = made.get(`libvirt:index/domain:Domain/${name}`);
      return [domain?.["firmware"], domain?.["nvram"]];
    };
    assert.deepEqual(firmware("win-kvm"), [undefined, undefined]);
    assert.deepEqual(firmware("win-uefi"), [
      "/CODE.fd",
      { file: "/var/lib/libvirt/qemu/nvram/kindows-t-win-1_VARS.fd", template: "/VARS.fd" },
    ]);
  });

  it("is started again with the host", () => {
    assert.equal(made.get("libvirt:index/domain:Domain/win-1")?.["autostart"], true);
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

  it("is on a bridge of another hypervisor without waiting for a lease that this never sees", () => {
    assert.deepEqual(made.get("libvirt:index/domain:Domain/win-away")?.["networkInterfaces"], [
      { bridge: "br-lab", mac: "52:54:00:AB:CD:EF" },
    ]);
    const reservation = made.get("command:local:Command/win-away-reservation");
    assert.deepEqual(reservation?.["environment"], {
      RESERVATION: JSON.stringify({
        uri: "qemu:///system",
        network: "kindows-t",
        mac: "52:54:00:ab:cd:ef",
        address: "192.168.150.10",
        computerName: "win-3",
      }),
    });
    assert.deepEqual(reservation["triggers"], ["network-id"]);
    const order = [...made.keys()];
    assert.ok(
      order.indexOf("command:local:Command/win-away-reservation") <
        order.indexOf("libvirt:index/domain:Domain/win-away"),
    );
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

  it("has an identity disk that only its owner may read, before it starts; a rehearsal's is as it was", () => {
    const closed = made.get("command:local:Command/win-kvm-identity-closed");
    assert.deepEqual(closed?.["environment"], {
      VOLUME: JSON.stringify({
        uri: "qemu:///system",
        pool: "kindows-t",
        name: "kindows-t-win-1-identity.iso",
      }),
    });
    assert.deepEqual(closed["triggers"], ["win-kvm-identity-id"]);
    const order = [...made.keys()];
    assert.ok(
      order.indexOf("command:local:Command/win-kvm-identity-closed") <
        order.indexOf("libvirt:index/domain:Domain/win-kvm"),
    );
    assert.equal(made.get("command:local:Command/win-1-identity-closed"), undefined);
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
