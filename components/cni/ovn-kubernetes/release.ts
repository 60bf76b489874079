import { flannelPrograms } from "../flannel/release.ts";
import type { PublishedProgram } from "../published-program.ts";

/** The hybrid overlay's program for Windows. It is not published anywhere, so the settings say where it is. */
const hybridOverlay: PublishedProgram = {
  file: "hybrid-overlay-node.exe",
  uri: "",
  checksumUri: "",
};

export const ovnKubernetesPrograms = { hybridOverlay, cniPlugins: flannelPrograms.cniPlugins };
