import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse, stringify } from "yaml";

import { engineEnvironment } from "../../../cli/engine/environment.ts";
import { differenceOf } from "../../../cli/preview-diff/difference.ts";
import { previewOf } from "../../../cli/preview-diff/preview.ts";
import type { Previewed } from "../../../cli/preview-diff/previewed.ts";
import { builtTool } from "../../../toolchain/built.ts";
import { copySources } from "../plugins/support/copy-sources.ts";
import type { Planned, SettingChange } from "./planned.ts";
import { plannedBy } from "./planned.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** What the engine reads of the project beside its sources. */
const engineFiles = ["start.js", "package.json", "package-lock.json", "Pulumi.yaml"];

/** Checksums in the place of real ones: without them a preview cannot tell what is installed. */
export function checksumsOf(...programs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(programs.map((name) => [name, "5".repeat(64)]));
}

type Sections = Readonly<Record<string, unknown>>;

/** A stack of this project in a folder of its own, previewed where there is no Docker, no libvirt and no state. */
export class PreviewedStack {
  private constructor(
    readonly folder: string,
    private readonly stack: string,
    private readonly settings: Sections,
  ) {}

  /**
   * @param settings sections that differ from those of the stack's file. Real Windows starts from a disk of the user's,
   * for which nothing is needed.
   */
  static async of(stack: string, settings: Sections = {}): Promise<PreviewedStack> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-settings-"));
    await copySources(folder, engineFiles);
    for (const name of ["node_modules", "sdks"]) {
      await symlink(path.join(repository, name), path.join(folder, name));
    }
    const written = await readFile(path.join(repository, `Pulumi.${stack}.yaml`), "utf8");
    const { config } = parse(written) as { config: Readonly<Record<string, unknown>> };
    const sections = Object.fromEntries(
      Object.entries(config).map(([key, value]) => [key.replace(/^kindows:/, ""), value]),
    );
    const image = { kind: "disk", path: path.join(folder, "windows.qcow2") };
    const checksums = checksumsOf("containerd", "kubelet", "kubeadm", "kubeLogRunner", "crictl");
    const own = stack === "dev" ? { windows: { image, checksums } } : {};
    const made = new PreviewedStack(folder, stack, merged(merged(sections, own), settings));
    await made.hasImage("first");
    return made;
  }

  dispose(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** Has this host hold another image: of the rehearsal's guest, and as the disk of a user. */
  async hasImage(content: string): Promise<void> {
    const hash = Buffer.from(content.padEnd(6)).toString("hex").slice(0, 12);
    const medium = (fileName: string): object => ({ fileName, sha256: "5".repeat(64) });
    await mkdir(path.join(this.folder, ".kindows"), { recursive: true });
    const at = (name: string): string => path.join(this.folder, ".kindows", name);
    await writeFile(
      at("manifest.json"),
      JSON.stringify({
        windowsBuild: "10.0.20348.4405",
        media: {
          containerd: medium("containerd-2.4.2-windows-amd64.tar.gz"),
          kubelet: medium("kubelet.exe"),
          kubeadm: medium("kubeadm.exe"),
          kubeLogRunner: medium("kube-log-runner.exe"),
        },
      }),
    );
    const image = { path: at(`${content}.qcow2`), hash, manifest: at("manifest.json") };
    await writeFile(
      at("artifacts.json"),
      JSON.stringify({ tools: {}, bakedRehearsalImage: image }),
    );
    // As a disk of the user's it is told apart by size and time; it begins as each qcow2 does.
    await writeFile(path.join(this.folder, "windows.qcow2"), `QFI\u00fb${content}`, "latin1");
  }

  /** Writes the stack's settings, with these sections changed. */
  async write(changes: Sections = {}): Promise<void> {
    const config = Object.entries(merged(this.settings, changes)).map(([name, section]) => [
      `kindows:${name}`,
      section,
    ]);
    await writeFile(
      path.join(this.folder, `Pulumi.${this.stack}.yaml`),
      stringify({ config: Object.fromEntries(config) as unknown }),
    );
  }

  /** What the stack asks for, with these sections changed. */
  async preview(changes: Sections = {}): Promise<Previewed> {
    await this.write(changes);
    return previewOf(this.folder, this.stack, {
      program: builtTool("pulumi"),
      environment: {
        ...process.env,
        ...engineEnvironment(process.env),
        DOCKER_HOST: "unix:///nonexistent/docker.sock",
        LIBVIRT_DEFAULT_URI: "test:///nonexistent",
      },
      signal: new AbortController().signal,
    });
  }

  /** What a change plans against a preview without it. */
  async planned(base: Previewed, change: SettingChange): Promise<Required<Planned>> {
    const { settings = {}, host } = change;
    if (host === undefined) {
      return plannedBy(differenceOf(base, await this.preview(settings)));
    }
    if (host === "new image") {
      await this.hasImage("second");
      const head = await this.preview(settings);
      await this.hasImage("first");
      return plannedBy(differenceOf(base, head));
    }
    const script = path.join(this.folder, "components/windows/steps", host.editedStep);
    const before = await readFile(script);
    await appendFile(script, " ");
    const head = await this.preview(settings);
    await writeFile(script, before);
    return plannedBy(differenceOf(base, head));
  }
}

/** Objects become one, key by key; of anything else the new one counts. */
function merged(old: Sections, now: Sections): Sections {
  const isObject = (value: unknown): value is Sections =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const both = Object.entries(now).map(([key, value]) => {
    const before = old[key];
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value];
  });
  return { ...old, ...(Object.fromEntries(both) as Sections) };
}
