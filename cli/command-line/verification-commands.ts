import { Option } from "commander";
import type { Command } from "commander";

import { commaList, seconds } from "../arguments.ts";
import { commandRunner } from "./run-command.ts";

/** Commands about whether a cluster with Windows nodes does what it should. */
export function addVerificationCommands(program: Command): void {
  const run = commandRunner(program);
  program
    .command("verify")
    .description("try every path of the cluster's network, and show them as a table")
    .option("--kubeconfig <file>", "the cluster of a kubeconfig, instead of the stack's lab")
    .option("--context <name>", "context of that kubeconfig (default: its current one)")
    .option("--rows <ids>", "only these, separated by commas; * stands for anything", commaList)
    .option("--list", "only print the rows", false)
    .addOption(
      new Option(
        "--timeout <seconds>",
        "longest time for a row (default: 120; 1200 where Windows images are pulled)",
      ).argParser(seconds),
    )
    .option("--image <reference>", "image to run instead of agnhost's, one that does the same")
    .option("--keep", "leave the namespace kindows-verify and all in it in place", false)
    .option("--json <file>", "write the results as JSON")
    .option("--junit <file>", "write the results as JUnit's XML")
    .option("--html <file>", "write the results as a page with the matrix")
    .action(
      run<{ rows?: string[]; list: boolean; keep: boolean }>(async (options) =>
        (await import("../commands/verify.ts")).verify(options),
      ),
    );

  program
    .command("conformance")
    .description("Kubernetes' own tests of Windows nodes; needs real ones")
    .option("--suite <id>", "which tests: see --list", "sig-windows")
    .option("--list", "only print the suites", false)
    .option("--dry-run", "only print what would be applied, or run", false)
    .option("--focus <regex>", "tests to run, by their names, instead of the suite's")
    .option("--skip <regex>", "tests to leave out, instead of the suite's")
    .addOption(
      new Option(
        "--timeout <seconds>",
        "longest run, images aside (default: the suite's)",
      ).argParser(seconds),
    )
    .option("--image <reference>", "image with ginkgo and e2e.test instead of Kubernetes' own")
    .option("--repo-list <file>", "other registries for the tests' images (KUBE_TEST_REPO_LIST)")
    .option("--local <folder>", "run ginkgo and e2e.test of this folder on this host, not a Job")
    .option("--output <folder>", "where log and results go")
    .option("--keep", "leave the namespace kindows-conformance in place", false)
    .action(
      run<{ suite: string; list: boolean; dryRun: boolean; keep: boolean }>(async (options) =>
        (await import("../commands/conformance.ts")).conformance(options),
      ),
    );
}
