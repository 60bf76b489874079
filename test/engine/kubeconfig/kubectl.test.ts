import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";

import { mergeIntoFiles, removeFromFiles } from "../../../cli/kubeconfig/lab-entries.ts";
import { reachableKubeconfig } from "../../../host/kubernetes/kubeconfig.ts";
import { kubeconfig } from "../../unit/controlplane/fixture-kubeconfig.ts";
import { findTool } from "../plugins/support/engine.ts";
import { newFolder } from "../../unit/new-folder.ts";

const mine = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "prod",
  clusters: [{ name: "prod", cluster: { server: "https://prod.example.com" } }],
  contexts: [{ name: "prod", context: { cluster: "prod", user: "me" } }],
  users: [{ name: "me", user: { token: "mine" } }],
};

describe("a user's own kubeconfig", () => {
  it("with a merged context is one that kubectl reads, writes and keeps the origin in", async () => {
    const file = path.join(newFolder(), "config");
    const run = async (...args: string[]): Promise<string> => {
      const all = ["--kubeconfig", file, "config", ...args];
      return (await promisify(execFile)(findTool("kubectl"), all)).stdout;
    };
    await writeFile(file, stringify(mine));
    const place = { name: "kindows-a", address: "192.168.150.128" };
    const lab = reachableKubeconfig(kubeconfig("https://127.0.0.1:6443"), place);
    const origin = { project: "/clone", stack: "a" };
    await mergeIntoFiles([file], lab, { origin, use: false, force: false });
    assert.equal(await run("get-contexts", "-o", "name"), "kindows-a\nprod\n");
    await run("use-context", "kindows-a");
    await run("set-context", "kindows-a", "--namespace", "x");
    assert.equal((await removeFromFiles([file], origin)).length, 3);
    assert.equal(await run("get-contexts", "-o", "name"), "prod\n");
  });
});
