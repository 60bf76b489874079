import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { verify } from "../../../../cli/commands/verify.ts";
import { clusterOfKubeconfig } from "../../../../cli/verify/verified-cluster.ts";

describe("verify of a cluster given by its kubeconfig", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kindows-verified-"));
  });

  after(() => rm(folder, { recursive: true }));

  const cases: readonly [what: string, text: string | undefined, problem: RegExp][] = [
    ["is not there", undefined, /^the kubeconfig .*\/config cannot be read \(ENOENT\)$/],
    ["is no kubeconfig", "[]", /cannot be used:\n {2}- it is neither YAML nor JSON with settings/],
    [
      "has no such context",
      "contexts: [{name: lab, context: {cluster: lab, user: lab}}]",
      /it has no context prod; there is lab$/,
    ],
  ];
  for (const [what, text, problem] of cases) {
    it(`says what is wrong with a file that ${what}`, async () => {
      const file = path.join(folder, "config");
      await rm(file, { force: true });
      if (text !== undefined) await writeFile(file, text);
      await assert.rejects(clusterOfKubeconfig(file, "prod", []), {
        name: "Failure",
        message: problem,
      });
    });
  }

  it("refuses a context without its file", async () => {
    const options = { stack: "rehearsal", context: "prod", list: false, keep: false };
    await assert.rejects(verify(options), /--context belongs to --kubeconfig/);
  });
});
