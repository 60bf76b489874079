import { rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import service from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { writeWhole } from "../../../host/write-whole.ts";
import { beforeExit, listen } from "../protocol/plugin-server.ts";
import { providerService } from "../protocol/provider-service.ts";
import { providers } from "../providers.ts";

/**
 * Serves the bundled providers among `names` in this process, while the program starts. A file holds each one's port,
 * which its executable (plugin.sh) reads when the engine starts it. Three Node.js processes fewer save a fifth of a
 * preview.
 *
 * @param engine address of the engine, to which they report.
 */
export async function makeProvidersReady(names: readonly string[], engine: string): Promise<void> {
  const home = process.env["PULUMI_HOME"] || path.join(os.homedir(), ".pulumi");
  // Parent and address are unique together, so that nothing that a killed host has left is used.
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
