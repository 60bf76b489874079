import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";

import { addressReservation } from "../../../../components/machine/address-reservation.ts";
import {
  HyperVHost,
  HyperVMachine,
} from "../../../../components/machine/hyper-v/hyper-v-machine.ts";
import {
  type HyperVHostParameter,
  type HyperVTarget,
  instanceId,
  ownerId,
} from "../../../../components/machine/hyper-v/parameters.ts";
import { SshKey } from "../../../../components/machine/ssh-key.ts";
import {
  isSecretInput,
  look,
  record,
  type Recorded,
  revealed,
} from "../../controlplane/recorded-resources.ts";
import { eachCase } from "../../each-case.ts";
import { hyperVScripts as scripts, nodes } from "../../windows/step-scripts.ts";
import { goodMachine } from "./hyper-v-lab.ts";

const target: HyperVTarget = {
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
};
const host: HyperVHostParameter = { ...target, owner: "0f0f0f0f0f0f" };
const machine = { ...goodMachine, name: "kindows-fleet-win-1", memoryMiB: 8192 };

describe("marks of a machine on Hyper-V", () => {
  /** Of a host and of a machine, where no name is both's. */
  const making = (changes: object = {}): string =>
    instanceId({ ...host, ...changes }, { ...machine, ...changes }, "ssh-ed25519 BBBB win-1");

  it("tell the owner by his key alone, whatever its comment", () => {
    assert.equal(ownerId("ssh-ed25519 AAAA kindows-a"), ownerId("ssh-ed25519 AAAA b\n"));
    assert.notEqual(ownerId("ssh-ed25519 AAAA a"), ownerId("ssh-ed25519 AAAB a"));
    assert.match(ownerId("ssh-ed25519 AAAA a"), /^[0-9a-f]{12}$/);
  });

  const others: Readonly<Record<string, object>> = {
    memory: { memoryMiB: 4096 },
    processors: { cpus: 2 },
    disk: { diskGiB: 80 },
    generation: { generation: 1 },
    "Secure Boot": { secureBoot: false },
    "MAC address": { macAddress: "525400000000" },
    image: { baseDisk: "D:\\other.vhdx" },
    switch: { switchName: "Other" },
    folder: { folder: "E:\\kindows" },
    host: { hostKey: "ssh-ed25519 CCCC" },
  };
  eachCase("another %s is another instance", others, (changes) =>
    assert.notEqual(making(changes), making()),
  );

  it("how the host is reached, and a key that logs in, make none", () =>
    assert.equal(
      making({ address: "hv.example.test", port: 2222, privateKeyFile: "/other" }),
      making(),
    ));
});

describe("HyperVMachine", () => {
  let resources: ReadonlyMap<string, Recorded>;
  let made: HyperVMachine;

  before(async () => {
    ({ made, resources } = await record(
      (name) =>
        JSON.stringify({
          id: `id of ${name}`,
          privateKey: `private of ${name}`,
          publicKey: `ssh-ed25519 ${name}`,
        }),
      (opts) => {
        const key = new SshKey("login", { comment: "t" });
        const host = new HyperVHost("hyper-v-rack-3", {
          host: target,
          loginPublicKey: key.publicKey,
        });
        const lab = {
          settings: { lab: { name: "t" }, hypervisor: { uri: "qemu:///system" } },
          network: { networkId: pulumi.output("id") },
        };
        return new HyperVMachine(
          "win-1",
          {
            ...machine,
            computerName: "win-1",
            machineName: machine.name,
            mac: "52:54:00:ab:cd:ef",
            host,
            reserve: (parent) => addressReservation(lab, { ...machine, name: "win-1" }, parent),
            login: { user: "Administrator", key },
          },
          opts,
        );
      },
    ));
  });

  const get = (name: string): Recorded =>
    resources.get(`command:local:Command/${name}`) ?? assert.fail(`there is no ${name}`);
  const json = (value: unknown): Record<string, unknown> =>
    JSON.parse(String(value)) as Record<string, unknown>;

  it("is made and removed by its action, with what the host and the machine are", () => {
    const { inputs, opts } = get("win-1");
    assert.match(String(inputs["create"]), /make-hyper-v-machine\.ts$/);
    assert.match(String(inputs["delete"]), /make-hyper-v-machine\.ts --remove$/);
    assert.equal(opts.deleteBeforeReplace, true);
    const environment = revealed(inputs["environment"]) as Record<string, unknown>;
    const { owner, ...host } = json(environment["HYPER_V_HOST"]);
    assert.match(String(owner), /^[0-9a-f]{12}$/);
    assert.deepEqual(host, target);
    const { making, ...spec } = json(environment["MACHINE"]);
    assert.match(String(making), /^[0-9a-f]{12}$/);
    assert.deepEqual({ ...spec, making: machine.making }, machine);
    assert.deepEqual(inputs["triggers"], [making]);
  });

  it("has an identity that no script writes where it could be read", () => {
    const reported = scripts.flatMap((script) =>
      nodes(script.root, "command")
        .map((command) => command.text)
        .filter((command) => /^(Write-StepProgress|Stop-Step|New-StepResult)/.test(command))
        .filter((command) => /\$(identity|bytes|text|reading)\b(?!\.Length)/i.test(command)),
    );
    assert.deepEqual(reported, []);
  });

  it("gives its identity as a secret, and its host no secret at all", () => {
    const environment = revealed(get("win-1").inputs["environment"]) as Record<string, unknown>;
    assert.ok(!isSecretInput(get("hyper-v-rack-3").inputs["environment"]));
    const { IDENTITY, ...others } = environment;
    assert.match(String(IDENTITY), /private of win-1-host-key/);
    assert.doesNotMatch(JSON.stringify(others), /private of/);
  });

  it("has a host that is looked at first, and left without anything of the lab", () => {
    const { inputs } = get("hyper-v-rack-3");
    assert.match(String(inputs["create"]), /prepare-hyper-v-host\.ts$/);
    assert.match(String(inputs["delete"]), /prepare-hyper-v-host\.ts --remove$/);
    // How it is reached replaces nothing: what is there stays.
    assert.deepEqual(inputs["triggers"], [target.hostKey, target.folder]);
    const order = [...resources.keys()].map((key) => key.split("/").at(-1));
    assert.ok(order.indexOf("hyper-v-rack-3") < order.lastIndexOf("win-1"));
  });

  it("is reached over SSH with its own host key pinned, all of it secret", async () => {
    const { value, secret } = await look(made.connection);
    const { host, hostKey, dialErrorLimit } = value;
    assert.deepEqual(
      [secret, host, hostKey, dialErrorLimit],
      [true, "192.168.150.10", "ssh-ed25519 win-1-host-key", -1],
    );
  });
});
