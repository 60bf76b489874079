import * as z from "zod";
import type { Complaint } from "../../config/problem.ts";
import type { ArchivedFile, ArchiveFiles } from "./archive-files.ts";
import { hasRegistry, withRegistry } from "./image-reference.ts";
import { runsImageOf } from "./windows-versions.ts";

/** What an archive contains for one platform. */
interface ArchivedImages {
  /** References with registry and tag. */
  readonly references: readonly string[];
  /** What is wrong with the archive; empty if all its images can be used. */
  readonly complaints: readonly Complaint[];
}

export interface Platform {
  readonly os: string;
  /** As in an image: `amd64`, `arm64`. */
  readonly architecture: string;
  /** Version of Windows, e.g. `10.0.20348.2113`: of a node, or that an image is for. */
  readonly osVersion?: string | undefined;
}

/** The platform of Linux nodes on this host. */
export const linuxHere: Platform = {
  os: "linux",
  architecture: process.arch === "x64" ? "amd64" : process.arch,
};

const again = "Save it again, or compare its checksum with that of the file that was copied.";

const damaged = (what: string): Complaint => ({ why: `is damaged: ${what}`, instead: again });

const platformSchema = z
  .object({
    os: z.string(),
    architecture: z.string(),
    "os.version": z.string().optional(),
    rootfs: z.object({ diff_ids: z.array(z.string()).nullish() }).optional(),
  })
  .transform(({ "os.version": osVersion, ...rest }) => ({ ...rest, osVersion }));

