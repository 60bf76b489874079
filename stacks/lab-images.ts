import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import {
  type ImageArchive,
  imageArchiveSchema,
} from "../components/image-archives/image-archive.ts";
import { examineArchives, imagesInNoArchive } from "../components/image-archives/image-archives.ts";
import { isPreviewAnywhere } from "../components/preview-anywhere.ts";
import { locatedLinuxImage } from "../images/linux/located.ts";
import type { LinuxPrograms } from "../components/linux/steps.ts";
import { caCertificateSchema } from "../components/node/ca-certificates.ts";
import { ownScriptSchema } from "../components/windows/own-scripts.ts";
import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";
import {
  findNetwork,
  type FoundNetwork,
  usualNetwork,
} from "../components/network/found-network.ts";
import type { PinnedFile } from "../components/windows/download-artifact.ts";
import { examineOwnFiles, type FoundFiles } from "../components/windows/own-files.ts";
import { type Complaint, SettingsError } from "../config/problem.ts";
import { type GivenFiles, givenFilesIn } from "../config/given-files.ts";
import type { FindFiles } from "../config/resolve.ts";
import type { Settings } from "../config/settings.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { Cache } from "../toolchain/cache.ts";
import { kubernetesVersion } from "../toolchain/tools/table.ts";
import { onLinuxNodes } from "./pulled-images.ts";
import { goldenImageSchema, notBuilt } from "./golden-image.ts";

/** Description of each image, or of the network, and the settings that it depends on as JSON; stored in the stack's outputs. */
const usedSchema = z.record(z.string(), z.object({ asked: z.string(), found: z.unknown() }));

type Used = z.infer<typeof usedSchema>;

/**
 * The images that a lab is made from. Many are built, downloaded or converted on the lab's host, and only that host
 * knows their hashes. They are therefore stored in the stack's outputs, from which a preview on any other host takes
 * them.
 */
export class LabImages {
  readonly used: Used = {};

  constructor(private readonly recorded: Used = {}) {}

  /** Reads the stored images only for a preview that has to work on any host (KINDOWS_PREVIEW). */
  static async ofStack(): Promise<LabImages> {
    return new LabImages(isPreviewAnywhere() ? await recordedImages() : {});
  }

  /**
   * Returns one of the images.
   *
   * @param asked the settings that it depends on. The stored image is used only if these are the same.
   * @param find finds it on this host.
   */
  of<T>(name: string, asked: unknown, schema: z.ZodType<T>, find: () => T): T {
    const key = JSON.stringify(asked);
    const before = this.recorded[name];
    const found = before?.asked === key ? schema.parse(before.found) : find();
    this.used[name] = { asked: key, found };
    return found;
  }
}

/** Images in the stack's outputs since its last `up`; empty if it was never up. */
async function recordedImages(): Promise<Used> {
  const stack = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  const result: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {
    name: stack,
  });
  return outputsSchema.parse(result).outputs.images ?? {};
}

/** What a lab knows of a network that was there before, besides who has addresses in it. */
const usedNetworkSchema = z.object({
  uuid: z.string(),
  bridge: z.string(),
  cidr: z.string(),
  gateway: z.string(),
  mtu: z.number(),
  domain: z.string().optional(),
});

/**
 * The libvirt network that the settings name, read from this host's libvirt, or, in a preview that has to work on any host
 * (KINDOWS_PREVIEW), as the last `up` found it.
 */
export async function networkOfStack(uri: string, name: string): Promise<FoundNetwork | Complaint> {
  if (!isPreviewAnywhere()) return findNetwork(uri, name);
  const before = (await recordedImages())["network"];
  return before?.asked === JSON.stringify(name)
    ? { ...usedNetworkSchema.parse(before.found), taken: [] }
    : usualNetwork;
}

const ownFilesSchema = z.record(z.string(), z.object({ uri: z.string(), sha256: z.string() }));

/**
 * The user's own programs on this host or, in a preview that has to work on any host (KINDOWS_PREVIEW), as the last `up`
 * found them.
 */
export async function filesOfStack(...which: Parameters<FindFiles>): Promise<FoundFiles> {
  if (!isPreviewAnywhere()) return examineOwnFiles(...which);
  const before = (await recordedImages())["programs"];
  const isSame = before?.asked === JSON.stringify(which[0]);
  return { files: isSame ? ownFilesSchema.parse(before.found) : {}, problems: [] };
}

