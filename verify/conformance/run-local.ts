import path from "node:path";

import { execa } from "execa";

import { isExecutable } from "../../host/search-path.ts";
import { ginkgoArguments, type ConformanceRun } from "./suites.ts";
import { logName } from "./run-job.ts";

interface LocalRun {
  readonly run: ConformanceRun;
  /** Folder with `ginkgo` and `e2e.test`: `kubernetes/test/bin` of kubernetes-test-linux-amd64.tar.gz. */
  readonly programs: string;
  readonly kubeconfig: string;
  /** File with the registries of the tests' images; undefined for Kubernetes' own. */
  readonly repositoryFile: string | undefined;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The command that `run-local` starts. */
export function localCommand(
  local: Pick<LocalRun, "run" | "programs" | "kubeconfig" | "folder">,
): readonly string[] {
  const { run, programs, kubeconfig, folder: results } = local;
  const place = { program: path.join(programs, "e2e.test"), results, kubeconfig };
  return [path.join(programs, "ginkgo"), ...ginkgoArguments(run, place)];
}

/** @throws an error with the programs that are missing or cannot be run. */
export async function checkPrograms(programs: string): Promise<void> {
  const missing: string[] = [];
  for (const program of ["ginkgo", "e2e.test"]) {
    if (!(await isExecutable(path.join(programs, program)))) missing.push(program);
  }
  if (missing.length > 0) {
    throw new Error(
      `${programs} does not contain the program ${missing.join(" or ")}: unpack kubernetes-test-linux-amd64.tar.gz of the cluster's ` +
        "version there (https://dl.k8s.io), and name its folder kubernetes/test/bin",
    );
  }
}

/**
 * Runs the tests on this host.
 *
 * @returns their exit code.
 * @throws if they were interrupted, or did not end in time.
 */
export async function runLocal(local: LocalRun): Promise<number> {
  const [program = "", ...args] = localCommand(local);
  // Longer than the tests' own limit, at which they report what was running.
  const limit = local.run.timeoutSeconds + 600;
  const log = { file: path.join(local.folder, logName) };
  const result = await execa(program, args, {
    reject: false,
    timeout: limit * 1000,
    cancelSignal: local.signal,
    stdout: log,
    stderr: log,
    buffer: false,
    ...(local.repositoryFile !== undefined && {
      env: { KUBE_TEST_REPO_LIST: local.repositoryFile },
    }),
  });
  if (result.isCanceled) throw new Error("interrupted: the tests did not finish");
  if (result.timedOut) throw new Error(`the tests did not end within ${limit} s`);
  return result.exitCode ?? 1;
}
