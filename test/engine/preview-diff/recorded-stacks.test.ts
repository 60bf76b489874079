import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { previewOf } from "../../../cli/preview-diff/preview.ts";
import type { PreviewedResource, Previewed } from "../../../policy/previewed.ts";
import { builtTool } from "../../../toolchain/built.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { compiledHere } from "../plugins/support/shared-bundle.ts";
import { recordedStack } from "../../unit/stacks/recorded-stack.ts";

/** Nothing is there that could be asked. */
const environment = {
  DOCKER_HOST: "unix:///nonexistent/docker.sock",
  LIBVIRT_DEFAULT_URI: "test:///nonexistent",
};

/** What this clone has prepared and fetched, for both see it. */
const ofThisClone = [".kindows/artifacts.json", "software.lock.json"];

/** By this the tests of test/unit/stacks, which run no engine, tell what the engine would. */
describe("the engine's preview of a stack, where there is no Docker, no libvirt and no state", () => {
  for (const stack of ["rehearsal", "fleet", "existing"]) {
    it(`shows of ${stack} what its program is recorded to ask for`, async () => {
      const files = await Promise.all(
        ofThisClone.map(async (name) => [name, await readFile(name, "utf8").catch(() => "{}")]),
      );
      const recorded = await recordedStack(stack, {
        environment,
        files: Object.fromEntries(files) as Record<string, string>,
      });
      const previewed = await previewOf(projectRoot, stack, {
        program: builtTool("pulumi"),
        environment: {
          ...{ ...process.env, ...engineEnvironment(process.env), ...environment },
          NODE_COMPILE_CACHE: compiledHere,
        },
        signal: new AbortController().signal,
      });
      assert.deepEqual(comparable(previewed), comparable(recorded));
    });
  }
});

/** Without what is reported in any order; and a file's content, which both hash in their own way, as a hash of some kind. */
function comparable({ resources, diagnostics }: Previewed): object {
  const sorted = (urns: readonly string[]): readonly string[] => urns.toSorted();
  return {
    resources: resources.map((resource: PreviewedResource) => ({
      ...resource,
      inputs: JSON.parse(
        JSON.stringify(resource.inputs).replaceAll(/(?<="hash":")[0-9a-f]+/g, "some"),
      ) as object,
      propertyDependencies: Object.fromEntries(
        Object.entries(resource.propertyDependencies).map(([input, urns]) => [input, sorted(urns)]),
      ),
      dependencies: sorted(resource.dependencies),
      replaceWith: sorted(resource.replaceWith),
    })),
    diagnostics: diagnostics.map(({ severity, message }) => ({
      severity,
      message: message.replace(/^warning: /, "").trim(),
    })),
  };
}
