import assert from "node:assert/strict";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import * as z from "zod";

import { backendUrl } from "../../../cli/engine/folders.ts";
import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { builtTool } from "../../../toolchain/built.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import {
  type Recording,
  type Sections,
  recordedStack,
  settingsOf,
  stackOutputs,
} from "../../unit/stacks/recorded-stack.ts";
import { newFolder } from "../../unit/new-folder.ts";
import { compiledHere } from "../plugins/support/shared-bundle.ts";

const stack = "dev";
const previewSchema = z.object({
  steps: z.array(
    z.object({
      op: z.string(),
      urn: z.string(),
      newState: z.object({ type: z.string() }).optional(),
    }),
  ),
});

type Properties = Record<string, unknown>;

/** What the engine has for an output that is not known yet. */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/** The id of everything that is there. */
const id = "11111111-2222-3333-4444-555555555555";

/**
 * What libvirt's provider writes down of what it has made, besides the inputs (terraform-provider-libvirt 0.8.3). Only
 * what holds no secret.
 */
const made: Readonly<Record<string, (inputs: Properties) => Properties>> = {
  "libvirt:index/network:Network": () => ({ networkId: id }),
  "libvirt:index/pool:Pool": () => ({ poolId: id, capacity: 1, allocation: 1, available: 1 }),
  "libvirt:index/volume:Volume": (inputs) => ({ volumeId: id, size: 1, ...inputs }),
};

/** What these are below, and who makes them. */
const around = [
  ...["pulumi:pulumi:Stack", "kindows:stacks:Lab", "pulumi:providers:libvirt"],
  "kindows:network:LabNetwork",
  ...["kindows:machine:MachineStorage", "kindows:machine:LibvirtMachine"],
];

/** Resources of a state in which a lab's network, pool and disks are there, and nothing else. */
function resourcesOf(recording: Recording): readonly object[] {
  const known = (value: unknown): unknown => {
    if (value === unknown) return id;
    if (Array.isArray(value)) return value.map(known);
    return typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, known(each)]))
      : value;
  };
  const { images } = stackOutputs(recording);
  return [...recording.steps.values()].flatMap(
    ({ urn, newState: { type, custom, parent, provider, inputs: asked } }) => {
      if (made[type] === undefined && !around.includes(type)) return [];
      const uri = type === "pulumi:providers:libvirt" ? { uri: "qemu:///system" } : {};
      const inputs = { ...(known(asked) as Properties), ...uri };
      const by = String(provider);
      return {
        urn,
        type,
        custom,
        inputs,
        ...(parent !== "" && { parent }),
        ...(custom && { id }),
        outputs: {
          ...inputs,
          ...made[type]?.(inputs),
          ...(type === "pulumi:pulumi:Stack" && { images }),
        },
        ...(by !== "" && { provider: `${by.slice(0, by.lastIndexOf("::"))}::${id}` }),
      };
    },
  );
}

/** With a state, by libvirt's own provider, which compares it with what is asked for and needs no libvirt for it. */
describe("what a preview anywhere plans after an up for what libvirt has", () => {
  const folder = newFolder();
  const disk = (name: string): object => ({
    windows: { image: { kind: "disk", path: path.join(folder, name) } },
  });
  const settings = (): Sections => ({
    ...disk("first.qcow2"),
    nodes: [{ name: "win-1" }, { name: "win-2" }],
  });

  const pulumi = async (cwd: string, ...args: readonly string[]): Promise<string> => {
    const { stdout } = await execa(
      builtTool("pulumi"),
      [...args, "--non-interactive", "--stack", stack],
      {
        cwd,
        env: {
          ...process.env,
          ...engineEnvironment(process.env),
          PULUMI_BACKEND_URL: backendUrl(path.join(folder, "state")),
          PULUMI_CONFIG_PASSPHRASE: "",
          DOCKER_HOST: "unix:///nonexistent/docker.sock",
          KINDOWS_PREVIEW: "anywhere",
          NODE_COMPILE_CACHE: compiledHere,
        },
      },
    );
    return stdout;
  };

  /** What is done to what libvirt has, by `<last word of the type> <name>`. */
  const operations = async (changed: Sections): Promise<Readonly<Record<string, string>>> => {
    const file = path.join(folder, "settings.yaml");
    await writeFile(file, stringify({ config: settingsOf(stack, changed) }));
    const flags = ["--json", "--show-sames", "--config-file", file];
    const printed = await pulumi(projectRoot, "preview", ...flags);
    const { steps } = previewSchema.parse(JSON.parse(printed));
    return Object.fromEntries(
      steps
        .filter(({ newState }) => made[String(newState?.type)] !== undefined)
        .filter(({ op }) => op !== "create-replacement" && op !== "delete-replaced")
        .map(({ op, urn, newState }) => [
          `${newState?.type.split(":").at(-1)} ${urn.split("::").at(-1)}`,
          op,
        ]),
    );
  };

  before(async () => {
    await mkdir(path.join(folder, "state"));
    for (const name of ["first.qcow2", "second.qcow2"]) {
      await writeFile(path.join(folder, name), "QFI\u00fb", "latin1");
    }
    await cp(path.join(projectRoot, "Pulumi.yaml"), path.join(folder, "Pulumi.yaml"));
    await pulumi(folder, "stack", "init");
    const { version, deployment } = JSON.parse(await pulumi(folder, "stack", "export")) as {
      version: number;
      deployment: object;
    };
    const resources = resourcesOf(await recordedStack(stack, { settings: settings() }));
    // The lab's own host has it.
    await rm(path.join(folder, "first.qcow2"));
    const file = path.join(folder, "state.json");
    await writeFile(file, JSON.stringify({ version, deployment: { ...deployment, resources } }));
    await pulumi(folder, "stack", "import", "--file", file);
  });

  it("nothing where nothing changed", async () =>
    assert.deepEqual(await operations(settings()), {
      "Network lab": "same",
      "Pool machines": "same",
      "Volume machines-base": "same",
      "Volume win-1": "same",
      "Volume win-2": "same",
    }));

  it("what is asked for: a larger disk, another node, a new image and another bridge", async () => {
    const changed = {
      nodes: [
        { name: "win-1", diskGiB: 80 },
        { name: "win-2", memoryMiB: 12288 },
        { name: "win-3" },
      ],
      ...disk("second.qcow2"),
      network: { bridge: "kw-other" },
    };
    assert.deepEqual(await operations(changed), {
      "Network lab": "replace",
      "Pool machines": "same",
      "Volume machines-base": "replace",
      "Volume win-1": "replace",
      // The machine's disk stays on the image that it was made from, and with more memory.
      "Volume win-2": "same",
      "Volume win-3": "create",
    });
  });
});
