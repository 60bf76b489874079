import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { previewOf } from "../../../cli/preview-diff/preview.ts";
import { topologySvg } from "../../../cli/topology/topology-svg.ts";
import { builtTool } from "../../../toolchain/built.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

const pictures: readonly { readonly stack: string; readonly file: string }[] = [
  { stack: "rehearsal", file: "docs/topology.svg" },
  { stack: "dev", file: "docs/topology-dev.svg" },
];

describe("the pictures in docs/", function () {
  this.timeout(300_000);

  for (const { stack, file } of pictures) {
    it(`${file} is what the program makes now`, async () => {
      const preview = await previewOf(repository, stack, {
        program: builtTool("pulumi"),
        environment: {
          ...process.env,
          ...engineEnvironment(process.env),
          DOCKER_HOST: "unix:///nonexistent/docker.sock",
          LIBVIRT_DEFAULT_URI: "test:///nonexistent",
        },
        signal: new AbortController().signal,
      });
      assert.equal(
        topologySvg(preview),
        await readFile(path.join(repository, file), "utf8"),
        `${file} is old: make topology STACK=${stack} OUT=${file}, and look at it`,
      );
    });
  }
});
