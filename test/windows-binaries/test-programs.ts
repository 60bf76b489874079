import { readFileSync } from "node:fs";
import * as z from "zod";

/** Address of the tested cluster's API server, in a network namespace of the tests' own. */
export const clusterAddress = "192.168.250.1";

export const clusterName = "kindows-tested-control-plane";

export const nodeAddress = "192.168.250.11";

/** Variable that names the file in which `main.ts` says what the tests need. */
export const programsVariable = "KINDOWS_JUDGED_PROGRAMS";

const programsSchema = z.object({
  /** The artifact wine-root's `root`. */
  wineRoot: z.string(),
  containerdWindows: z.record(z.string(), z.string()),
  kubernetesWindows: z.string(),
  kubeProxyWindows: z.string(),
  rehearsalCri: z.string(),
  kubernetesLinux: z.string(),
  etcd: z.string(),
});

/** Where the tested programs and those that test them are; absolute paths. */
export type TestPrograms = z.infer<typeof programsSchema>;

/** @throws when the tests were not started by `make test-windows-binaries`. */
export function testPrograms(): TestPrograms {
  const file = process.env[programsVariable];
  if (file === undefined) {
    throw new Error("these tests need namespaces and programs: run `make test-windows-binaries`");
  }
  return programsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}
