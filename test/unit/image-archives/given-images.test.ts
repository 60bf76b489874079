import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { runAction, runOnCluster } from "../controlplane/run-action.ts";
import { newFolder } from "../new-folder.ts";
import { sha256 } from "./write-archive.ts";

/** Containers as folders: `docker exec` runs in one what it would run in a node. */
const docker = `#!/bin/sh
echo "$*" >>"$0.log"
shift
[ "$1" = --interactive ] && shift
node=$1
shift
case "$1 $2" in
  "ctr version") exit 0 ;;
  ctr*) [ "$node" = full ] && { echo "ctr: no space left" >&2; exit 1; }
    sha256sum | cut -c 1-64 >>"$0.$node.imported" ;;
  *) eval "$(echo "$3" | sed "s#/kind/kindows-images#$0.$node.given#")" ;;
esac
`;

/** A host with archives of some contents, and what `up` does there. */
function hostWith(contents: readonly string[]) {
  const folder = newFolder();
  const program = path.join(folder, "docker");
  writeFileSync(program, docker, { mode: 0o755 });
  const archives = contents.map((content) => {
    const file = path.join(folder, `${content}.tar`);
    writeFileSync(file, content);
    return { path: file, sha256: sha256(content) };
  });
  const read = (name: string): readonly string[] => {
    try {
      return readFileSync(`${program}.${name}`, "utf8").trim().split("\n");
    } catch {
      return [];
    }
  };
  return {
    archives,
    imported: (node: string) => read(`${node}.imported`),
    given: (node: string) => read(`${node}.given`),
    load: (nodes: readonly string[], wanted = archives) =>
      runAction("controlplane/actions/load-images", {
        PATH: `${folder}:${process.env["PATH"] ?? ""}`,
        IMAGES: JSON.stringify({ controlPlanes: nodes, workers: [], archives: wanted }),
      }),
  };
}

describe("images of archives", () => {
  it("are given to every node, and to none twice", async () => {
    const host = hostWith(["a", "b"]);
    const all = ["a", "b"].map(sha256);
    for (const nodes of [["cp"], ["cp", "worker"], ["cp", "worker"]]) {
      const { exitCode, stderr } = await host.load(nodes);
      assert.equal(exitCode, 0, stderr);
      for (const node of nodes) assert.deepEqual(host.imported(node), all, node);
    }
    assert.deepEqual(host.given("worker"), all);
  });

  it("are given again where their archive has changed", async () => {
    const host = hostWith(["a", "b"]);
    await host.load(["cp"], host.archives.slice(0, 1));
    const [a, b] = host.archives;
    writeFileSync(a?.path ?? "", "b");
    const { exitCode, stderr } = await host.load(
      ["cp"],
      [{ path: a?.path ?? "", sha256: b?.sha256 ?? "" }],
    );
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(host.imported("cp"), ["a", "b"].map(sha256));
  });

  it("are decompressed here, once for all nodes", async () => {
    const host = hostWith(["a"]);
    const [archive] = host.archives;
    const compressed = gzipSync("content");
    writeFileSync(archive?.path ?? "", compressed);
    const wanted = [{ path: archive?.path ?? "", sha256: sha256(compressed) }];
    const { exitCode, stderr } = await host.load(["cp", "worker"], wanted);
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(host.imported("worker"), [sha256("content")]);
    assert.deepEqual(host.given("worker"), [sha256(compressed)]);
  });

  it("count as given only where they were taken", async () => {
    const host = hostWith(["a"]);
    const { exitCode, stderr } = await host.load(["cp", "full"]);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /error: the images of \S+a\.tar could not be imported: full: ctr: no space left$/,
    );
    assert.deepEqual([host.given("cp"), host.given("full")], [[sha256("a")], []]);
  });

  it("count as given only where the archive was the one that was examined", async () => {
    const host = hostWith(["a"]);
    writeFileSync(host.archives[0]?.path ?? "", "b");
    const { exitCode, stderr } = await host.load(["cp"]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /a\.tar has changed while its images were given to the nodes: run again/);
    assert.deepEqual(host.given("cp"), []);
  });
});

