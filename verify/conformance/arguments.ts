import type { Suite } from "./suites.ts";

/** One run of a suite. */
export interface ConformanceRun {
  readonly suite: Suite;
  /** Kubernetes' version, without a leading `v`: that of the tests, too. */
  readonly kubernetesVersion: string;
  /** Number of Windows nodes. */
  readonly windowsNodes: number;
  /** Longest run in seconds, images aside. */
  readonly timeoutSeconds: number;
  /** Another focus than the suite's. */
  readonly focus?: string;
  /** Another skip than the suite's. */
  readonly skip?: string;
}

/** Attempts of a failing test, as upstream, whose tests are known to be flaky. */
const flakeAttempts = 2;

/** How the program is run. */
export interface Place {
  /** Path of e2e.test. */
  readonly program: string;
  /** Folder for JUnit's files. */
  readonly results: string;
  /** Undefined in the cluster, where it uses its service account. */
  readonly kubeconfig: string | undefined;
}

/**
 * Arguments of `ginkgo` that run a suite on Windows nodes, after windows-testing's capz/run-capz-e2e.sh.
 *
 * The provider `skeleton` needs no cloud. Without `--node-os-distro=windows` the tests use Linux images and skip those for
 * Windows.
 */
export function ginkgoArguments(run: ConformanceRun, place: Place): readonly string[] {
  const { suite } = run;
  return [
    `--nodes=${String(suite.parallel)}`,
    "--no-color",
    place.program,
    "--",
    "--provider=skeleton",
    "--node-os-distro=windows",
    `--num-nodes=${String(run.windowsNodes)}`,
    "--prepull-images=true",
    "--disable-log-dump=true",
    "--dump-logs-on-failure=true",
    `--report-dir=${place.results}`,
    ...(place.kubeconfig === undefined ? [] : [`--kubeconfig=${place.kubeconfig}`]),
    `--ginkgo.timeout=${String(run.timeoutSeconds)}s`,
    `--ginkgo.flake-attempts=${String(flakeAttempts)}`,
    `--ginkgo.focus=${run.focus ?? suite.focus}`,
    `--ginkgo.skip=${run.skip ?? suite.skip}`,
  ];
}
