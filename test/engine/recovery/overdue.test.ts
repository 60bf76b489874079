import assert from "node:assert/strict";
import path from "node:path";
import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";

import { pendingOperations } from "../../../cli/engine/deployment.ts";
import { Pulumi } from "../../../cli/engine/pulumi.ts";
import { kindowsProvider } from "../../../offline/plugins/kindows/provider.ts";
import { providerService } from "../../../offline/plugins/protocol/provider-service.ts";
import { EngineProject, findTool } from "../plugins/support/engine.ts";

const type = "libvirt:index/cloudinitDisk:CloudinitDisk";

describe("an operation whose provider never answers", () => {
  const server = new grpc.Server();
  let project: EngineProject;
  before(async () => {
    server.addService(providerGrpc.ResourceProviderService, {
      ...providerService(
        {
          ...kindowsProvider,
          name: "libvirt",
          resourceType: () => kindowsProvider.resourceType("kindows:host:Action"),
        },
        "127.0.0.1:1",
      ),
      create: () => undefined,
    });
    const bind = promisify(server.bindAsync.bind(server));
    const port = await bind("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
    project = await EngineProject.create({ PULUMI_DEBUG_PROVIDERS: `libvirt:${port}` });
    await project.program(`import * as pulumi from "@pulumi/pulumi";
new pulumi.CustomResource("${type}", "win-1-identity", {});`);
  });
  after(async () => {
    server.forceShutdown();
    await project.dispose();
  });

  it("is ended by its time limit, and leaves a state that recovery understands", async () => {
    const { folder, environment, stateFolder } = project;
    const lockFolder = path.join(stateFolder, ".pulumi", "locks", "organization", "test", "dev");
    const program = findTool("pulumi");
    const pulumi = new Pulumi("dev", { project: folder, program, environment, lockFolder });
    const seen: string[] = [];
    const up = pulumi.operation({
      args: ["up", "--yes", "--skip-preview"],
      onLine: (line) => seen.push(line),
      timeLimits: { limits: { [type]: 0.02 }, graceSeconds: 1 },
    });
    await assert.rejects(up, {
      name: "Failure",
      message:
        /was stopped: create CloudinitDisk win-1-identity did not end within 0\.02 min.*run again/,
    });
    const pending = pendingOperations(await pulumi.exportState());
    assert.deepEqual(
      pending.map(({ type: kind, resource }) => [kind, resource.type]),
      [["creating", type]],
      seen.join("\n"),
    );
  });
});
