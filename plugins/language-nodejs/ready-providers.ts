import { rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import service from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { writeWhole } from "../../host/write-whole.ts";
import { beforeExit, listen } from "../protocol/plugin-server.ts";
import { providerService } from "../protocol/provider-service.ts";
import { providers } from "../providers.ts";

/**
 * Serves the bundled ones of these providers in this process, while the program starts. Each leaves its port in a file, where
 * its executable (plugin.sh) looks when the engine starts it: three Node.js processes less are a fifth of a preview.
 *
 * @param engine address of the engine, to which they report.
 */
export async function makeProvidersReady(names: readonly string[], engine: string): Promise<void> {
  const home = process.env["PULUMI_HOME"] || path.join(os.homedir(), ".pulumi");
  // Both are unique together, so that nothing is taken that a killed host has left.
  const folder = path.join(home, "ready-providers", `${process.ppid}-${engine}`);
  beforeExit(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of names) {
    const definition = await providers[name]?.();
    if (definition === undefined) continue;
    const { port } = await listen((server) => {
      server.addService(service.ResourceProviderService, providerService(definition, engine));
    });
    writeWhole(path.join(folder, name), `${port}\n`, 0o600);
  }
}
