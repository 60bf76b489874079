/**
 * Host action: makes all nodes in containers trust certificates, or with `--none` no longer. Starts the containers of
 * workers, which join later.
 */
import * as z from "zod";
import { clusterLabel } from "../../../config/names.ts";
import { labelledContainers } from "../../../host/docker.ts";
import { runAction } from "../../host-action/run-action.ts";
import { caCertificateSchema } from "../../node/ca-certificates.ts";
import { trustCertificates } from "../trust-certificates.ts";
import { workerSchema } from "../worker-container.ts";
import { startWorker } from "./start-worker.ts";

export const environment = {
  TRUST: z.strictObject({
    cluster: z.string(),
    controlPlanes: z.array(z.string()),
    workers: z.array(workerSchema),
    certificates: z.array(caCertificateSchema),
  }),
};

await runAction(environment, async ({ TRUST }) => {
  const { cluster, controlPlanes, workers, certificates } = TRUST;
  const nodes = [...controlPlanes, ...workers.map(({ name }) => name)];
  if (process.argv.includes("--none")) {
    const there = await labelledContainers(`${clusterLabel}=${cluster}`);
    await trustCertificates(
      nodes.filter((name) => there.includes(name)),
      [],
    );
    return;
  }
  await Promise.all(workers.map(startWorker));
  await trustCertificates(nodes, certificates);
});
