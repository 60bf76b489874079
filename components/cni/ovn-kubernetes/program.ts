import type { PublishedProgram } from "../pod-network.ts";

/** The hybrid overlay's program for Windows. Nobody publishes it: the settings say where it is. */
export const program: PublishedProgram = {
  file: "hybrid-overlay-node.exe",
  uri: "",
  checksumUri: "",
};
