import assert from "node:assert/strict";
import { goneFromHyperV, machinesByHost } from "../../../../cli/recovery/hyper-v-machines.ts";
import { repairState } from "../../../../cli/recovery/repair.ts";
import { deployment, resource } from "./state-builder.ts";

const host = {
  ...{ name: "rack-3", address: "192.0.2.3", port: 22, user: "Administrator" },
  ...{ hostKey: "ssh-ed25519 AAAA", privateKeyFile: "/k", switchName: "Lab" },
  ...{ folder: "D:\\kindows", baseDisk: "D:\\i.vhdx", lab: "kindows-t", owner: "0f".repeat(6) },
};
const command = "command:local:Command";
const action = (name: string): string =>
  `node toolchain/program/run.js components/machine/actions/${name}.ts`;
const prepared = resource(command, "hyper-v-rack-3", {
  inputs: {
    create: action("prepare-hyper-v-host"),
    environment: { HYPER_V_HOST: JSON.stringify(host) },
  },
});
const machine = (name: string, trigger: unknown): ReturnType<typeof resource> =>
  resource(command, name, {
    inputs: { create: action("make-hyper-v-machine"), triggers: [trigger] },
    dependencies: [prepared.urn],
  });
const [one, two] = [machine("win-1", "0a".repeat(6)), machine("win-2", "0b".repeat(6))];
const step = resource("command:remote:Command", "win-1-step", { deletedWith: one.urn });
const said: string[] = [];
const gone = (there: readonly string[] | Error): Promise<readonly string[]> =>
  goneFromHyperV(
    [prepared, one, two],
    (line) => said.push(line),
    () => (there instanceof Error ? Promise.reject(there) : Promise.resolve(there)),
  );

describe("machines that are gone from their Hyper-V host", () => {
  beforeEach(() => said.splice(0));
  afterEach(() => delete process.env["KINDOWS_GONE"]);

  it("are found by their making", async () => {
    assert.deepEqual(await gone(["0b".repeat(6), "cc".repeat(6)]), [one.urn]);
    assert.deepEqual(await gone(["0a".repeat(6), "0b".repeat(6)]), []);
  });

  it("are none where the host does not answer, which is said", async () => {
    assert.deepEqual(await gone(new Error("no route")), []);
    assert.match(said.join("\n"), /was not seen: no route/);
  });

  it("are not asked for where the host is said to be gone", async () => {
    process.env["KINDOWS_GONE"] = "rack-3";
    assert.deepEqual(await gone(new Error("asked")), []);
    assert.deepEqual(said, []);
  });

  it("are none whose making the state does not tell", () => {
    const veiled = machine("win-3", { ciphertext: "v1:abc" });
    const machines = machinesByHost([prepared, one, veiled]).map(({ machines }) => machines);
    assert.deepEqual(machines, [[{ urn: one.urn, making: "0a".repeat(6) }]]);
  });

  it("are forgotten with what was done on them", () => {
    const sight = { things: [], blind: [], goneElsewhere: [one.urn] };
    const repair = repairState(deployment([prepared, one, two, step]), sight, "built-on");
    assert.deepEqual(repair.deployment, deployment([prepared, two]));
    assert.deepEqual(repair.notes, ["gone from its Hyper-V host: Command win-1"]);
  });
});