const descriptorSchema = z.object({
  digest: z.string(),
  platform: platformSchema.optional(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

type Descriptor = z.infer<typeof descriptorSchema>;

const indexSchema = z.object({ manifests: z.array(descriptorSchema) });

const manifestSchema = z.object({
  config: descriptorSchema,
  layers: z.array(descriptorSchema).nullish(),
});

const dockerSchema = z.array(
  z.object({
    Config: z.string(),
    RepoTags: z.array(z.string()).nullish(),
    Layers: z.array(z.string()).nullish(),
  }),
);

/**
 * The images in an archive that `docker save` wrote, or in an OCI archive. An archive that is both counts as OCI, as for
 * containerd.
 */
export function archivedImages(files: ArchiveFiles["files"], platform: Platform): ArchivedImages {
  const damage = misnamed(files);
  if (damage.length > 0) return { references: [], complaints: damage };
  const index = files.has("oci-layout")
    ? indexSchema.safeParse(document(files, "index.json"))
    : undefined;
  const docker = dockerSchema.safeParse(document(files, "manifest.json"));
  const found = index?.success
    ? index.data.manifests.filter(isImage).map((image) => ociImage(files, image, platform))
    : docker.success
      ? docker.data.map((image) => dockerImage(files, image, platform))
      : undefined;
  if (found === undefined) {
    const why = "is no archive of images: it has neither an index nor a manifest of images";
    return {
      references: [],
      complaints: [{ why, instead: "Write one that `docker save` wrote." }],
    };
  }
  if (found.length === 0) {
    const why = "contains no image";
    return { references: [], complaints: [{ why, instead: "Save the images again." }] };
  }
  return {
    references: [...new Set(found.flatMap(({ references }) => references))],
    complaints: found.flatMap(({ complaints }) => complaints),
  };
}

/** Files whose names are the digests of their contents, and whose contents are others. */
function misnamed(files: ArchiveFiles["files"]): Complaint[] {
  return [...files].flatMap(([name, { sha256, linkTo }]) => {
    const digest = /^(?:blobs\/sha256\/)?([0-9a-f]{64})(?:\.json)?$/.exec(name)?.[1];
    return digest === undefined || digest === sha256 || linkTo !== undefined
      ? []
      : [damaged(`the content of ${name} has the SHA-256 ${sha256}`)];
  });
}

function document(files: ArchiveFiles["files"], name: string): unknown {
  return files.get(name)?.document;
}

/** Signatures and attestations beside an image have no platform of their own. */
function isImage({ platform, annotations }: Descriptor): boolean {
  return platform?.os !== "unknown" && !annotations?.["vnd.docker.reference.type"];
}

const blobName = (digest: string): string => `blobs/${digest.replace(":", "/")}`;

function ociImage(
  files: ArchiveFiles["files"],
  image: Descriptor,
  platform: Platform,
): ArchivedImages {
  const { annotations } = image;
  const name =
    annotations?.["io.containerd.image.name"] ?? annotations?.["org.opencontainers.image.ref.name"];
  const named = nameOf(name, image.digest);
  const manifests = manifestsOf(files, image);
  if (typeof manifests === "string") return withComplaints(damaged(lacking(named, manifests)));
  const suitable = manifests.find(({ config }) => config !== undefined && isFor(platform, config));
  if (suitable === undefined) return otherPlatform(named, manifests, platform);
  const lacked = suitable.layers.find((layer) => !files.has(blobName(layer)));
  return lacked === undefined
    ? checkedName(named, name)
    : withComplaints(damaged(lacking(named, blobName(lacked))));
}

interface FoundManifest {
  readonly config: Platform | undefined;
  readonly platform: Platform | undefined;
  readonly layers: readonly string[];
}

/** The manifests of an image for all its platforms, or the name of a file that is missing. */
function manifestsOf(
  files: ArchiveFiles["files"],
  { digest, platform }: Descriptor,
): readonly FoundManifest[] | string {
  const content = document(files, blobName(digest));
  if (content === undefined) return blobName(digest);
  const index = indexSchema.safeParse(content);
  if (index.success) {
    const all = index.data.manifests.filter(isImage).map((each) => {
      const inside = manifestsOf(files, each);
      // An index names the manifests of all platforms, of which an archive often has one.
      const missing = [{ config: undefined, platform: each.platform, layers: [] }];
      return typeof inside === "string" ? missing : inside;
    });
    return all.flat();
  }
  const manifest = manifestSchema.safeParse(content);
  if (!manifest.success) return blobName(digest);
  const config = platformSchema.safeParse(document(files, blobName(manifest.data.config.digest)));
  if (!config.success) return blobName(manifest.data.config.digest);
  const layers = (manifest.data.layers ?? []).map((layer) => layer.digest);
  return [{ config: config.data, platform: platform ?? config.data, layers }];
}

function dockerImage(
  files: ArchiveFiles["files"],
  { Config, RepoTags, Layers }: z.infer<typeof dockerSchema>[number],
  platform: Platform,
): ArchivedImages {
  const tags = RepoTags ?? [];
  const named = nameOf(tags[0], `sha256:${/[0-9a-f]{64}/.exec(Config)?.[0] ?? Config}`);
  const config = platformSchema.safeParse(document(files, Config));
  if (!config.success) return withComplaints(damaged(lacking(named, Config)));
  const layers = Layers ?? [];
  const contents = layers.map((layer) => target(files, layer));
  const lacked = contents.indexOf(undefined);
  if (lacked >= 0) return withComplaints(damaged(lacking(named, layers[lacked] ?? "")));
  const diffs = config.data.rootfs?.diff_ids ?? [];
  const other = contents.findIndex(
    (layer, number) =>
      layer?.isCompressed === false && `sha256:${layer.sha256}` !== (diffs[number] ?? ""),
  );
  if (other >= 0) {
    return withComplaints(damaged(`${layers[other] ?? ""} is not the layer of ${named}`));
  }
  if (!isFor(platform, config.data)) {
    return otherPlatform(named, [{ platform: config.data }], platform);
  }
  const checked = tags.length === 0 ? [undefined] : tags.map(withRegistry);
  const all = checked.map((tag) => checkedName(named, tag));
  return {
    references: all.flatMap(({ references }) => references),
    complaints: all.flatMap(({ complaints }) => complaints),
  };
}

/** The file, or what it links to: older Dockers save a layer of several images once. */
function target(files: ArchiveFiles["files"], name: string): ArchivedFile | undefined {
  const file = files.get(name);
  if (file?.linkTo === undefined) return file;
  const base = new URL(name, "file:///");
  return files.get(new URL(file.linkTo, base).pathname.slice(1));
}

function isFor(node: Platform, { os, architecture, osVersion }: Platform): boolean {
  return (
    os === node.os &&
    architecture === node.architecture &&
    (osVersion === undefined ||
      node.osVersion === undefined ||
      runsImageOf(osVersion, node.osVersion))
  );
}

const nameOf = (name: string | undefined, digest: string): string => name ?? digest.slice(0, 19);

const lacking = (image: string, file: string): string => `it lacks ${file} of ${image}`;

function withComplaints(...complaints: readonly Complaint[]): ArchivedImages {
  return { references: [], complaints };
}

function otherPlatform(
  image: string,
  found: readonly { readonly platform: Platform | undefined }[],
  node: Platform,
): ArchivedImages {
  const has = found.flatMap(({ platform }) =>
    platform === undefined ? [] : nameOfPlatform(platform),
  );
  const nodes = node.os === "windows" ? "Windows" : "Linux";
  return withComplaints({
    why: `has ${image} for ${[...new Set(has)].join(", ")}, and the ${nodes} nodes are ${nameOfPlatform(node)}`,
    instead:
      node.osVersion === undefined
        ? `Pull it with \`docker pull --platform ${node.os}/${node.architecture}\`, and save it again.`
        : "Build it from a base image for that version of Windows.",
  });
}

function nameOfPlatform({ os, architecture, osVersion }: Platform): string {
  return `${os}/${architecture}${osVersion === undefined ? "" : ` ${osVersion}`}`;
}

/** Checks the name by which pods find an image. */
function checkedName(named: string, name: string | undefined): ArchivedImages {
  const hasTag = name !== undefined && /[:@][^/]*$/.test(name);
  if (hasTag && hasRegistry(name)) return { references: [name], complaints: [] };
  const why =
    name === undefined
      ? `has ${named} without a tag, so that no pod finds it`
      : `has an image as ${name}, without ${hasTag ? "its registry" : "registry and tag"}, so that no pod finds it`;
  return withComplaints({ why, instead: "Save it by its whole name: REGISTRY/NAME:TAG." });
}
