import { maxBridgeNameLength } from "../names.ts";
import type { Check } from "./check.ts";

/** The bridge's name, where it follows from the lab's, still is one. */
export const defaultBridgeLength: Check = {
  reads: ["lab.name", "network.bridge"],
  run: ({ lab, network }) =>
    network.bridge.length > maxBridgeNameLength
      ? [
          {
            path: ["network", "bridge"],
            value: network.bridge,
            why: `has ${network.bridge.length} characters, as it follows from kindows:lab.name (${lab.name}); Linux allows an interface ${maxBridgeNameLength}`,
            instead: `Write a name of your own, e.g. ${network.bridge.slice(0, maxBridgeNameLength).replace(/-+$/, "")}, or a lab name of at most 12 characters.`,
          },
        ]
      : [],
};
