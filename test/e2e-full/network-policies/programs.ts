import path from "node:path";
import { commandRunner } from "../../../host/command-runner.ts";
import type { Artifact } from "../../../toolchain/artifact.ts";
import { goEnvironment } from "../../../toolchain/tools/go-build.ts";
import { ensureGo, requireGo } from "../../../toolchain/tools/go-toolchain.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";

const module = import.meta.dirname;

/** Longest compilation of Kubernetes' test framework on a slow core, in seconds. */
const buildTimeoutSeconds = 3600;

/** Kubernetes' `e2e.test` with only the tests of NetworkPolicies, and `ginkgo`, which runs it. */
export const policyTests: Artifact = {
  name: "test-network-policies",
  needs: [],
  hostPackages: [],
  check: () => requireGo("test-network-policies"),
  inputs: async () => ({ sources: await hashSources(module, [module]) }),
  async build(into, { logFile, progress }) {
    await ensureGo("test-network-policies", progress);
    const programs = {
      "e2e.test": ["test", "-c", "."],
      ginkgo: ["build", "github.com/onsi/ginkgo/v2/ginkgo"],
    };
    for (const [name, [command = "", ...rest]] of Object.entries(programs)) {
      progress(`compiles ${name}`);
      const args = [command, "-ldflags", "-s -w", "-o", path.join(into, name), ...rest];
      const options = { cwd: module, env: goEnvironment(), timeoutSeconds: buildTimeoutSeconds };
      await commandRunner(logFile)("go", args, options);
    }
  },
};
