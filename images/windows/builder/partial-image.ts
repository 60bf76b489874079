import { chmod, copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { writeWhole } from "../../../host/write-whole.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { thisProcess } from "../../../toolchain/owner.ts";
import { parseJson } from "../../../toolchain/parse-json.ts";
import { type ImageSecrets, imageSecretsSchema } from "../image-disc.ts";
import { uefiVariables } from "./qemu-command.ts";

const stateFile = "state.json";

const stateSchema = z.strictObject({
  /** Name and hash of the image. The disk of another image is never resumed. */
  address: z.string(),
  /** Boot id of this host. QEMU does not flush, so writes survive the end of QEMU but not of the host. */
  bootId: z.string(),
  secrets: imageSecretsSchema,
});

/**
 * The disk of an image that is being built, in a private folder named by the image's name and hash. From the end of
 * Windows' setup until sealing, the folder also has the machine's keys, so that the next build can resume if this one
 * is killed. Only the process that holds the lock of the image's cache entry may use the folder.
 */
export class PartialImage {
  readonly #folder: string;

  constructor(
    cache: Cache,
    private readonly address: string,
  ) {
    this.#folder = path.join(cache.partialFolder, address);
  }

  get disk(): string {
    return path.join(this.#folder, "disk.qcow2");
  }

  /** Saved UEFI variables, if the machine has UEFI. */
  get uefiVariables(): string {
    return path.join(this.#folder, uefiVariables);
  }

  /** The phase in which an earlier build was interrupted; undefined if none was. */
  async cutOff(): Promise<"in Setup" | "while the nodes' steps ran" | undefined> {
    if ((await stat(this.#folder).catch(() => undefined)) === undefined) return undefined;
    return (await this.kept()) === undefined ? "in Setup" : "while the nodes' steps ran";
  }

  /** Keys of a disk that can be resumed; undefined if there is none, or if the host has rebooted since. */
  async kept(): Promise<ImageSecrets | undefined> {
    const text = await readFile(path.join(this.#folder, stateFile), "utf8").catch(() => "");
    const state = stateSchema.safeParse(parseJson(text));
    const { bootId } = await thisProcess();
    const disk = await stat(this.disk).catch(() => undefined);
    return state.success &&
      state.data.address === this.address &&
      state.data.bootId === bootId &&
      disk !== undefined
      ? state.data.secrets
      : undefined;
  }

  async begin(): Promise<void> {
    await this.remove();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Makes the disk resumable from now on.
   *
   * @param machineFolder has the machine's UEFI variables, if it has UEFI.
   */
  async keep(secrets: ImageSecrets, machineFolder: string): Promise<void> {
    const variables = path.join(machineFolder, uefiVariables);
    if ((await stat(variables).catch(() => undefined)) !== undefined) {
      await copyFile(variables, this.uefiVariables);
      await chmod(this.uefiVariables, 0o600);
    }
    const { bootId } = await thisProcess();
    const state: z.infer<typeof stateSchema> = { address: this.address, bootId, secrets };
    writeWhole(path.join(this.#folder, stateFile), `${JSON.stringify(state)}\n`, 0o600);
  }

  /** Makes the disk no longer resumable, because sealing ends the ability to log in. */
  async withdraw(): Promise<void> {
    await rm(path.join(this.#folder, stateFile), { force: true });
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const noteSchema = z.object({
  version: z.string(),
  edition: z.string(),
  language: z.string(),
  build: z.number(),
  revision: z.number(),
});

export type ImageNote = z.infer<typeof noteSchema>;

export async function writeImageNote(folder: string, note: ImageNote): Promise<void> {
  await writeFile(path.join(folder, "image.json"), `${JSON.stringify(note, undefined, 2)}\n`);
}

/** Undefined if the note is missing or cannot be read. */
export async function readImageNote(folder: string): Promise<ImageNote | undefined> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(path.join(folder, "image.json"), "utf8")));
  } catch {
    return undefined;
  }
}
