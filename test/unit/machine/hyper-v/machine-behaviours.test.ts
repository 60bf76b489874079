import assert from "node:assert/strict";
import { reachHyperVHost } from "../../../../components/machine/hyper-v/reach-host.ts";
import { onHyperVHost } from "../../../../components/machine/hyper-v/host-session.ts";
import { machinesOf } from "../../../../components/machine/hyper-v/make-machine.ts";
import { removeCall, testHostCall } from "../../../../components/machine/hyper-v/script-command.ts";
import { generateEd25519 } from "../../../../ssh/generate-ed25519.ts";
import type {
  HyperVSetting,
  ModelledMachine,
} from "../../../../rehearsal/host/hyper-v/hyper-v-model.ts";
import { eachCase } from "../../each-case.ts";
import { folder, goodHyperV, goodMachine, type HyperVLab, startHyperVLab } from "./hyper-v-lab.ts";

const site = `${folder}\\${goodMachine.name}`;
const baseDisk = "C:\\images\\server2022.vhdx";
const foreign: Omit<ModelledMachine, "notes"> = {
  ...{ name: goodMachine.name, id: "11111111-1111-1111-1111-111111111111", state: "Running" },
  ...{ generation: 2, secureBoot: true, switchName: "Lab", macAddress: "00155D000001" },
  ...{ cpus: 2, memoryMiB: 1024, disk: "C:\\else\\disk.vhdx" },
};

