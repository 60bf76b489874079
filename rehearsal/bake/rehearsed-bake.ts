import { readFile } from "node:fs/promises";
import { bakeOf, type Bake } from "../../components/windows/image/bake.ts";
import { nodeImages } from "../../components/windows/image/node-images.ts";
import { parseImageManifest } from "../../components/windows/image-manifest.ts";
import { imageSoftware } from "../../components/windows/software.ts";
import { cni } from "../../config/sections/cni.ts";
import { rehearsalVersions } from "../../config/supported.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";

/** What is baked into the rehearsal's image: the same steps as into one of Windows, with the programs it carries. */
export async function rehearsedBake(manifest: string): Promise<Bake> {
  const versions = { kubernetes: kubernetesVersion, containerd: rehearsalVersions.containerd };
  const software = imageSoftware(versions, parseImageManifest(await readFile(manifest, "utf8")));
  const settings = {
    windows: {},
    cluster: { kubernetesVersion },
    cni: cni.parse({}),
  };
  return bakeOf(software, nodeImages(settings, software));
}
