import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { execa } from "execa";
import { parse } from "yaml";

import { userData } from "../../../components/machine/identity.ts";
import { domainXslt, windowsDomainXslt } from "../../../components/machine/libvirt/domain-xslt.ts";
import type {
  LibvirtMachine,
  LibvirtMachineArgs,
} from "../../../components/machine/libvirt/libvirt-machine.ts";
import {
  pinnedHostKey,
  providerUri,
  type RemoteHypervisor,
  virshUri,
} from "../../../components/machine/libvirt/remote-hypervisor.ts";
import { deletedWith } from "../../../components/machine/machine.ts";
import { macAddress } from "../../../components/machine/mac-address.ts";
import { assertGolden } from "../controlplane/golden.ts";
import { look, record, type Recorded, revealed } from "../controlplane/recorded-resources.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

const labId = "0123456789abcdef";

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
            uri: "qemu:///system",
            poolName: "kindows-t",
            poolPath: "/pool",
            libvirtProvider,
            labId: pulumi.output(labId),
            image: { path: "/image.qcow2", hash: "0123456789ab" },
          },
          opts,
        );
        const args: LibvirtMachineArgs = {
          computerName: "win-1",
          os: "windows",
          guest: "rehearsal",
          domainName: "kindows-t-win-1",
          domainType: "qemu",
          cpus: 2,
          memoryMiB: 3072,
          diskGiB: 8,
          bootSeconds: 1200,
          address: "192.168.150.10",
          mac: "52:54:00:ab:cd:ef",
          segment: { kind: "network", networkId: "network" },
          login: { user: "Administrator", key: new SshKey("login", { comment: "t" }, opts) },
          storage,
          libvirtProvider,
        };
        const lab = {
          settings: { lab: { name: "t" }, hypervisor: { uri: "qemu:///system" } },
          network: { networkId: pulumi.output("network-id") },
        };
        const node = { name: "win-away", address: args.address };
        const reserve = (parent: pulumi.Resource) => addressReservation(lab, node, parent);
        const real = { ...args, guest: "windows", computerName: "win-2" } as const;
        new Made("win-kvm", { ...real, domainType: "kvm" }, opts);
        new Made("win-emulated", real, opts);
        new Made("win-uefi", { ...real, uefi: { code: "/CODE.fd", variables: "/VARS.fd" } }, opts);
        const segment = { kind: "bridge", bridge: "br-lab", reserve, connected: [] } as const;
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

  /** What is no reason to make something again, and what is, with whatever else is by its options. */
  const options: Readonly<Record<string, object>> = {
    "libvirt:index/volume:Volume/machines-base": {
      ignoreChanges: ["source", "xml"],
      retainOnDelete: true,
    },
    "libvirt:index/volume:Volume/win-1": {
      ignoreChanges: ["baseVolumeId", "xml"],
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
  eachCase("keeps and makes again as its options say: %s", options, (wanted, key) => {
    const found = Object.entries(get(key).opts).filter(([name]) => name in wanted);
    assert.deepEqual(Object.fromEntries(found), wanted);
  });

  it("has keys that nothing logs", () => {
    for (const key of ["login", "win-1-host-key"]) {
      assert.equal(inputs(`command:local:Command/${key}`)["logging"], "none");
    }
  });

  it("is another machine with another disk", () => {
    const { opts } = get("libvirt:index/cloudinitDisk:CloudinitDisk/win-1-identity");
    assert.deepEqual(opts.replaceWith, [get("libvirt:index/volume:Volume/win-1").resource]);
  });

  it("keeps what was done on it while it keeps its disk", () => {
    assert.equal(
      deletedWith(machine).deletedWith,
      get("libvirt:index/volume:Volume/win-1").resource,
    );
  });

  it("describes each guest's machine in its own way", () => {
    const windows = (name: string, kvm: boolean): string =>
      windowsDomainXslt([`${name}-id`, "machines-base-id"], labId, kvm);
    assert.deepEqual(domain("win-1")["xml"], {
      xslt: domainXslt(["win-1-id", "machines-base-id"], labId),
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
        uri: "qemu:///system",
        network: "kindows-t",
        mac: macAddress("kindows-t", "win-away"),
        address: "192.168.150.10",
        computerName: "win-away",
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

  it("outputs a connection that is secret as a whole, and the pinned host key, which is not secret", async () => {
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
    assert.deepEqual(await look(machine.hostKey), { value: value.hostKey, secret: false });
  });
});

/** What libvirt's provider 0.8.3 renders (newDomainDef in its domain_def.go) for a machine of ours. */
const rendered = readFileSync(new URL("rendered-domain.xml", import.meta.url), "utf8");

const variables = "/var/lib/libvirt/qemu/nvram/kindows-dev-win-1_VARS.fd";
/** As the provider renders `firmware` and `nvram` (setFirmware in its domain.go). */
const firmware = `  <loader readonly="yes" secure="no" type="pflash">/CODE.fd</loader>
    <nvram template="/VARS.fd">${variables}</nvram>
  </os>`;

/** Writes the profile of each machine where AppArmor is on; part of Debian's and Ubuntu's libvirt. */
const appArmorHelper = "/usr/lib/libvirt/virt-aa-helper";

describe("what is made of the domain that libvirt's provider renders", () => {
  const at = inNewFolder();

  const chain = ["/pool/overlay.qcow2", "/pool/base.qcow2"];
  const withUefi = rendered.replace("</os>", firmware);
  const guests: Readonly<Record<string, readonly [xslt: string, input: string]>> = {
    "linux-and-rehearsal": [domainXslt(chain, labId), rendered],
    "windows-with-kvm-and-uefi": [windowsDomainXslt(chain, labId, true), withUefi],
    "windows-emulated": [windowsDomainXslt(chain, labId, false), rendered],
  };

  async function transformed([xslt, input]: readonly [string, string]): Promise<string> {
    writeFileSync(at("a.xslt"), xslt);
    const { stdout } = await execa("xsltproc", ["--nonet", "a.xslt", "-"], { cwd: at(), input });
    return `${stdout}\n`;
  }

  /** An element a line, as versions of xsltproc differ in that, and in how they write empty ones. */
  const byElement = (xml: string): string =>
    `${xml
      .replaceAll(/\s*\n\s*/g, "")
      .replaceAll(/<(\w+)((?:[^<>]*[^<>/])?)><\/\1>/g, "<$1$2/>")
      .replaceAll("><", ">\n<")}\n`;

  eachCase(
    "is as reviewed, and one that libvirt's schema knows: %s",
    guests,
    async (guest, name) => {
      const domain = await transformed(guest);
      assertGolden(new URL("./", import.meta.url), `${name}.xml`, byElement(domain));
      writeFileSync(at("domain.xml"), domain);
      await execa("virt-xml-validate", [at("domain.xml"), "domain"]);
    },
  );

  for (const [name, [xslt, input]] of Object.entries(guests)) {
    it(`has files that libvirt's own helper lets QEMU open under AppArmor: ${name}`, async function () {
      if (!existsSync(appArmorHelper)) this.skip();
      const uuid = "09d20f58-ee0c-4f75-9ff6-3fef05273f1c";
      const named = input.replace("</name>", `</name><uuid>${uuid}</uuid>`);
      const options = ["--create", "--dryrun", "--uuid", `libvirt-${uuid}`];
      const { stderr: profile } = await execa(appArmorHelper, options, {
        input: await transformed([xslt, named]),
      });
      const needed = [
        '"/pool/overlay.qcow2" rwk',
        '"/pool/base.qcow2" rk',
        '"/pool/identity.iso" rk',
        ...(input === withUefi ? ['"/CODE.fd" rk', `"${variables}" rwk`] : []),
      ];
      const lacking = needed.filter((rule) => !profile.includes(`  ${rule},\n`));
      assert.deepEqual(lacking, [], profile);
    });
  }
});

const hypervisor: RemoteHypervisor = {
  name: "b",
  uri: "qemu+ssh://root@b.example.test/system",
  hostKey: "ssh-ed25519 AAAAkey root@b",
  privateKeyFile: "/etc/kindows/id_ed25519",
};

describe("remote hypervisor", () => {
  it("pins the key by name alone on port 22, with the port otherwise; without the comment", () => {
    const lines = ["", ":22", ":2222"].map((port) =>
      pinnedHostKey({ ...hypervisor, uri: `qemu+ssh://root@b.example.test${port}/system` }),
    );
    assert.deepEqual(lines, [
      "b.example.test ssh-ed25519 AAAAkey\n",
      "b.example.test ssh-ed25519 AAAAkey\n",
      "[b.example.test]:2222 ssh-ed25519 AAAAkey\n",
    ]);
  });

  it("is given to the provider, and to virsh over libssh, with its key and pin, quoted, and no agent", () => {
    const key = "keyfile=/etc/kindows/id_ed25519&sshauth=privkey";
    assert.deepEqual(
      [providerUri, virshUri].map((uri) => uri(hypervisor, "/a b&c/pins")),
      [
        `qemu+ssh://root@b.example.test/system?knownhosts=/a%20b%26c/pins&${key}`,
        `qemu+libssh://root@b.example.test/system?known_hosts_verify=normal&known_hosts=/a%20b%26c/pins&${key}`,
      ],
    );
  });
});

const pem = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nbnNz\n-----END OPENSSH PRIVATE KEY-----\n";

describe("identity disk", () => {
  const identity = {
    computerName: "win-1",
    hostPrivateKey: pem,
    hostPublicKey: "ssh-ed25519 AAAA win-1",
    authorizedKeys: ["ssh-ed25519 BBBB one", 'ssh-ed25519 CCCC "two": #3'],
  };
  const text = userData(identity);

  it("is a cloud-config that a reader of YAML, and of JSON below the first line, gets back", () => {
    const read = {
      hostname: "win-1",
      ssh_keys: { ed25519_private: pem, ed25519_public: "ssh-ed25519 AAAA win-1" },
      ssh_authorized_keys: identity.authorizedKeys,
    };
    assert.deepEqual(parse(text), read);
    assert.equal(text.split("\n")[0], "#cloud-config");
    assert.deepEqual(JSON.parse(text.replace("#cloud-config\n", "")), read);
  });

  it("lets root log in on a Linux machine, and says nothing of that elsewhere", () => {
    const said = (asRoot?: boolean): unknown => {
      const given = { ...identity, ...(asRoot !== undefined && { asRoot }) };
      return (parse(userData(given)) as Record<string, unknown>)["disable_root"];
    };
    assert.deepEqual([said(true), said(false), said()], [false, undefined, undefined]);
  });
});

describe("macAddress", () => {
  it("is a stable address in QEMU's range", () => {
    assert.match(macAddress("kindows-dev", "win-1"), /^52:54:00(:[0-9a-f]{2}){3}$/);
    assert.equal(macAddress("kindows-dev", "win-1"), macAddress("kindows-dev", "win-1"));
  });

  it("belongs to one machine only, and is assigned by whoever runs it (IEEE 802, first octet)", () => {
    const octets = macAddress("kindows-dev", "win-1").split(":");
    const [group, local] = [0b01, 0b10].map((bit) => Number(`0x${octets[0] ?? ""}`) & bit);
    assert.deepEqual({ group, local }, { group: 0, local: 0b10 });
  });

  it("differs between machines and labs, in all three octets after QEMU's", () => {
    const machines = ["kindows-a", "kindows-b"].flatMap((lab) =>
      Array.from({ length: 300 }, (_, index) => macAddress(lab, `win-${index}`)),
    );
    assert.equal(new Set(machines).size, machines.length);
    for (const octet of [3, 4, 5]) {
      const seen = new Set(machines.map((mac) => mac.split(":")[octet]));
      assert.ok(seen.size > 200, `octet ${octet} has ${seen.size} of 256 values`);
    }
  });
});
