import type * as z from "zod";
import type { MachineMaker } from "../machine-maker.ts";
import { hypervisors, type HypervisorsSection } from "./settings.ts";

type Host = z.output<typeof hypervisors>[number];

export const libvirt: MachineMaker<typeof hypervisors, HypervisorsSection> = {
  title: "libvirt",
  settings: hypervisors,
  checks: [],
  systems: ["windows", "linux"],
  addressOf: ({ uri }: Host) => ({
    setting: "uri",
    server: new URL(uri).host.toLowerCase().replace(/:22$/, ""),
  }),
  readiness: () => import("./readiness.ts"),
  hostResources: () => import("./host-resources.ts"),
  components: () => import("./libvirt-machines.ts"),
};
