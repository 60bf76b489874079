import type * as z from "zod";
import type { MachineMaker } from "../machine-maker.ts";
import { hyperVChecks, hyperVHosts, type HyperVSection } from "./settings.ts";

type Host = z.output<typeof hyperVHosts>[number];

export const hyperV: MachineMaker<typeof hyperVHosts, HyperVSection> = {
  title: "Hyper-V",
  settings: hyperVHosts,
  checks: hyperVChecks,
  systems: ["windows"],
  addressOf: ({ address, port }: Host) => ({
    setting: "address",
    server: port === 22 ? address : `${address}:${port}`,
  }),
  readiness: () => import("./readiness.ts"),
  recovery: () => import("./recovery.ts"),
  components: () => import("./hyper-v-machine.ts"),
};
