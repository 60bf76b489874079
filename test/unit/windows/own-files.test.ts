import assert from "node:assert/strict";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { create } from "tar";
import {
  installContainerd,
  installKubernetes,
  kubernetesValues,
} from "../../../components/windows/steps.ts";
import { examineOwnFiles } from "../../../components/windows/own-files.ts";
import { defaultSetup } from "../../../components/windows/node-setup.ts";
import { officialSoftware, withOwnPrograms } from "../../../components/windows/software.ts";
import { resolveOnHost } from "../../../config/resolve.ts";
import { problemText, SettingsError } from "../../../config/problem.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder, newFolder } from "../new-folder.ts";
import { programBytes } from "./program-bytes.ts";

const here = inNewFolder();

/** An archive with these programs. */
async function archive(name: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const folder = newFolder();
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), content);
  }
  await create({ file: here(name), cwd: folder, gzip: true }, ["."]);
  return here(name);
}

async function program(name: string, content: Buffer): Promise<string> {
  await writeFile(here(name), content);
  return here(name);
}

const examine = (programs: Parameters<typeof examineOwnFiles>[0], version = "1.36.4") =>
  examineOwnFiles(programs, version, new Cache(newFolder()));

describe("the user's own programs in the settings", () => {
  it("are found with their checksums, as files that are copied like downloads", async () => {
    const kubelet = await program("my kubelet.exe", programBytes());
    const containerd = await archive("containerd.tar.gz", {
      "bin/containerd.exe": programBytes({ variables: ["v2.4.9-mine"] }),
      "bin/ctr.exe": programBytes(),
    });
    const plugin = programBytes({ variables: [] });
    const cniPlugins = await archive("plugins.tgz", {
      "host-local.exe": plugin,
      "win-bridge.exe": plugin,
      "win-overlay.exe": plugin,
    });
    const given = { kubelet, containerd, cniPlugins };
    const { files, problems } = await examine(
      Object.fromEntries(Object.entries(given).map(([name, file]) => [name, { path: file }])),
    );
    assert.deepEqual(problems, []);
    for (const [name, file] of Object.entries(given)) {
      const found = files[name as keyof typeof given];
      assert.equal(found?.uri, pathToFileURL(file).href);
      assert.match(found.sha256, /^[0-9a-f]{64}$/);
    }
  });

  it("from an address are taken by their checksum, before anything is downloaded", async () => {
    const file = { url: "https://example.com/kubelet.exe", sha256: "1".repeat(64) };
    const { files, problems } = await examine({ kubelet: file });
    assert.deepEqual([files.kubelet, problems], [{ uri: file.url, sha256: file.sha256 }, []]);
  });

  const refused: Readonly<
    Record<
      string,
      readonly [
        programs: () => Promise<Parameters<typeof examineOwnFiles>[0]>,
        where: string,
        why: RegExp,
      ]
    >
  > = {
    "that is not there": [
      () => Promise.resolve({ kubelet: { path: "/nowhere/kubelet.exe" } }),
      "kubelet.path",
      /^does not exist$/,
    ],
    "for Linux": [
      async () => ({ kubelet: { path: await program("kubelet", Buffer.from("\x7fELF")) } }),
      "kubelet.path",
      /^is a program for Linux$/,
    ],
    "for another processor": [
      async () => ({
        kubeadm: { path: await program("arm.exe", programBytes({ machine: 0xaa64 })) },
      }),
      "kubeadm.path",
      /for arm64/,
    ],
    "of a version outside the skew": [
      async () => ({
        kubeProxy: { path: await program("new.exe", programBytes({ variables: ["v1.37.1"] })) },
      }),
      "kubeProxy.path",
      /^is version 1\.37\.1, and the cluster's Kubernetes is 1\.36\.4: kubeProxy must not be newer/,
    ],
    "with another checksum": [
      async () => ({
        kubelet: { path: await program("a.exe", programBytes()), sha256: "0".repeat(64) },
      }),
      "kubelet.sha256",
      /^is not that of the file, which has [0-9a-f]{64}$/,
    ],
    "that is no archive": [
      async () => ({ containerd: { path: await program("containerd.exe", programBytes()) } }),
      "containerd.path",
      /^(is no whole archive|has no bin\/containerd\.exe)/,
    ],
    "without a program": [
      async () => ({
        containerd: { path: await archive("b.tar.gz", { "containerd.exe": programBytes() }) },
      }),
      "containerd.path",
      /^has no bin\/containerd\.exe$/,
    ],
    "with a program for Linux": [
      async () => ({
        containerd: {
          path: await archive("c.tar.gz", { "bin/containerd.exe": Buffer.from("\x7fELF") }),
        },
      }),
      "containerd.path",
      /^has bin\/containerd\.exe, which is a program for Linux$/,
    ],
    "with an old containerd": [
      async () => ({
        containerd: {
          path: await archive("d.tar.gz", {
            "bin/containerd.exe": programBytes({ variables: ["v1.7.28"] }),
          }),
        },
      }),
      "containerd.path",
      /^is version 1\.7\.28, .* must be a version 2/,
    ],
  };
  eachCase("are refused: one %s", refused, async ([programs, where, why]) => {
    const { problems } = await examine(await programs());
    const [problem, ...others] = problems;
    assert.equal(problem?.path.join("."), `windows.programs.${where}`);
    assert.match(problem.why, why);
    assert.match(problem.instead, /^[A-Z].*\.$/);
    assert.deepEqual(others, []);
  });

  it("are read again once they have changed, and are refused as soon as they cannot be used", async () => {
    const kubelet = await program("changing.exe", programBytes());
    const cache = new Cache(newFolder());
    const look = () => examineOwnFiles({ kubelet: { path: kubelet } }, "1.36.4", cache);
    const before = (await look()).files.kubelet;
    assert.deepEqual((await look()).files.kubelet, before);
    await program("other.exe", programBytes({ variables: ["v1.36.5"] }));
    await rename(here("other.exe"), kubelet);
    assert.notEqual((await look()).files.kubelet?.sha256, before?.sha256);
    await program("linux", Buffer.from("\x7fELF"));
    await rename(here("linux"), kubelet);
    assert.equal((await look()).problems.length, 1);
  });

  it("are refused together with all other mistakes of the settings", async () => {
    const written = {
      windows: { version: "2019", programs: { kubelet: { path: "/nowhere/kubelet.exe" } } },
    };
    const source = { stack: "x", file: "Pulumi.x.yaml" };
    await assert.rejects(resolveOnHost(written, source, []), (error: unknown) => {
      assert.ok(error instanceof SettingsError);
      const lines = error.problems.map(problemText);
      assert.equal(lines.length, 2, lines.join("\n"));
      assert.match(
        lines.join("\n"),
        /programs\.kubelet\.path: "\/nowhere\/kubelet\.exe" does not exist\./,
      );
      assert.match(lines.join("\n"), /windows\.version: "2019"/);
      return true;
    });
  });
});

