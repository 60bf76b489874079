/** Prints the cache's keys of this clone's artifacts as JSON: of all that are exported, and one of each made from arguments. */
import * as calico from "../../../components/cni/calico/definitions-artifact.ts";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { defaultCalico } from "../../../host/versions.ts";
import * as loadBalancer from "../../../images/load-balancer/artifact.ts";
import * as node from "../../../images/node/artifact.ts";
import * as registry from "../../../images/registry/artifact.ts";
import * as linuxDebian from "../../../images/linux/debian.ts";
import * as linuxImage from "../../../images/linux/artifact.ts";
import * as linuxPrograms from "../../../images/linux/programs.ts";
import * as convertedDisk from "../../../images/disk/converted-disk.ts";
import * as download from "../../../components/windows/download-artifact.ts";
import { bareBake } from "../../../images/windows/bake.ts";
import * as windowsImage from "../../../images/windows/builder/image-artifact.ts";
import { windowsDisk } from "../../../images/windows/windows-images.ts";
import { stackSettings } from "../../../cli/stack-settings.ts";
import { bundledPlugins } from "../../../offline/plugins/catalog.ts";
import * as bake from "../../../rehearsal/bake/artifact.ts";
import * as rehearsalDebian from "../../../rehearsal/image/debian.ts";
import * as rehearsal from "../../../rehearsal/image/artifact.ts";
import { calicoPrograms } from "../../../rehearsal/image/calico-programs.ts";
import * as guestTools from "../../../rehearsal/image/guest-tools.ts";
import * as setup from "../../../rehearsal/setup/artifact.ts";
import * as wine from "../../../rehearsal/wine/artifact.ts";
import type { Artifact } from "../../../toolchain/artifact.ts";
import { artifactAddress, Cache } from "../../../toolchain/cache.ts";
import * as daemons from "../../../toolchain/daemons.ts";
import * as plugin from "../../../cli/engine/plugin-artifact.ts";
import * as go from "../../../toolchain/tools/go-toolchain.ts";
import * as kindFiles from "../../../toolchain/tools/kind-base-files.ts";
import * as tools from "../../../toolchain/tools/table.ts";

const exported = [
  ...[
    loadBalancer,
    registry,
    node,
    linuxDebian,
    linuxImage,
    linuxPrograms,
    bake,
    rehearsalDebian,
    rehearsal,
  ],
  ...[guestTools, setup, wine, daemons, go, kindFiles, tools],
].flatMap((module) => Object.values<unknown>(module).filter(isArtifact));

const cache = new Cache();
const made: readonly Artifact[] = [
  calico.calicoDefinitions(calicoRelease(defaultCalico)),
  calicoPrograms("package.json"),
  convertedDisk.convertedDisk("package.json", windowsDisk, cache),
  download.downloadArtifact({ uri: "https://example.org/file.zip", sha256: "0".repeat(64) }),
  windowsImage.windowsImage(await stackSettings("dev-2025"), cache, { bake: bareBake }),
  ...bundledPlugins.map((each) => plugin.pluginArtifact(each, "bundled")),
];

const known = new Map<Artifact, Promise<string>>();
await Promise.all([...exported, ...made].map((each) => artifactAddress(each, known)));
const keys = [...known].map(async ([{ name }, key]) => [name, await key] as const);
console.log(JSON.stringify(Object.fromEntries(await Promise.all(keys))));

function isArtifact(value: unknown): value is Artifact {
  return typeof value === "object" && value !== null && "inputs" in value && "needs" in value;
}
