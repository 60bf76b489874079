import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { execa } from "execa";

import type { FabricEnd } from "../../../components/network/fabric/fabric.ts";
import {
  fabricScript,
  installText,
  removeText,
} from "../../../components/network/fabric/host-script.ts";
import { ovn } from "../../../components/network/fabric/ovn.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

const lab = "kindows-fleet";
const mark = `${lab}.0123456789abcdef`;
const local = { name: "local", address: "192.0.2.1", bridge: "lo", cidr: "192.168.170.0/24" };
const peer = { name: "b", address: "192.0.2.2", bridge: "br-x", cidr: "192.168.171.0/24" };
const end: FabricEnd = {
  ...{ lab, mark, number: 1, host: local, isLocal: true, local, peers: [peer] },
};
const connection = "ptcp:6642:192.0.2.1";

/** What OVN's databases have before. */
interface Databases {
  readonly connection?: string;
  /** Lines of CSV: name and external_ids. */
  readonly switches?: readonly string[];
  readonly routers?: readonly string[];
  /** Lines of CSV: name and address. */
  readonly chassis?: readonly string[];
  /** external_ids of the lab's switch. */
  readonly keys?: Readonly<Record<string, string>>;
}

const ours = { kindows: mark, "kindows-hosts": "192.0.2.1/192.0.2.2/192.0.2.3" };
const ourSwitch = `${lab},"{kindows=""${mark}"", kindows-hosts=""192.0.2.1""}"`;
const ourChassis = ["hv-1,192.0.2.1", "hv-2,192.0.2.2"];