describe("a machine on a model of a Hyper-V host, over SSH", () => {
  let lab: HyperVLab;
  afterEach(() => lab.stop());
  const onGoodHost = (title: string, test: () => Promise<unknown>): void =>
    void it(title, async () => {
      lab = await startHyperVLab();
      await test();
    });
  const remove = (name = goodMachine.name, host = lab.host) =>
    lab.run((session) => session.run(removeCall(host, name === "" ? undefined : name)));
  const changeState = async (state: ModelledMachine["state"]): Promise<void> => {
    const [machine] = (await lab.model()).machines;
    await lab.change({ machines: [{ ...(machine ?? assert.fail()), state }] });
  };

  onGoodHost(
    "is made as asked for, marked, started, and awaited until it has its address",
    async () => {
      const id = await lab.make();
      const { machines, disks } = await lab.model();
      assert.equal(machines.length, 1);
      const {
        id: seen,
        notes,
        state,
        generation,
        secureBoot,
        macAddress,
        disk,
      } = machines[0] ?? {};
      assert.deepEqual(
        { seen, notes, state, generation, secureBoot, macAddress, disk },
        {
          seen: id,
          notes: `kindows owner=${lab.host.owner} making=${goodMachine.making}`,
          state: "Running",
          generation: 2,
          secureBoot: true,
          macAddress: "525400ABCDEF",
          disk: `${site}\\disk.vhdx`,
        },
      );
      assert.equal(disks[`${site}\\disk.vhdx`]?.sizeGiB, 60);
      const identity = await lab.windows.windows.drive.read(`${site}\\identity.iso`);
      assert.equal(identity?.toString("latin1", 32_808, 32_814), "CIDATA".toLowerCase());
    },
  );

  onGoodHost("is the same one when it is made again", async () => {
    const id = await lab.make();
    assert.equal(await lab.make(), id);
    assert.equal((await lab.model()).machines.length, 1);
  });

  onGoodHost("is started when it stands still", async () => {
    const id = await lab.make();
    await changeState("Off");
    assert.equal(await lab.make(), id);
    assert.equal((await lab.model()).machines[0]?.state, "Running");
  });

  onGoodHost("is another one by another making, and the old one goes", async () => {
    const id = await lab.make();
    const other = await lab.make({ making: "0b".repeat(6), cpus: 2 });
    assert.notEqual(other, id);
    const found = (await lab.model()).machines.map((machine) => [machine.id, machine.cpus]);
    assert.deepEqual(found, [[other, 2]]);
  });

  onGoodHost("is made anew where somebody has removed it", async () => {
    const id = await lab.make();
    await lab.change({ machines: [] });
    assert.notEqual(await lab.make(), id);
    assert.equal((await lab.model()).machines.length, 1);
  });

  it("that was begun and cut short, without its notes, is removed and made anew", async () => {
    lab = await startHyperVLab(goodHyperV, [
      { kind: "fail", step: "New-LabMachine", at: "middle" },
    ]);
    await assert.rejects(lab.make(), /New-LabMachine on rack-3 failed \(Unexpected\)/);
    const [half] = (await lab.model()).machines;
    assert.equal(half?.notes, "");
    const id = await lab.make();
    const found = (await lab.model()).machines.map((machine) => machine.id);
    assert.deepEqual(found, [id]);
    assert.notEqual(id, half?.id);
  });

  it("goes on by itself when the connection breaks, and is found by the next run", async () => {
    lab = await startHyperVLab(goodHyperV, [
      { kind: "dropConnection", step: "New-LabMachine", at: "start" },
    ]);
    await assert.rejects(lab.make(), /rack-3 .*the connection was lost/);
    await lab.windows.windows.stepLock.idle();
    const [made] = (await lab.model()).machines;
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
    assert.match((await drive.readText(`${site}\\disk.vhdx`)) ?? "", /differencing/);
  });

  /** A machine of this name that is somebody else's, with notes. */
  const taken = (notes: string): ModelledMachine => ({ ...foreign, notes });
  const disk = (format: "VHD" | "VHDX", sizeGiB: number): Partial<HyperVSetting> => ({
    disks: { [baseDisk]: { format, sizeGiB, bootsWith: 2 } },
  });
  const otherLab = `kindows owner=${"ee".repeat(6)} making=${"0a".repeat(6)}`;

  /** What is wrong with a host, by what it has in place of a good one's; undefined: no Hyper-V. */
  const refusals: Readonly<
    Record<
      string,
      readonly [hyperV: Partial<HyperVSetting> | undefined, says: RegExp, freeDiskGiB?: number]
    >
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
    "a missing image": [{ disks: {} }, /there is no disk C:\\images\\server2022\.vhdx/],
    "an image of another format": [disk("VHD", 40), /is a VHD, not a VHDX \(Convert-VHD/],
    "an image that a machine writes to": [
      { machines: [{ ...taken("mine"), name: "golden", disk: "c:\\Images\\server2022.vhdx" }] },
      /is the disk of the machine golden, which writes to it/,
    ],
    "an image larger than the machine's disk": [
      disk("VHDX", 127),
      /is 127 GiB large, the machine's disk of 60 GiB cannot be smaller/,
    ],
    "a host without room on its drive": [{}, /drive C: has 7 GiB free, 20 GiB are needed/, 7],
    "one without memory, as other machines have it": [
      { memoryMiB: 4096, machines: [{ ...taken(""), name: "x" }] },
      /3072 MiB of memory are free, the machine needs 4096 MiB/,
    ],
    "one with fewer processors": [
      { logicalProcessors: 2 },
      /it has 2 logical processors, the machine is to have 4/,
    ],
    "a name that somebody else's machine has": [
      { machines: [taken("the boss's")] },
      /a machine kindows-t-win-1 \(1{8}-.*\) is there that this lab has not made/,
    ],
    "a name that another lab's machine has": [
      { machines: [taken(otherLab)] },
      /is there that this lab has not made/,
    ],
    "a name that a machine without notes has, which lies elsewhere": [
      { machines: [taken("")] },
      /is there that this lab has not made/,
    ],
    "everything that is wrong at once": [
      { switches: [], disks: {}, logicalProcessors: 1 },
      /no virtual switch Lab .*; there is no disk .*; it has 1 logical processors/,
    ],
  };
  eachCase("refuses %s, and makes nothing", refusals, async ([hyperV, says, freeDiskGiB]) => {
    lab = await startHyperVLab({ ...goodHyperV, ...hyperV }, [], freeDiskGiB);
    if (hyperV === undefined) {
      await lab.windows.windows.drive.remove("C:\\rehearsal\\hyper-v.json");
    }
    await assert.rejects(lab.make(), says);
    assert.equal(await lab.windows.windows.drive.isFolder(site), false);
    if (hyperV !== undefined) {
      assert.deepEqual((await lab.model()).machines, hyperV.machines ?? []);
    }
  });

  onGoodHost(
    "refuses a folder of its name that somebody else has made, and leaves what is in it",
    async () => {
      const { drive } = lab.windows.windows;
      await drive.write(`${site}\\thesis.txt`, "precious");
      await assert.rejects(lab.make(), /a folder C:\\vms\\kindows-t-win-1 is there that this lab/);
      await remove();
      await remove("");
      assert.equal(await drive.readText(`${site}\\thesis.txt`), "precious");
    },
  );

  onGoodHost(
    "of the wrong generation has no address, and the error says what to look at",
    async () => {
      await assert.rejects(
        lab.make({ generation: 1 }),
        /has told Hyper-V no address .*is no image that was installed with BIOS, which generation 1 takes/,
      );
    },
  );

  it("with another address than the lab's says which", async () => {
    lab = await startHyperVLab({ ...goodHyperV, leases: { "525400ABCDEF": "10.0.0.7" } });
    await assert.rejects(lab.make(), /has 10\.0\.0\.7 after .*another DHCP server/);
  });

  onGoodHost("that does not stay on says so", async () => {
    await lab.make();
    await changeState("Paused");
    await assert.rejects(lab.make(), /does not run, it is Paused/);
  });

  it("is removed with its files, twice as well, and nothing else is", async () => {
    lab = await startHyperVLab({
      ...goodHyperV,
      machines: [{ ...foreign, name: "golden", notes: "mine" }],
    });
    await lab.make();
    for (const removed of [goodMachine.name, ""]) {
      const { facts } = await remove();
      assert.deepEqual(facts["removed"], removed);
    }
    const { machines, disks } = await lab.model();
    const names = machines.map(({ name }) => name);
    assert.deepEqual(names, ["golden"]);
    assert.deepEqual(Object.keys(disks), [lab.host.baseDisk]);
    assert.equal(await lab.windows.windows.drive.isFolder(site), false);
  });

  onGoodHost("is not removed where it is another lab's", async () => {
    await lab.make();
    const stranger = { ...lab.host, owner: "ee".repeat(6) };
    await remove(goodMachine.name, stranger);
    await remove("", stranger);
    assert.equal((await lab.model()).machines.length, 1);
    assert.equal(await lab.windows.windows.drive.isFolder(site), true);
  });

  onGoodHost(
    "goes with all others of the lab when the host is taken out, and so do the scripts",
    async () => {
      await lab.make();
      await lab.make({ name: "kindows-t-win-2" });
      await lab.run(async (session) => {
        const { facts } = await session.run(removeCall(lab.host, undefined));
        assert.equal(facts["removed"], "kindows-t-win-1,kindows-t-win-2");
        await session.removeScripts();
      });
      assert.deepEqual((await lab.model()).machines, []);
      assert.deepEqual(await lab.windows.windows.drive.folderNames(folder), []);
    },
  );

  it("and a removal that was cut short is finished by the next", async () => {
    lab = await startHyperVLab(goodHyperV, [
      { kind: "fail", step: "Remove-LabMachine", at: "middle" },
    ]);
    await lab.make();
    await assert.rejects(remove(), /Remove-LabMachine on rack-3 failed/);
    await remove();
    assert.equal(await lab.windows.windows.drive.isFolder(site), false);
  });

  it("is told of with what its host knows, and others' are not", async () => {
    lab = await startHyperVLab({
      ...goodHyperV,
      machines: [{ ...foreign, name: "golden", notes: "mine" }],
    });
    const id = await lab.make();
    assert.deepEqual(await lab.run(machinesOf), [
      {
        ...{ name: goodMachine.name, id, making: goodMachine.making, state: "Running" },
        addresses: ["192.168.150.10"],
      },
    ]);
  });

  onGoodHost("has a host that can be looked at before", async () => {
    const { facts } = await lab.run((session) => session.run(testHostCall(lab.host)));
    assert.equal(facts["computerName"], "hv-1");
    assert.deepEqual((await lab.model()).machines, []);
  });

  const accesses: Readonly<Record<string, readonly [Partial<HyperVLab["host"]>, RegExp]>> = {
    "another host key": [
      { hostKey: generateEd25519().public },
      /shows the host key SHA256:.*, but the settings pin SHA256:.*\(rack-3 under kindows:hyperVHosts\)/,
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
      /the key \/etc\/hostname cannot be read: .*without a passphrase/,
    ],
  };
  eachCase("is not talked of to %s", accesses, async ([host, says]) => {
    lab = await startHyperVLab();
    const wrong = { ...lab.host, ...host };
    assert.match((await reachHyperVHost(wrong)) ?? "", says);
    await assert.rejects(
      onHyperVHost(wrong, 600, (session) => session.run(testHostCall(wrong))),
      says,
    );
  });

  onGoodHost("and a host that answers as it should is one that can be reached", async () => {
    assert.equal(await reachHyperVHost(lab.host), undefined);
  });
});
