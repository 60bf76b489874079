import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { domainXslt } from "../../../components/machine/libvirt/domain-xslt.ts";
import type {
  LibvirtMachine,
  LibvirtMachineArgs,
} from "../../../components/machine/libvirt/libvirt-machine.ts";
import { windowsDomainXslt } from "../../../components/machine/libvirt/windows-domain-xslt.ts";
import { look, record, revealed, type Recorded } from "../controlplane/recorded-resources.ts";

describe("LibvirtMachine", () => {
  let resources: ReadonlyMap<string, Recorded>;
  let machine: LibvirtMachine;

  before(async () => {
    ({ made: machine, resources } = await record(
      (name) =>
        JSON.stringify({ privateKey: `private of ${name}`, publicKey: `ssh-ed25519 ${name}` }),
      async (opts) => {
        // Its SDK asks the engine for its package as soon as it is loaded.
        const libvirt = await import("@pulumi/libvirt");
        const { LibvirtMachine: Made } =
          await import("../../../components/machine/libvirt/libvirt-machine.ts");
        const { MachineStorage } =
          await import("../../../components/machine/libvirt/machine-storage.ts");
        const { addressReservation } =
          await import("../../../components/machine/address-reservation.ts");
        const { SshKey } = await import("../../../components/machine/ssh-key.ts");
        const libvirtProvider = new libvirt.Provider("hypervisor", { uri: "qemu:///system" });
        const storage = new MachineStorage(
          "machines",
          {
            ...{ uri: "qemu:///system", poolName: "kindows-t", poolPath: "/pool", libvirtProvider },
            image: { path: "/image.qcow2", hash: "0123456789ab" },
          },
          opts,
        );
        const args: LibvirtMachineArgs = {
          ...{ computerName: "win-1", os: "windows", guest: "rehearsal" },
          ...{ domainName: "kindows-t-win-1", domainType: "qemu" },
          ...{ cpus: 2, memoryMiB: 3072, diskGiB: 8, bootSeconds: 1200 },
          ...{ address: "192.168.150.10", mac: "52:54:00:ab:cd:ef" },
          segment: { kind: "network", networkId: "network" },
          login: { user: "Administrator", key: new SshKey("login", { comment: "t" }, opts) },
          ...{ storage, libvirtProvider },
        };
        const reservation = {
          ...{ uri: "qemu:///system", network: "kindows-t", networkId: "network-id" },
          ...{ mac: args.mac, address: args.address, computerName: "win-3" },
        };
        const reserve = (parent: pulumi.Resource) =>
          addressReservation("win-away", reservation, parent);
        const real = { ...args, guest: "windows", computerName: "win-2" } as const;
        new Made("win-kvm", { ...real, domainType: "kvm" }, opts);
        new Made("win-emulated", real, opts);
        new Made("win-uefi", { ...real, uefi: { code: "/CODE.fd", variables: "/VARS.fd" } }, opts);
        const segment = { kind: "bridge", bridge: "br-lab", reserve } as const;
        new Made("win-away", { ...args, computerName: "win-3", segment }, opts);
        return new Made("win-1", args, opts);
      },
    ));
  });

  const get = (key: string): Recorded => resources.get(key) ?? assert.fail(`there is no ${key}`);
  const inputs = (key: string): Recorded["inputs"] => get(key).inputs;
  const domain = (name: string): Recorded["inputs"] =>
    inputs(`libvirt:index/domain:Domain/${name}`);
  const assertOrder = (one: string, other: string): void => {
    const order = [...resources.keys()];
    assert.ok(order.indexOf(one) < order.indexOf(other), `${one} before ${other}`);
  };

  it("names the golden image's volume by its content", () =>
    assert.equal(
      inputs("libvirt:index/volume:Volume/machines-base")["name"],
      "kindows-t-0123456789ab.qcow2",
    ));

  it("puts an overlay of the asked size on the base", () => {
    const { baseVolumeId, size } = inputs("libvirt:index/volume:Volume/win-1");
    assert.deepEqual([baseVolumeId, size], ["machines-base-id", 8 * 1024 ** 3]);
  });

  /** What is no reason to make something again, and what is, with whatever else is by its options. */
  const options: Readonly<Record<string, object>> = {
    "libvirt:index/volume:Volume/machines-base": {
      ignoreChanges: ["source"],
      retainOnDelete: true,
    },
    "libvirt:index/volume:Volume/win-1": {
      ignoreChanges: ["baseVolumeId"],
      deleteBeforeReplace: true,
    },
    "libvirt:index/cloudinitDisk:CloudinitDisk/win-1-identity": { deleteBeforeReplace: true },
    "libvirt:index/domain:Domain/win-1": { deleteBeforeReplace: true },
    "command:local:Command/login": {
      ignoreChanges: ["environment"],
      additionalSecretOutputs: ["stdout"],
    },
    "command:local:Command/win-kvm-identity-closed": { deleteBeforeReplace: true },
  };
  for (const [key, wanted] of Object.entries(options)) {
    it(`keeps and makes again as its options say: ${key}`, () => {
      const found = Object.entries(get(key).opts).filter(([name]) => name in wanted);
      assert.deepEqual(Object.fromEntries(found), wanted);
    });
  }

  it("has keys that nothing logs", () => {
    for (const key of ["login", "win-1-host-key"]) {
      assert.equal(get(`command:local:Command/${key}`).inputs["logging"], "none");
    }
  });

  it("is another machine with another disk", () => {
    const { opts } = get("libvirt:index/cloudinitDisk:CloudinitDisk/win-1-identity");
    assert.deepEqual(opts.replaceWith, [get("libvirt:index/volume:Volume/win-1").resource]);
  });

  it("describes each guest's machine in its own way", () => {
    const windows = (name: string, kvm: boolean): string =>
      windowsDomainXslt([`${name}-id`, "machines-base-id"], { kvm });
    assert.deepEqual(domain("win-1")["xml"], {
      xslt: domainXslt(["win-1-id", "machines-base-id"]),
    });
    assert.deepEqual(domain("win-kvm")["xml"], { xslt: windows("win-kvm", true) });
    assert.deepEqual(domain("win-emulated")["xml"], { xslt: windows("win-emulated", false) });
  });

  it("boots with the firmware its image was installed with", () => {
    const firmware = (name: string): unknown[] => [domain(name)["firmware"], domain(name)["nvram"]];
    assert.deepEqual(firmware("win-kvm"), [undefined, undefined]);
    assert.deepEqual(firmware("win-uefi"), [
      "/CODE.fd",
      { file: "/var/lib/libvirt/qemu/nvram/kindows-t-win-1_VARS.fd", template: "/VARS.fd" },
    ]);
  });

  it("is given up by the provider when its boot's time is over, not before", () =>
    assert.deepEqual(domain("win-1")["timeouts"], { create: "1200s" }));

  it("is started again with the host", () => assert.equal(domain("win-1")["autostart"], true));

  it("reserves the address for the machine's MAC and waits for the lease", () =>
    assert.deepEqual(domain("win-1")["networkInterfaces"], [
      {
        networkId: "network",
        hostname: "win-1",
        mac: "52:54:00:AB:CD:EF",
        addresses: ["192.168.150.10"],
        waitForLease: true,
      },
    ]));

  it("is on a bridge of another hypervisor without waiting for a lease that this never sees", () => {
    assert.deepEqual(domain("win-away")["networkInterfaces"], [
      { bridge: "br-lab", mac: "52:54:00:AB:CD:EF" },
    ]);
    const reservation = "command:local:Command/win-away-reservation";
    const { environment, triggers } = inputs(reservation);
    assert.deepEqual(environment, {
      RESERVATION: JSON.stringify({
        ...{ uri: "qemu:///system", network: "kindows-t", mac: "52:54:00:ab:cd:ef" },
        ...{ address: "192.168.150.10", computerName: "win-3" },
      }),
    });
    assert.deepEqual(triggers, ["network-id"]);
    assertOrder(reservation, "libvirt:index/domain:Domain/win-away");
  });

  it("gets from the identity disk, in secret, who it is and who may log in", () => {
    const { userData } = inputs("libvirt:index/cloudinitDisk:CloudinitDisk/win-1-identity");
    const text = String(revealed(userData));
    assert.match(text, /private of win-1-host-key/);
    assert.match(text, /ssh-ed25519 login/);
    assert.doesNotMatch(text, /private of login/);
  });

  it("has an identity disk that only its owner may read, before it starts; a rehearsal's is as it was", () => {
    const closed = "command:local:Command/win-kvm-identity-closed";
    const { environment, triggers } = inputs(closed);
    const name = "kindows-t-win-1-identity.iso";
    assert.deepEqual(environment, {
      VOLUME: JSON.stringify({ uri: "qemu:///system", pool: "kindows-t", name }),
    });
    assert.deepEqual(triggers, ["win-kvm-identity-id"]);
    assertOrder(closed, "libvirt:index/domain:Domain/win-kvm");
    assert.ok(!resources.has("command:local:Command/win-1-identity-closed"));
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

  it("shows its host key, which is no secret", async () =>
    assert.deepEqual(await look(machine.hostKey), {
      value: "ssh-ed25519 win-1-host-key",
      secret: false,
    }));
});