/** Docker on a host where workers are added, with what is in the one container that it makes. */
const dockerOfWorker = `#!/bin/sh
echo "$*" >>"$0.log"
case "$*" in
  ps*) cat "$0.container" 2>/dev/null || : ;;
  run*) echo kindows-t-a >"$0.container" ;;
  "rm "*) rm -r "$0.container" "$0.$NODE" ;;
  images*) echo there ;;
  "inspect --format"*) echo 192.0.2.9 ;;
  "inspect --type"*) echo '[{"State":{"Running":true},"NetworkSettings":{"Networks":{}}}]' ;;
  inspect*) echo '[{"HostConfig":{"Binds":null,"Devices":null,"UsernsMode":""},"Config":{"Env":null}}]' ;;
  logs*) echo "Reached target multi-user.target - Multi-User System." ;;
  *import*) cat >/dev/null ;;
  "exec $NODE ls /kind") ls "$0.$2" ;;
  "exec $NODE touch "*) mkdir -p "$0.$2" && touch "$0.$2/\${4##*/}" ;;
  "exec $NODE rm /kind/"*) rm "$0.$2/\${4##*/}" ;;
  "exec "*" sh -c "*) mkdir -p "$0.$2" && eval "$(echo "$5" | sed "s#/kind#$0.$2#")" ;;
esac
`;

/** A host on which a worker is to be added, and what `up` does there. */
function hostOfWorker() {
  const folder = newFolder();
  const [program, archive] = [path.join(folder, "docker"), path.join(folder, "a.tar")];
  writeFileSync(program, dockerOfWorker, { mode: 0o755 });
  writeFileSync(archive, "a");
  const imageArchives = [{ path: archive, sha256: sha256("a") }];
  const worker = {
    name: "kindows-t-a",
    cluster: "kindows-t",
    image: "kindest/node:kindows-0123456789ab",
    network: "kindows-t",
    endpoint: "kindows-t-control-plane:6443",
    readySeconds: 5,
    imageArchives,
  };
  const variables = { NODE: worker.name, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const images = { controlPlanes: ["cp"], workers: [worker], archives: imageArchives };
  const node = { status: { conditions: [{ type: "Ready", status: "True" }] } };
  return {
    load: () =>
      runAction("controlplane/actions/load-images", {
        ...variables,
        IMAGES: JSON.stringify(images),
      }),
    /** @param inCluster whether the worker's Node is there before. */
    add: (inCluster = false) =>
      runOnCluster(
        "controlplane/actions/add-linux-worker",
        { ...variables, WORKER: JSON.stringify(worker) },
        (request) => {
          if (request.startsWith("DELETE")) return [inCluster ? 200 : 404, {}];
          return [200, node];
        },
      ),
    /** The container's part of what is done, in order. */
    done: () =>
      readFileSync(`${program}.log`, "utf8")
        .split("\n")
        .flatMap((line) => {
          if (line.startsWith(`exec --interactive ${worker.name} ctr`)) return ["images"];
          if (line.startsWith("exec --interactive cp ctr")) return ["images of cp"];
          return ["run", "rm", "kubeadm join"].filter(
            (part) => line.startsWith(part) || line.includes(`${worker.name} ${part} --`),
          );
        }),
    /** What a join leaves behind that is cut off. */
    cutOff: () => rmSync(`${program}.${worker.name}/kindows-complete`),
  };
}

describe("a Linux worker", () => {
  async function well(run: ReturnType<typeof runAction>): Promise<void> {
    const { exitCode, stderr } = await run;
    assert.equal(exitCode, 0, stderr);
  }

  it("has the images of archives before it joins", async () => {
    const host = hostOfWorker();
    await well(host.add());
    assert.deepEqual(host.done(), ["run", "images", "kubeadm join"]);
  });

  it("is started for the images that all nodes get, and goes on from there", async () => {
    const host = hostOfWorker();
    await well(host.load());
    await well(host.load());
    assert.deepEqual(host.done().toSorted(), ["images", "images of cp", "run"]);
    await well(host.add());
    assert.equal(host.done().at(-1), "kubeadm join");
    await well(host.add(true));
    await well(host.load());
    assert.equal(host.done().length, 4);
  });

  it("is made again if its join was cut off", async () => {
    const host = hostOfWorker();
    await well(host.add());
    host.cutOff();
    await well(host.add(true));
    assert.deepEqual(host.done().slice(3), ["rm", "run", "images", "kubeadm join"]);
  });
});
