/**
 * The rules as a policy pack, for `pulumi preview --policy-pack policy` and `pulumi up`. It serves the engine's protocol
 * itself: @pulumi/policy would hide from the rules which values are secrets.
 */
import path from "node:path";
import service, { type IAnalyzerServer } from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import analyzer from "@pulumi/pulumi/proto/analyzer_pb.js";
import type {
  AnalyzeDiagnostic,
  AnalyzerResource,
  AnalyzeResponse,
} from "@pulumi/pulumi/proto/analyzer_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { previewOf, type Previewed } from "../cli/preview-diff/previewed.ts";
import { servePlugin } from "../plugins/protocol/plugin-server.ts";
import { fromStruct } from "../plugins/protocol/struct.ts";
import { unary, unimplemented } from "../plugins/protocol/unary.ts";
import { projectRoot } from "../toolchain/project.ts";
import { check, readAllowances, type Finding } from "./check.ts";
import { deletedWithMachine, rules } from "./rules.ts";

const pack = "kindows";

/** The engine does not tell a pack with what a resource is deleted: AnalyzerResourceOptions in its analyzer.proto. */
const packRules = rules.filter((rule) => rule !== deletedWithMachine);

const allowances = await readAllowances(path.join(projectRoot, "policy"));

const { ADVISORY, MANDATORY } = analyzer.EnforcementLevel;

/** What rules see of resources: inputs of one that is about to be created or changed, or outputs of all. */
function previewed(
  resources: readonly Pick<AnalyzerResource, "getUrn" | "getType" | "getProperties">[],
): Previewed {
  const steps = resources.map((resource) => {
    const type = resource.getType();
    // The engine does not say which are components: all of kindows' own types but one are.
    const custom = !/^(?:kindows:(?!host:Action$)|pulumi:pulumi:)/.test(type);
    const inputs = fromStruct(resource.getProperties());
    return { op: "create", urn: resource.getUrn(), newState: { type, custom, inputs } };
  });
  return previewOf({ steps }, projectRoot);
}

function diagnosticOf({ rule, message, accepted }: Finding, urn: string): AnalyzeDiagnostic {
  return new analyzer.AnalyzeDiagnostic()
    .setPolicyname(rule)
    .setPolicypackname(pack)
    .setDescription(rules.find(({ name }) => name === rule)?.description ?? "")
    .setMessage(accepted === undefined ? message : `accepted: ${accepted}`)
    .setEnforcementlevel(accepted === undefined ? MANDATORY : ADVISORY)
    .setUrn(urn);
}

function answer(
  resources: Parameters<typeof previewed>[0],
  isAbout: (finding: Finding) => boolean,
  urn: string,
): AnalyzeResponse {
  const findings = check(previewed(resources), allowances, packRules).filter(isAbout);
  return new analyzer.AnalyzeResponse().setDiagnosticsList(
    findings.map((finding) => diagnosticOf(finding, urn)),
  );
}

const server: IAnalyzerServer = {
  // Before a resource is created or changed: what is about a resource.
  analyze: unary((request) =>
    answer([request], ({ resource }) => resource !== undefined, request.getUrn()),
  ),
  // At the end: what is about the stack as a whole.
  analyzeStack: unary((request) =>
    answer(request.getResourcesList(), ({ resource }) => resource === undefined, ""),
  ),
  getAnalyzerInfo: unary(() =>
    new analyzer.AnalyzerInfo()
      .setName(pack)
      .setPoliciesList(
        packRules.map(({ name, description }) =>
          new analyzer.PolicyInfo()
            .setName(name)
            .setDescription(description)
            .setEnforcementlevel(MANDATORY),
        ),
      ),
  ),
  getPluginInfo: unary(() => new plugin.PluginInfo()),
  configure: unary(() => new empty.Empty()),
  handshake: unary(() => new analyzer.AnalyzerHandshakeResponse()),
  configureStack: unary(() => new analyzer.AnalyzerStackConfigureResponse()),
  cancel: unary(() => new empty.Empty()),
  remediate: unimplemented("Remediate"),
};

await servePlugin((engine) => engine.addService(service.AnalyzerService, server), {
  endsWithInput: false,
});
