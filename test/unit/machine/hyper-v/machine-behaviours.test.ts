import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { onHyperVHost } from "../../../../components/machine/hyper-v/host-session.ts";
import { machinesOf } from "../../../../components/machine/hyper-v/make-machine.ts";
import { generateEd25519 } from "../../../../host/ssh/generate-ed25519.ts";
import type { HyperV } from "../../../../rehearsal/windows/hyper-v.ts";
import { eachCase } from "../../each-case.ts";
import { baseDisk, folder, goodMachine, HyperVLab, type LabSetting } from "./hyper-v-lab.ts";

type Machine = HyperV["machines"][number];

const site = `${folder}\\${goodMachine.name}`;
const foreign: Omit<Machine, "notes"> = {
  name: goodMachine.name,
  id: "11111111-1111-1111-1111-111111111111",
  state: "Running",
  generation: 2,
  secureBoot: true,
  switchName: "Lab",
  macAddress: "00155D000001",
  cpus: 2,
  memoryMiB: 1024,
  disk: "C:\\else\\disk.vhdx",
  discs: [],
  settings: {},
};

describe("a machine on a model of a Hyper-V host, over SSH", () => {
  let lab: HyperVLab;
  afterEach(() => lab.stop());
  const onGoodHost = (title: string, test: () => Promise<unknown>): void =>
    void it(title, async () => {
      lab = await HyperVLab.start();
      await test();
    });
  const remove = (machineName = goodMachine.name, owner = lab.host.owner) =>
    lab.run((session) => session.run("Remove-LabMachine", { machineName, owner }));
  const changeState = (state: Machine["state"]): void => {
    const [machine] = lab.model().machines;
    lab.change({ machines: [{ ...(machine ?? assert.fail()), state }] });
  };

  onGoodHost("is made as asked for, marked, started, and awaited until addressed", async () => {
    const id = await lab.make();
    assert.deepEqual(lab.model().machines, [
      {
        name: goodMachine.name,
        id,
        state: "Running",
        notes: `kindows owner=${lab.host.owner} making=${goodMachine.making}`,
        generation: 2,
        secureBoot: true,
        switchName: "Lab",
        macAddress: "525400ABCDEF",
        cpus: 4,
        memoryMiB: 4096,
        disk: `${site}\\disk.vhdx`,
        discs: [`${site}\\identity.iso`],
        settings: {
          StaticMemory: "True",
          CheckpointType: "Disabled",
          MacAddressSpoofing: "On",
          AutomaticStartAction: "Start",
          AutomaticStopAction: "ShutDown",
        },
      },
    ]);
    const disk = { format: "VHDX", sizeGiB: 60, bootsWith: 2, parent: baseDisk };
    assert.deepEqual(await lab.disk(`${site}\\disk.vhdx`), disk);
    const identity = await lab.windows.windows.drive.read(`${site}\\identity.iso`);
    assert.equal(identity?.toString("latin1", 32_808, 32_814), "CIDATA".toLowerCase());
  });

  onGoodHost("is the same one when it is made again", async () => {
    const id = await lab.make();
    assert.equal(await lab.make(), id);
    assert.equal(lab.model().machines.length, 1);
  });

  for (const state of ["Off", "Saved"] as const) {
    onGoodHost(`is started when it is ${state}`, async () => {
      const id = await lab.make();
      changeState(state);
      assert.equal(await lab.make(), id);
      assert.equal(lab.model().machines[0]?.state, "Running");
    });
  }

  it("is replaced by another instance, and the old one is removed, with its memory", async () => {
    lab = await HyperVLab.start({ memoryMiB: goodMachine.memoryMiB + 1024 });
    const id = await lab.make();
    const other = await lab.make({ making: "0b".repeat(6), cpus: 2, secureBoot: false });
    assert.notEqual(other, id);
    const found = lab.model().machines.map((each) => [each.id, each.cpus, each.secureBoot]);
    assert.deepEqual(found, [[other, 2, false]]);
  });

  onGoodHost("is recreated where somebody has removed it", async () => {
    const id = await lab.make();
    lab.change({ machines: [] });
    assert.notEqual(await lab.make(), id);
    assert.equal(lab.model().machines.length, 1);
  });

  it("that was interrupted before any of its changes is completed by the next run", async () => {
    let places = 0;
    for (let isCut = true; isCut; places++) {
      lab = await HyperVLab.start({}, { kind: "fail", step: "New-LabMachine", at: places + 1 });
      isCut = await lab.make().then(
        () => false,
        () => true,
      );
      const id = await lab.make();
      const found = lab.model().machines.map((machine) => [machine.id, machine.state]);
      assert.deepEqual(found, [[id, "Running"]]);
      if (isCut) await lab.stop();
    }
    // Its folders, its files, the machine, its settings, its notes, its start.
    assert.ok(places > 10, `${places}`);
  });

  it("continues after a lost connection, and is found by the next run", async () => {
    lab = await HyperVLab.start({}, { kind: "dropConnection", step: "New-LabMachine", at: 1 });
    await assert.rejects(lab.make(), /rack-3 .*the connection was lost/);
    await lab.windows.windows.mutexes.idle();
    const [made] = lab.model().machines;
    assert.equal(await lab.make(), made?.id);
  });

  onGoodHost("of a folder that was begun alone is made in it", async () => {
    const { drive } = lab.windows.windows;
    await drive.write(
      `${site}\\kindows.txt`,
      `kindows owner=${lab.host.owner} making=${"0".repeat(12)}\r\n`,
    );
    await drive.write(`${site}\\disk.vhdx`, "half");
    await lab.make();
    assert.equal((await lab.disk(`${site}\\disk.vhdx`))?.parent, baseDisk);
  });

  /** A machine of this name that is somebody else's, with notes. */
  const taken = (notes: string): Machine => ({ ...foreign, notes });
  const image = { format: "VHDX", sizeGiB: 40, bootsWith: 2 } as const;
  const otherLab = `kindows owner=${"ee".repeat(6)} making=${"0a".repeat(6)}`;

  /** What is wrong with a host, by what it has in place of a good one's; undefined: no Hyper-V. */
  const refusals: Readonly<
    Record<string, readonly [setting: LabSetting | undefined, says: RegExp]>
  > = {
    "a host without Hyper-V": [
      undefined,
      /\(FeatureMissing\): Hyper-V is not installed.*Install-WindowsFeature -Name Hyper-V/,
    ],
    "one without its PowerShell module": [
      { module: false },
      /\(FeatureMissing\): The PowerShell module of Hyper-V.*Hyper-V-PowerShell/,
    ],
    "one whose service stands": [{ runs: false }, /\(ServiceNotRunning\): The service vmms/],
    "a missing switch, with those there are": [
      { switches: [{ name: "Default Switch", type: "Internal" }] },
      /\(HostUnsuitable\).*no virtual switch Lab \(there are: Default Switch\)/,
    ],
    "a switch that leads nowhere": [
      { switches: [{ name: "Lab", type: "Private" }] },
      /the virtual switch Lab is Private/,
    ],
    "a missing image": [{ image: undefined }, /there is no disk C:\\images\\server2022\.vhdx/],
    "an image of another format": [
      { image: { ...image, format: "VHD" } },
      /is a VHD, not a VHDX \(convert it with Convert-VHD/,
    ],
    "an image that a machine writes to": [
      { machines: [{ ...taken("mine"), name: "golden", disk: "c:\\Images\\server2022.vhdx" }] },
      /is the disk of the machine golden, which writes to it/,
    ],
    "an image larger than the machine's disk": [
      { image: { ...image, sizeGiB: 127 } },
      /has 127 GiB, so the machine's disk cannot have only 60 GiB/,
    ],
    "a host without room on its drive": [
      { freeDiskGiB: 7 },
      /drive C: has 7 GiB free, but a machine needs 20 GiB/,
    ],
    "one without memory, as other machines have it": [
      { memoryMiB: 4096, machines: [{ ...taken(""), name: "x" }] },
      /3072 MiB of memory are free, but the machine needs 4096 MiB/,
    ],
    "one with fewer processors": [
      { logicalProcessors: 2 },
      /it has 2 logical processors, but the machine needs 4/,
    ],
    "a name that somebody else's machine has": [
      { machines: [taken("the boss's")] },
      /there is a machine kindows-t-win-1 \(1{8}-.*\) that this lab has not made/,
    ],
    "a name that another lab's machine has": [
      { machines: [taken(otherLab)] },
      /there is a (machine|folder) .* that this lab has not made/,
    ],
    "a name that a machine without notes has, which lies elsewhere": [
      { machines: [taken("")] },
      /there is a (machine|folder) .* that this lab has not made/,
    ],
    "everything that is wrong at once": [
      { switches: [], image: undefined, logicalProcessors: 1 },
      /no virtual switch Lab .*; there is no disk .*; it has 1 logical processors/,
    ],
  };
  eachCase("refuses %s, and makes nothing", refusals, async ([setting, says]) => {
    lab = await HyperVLab.start(setting);
    const { windows } = lab.windows;
    if (setting === undefined) delete windows.state.hyperV;
    await assert.rejects(lab.make(), says);
    assert.equal(await windows.drive.isFolder(site), false);
    assert.deepEqual(windows.state.hyperV?.machines ?? [], setting?.machines ?? []);
  });

  onGoodHost("refuses somebody else's folder of its name, and leaves what is in it", async () => {
    const { drive } = lab.windows.windows;
    await drive.write(`${site}\\thesis.txt`, "precious");
    await assert.rejects(lab.make(), /there is a folder C:\\vms\\kindows-t-win-1 that this lab/);
    await remove();
    await remove("");
    assert.equal(await drive.readText(`${site}\\thesis.txt`), "precious");
  });

  onGoodHost("of the wrong generation has no address, and what to look at is said", async () => {
    await assert.rejects(
      lab.make({ generation: 1 }),
      /has reported no address to Hyper-V .*is not an image that was installed with BIOS, which generation 1 needs/,
    );
  });

  it("with another address than the lab's says which", async () => {
    lab = await HyperVLab.start({ leases: { "525400ABCDEF": "10.0.0.7" } });
    await assert.rejects(lab.make(), /has 10\.0\.0\.7 after .*a DHCP server other than the lab's/);
  });

  onGoodHost("that does not stay on says so", async () => {
    await lab.make();
    changeState("Paused");
    await assert.rejects(lab.make(), /does not run, it is Paused/);
  });

  it("is removed with its files, twice as well, and nothing else is", async () => {
    lab = await HyperVLab.start({
      machines: [{ ...foreign, name: "golden", notes: "mine" }],
    });
    await lab.make();
    for (const removed of [goodMachine.name, ""]) {
      const { facts } = await remove();
      assert.deepEqual(facts["removed"], removed);
    }
    const names = lab.model().machines.map(({ name }) => name);
    assert.deepEqual(names, ["golden"]);
    assert.notEqual(await lab.disk(baseDisk), undefined);
    assert.equal(await lab.windows.windows.drive.isFolder(site), false);
  });

  onGoodHost("is not removed where it is another lab's", async () => {
    await lab.make();
    const stranger = "ee".repeat(6);
    await remove(goodMachine.name, stranger);
    await remove("", stranger);
    assert.equal(lab.model().machines.length, 1);
    assert.equal(await lab.windows.windows.drive.isFolder(site), true);
  });

  onGoodHost("goes with the lab's others and the scripts when the host is taken out", async () => {
    await lab.make();
    await lab.make({ name: "kindows-t-win-2" });
    await lab.run(async (session) => {
      const { facts } = await session.run("Remove-LabMachine");
      assert.equal(facts["removed"], "kindows-t-win-1,kindows-t-win-2");
      await session.removeScripts();
    });
    assert.deepEqual(lab.model().machines, []);
    assert.deepEqual(await readdir(await lab.windows.windows.drive.resolve(folder)), []);
  });

  it("and a removal that was cut short is finished by the next", async () => {
    lab = await HyperVLab.start({}, { kind: "fail", step: "Remove-LabMachine" });
    await lab.make();
    await assert.rejects(remove(), /Remove-LabMachine on rack-3 failed/);
    await remove();
    assert.equal(await lab.windows.windows.drive.isFolder(site), false);
  });

  onGoodHost("is not removed while a program that is to be ended has a file open", async () => {
    await lab.make();
    const { openFiles } = lab.windows.windows;
    openFiles.add(`${site}\\disk.vhdx`);
    await assert.rejects(
      remove(),
      /FileInUse\): .*win-1 cannot be removed within 60 s: .*disk\.vhdx/,
    );
    openFiles.clear();
    assert.equal((await remove()).facts["removed"], goodMachine.name);
  });

  const noDiscs: Readonly<Record<string, readonly [input: string, says: RegExp]>> = {
    "no base64": ["hidden!", /\(SecretMissing\): Standard input is not base64 \(7 characters\)/],
    "no disc": ["", /\(SecretMissing\): Standard input is not a disc image \(0 bytes\)/],
  };
  eachCase("is not made of an identity that is %s", noDiscs, async ([input, says]) => {
    lab = await HyperVLab.start();
    const inputs = { ...goodMachine, machineName: goodMachine.name };
    const making = lab.run((session) => session.run("New-LabMachine", inputs, input));
    await assert.rejects(making, says);
    assert.deepEqual(lab.model().machines, []);
  });

  it("is reported with what its host knows, and others' are not", async () => {
    lab = await HyperVLab.start({
      machines: [{ ...foreign, name: "golden", notes: "mine" }],
    });
    const id = await lab.make();
    assert.deepEqual(await lab.run(machinesOf), [
      {
        name: goodMachine.name,
        id,
        making: goodMachine.making,
        state: "Running",
        addresses: ["192.168.150.10"],
      },
    ]);
  });

  onGoodHost("has a host that can be looked at before", async () => {
    const { facts } = await lab.run((session) => session.run("Test-HyperVHost"));
    assert.deepEqual(facts, { computerName: "HV-1", logicalProcessors: 8 });
    await assert.rejects(
      lab.run((session) => session.run("Test-HyperVHost", { folder: "D:\\vms" })),
      /there is no drive D:/,
    );
    assert.deepEqual(lab.model().machines, []);
  });

  const accesses: Readonly<Record<string, readonly [Partial<HyperVLab["host"]>, RegExp]>> = {
    "another host key": [
      { hostKey: generateEd25519().public },
      /shows the host key SHA256:.*, but the settings pin SHA256:.*hostKey of rack-3 under kindows:hyperVHosts/,
    ],
    "an account that may not log in": [
      { user: "Nobody" },
      /authentication methods failed.*administrators_authorized_keys/,
    ],
    "a port that nothing listens on": [{ port: 1 }, /ECONNREFUSED.*Start-Service sshd/],
    "a key that is not there": [
      { privateKeyFile: "/nowhere/key" },
      /the key \/nowhere\/key cannot be read \(ENOENT\)/,
    ],
    "a key that is none": [
      { privateKeyFile: "/etc/hostname" },
      /the key \/etc\/hostname is not a private key\. .*without a passphrase, of rack-3 under/,
    ],
  };
  eachCase("is not talked of to %s", accesses, async ([host, says]) => {
    lab = await HyperVLab.start();
    await assert.rejects(
      onHyperVHost({ ...lab.host, ...host }, 600, (session) => session.run("Test-HyperVHost")),
      says,
    );
  });
});
