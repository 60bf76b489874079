/**
 * The rules as a policy pack, for `pulumi preview --policy-pack policy` and `pulumi up`. It serves the engine's
 * protocol itself, because @pulumi/policy would hide from the rules which values are secrets.
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
import { previewOf, type Previewed } from "./previewed.ts";
import { servePlugin } from "../offline/plugins/protocol/plugin-server.ts";
import { fromStruct } from "../offline/plugins/protocol/struct.ts";
import { unary, unimplemented } from "../offline/plugins/protocol/unary.ts";
import { projectRoot } from "../toolchain/project.ts";
import { check, readAllowances, type Finding } from "./check.ts";
import { deletedWithMachine, rules } from "./rules.ts";

const pack = "kindows";

/**
 * Without the rule about `deletedWith`, which the engine does not pass to a pack (AnalyzerResourceOptions in
 * analyzer.proto).
 */
const packRules = rules.filter((rule) => rule !== deletedWithMachine);

const allowances = await readAllowances(path.join(projectRoot, "policy"));

const { ADVISORY, MANDATORY } = analyzer.EnforcementLevel;

/**
 * Converts resources for the rules: a resource before it is created or changed, with its inputs, or all, with their
 * outputs.
 */
function previewed(
  resources: readonly Pick<AnalyzerResource, "getUrn" | "getType" | "getProperties">[],
): Previewed {
  const steps = resources.map((resource) => {
    const type = resource.getType();
    // The engine does not tell which resources are components. All of kindows' own types are, except one.
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

function analyze(
  resources: Parameters<typeof previewed>[0],
  isIncluded: (finding: Finding) => boolean,
  urn: string,
): AnalyzeResponse {
  const findings = check(previewed(resources), allowances, packRules).filter(isIncluded);
  return new analyzer.AnalyzeResponse().setDiagnosticsList(
    findings.map((finding) => diagnosticOf(finding, urn)),
  );
}

const server: IAnalyzerServer = {
  // Called before a resource is created or changed; returns findings about that resource.
  analyze: unary((request) =>
    analyze([request], ({ resource }) => resource !== undefined, request.getUrn()),
  ),
  // Called at the end; returns findings about the stack as a whole.
  analyzeStack: unary((request) =>
    analyze(request.getResourcesList(), ({ resource }) => resource === undefined, ""),
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
