import { docker } from "../../host/docker.ts";
import { lines } from "../../host/host.ts";
import type { ProgramEnd } from "../../host/run-program.ts";
import { runWithSharedInput } from "../../host/shared-input.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { say } from "../host-action/run-action.ts";
import type { ImageArchive } from "./image-archive.ts";
import { readArchive } from "./read-archive.ts";

/** Longest import of one archive, in seconds; enough for some gigabytes on a slow disk. */
export const archiveSeconds = 1200;

/** Longest wait for containerd in a container that has just started, in seconds. */
const startSeconds = 60;

/** File in a node's container with the SHA-256 of each archive whose images it has, one a line. */
const givenFile = "/kind/kindows-images";

/**
 * Gives the images of archives to nodes in containers. An archive is read once for all nodes that lack it.
 *
 * @throws if an archive has changed since it was examined, or a node did not take it.
 */
export async function giveImages(
  nodes: readonly string[],
  archives: readonly ImageArchive[],
): Promise<void> {
  if (archives.length === 0) return;
  const given = new Map(
    await Promise.all(nodes.map(async (node) => [node, await givenTo(node)] as const)),
  );
  for (const archive of archives) {
    const lacking = nodes.filter((node) => given.get(node)?.includes(archive.sha256) !== true);
    const failed = lacking.length === 0 ? [] : await give(lacking, archive);
    if (failed.length > 0) {
      const reasons = failed.map(({ node, reason }) => `${node}: ${reason}`).join("; ");
      throw new Error(`the images of ${archive.path} could not be imported: ${reasons}`);
    }
  }
}

async function givenTo(node: string): Promise<readonly string[]> {
  const what = `containerd in the container ${node}`;
  return waitUntil({ what, timeoutSeconds: startSeconds, onChange: say }, async () => {
    await docker(["exec", node, "ctr", "version"]);
    return { found: lines(await docker(["exec", node, "sh", "-c", `cat ${givenFile} || true`])) };
  });
}

/**
 * Gives the images of an archive, which is read once, to nodes in containers, even if they had them before.
 *
 * @returns the nodes that did not take them, and why.
 * @throws if the archive has changed since it was examined.
 */
export async function give(
  nodes: readonly string[],
  { path, sha256 }: ImageArchive,
): Promise<readonly { readonly node: string; readonly reason: string }[]> {
  say(`giving the images of ${path} to ${nodes.join(", ")}`);
  const imported = ["ctr", "--namespace", "k8s.io", "images", "import", "-"];
  const commands = nodes.map((node) => ["exec", "--interactive", node, ...imported]);
  let ends: readonly ProgramEnd[] = [];
  const read = await readArchive(path, async (content) => {
    ends = await runWithSharedInput("docker", commands, content, archiveSeconds);
  });
  if (read !== sha256) {
    throw new Error(`${path} has changed while its images were given to the nodes: run again`);
  }
  const failed = ends.flatMap(({ how, reason }, index) =>
    how === "well"
      ? []
      : [{ node: nodes[index] ?? "", reason: reason.split("\n").slice(-3).join(" ") }],
  );
  const taken = nodes.filter((_, index) => ends[index]?.how === "well");
  await Promise.all(
    taken.map((node) => docker(["exec", node, "sh", "-c", `echo ${sha256} >>${givenFile}`])),
  );
  return failed;
}
