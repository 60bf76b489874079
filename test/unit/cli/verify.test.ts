import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { verify, checkReportFiles, writeReportFiles } from "../../../cli/commands/verify.ts";
import type { PodNetworkDefinition } from "../../../components/cni/pod-network.ts";
import { podNetworks } from "../../../components/cni/pod-networks.ts";
import { clusterOfKubeconfig } from "../../../cli/verify/verified-cluster.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";

describe("what Windows pods lack", () => {
  const lacking = {
    calico: ["noWindowsHostPorts"],
    "flannel, vxlan": ["noWindowsHostPorts"],
    "flannel, host-gw": ["noWindowsPodToHost"],
    "kind-default": ["noWindowsPodNetwork"],
  } as const;
  eachCase("with %s", lacking, (expected, name) => {
    const [kind = "", backend = ""] = name.split(", ");
    const network: Pick<PodNetworkDefinition, "lackingOnWindows"> =
      podNetworks[kind as keyof typeof podNetworks];
    assert.deepEqual(Object.keys(network.lackingOnWindows({ flannel: { backend } })), expected);
  });
});

describe("files for a run's results", () => {
  const folder = newFolder();

  it("are all refused at once, before the run, where they could not be written", async () => {
    await mkdir(path.join(folder, "taken"));
    const files = {
      json: path.join(folder, "fine.json"),
      junit: path.join(folder, "missing", "junit.xml"),
      html: path.join(folder, "taken"),
    };
    await assert.rejects(checkReportFiles(files), {
      name: "Failure",
      message:
        `--junit ${files.junit}: there is no folder ${folder}/missing: create it first\n` +
        `--html ${files.html}: it is a folder: name a file`,
    });
  });

  it("are written each in its own format", async () => {
    const [json, junit, html] = ["a", "b", "c"].map((name) => path.join(folder, name));
    assert.ok(json !== undefined && junit !== undefined && html !== undefined);
    const files = { json, junit, html };
    await checkReportFiles(files);
    const verification = {
      stack: "rehearsal",
      lab: "kindows-rehearsal",
      rehearsal: true,
      nodes: [],
      started: new Date(0),
      seconds: 1,
      results: [],
    };
    assert.deepEqual(await writeReportFiles(files, verification), Object.values(files));
    assert.match(await readFile(files.json, "utf8"), /^\{\n {2}"stack": "rehearsal"/);
    assert.match(await readFile(files.junit, "utf8"), /^<\?xml version="1\.0"/);
    assert.match(await readFile(files.html, "utf8"), /^<!doctype html>/);
  });

  it("are none where none was asked for", () => checkReportFiles({}));
});

describe("verify of a cluster given by its kubeconfig", () => {
  it("says what is wrong with the file", async () => {
    const file = path.join(newFolder(), "config");
    await writeFile(file, "contexts: [{name: lab, context: {cluster: lab, user: lab}}]");
    const message = /it has no context prod, only: lab$/;
    await assert.rejects(clusterOfKubeconfig(file, "prod", []), { message });
  });

  it("refuses a context without its file", async () => {
    const options = { stack: "rehearsal", context: "prod", list: false, keep: false };
    await assert.rejects(verify(options), /--context belongs to --kubeconfig/);
  });
});
