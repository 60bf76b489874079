import assert from "node:assert/strict";
import {
  getMachinesCall,
  hyperVCommand,
  newMachineCall,
  removeCall,
  testHostCall,
} from "../../../../components/machine/hyper-v/script-command.ts";
import { instanceId, ownerId } from "../../../../components/machine/hyper-v/identifiers.ts";
import type { HyperVHostParameter } from "../../../../components/machine/hyper-v/parameters.ts";
import { assertGolden } from "../../controlplane/golden.ts";
import { goodMachine } from "./hyper-v-lab.ts";

const host: HyperVHostParameter = {
  name: "rack-3",
  address: "192.0.2.3",
  port: 22,
  user: "Administrator",
  hostKey: "ssh-ed25519 AAAA",
  privateKeyFile: "/etc/kindows/key",
  switchName: "Lab (10 Gbit)",
  folder: "D:\\Hyper-V machines",
  baseDisk: "D:\\images\\server 2022.vhdx",
  lab: "kindows-fleet",
  owner: "0f0f0f0f0f0f",
};
const machine = { ...goodMachine, name: "kindows-fleet-win-1", memoryMiB: 8192 };

describe("commands for a Hyper-V host", () => {
  const folder = `${host.folder}\\${host.lab}\\scripts-0123456789ab`;
  const old = { generation: 1, secureBoot: false } as const;
  const commands = {
    "test-host": testHostCall(host),
    "new-machine": newMachineCall(host, machine),
    "new-machine-generation-1": newMachineCall(host, { ...machine, ...old }),
    "get-machines": getMachinesCall(host),
    "remove-machine": removeCall(host, machine.name),
    "remove-all": removeCall(host, undefined),
  };
  for (const [name, call] of Object.entries(commands)) {
    it(`${name} is as it was`, () =>
      assertGolden(new URL(import.meta.url), `${name}.txt`, `${hyperVCommand(call, folder)}\n`));
  }
});

describe("marks of a machine on Hyper-V", () => {
  const making = (changes: object, of: object = {}): string =>
    instanceId({
      host: { ...host, ...of },
      machine: { ...machine, ...changes },
      hostPublicKey: "ssh-ed25519 BBBB win-1",
    });

  it("tell the owner by his key alone, whatever its comment", () => {
    assert.equal(ownerId("ssh-ed25519 AAAA kindows-a"), ownerId("ssh-ed25519 AAAA b\n"));
    assert.notEqual(ownerId("ssh-ed25519 AAAA a"), ownerId("ssh-ed25519 AAAB a"));
    assert.match(ownerId("ssh-ed25519 AAAA a"), /^[0-9a-f]{12}$/);
  });

  for (const [what, changed] of [
    ["memory", making({ memoryMiB: 4096 })],
    ["processors", making({ cpus: 2 })],
    ["disk", making({ diskGiB: 80 })],
    ["generation", making({ generation: 1 })],
    ["Secure Boot", making({ secureBoot: false })],
    ["MAC address", making({ macAddress: "525400000000" })],
    ["image", making({}, { baseDisk: "D:\\other.vhdx" })],
    ["switch", making({}, { switchName: "Other" })],
    ["folder", making({}, { folder: "E:\\kindows" })],
    ["host", making({}, { hostKey: "ssh-ed25519 CCCC" })],
  ] as const) {
    it(`another ${what} is another instance`, () => assert.notEqual(changed, making({})));
  }

  it("how the host is reached, and a key that logs in, make none", () =>
    assert.equal(
      making({}, { address: "hv.example.test", port: 2222, privateKeyFile: "/other" }),
      making({}),
    ));
});