/** Stores what was found of the user's own programs, if there are any. */
export function recordFiles({ windows }: Pick<Settings, "windows">, images: LabImages): void {
  const { programs, ownFiles } = windows;
  if (Object.keys(ownFiles).length === 0) return;
  images.of("programs", programs, ownFilesSchema, () => ownFiles as Record<string, PinnedFile>);
}

const givenSchema = z.object({
  certificates: z.array(caCertificateSchema),
  scripts: z.array(ownScriptSchema),
});

/**
 * The certificates and scripts that the settings name or, in a preview that has to work on any host (KINDOWS_PREVIEW), as
 * the last `up` found them.
 */
export async function givenOfStack(
  written: Readonly<Record<string, unknown>>,
): Promise<GivenFiles> {
  if (!isPreviewAnywhere()) return givenFilesIn(written);
  const found = (await recordedImages())["given"]?.found;
  return { certificates: [], scripts: [], ...givenSchema.safeParse(found).data, problems: [] };
}

/** Stores what was found of the certificates and scripts, if there are any. */
export function recordGiven(
  settings: Pick<Settings, "caCertificates" | "given" | "windows">,
  images: LabImages,
): void {
  const { caCertificates, given, windows } = settings;
  const certificates = [...given.certificates];
  const scripts = [...given.scripts];
  if (certificates.length === 0 && scripts.length === 0) return;
  const asked = [caCertificates, windows.scripts];
  images.of("given", asked, givenSchema, () => ({ certificates, scripts }));
}

/** Stores what was found of the network that the lab uses, if any. */
export function recordNetwork({ network }: Pick<Settings, "network">, images: LabImages): void {
  const { libvirtNetwork, found } = network;
  if (found === undefined) return;
  images.of("network", libvirtNetwork, usedNetworkSchema, () => usedNetworkSchema.parse(found));
}

const outputsSchema = z.object({ outputs: z.object({ images: usedSchema.optional() }) });

// `kindows prepare` builds the disk and the programs. A preview works without them, on a host that has built nothing.
// Before an `up`, the preflight checks that they exist.

/** The disk that Linux machines start from. */
export function linuxImage({ linux }: Pick<Settings, "linux">, images: LabImages): GoldenImage {
  return images.of("linux", linux.image, goldenImageSchema, () => {
    const image = locatedLinuxImage(linux.image);
    return typeof image === "object" ? image : notBuilt;
  });
}

/** The programs that are installed on Linux machines. */
export function linuxPrograms(images: LabImages): LinuxPrograms {
  const sha256 = images.of(
    "linuxPrograms",
    kubernetesVersion,
    z.string(),
    () => builtSoFar().linuxPrograms?.sha256 ?? notBuilt.hash,
  );
  return { path: builtSoFar().linuxPrograms?.path, sha256, kubernetesVersion };
}

/**
 * The archives of images for Linux nodes. Warns if the nodes need images that no archive has, without asking a registry.
 *
 * @throws RunError, which Pulumi prints without a stack trace, if any of them can't be used.
 */
export async function imageArchives(
  settings: Settings,
  images: LabImages,
): Promise<readonly ImageArchive[]> {
  const paths = settings.cluster.imageArchives;
  if (paths.length === 0) return [];
  const unread = (): ImageArchive[] => paths.map((path) => ({ path, sha256: notBuilt.hash }));
  const found = isPreviewAnywhere() ? undefined : await examinedArchives(settings);
  return images.of("archives", paths, z.array(imageArchiveSchema), () => found ?? unread());
}

async function examinedArchives(settings: Settings): Promise<ImageArchive[]> {
  const file = `Pulumi.${pulumi.getStack()}.yaml`;
  const paths = settings.cluster.imageArchives;
  const say = (line: string): void => void pulumi.log.info(line);
  const archives = await examineArchives(paths, file, new Cache(), say).catch((error: unknown) => {
    throw error instanceof SettingsError ? new pulumi.RunError(error.message) : error;
  });
  const needed = onLinuxNodes(settings).map(({ image }) => image);
  const missing = imagesInNoArchive(needed, archives);
  if (missing.length > 0) {
    await pulumi.log.warn(
      `no archive in kindows:cluster.imageArchives has ${missing.join(", ")}: the Linux nodes pull what they lack`,
    );
  }
  return archives.map(({ path, sha256 }) => ({ path, sha256 }));
}
