import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";

import { runAction } from "../controlplane/run-action.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

const network = {
  name: "kindows-t",
  bridge: "kw-t",
  subnet: "198.18.113.0/24",
  gateway: "198.18.113.1",
  ipRange: "198.18.113.128/25",
};
const labId = "0123456789abcdef";
const ranges = `${network.subnet} ${network.gateway} ${network.ipRange} ${network.bridge}`;

describe("Docker's network of a lab, where there is one of its name already", () => {
  const at = inNewFolder();

  /** @returns how the action ended, and what it changed. */
  async function act(operation: string, there: string, mark: string, known: string) {
    await mkdir(at("bin"), { recursive: true });
    const docker = `#!/bin/sh
case "$*" in
  *"network ls"*) echo "${there}" ;;
  *inspect*Labels*) echo "${mark}" ;;
  *inspect*) echo "${ranges}" ;;
  *) echo "$*" >> ${at("log")}; echo new ;;
esac
`;
    await writeFile(at("bin/docker"), docker);
    await chmod(at("bin/docker"), 0o755);
    await writeFile(at("log"), "");
    const ended = await runAction(`network/actions/docker-network ${operation}`, {
      PATH: `${at("bin")}:${process.env["PATH"]}`,
      NETWORK: JSON.stringify({ ...network, labId }),
      PULUMI_COMMAND_STDOUT: known,
    });
    return { ...ended, changed: await readFile(at("log"), "utf8") };
  }

  type Case = readonly [there: string, mark: string, known: string];
  const kept: Readonly<Record<string, Case>> = {
    "that the state knows": ["f00d", "of another clone", "f00d"],
    "that a killed run of this lab has left": ["f00d", labId, ""],
  };
  eachCase("keeps one %s", kept, async (each) => {
    const { stdout, stderr, changed } = await act("create", ...each);
    assert.deepEqual([stdout, changed], ["f00d", ""], stderr);
  });

  const foreign: Readonly<Record<string, Case>> = {
    "with another lab's id": ["f00d", "fedcba9876543210", ""],
    "without an id": ["f00d", "", ""],
    "made since by somebody else": ["f00d", "fedcba9876543210", "beef"],
  };
  eachCase("neither takes nor removes one %s", foreign, async (each) => {
    const created = await act("create", ...each);
    assert.deepEqual([created.exitCode, created.changed], [1, ""]);
    assert.match(
      created.stderr,
      /kindows-t that this lab has not made.*docker network rm kindows-t/,
    );
    const deleted = await act("delete", ...each);
    assert.deepEqual([deleted.exitCode, deleted.changed], [0, ""], deleted.stderr);
  });

  it("gives a new one the lab's id", async () => {
    const { changed } = await act("create", "", "", "");
    assert.match(changed, /^network create .*--label kindows\.lab-id=0123456789abcdef /);
  });

  it("removes its own", async () => {
    const { changed } = await act("delete", "f00d", labId, "f00d");
    assert.equal(changed, "network rm f00d\n");
  });
});
