import { execa } from "execa";

import type { Settings } from "../../config/settings.ts";
import { nodeImage } from "../../stacks/node-image.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { builtSoFar } from "../../toolchain/built.ts";

/** Half a gigabyte over a slow line. */
const pullTimeoutSeconds = 900;

/**
 * Whether the node image has to be built here: it was before, or none is set and the official one can't be pulled.
 * Once pulled, the official one is asked of Docker only.
 */
export async function mustBuildNodeImage(settings: Settings, say: Progress): Promise<boolean> {
  if (settings.cluster.nodeImage !== undefined) {
    return false;
  }
  if (wasBuilt()) {
    return true;
  }
  const official = nodeImage(settings);
  const present = await execa("docker", ["image", "inspect", "--format", "{{.Id}}", official], {
    reject: false,
    stdin: "ignore",
    timeout: 30_000,
  });
  if (!present.failed) {
    return false;
  }
  say(`pulling ${official}`);
  const pull = await execa("docker", ["pull", "--quiet", official], {
    reject: false,
    stdin: "ignore",
    timeout: pullTimeoutSeconds * 1000,
  });
  if (!pull.failed) {
    return false;
  }
  const reason = pull.timedOut ? `no end after ${pullTimeoutSeconds} s` : pull.stderr.trim();
  say(`the node image is built here, since the official one cannot be pulled: ${reason}`);
  return true;
}

function wasBuilt(): boolean {
  return builtSoFar().nodeImage !== undefined;
}
