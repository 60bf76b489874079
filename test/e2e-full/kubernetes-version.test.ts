import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import { Cluster } from "../e2e/cluster.ts";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import { freshClone } from "../engine/plugins/support/sources.ts";

const version = "1.37.2";
/** What its `kubeadm config images list` names. */
const [etcd, coredns] = ["3.7.0", "1.14.6"];
const stack = "e2eversion";
const controlPlane = `kindows-${stack}-control-plane`;

/**
 * A rehearsal has the one Kubernetes that is built from Go's modules. So this one runs in a clone whose sources name another:
 * everything that is built of Kubernetes is built of it, for Linux and for Windows, and the node image and the guest with it.
 */
describe(`a rehearsal with Kubernetes ${version}`, function () {
  this.bail(true);

  const clone = path.join(localFolder, "kubernetes-version");
  const at = (...names: readonly string[]): string => path.join(clone, ...names);
  const cluster = new Cluster(at(".kindows", stack, "kubeconfig"));

  const replaceIn = async (file: string, ...changes: readonly [from: RegExp, to: string][]) => {
    const before = await readFile(at(file), "utf8");
    const text = changes.reduce((found, [from, to]) => {
      assert.match(found, from, file);
      return found.replaceAll(from, to);
    }, before);
    await writeFile(at(file), text);
  };
  const run = async (command: string, ...args: readonly string[]): Promise<string> => {
    const options = { cwd: clone, all: true, stdin: "ignore" } as const;
    const { all } = await execa({ ...options })(command, args);
    return all;
  };
  const kindows = (...args: readonly string[]): Promise<string> =>
    run("./kindows", "--stack", stack, ...args);

  before(async () => {
    // A lab of an earlier run that was killed.
    await kindows("down").catch(() => undefined);
    await rm(clone, { recursive: true, force: true });
    await freshClone(clone);
    await mkdir(at("sdks/libvirt"), { recursive: true });
    for (const built of ["node_modules", "sdks/libvirt/bin"]) {
      await execa("cp", ["--archive", "--link", path.join(projectRoot, built), at(built)]);
    }
    await replaceIn(
      "host/versions.ts",
      [/(defaultKubernetes = )"[\d.]+"/g, `$1"${version}"`],
      [
        /(nodeImages: Readonly<Record<string, string>> = \{)/g,
        `$1\n  "${version}": "kindest/node:v${version}",`,
      ],
    );
    const modules = "offline/modules/kubernetes";
    await replaceIn(
      `${modules}/go.mod`,
      [/^(replace .*|\tk8s\.io\/.*) v0\.36\.\d+/gm, `$1 v0${version.slice(1)}`],
      [/(k8s\.io\/kubernetes) v1\.36\.\d+/g, `$1 v${version}`],
      [/(coredns\/coredns) v[\d.]+/g, `$1 v${coredns}`],
      [/(etcd\/server\/v3) v[\d.]+/g, `$1 v${etcd}`],
    );
    await replaceIn(
      "toolchain/tools/table.ts",
      [/(name: "etcd",\n\s+version: )"[\d.]+"/g, `$1"${etcd}"`],
      [/(name: "coredns",\n\s+version: )"[\d.]+"/g, `$1"${coredns}"`],
    );
    await execa("go", ["mod", "tidy"], { cwd: at(modules) });
    const settings = await readFile(at("Pulumi.rehearsal.yaml"), "utf8");
    await writeFile(
      at(`Pulumi.${stack}.yaml`),
      settings
        .replace(/kubernetesVersion: .*/, `kubernetesVersion: "${version}"`)
        .replace(/cidr: .*/, "cidr: 192.168.177.0/24"),
    );
  });

  it("is built, and comes up with both nodes Ready", async () => {
    await kindows("up", "--yes");
    assert.deepEqual(await cluster.readyNodes(), [controlPlane, "win-1"]);
  });

  it("has this version on both nodes, by what their kubelets report", async () => {
    const nodes = await cluster.nodes();
    const reported = nodes.map(({ status }) => status?.["nodeInfo"] as Record<string, unknown>);
    assert.deepEqual(
      reported
        .map(({ kubeletVersion, operatingSystem }) => [operatingSystem, kubeletVersion])
        .sort(),
      ["linux", "windows"].map((os) => [os, `v${version}`]),
    );
  });

  it("has paths that work", () => kindows("verify"));

  it("is left alone by another up", async () => {
    const environment = await kindows("env");
    await run("bash", "-c", `${environment}\npulumi preview --expect-no-changes`);
  });

  it("goes without leaving anything", async () => {
    await kindows("down");
    const { stdout } = await execa("docker", ["ps", "--all", "--format", "{{.Names}}"]);
    assert.doesNotMatch(stdout, new RegExp(stack));
    await rm(clone, { recursive: true, force: true });
  });
});
