import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { backendUrl } from "../../../cli/engine/backend-url.ts";
import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { builtTool } from "../../../toolchain/built.ts";
import { operationsOf, stateOfLibvirt } from "./libvirt-state.ts";
import { PreviewedStack } from "./previewed-stack.ts";

const stack = "rehearsal";

/** What a change does to what libvirt has; what is left out stays. */
const changes: readonly {
  readonly name: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly image?: string;
  readonly does: Readonly<Record<string, string>>;
}[] = [
  { name: "nothing", does: {} },
  { name: "more memory", settings: { windows: { memoryMiB: 4096 } }, does: {} },
  {
    name: "another node",
    settings: { nodes: [{ name: "win-1" }, { name: "win-2" }] },
    does: { "Volume win-2": "create" },
  },
  {
    name: "a larger disk",
    settings: { windows: { diskGiB: 32 } },
    does: { "Volume win-1": "replace" },
  },
  // The machine's disk stays on the image that it was made from.
  { name: "a new image", image: "second", does: { "Volume machines-base": "replace" } },
  {
    name: "another bridge",
    settings: { network: { bridge: "kw-other" } },
    does: { "Network lab": "replace" },
  },
];

/** With a state, by libvirt's own provider, which compares it with what is asked for and needs no libvirt for it. */
describe("what a preview anywhere plans after an up for what libvirt has", function () {
  this.timeout(300_000);
  let lab: PreviewedStack;
  let folder: string;

  const pulumi = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execa(
      builtTool("pulumi"),
      [...args, "--non-interactive", "--stack", stack],
      {
        cwd: lab.folder,
        timeout: 250_000,
        env: {
          ...process.env,
          ...engineEnvironment(process.env),
          PULUMI_BACKEND_URL: backendUrl(path.join(folder, "state")),
          PULUMI_CONFIG_PASSPHRASE: "",
          DOCKER_HOST: "unix:///nonexistent/docker.sock",
          KINDOWS_PREVIEW: "anywhere",
        },
      },
    );
    return stdout;
  };

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-after-up-"));
    await mkdir(path.join(folder, "state"));
    lab = await PreviewedStack.of(stack);
    await lab.write();
    await pulumi("stack", "init");
    const { deployment } = JSON.parse(await pulumi("stack", "export")) as { deployment: unknown };
    const file = path.join(folder, "state.json");
    const preview = await pulumi("preview", "--json");
    await writeFile(file, stateOfLibvirt(preview, "kindows-rehearsal", deployment));
    await pulumi("stack", "import", "--file", file);
  });
  after(async () => {
    await lab.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { name, settings = {}, image = "first", does } of changes) {
    it(name, async () => {
      await lab.hasImage(image);
      await lab.write(settings);
      assert.deepEqual(operationsOf(await pulumi("preview", "--json", "--show-sames")), {
        "Network lab": "same",
        "Pool machines": "same",
        "Volume machines-base": "same",
        "Volume win-1": "same",
        ...does,
      });
    });
  }
});
