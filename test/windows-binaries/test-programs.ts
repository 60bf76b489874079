import { readFileSync } from "node:fs";
import * as z from "zod";

/** Address of the tested cluster's API server, in the tests' network namespace. */
export const clusterAddress = "192.168.250.1";

export const clusterName = "kindows-tested-control-plane";

export const nodeAddress = "192.168.250.11";

/** Variable with the path of the file that `main.ts` writes for the tests. */
export const programsVariable = "KINDOWS_JUDGED_PROGRAMS";

const programsSchema = z.object({
  /** The artifact wine-root's `root`. */
  wineRoot: z.string(),
  containerdWindows: z.record(z.string(), z.string()),
  kubernetesWindows: z.string(),
  kubeProxyWindows: z.string(),
  flannelWindows: z.string(),
  flannelPluginWindows: z.string(),
  cniPluginsWindows: z.string(),
  rehearsalCri: z.string(),
  agnhostWindows: z.string(),
  rehearsalCurl: z.string(),
  hcnTests: z.string(),
  kubernetesLinux: z.string(),
  etcd: z.string(),
  kubeApiserver: z.string(),
  calicoDefinitions: z.string(),
  /** Calico's programs, if they are there. */
  calico: z.object({ windows: z.string(), linux: z.string() }).optional(),
});

/** Absolute paths of the tested programs and of those that test them. */
export type TestPrograms = z.infer<typeof programsSchema>;

/** @throws if the tests were not started by `make test-windows-binaries`. */
export function testPrograms(): TestPrograms {
  const file = process.env[programsVariable];
  if (file === undefined) {
    throw new Error("these tests need namespaces and programs: run `make test-windows-binaries`");
  }
  return programsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}
