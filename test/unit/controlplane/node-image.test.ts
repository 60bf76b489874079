import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { agnhostImage, imageRecipes } from "../../../images/node/container-images.ts";
import { closure, parseDependencies } from "../../../images/node/debian-pieces.ts";
import { configDocument, writeImages } from "../../../images/node/oci-archive.ts";
import { containerBaseSpec } from "../../../images/node/root-file-system.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";

/** As `dpkg-query -W -f '${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\n'` prints it. */
const listing = [
  "bash\tlibc6 (>= 2.36), libtinfo6 (>= 6), base-files (>= 2.1.12), debianutils (>= 5.6-0.1)\t",
  "base-files\t, awk\t",
  "mawk\tlibc6 (>= 2.34), \tawk",
  "libc6\t, libgcc-s1, libcrypt1 (>= 1:4.4.10-10~)\tlibc6-2.36",
  "libgcc-s1\t, gcc-12-base (= 12.2.0-14), libc6 (>= 2.35)\t",
  "iptables\t, libxtables12 (= 1.8.9-2), netbase, debconf (>= 0.5) | debconf-2.0\t",
  "libxtables12:amd64\t, libc6:amd64 (>= 2.34)\t",
  "libtinfo6\t, libc6\t",
  "debconf\tperl-base, \tdebconf-2.0",
  "perl-base\tlibc6, \t",
  "",
].join("\n");

describe("packages of an image", () => {
  const dependencies = parseDependencies(listing);

  it("are read with versions, alternatives and virtual packages resolved", () => {
    assert.deepEqual(dependencies.get("bash"), ["libc6", "libtinfo6", "base-files"]);
    assert.deepEqual(dependencies.get("base-files"), ["mawk"]);
    assert.deepEqual(dependencies.get("libxtables12:amd64"), ["libc6"]);
    assert.deepEqual(dependencies.get("iptables"), ["debconf"]);
  });

  it("come with all they need, circles included", () =>
    assert.deepEqual(closure(dependencies, ["bash"], []), [
      ...["base-files", "bash", "libc6", "libgcc-s1", "libtinfo6", "mawk"],
    ]));

  it("leave out what running does not need, and what only that needs", () => {
    assert.deepEqual(closure(dependencies, ["iptables"], []), [
      ...["debconf", "iptables", "libc6", "libgcc-s1", "perl-base"],
    ]);
    assert.deepEqual(closure(dependencies, ["iptables"], ["debconf"]), ["iptables"]);
  });

  it("must be installed", () =>
    assert.throws(() => closure(dependencies, ["haproxy"], []), /haproxy is not in the root file/));
});

/** What an image's documents tell of a blob. */
interface Blob {
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

describe("image archive", () => {
  it("is one that both containerd and Docker can follow to the layer", async () => {
    const at = inNewFolder();
    const layer = at("layer.tar");
    await writeFile(layer, "not really a tar");
    const into = at("image");
    const reference = "registry.example/thing:v1";
    await writeImages(into, [{ reference, layer, config: { entrypoint: ["/thing"] } }]);

    const json = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(path.join(into, name), "utf8"));
    const blob = async (digest: string): Promise<string> => {
      const text = await readFile(path.join(into, "blobs", digest.replace(":", "/")), "utf8");
      assert.equal(`sha256:${createHash("sha256").update(text).digest("hex")}`, digest);
      return text;
    };
    const { manifests } = (await json("index.json")) as { manifests: readonly Blob[] };
    const [entry = assert.fail()] = manifests;
    assert.equal(entry.annotations?.["io.containerd.image.name"], reference);
    const manifest = await blob(entry.digest);
    assert.equal(entry.size, manifest.length);
    const { config, layers } = JSON.parse(manifest) as { config: Blob; layers: readonly Blob[] };
    const [content = assert.fail()] = layers;
    assert.equal(await blob(content.digest), "not really a tar");
    assert.deepEqual(
      JSON.parse(await blob(config.digest)),
      configDocument({ entrypoint: ["/thing"] }, content.digest),
    );
    const place = ({ digest }: Blob): string => `blobs/${digest.replace(":", "/")}`;
    assert.deepEqual(await json("manifest.json"), [
      { Config: place(config), RepoTags: [reference], Layers: [place(content)] },
    ]);
  });
});

describe("what a node carries", () => {
  const recipes = imageRecipes((name) => `/${name}`, "1.36.4");
  const manifests = new URL("../../../images/node/files/", import.meta.url);

  it("is what kubeadm 1.36.4 and kind 0.33 ask for", () => {
    const references = recipes.map((recipe) => recipe.reference);
    const asked = [
      ...["kube-apiserver:v1.36.4", "kube-controller-manager:v1.36.4", "kube-scheduler:v1.36.4"],
      ...["kube-proxy:v1.36.4", "etcd:3.6.8-0", "coredns/coredns:v1.14.2", "pause:3.10"],
    ].map((image) => `registry.k8s.io/${image}`);
    assert.deepEqual(references.slice(0, asked.length), asked);
  });

  it("is what verify and the samples run where nothing can be pulled", () => {
    const agnhost = recipes.find(({ reference }) => reference === agnhostImage);
    assert.deepEqual(agnhost?.config.entrypoint, ["/agnhost"]);
    assert.deepEqual(agnhost.pieces?.packages, ["bash", "coreutils", "curl"]);
  });

  for (const manifest of ["default-cni.yaml", "default-storage.yaml"]) {
    it(`is all that ${manifest} asks for`, async () => {
      const text = await readFile(new URL(manifest, manifests), "utf8");
      const asked = [...text.matchAll(/kindows\.local\/[\w./-]+:[\w.]+/g)].map(([each]) => each);
      const carried = new Set(recipes.map(({ reference }) => reference));
      assert.ok(asked.length > 0 && asked.every((each) => carried.has(each)), asked.join());
    });
  }
});

describe("containerd's base specification", () => {
  const hook = { path: "/kind/bin/mount-product-files.sh" };
  const [x, y] = [{ path: "/x" }, { path: "/y" }];
  const cases: Readonly<Record<string, readonly [given: object, made: object]>> = {
    "gets kind's hook and loses the limits": [
      { process: { cwd: "/", rlimits: [{ type: "RLIMIT_NOFILE" }] } },
      { process: { cwd: "/" }, hooks: { createContainer: [hook] } },
    ],
    "keeps hooks that are there": [
      { process: {}, hooks: { poststop: [x], createContainer: [y] } },
      { process: {}, hooks: { poststop: [x], createContainer: [y, hook] } },
    ],
  };
  eachCase("%s", cases, ([given, made]) =>
    assert.deepEqual(JSON.parse(containerBaseSpec(JSON.stringify(given))), made),
  );
});