describe("software with the user's own programs", () => {
  const versions = { kubernetes: "1.36.4", containerd: "2.4.2" };
  const published = officialSoftware(versions, { checksums: {}, lock: {}, folders: {} });
  const own = (sha256: string) => ({ uri: "file:///srv/a.exe", sha256 });

  it("has them in place of the published ones, with the releases that fit", () => {
    const software = withOwnPrograms(
      published,
      { kubelet: own("1"), kubeProxy: own("2"), containerd: own("3") },
      { "1": "/cache/1" },
    );
    assert.deepEqual(software.kubelet, {
      uri: "file:///srv/a.exe",
      sha256: "1",
      releases: "1.33-1.36",
      origin: { checksumUri: "", folder: "/cache/1" },
    });
    assert.equal(software.containerd.releases, "2.0-2.999");
    assert.deepEqual(software.kubeadm, published.kubeadm);
    const sums = { kubelet: "1", kubeadm: "4", kubeLogRunner: "5", kubeProxy: "2" };
    const values = kubernetesValues(software, defaultSetup, sums);
    assert.deepEqual(
      [values.KubeletReleases, values.KubeadmReleases, values.KubeProxyReleases],
      ["1.33-1.36", "", "1.33-1.36"],
    );
    assert.equal(values.KubeProxyPath, "C:\\kindows\\media\\2\\a.exe");
    assert.equal(kubernetesValues(published, defaultSetup, sums).KubeProxyPath, "");
  });

  it("drains a node before they are exchanged", () => {
    assert.ok(installKubernetes.drains?.includes("KubeletSha256"));
    assert.ok(installContainerd.drains?.includes("ArchiveSha256"));
  });
});
