import assert from "node:assert/strict";
import { cp, mkdtemp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { localFolder } from "../../../toolchain/project.ts";
import { copySources } from "../../engine/plugins/support/sources.ts";
import type { Recording } from "../stacks/recorded-stack.ts";
import { repository } from "./documented-commands.ts";

/** A stack with the page's pod network, and a node on a host of its machine maker. */
const settings = (key: string): object => ({
  cni: { kind: "kube-router", "kube-router": { overlay: "full" } },
  windows: { image: { kind: "disk", path: "/srv/windows-server-2022.qcow2" } },
  proxmoxHosts: [
    {
      name: "pve-1",
      address: "pve-1.example.test",
      template: 9000,
      privateKeyFile: key,
      hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
    },
  ],
  nodes: [{ name: "win-1", hypervisor: "pve-1" }],
});

/** What TypeScript found the last time. With it, it only checks what is another text now, and what depends on that. */
const foundBefore = path.join(localFolder, "tsc", "how-to-extend.tsbuildinfo");

describe("docs/how-to-extend.md", () => {
  let clone: string;

  before(async () => {
    clone = await mkdtemp(path.join(os.tmpdir(), "kindows-extended-"));
    await copySources(clone, [
      ...["package.json", "tsconfig.json", "software.lock.json", "Pulumi.yaml", "Pulumi.dev.yaml"],
      ...["stacks", "controlplane", "windows"].map((name) => `test/unit/${name}`),
    ]);
    for (const name of ["node_modules", "sdks"]) {
      await symlink(path.join(repository, name), path.join(clone, name));
    }
    const page = await readFile(path.join(repository, "docs/how-to-extend.md"), "utf8");
    for (const [, file = "", code = ""] of page.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)) {
      await mkdir(path.dirname(path.join(clone, file)), { recursive: true });
      await writeFile(path.join(clone, file), code);
    }
    for (const [, file = "", diff = ""] of page.matchAll(/```diff\n# (\S+)\n(.*?)```/gs)) {
      let text = await readFile(path.join(clone, file), "utf8");
      for (const [, old = "", more = ""] of diff.matchAll(/^-(.*)\n((?:\+.*\n)+)/gm)) {
        assert.ok(text.includes(`${old}\n`), `${file} has no line ${old}`);
        text = text.replace(old, more.replaceAll(/^\+/gm, "").trimEnd());
      }
      await writeFile(path.join(clone, file), text);
    }
  });
  after(() => rm(clone, { recursive: true, force: true }));

  it("has a pod network and a machine maker that compile", async () => {
    const project = { extends: "./tsconfig.json", include: ["index.ts"] };
    await writeFile(path.join(clone, "program.json"), JSON.stringify(project));
    const found = path.join(clone, ".kindows/tsc/program.tsbuildinfo");
    await cp(foundBefore, found).catch(() => undefined); // The first time, there is none.
    const tsc = ["node_modules/typescript/bin/tsc", "--project", "program.json"];
    const options = ["--tsBuildInfoFile", found];
    const { all } = await execa(process.execPath, [...tsc, ...options], {
      ...({ cwd: clone, reject: false, all: true } as const),
    });
    await cp(found, foundBefore);
    assert.equal(all, "");
  });

  it("has a pod network and a machine maker that a stack can choose", async () => {
    const key = path.join(clone, "key");
    await writeFile(key, "a private key");
    const program = `
      import { recordedStack } from "./test/unit/stacks/recorded-stack.ts";
      const { resources } = await recordedStack("dev", { settings: ${JSON.stringify(settings(key))} });
      console.log(JSON.stringify(resources));
    `;
    await writeFile(path.join(clone, "record.ts"), program);
    const { stdout } = await execa(process.execPath, ["--import", "tsx", "record.ts"], {
      cwd: clone,
    });
    const resources = JSON.parse(stdout) as Recording["resources"];
    const found = (type: string, name: string) =>
      resources.find((one) => one.type === type && one.name === name) ??
      assert.fail(`no ${type} ${name}`);
    assert.match(
      JSON.stringify(found("kubernetes:apps/v1:DaemonSet", "kube-router").inputs),
      /--overlay-type=full/,
    );
    const machine = found("command:remote:Command", "win-1");
    assert.ok(machine.dependencies.some((urn) => urn.endsWith("::win-1-reservation")));
    assert.equal(found("command:remote:Command", "win-1-join-node").deletedWith, machine.urn);
  });
});