describe("the lab's part of OVN's databases", () => {
  const at = inNewFolder();

  /** Runs the fabric's script, with OVN's programs replaced. @returns what it changed in the databases. */
  async function run(what: "up" | "down", { keys = {}, ...databases }: Databases) {
    const { switches = [], routers = [], chassis = [] } = databases;
    await mkdir(at("bin"), { recursive: true });
    const log = `echo "$(basename "$0") $*" >> ${at("log")}`;
    const key = Object.entries(keys).map(([name, value]) => `*ids:${name}) echo '"${value}"' ;;`);
    const print = (lines: readonly string[]): string =>
      lines.length === 0 ? ":" : `printf '%s\\n' ${lines.map((each) => `'${each}'`).join(" ")}`;
    const programs = {
      "ovn-nbctl": `case "$*" in
  *"list logical_switch") ${print(switches)} ;;
  *"list logical_router") ${print(routers)} ;;
  lsp-list*) ;;
  *"get logical_switch"*) case "$*" in ${key.join(" ")} *) ;; esac ;;
  *) ${log} ;;
esac`,
      "ovn-sbctl": `case "$*" in
  get-connection) echo "${databases.connection ?? ""}" ;;
  *"list encap") ${print(chassis)} ;;
  *) ${log} ;;
esac`,
      "ovs-vsctl": ":",
      ip: ":",
      ethtool: ":",
    };
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(at("bin", name), `#!/bin/sh\n${text}\n`);
      await chmod(at("bin", name), 0o755);
    }
    await writeFile(at("log"), "");
    const { exitCode, stderr } = await execa("sh", ["-s", what], {
      input: fabricScript(ovn.onHost, end),
      env: { PATH: `${at("bin")}:${process.env["PATH"]}` },
      reject: false,
    });
    const changed = (await readFile(at("log"), "utf8")).trim().split("\n");
    return { exitCode, stderr, changed: changed.filter((line) => line !== "") };
  }

  const foreign: Readonly<Record<string, Databases>> = {
    "chassis, without a connection": { chassis: ["prod-hv-1,198.51.100.1"] },
    "chassis, on the lab's own connection": { connection, chassis: ["prod-hv-1,198.51.100.1"] },
    "a switch": { switches: ["prod,{}"] },
    "a switch of another lab of the same name": {
      switches: [`${lab},"{kindows=""${lab}.fedcba9876543210""}"`],
    },
    "a switch beside the lab's": { switches: [ourSwitch, "prod,{}"], keys: ours, connection },
    "a router": { routers: ["gateway"] },
    "another connection": { connection: "pssl:6642" },
  };
  eachCase(
    "is not made, and nothing is changed, where they have %s",
    foreign,
    async (databases) => {
      const { exitCode, stderr, changed } = await run("up", databases);
      assert.deepEqual([exitCode, changed], [1, []]);
      assert.match(stderr, /serves? somebody else here: \S/);
    },
  );

  it("is made with its mark, its hosts, and the connection it needs", async () => {
    const { exitCode, stderr, changed } = await run("up", {});
    assert.equal(exitCode, 0, stderr);
    const [made, ...others] = changed;
    assert.equal(
      made,
      `ovn-nbctl --may-exist ls-add ${lab} -- set logical_switch ${lab} external-ids:kindows=${mark} external-ids:kindows-hosts=192.0.2.1/192.0.2.2`,
    );
    assert.ok(others.includes(`ovn-sbctl set-connection ${connection}`));
  });

  it("loses the chassis of a host that has left, and no other", async () => {
    const { changed } = await run("up", {
      ...{ connection, keys: ours, switches: [ourSwitch] },
      chassis: [...ourChassis, "hv-3,192.0.2.3"],
    });
    const removed = changed.filter((line) => /-del|del-/.test(line));
    assert.deepEqual(removed, ["ovn-sbctl chassis-del hv-3"]);
  });

  const down: Readonly<Record<string, readonly [Databases, removed: readonly string[]]>> = {
    "is removed with its hosts' chassis; others', which came since, stay": [
      { connection, keys: ours, chassis: [...ourChassis, "prod-hv-1,198.51.100.1"] },
      [
        `ovn-nbctl ls-del ${lab}`,
        ...["hv-1", "hv-2"].map((name) => `ovn-sbctl chassis-del ${name}`),
      ],
    ],
    "is removed with the connection if that was made for it": [
      { connection, keys: { ...ours, "kindows-connection": "made" } },
      [`ovn-nbctl ls-del ${lab}`, "ovn-sbctl del-connection"],
    ],
    "is left alone with another lab's mark": [
      { connection, keys: { ...ours, kindows: `${lab}.fedcba9876543210` }, chassis: ourChassis },
      [],
    ],
    "is left alone without a mark": [{ connection, chassis: ourChassis }, []],
  };
  eachCase("%s", down, async ([databases, removed]) => {
    const { exitCode, stderr, changed } = await run("down", databases);
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(changed, removed);
  });
});

describe("a fabric that is installed on a host", () => {
  const at = inNewFolder();

  /** Runs the text with another folder than the real one. */
  async function run(text: string): Promise<number | undefined> {
    const input = text.replaceAll("/var/lib/kindows", at("kindows"));
    return (await execa("sh", ["-s"], { input, reject: false })).exitCode;
  }
  const fabric = { lab, mark, unit: "", script: `echo "$1" >> "$0.log"\n` };
  const theirs = { ...fabric, mark: `${lab}.fedcba9876543210` };
  const installed = (): Promise<string> => readFile(at("kindows", lab, "lab-id"), "utf8");

  it("is neither replaced nor removed by another lab of the same name", async function () {
    // Where systemd runs, the unit would be installed.
    assert.equal(await run(installText(theirs).replaceAll("/run/systemd", at("no-systemd"))), 0);
    assert.equal(await run(installText(fabric)), 1);
    assert.equal(await run(removeText(fabric).replaceAll("/etc/systemd", at("no-systemd"))), 0);
    assert.equal(await installed(), `${theirs.mark}\n`);
    assert.equal(await run(removeText(theirs).replaceAll("/etc/systemd", at("no-systemd"))), 0);
    await assert.rejects(installed(), { code: "ENOENT" });
  });
});
