import { execa } from "execa";
import { withFakeApi, type Answer } from "./fake-api.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";

/** How a host action ended. */
export interface Ended {
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a host action in a separate process, like Pulumi.
 *
 * @param action path below components, e.g. `cni/actions/await-calico`, and arguments.
 * @param options further options for Node.js.
 */
export function runAction(
  action: string,
  environment: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<Ended> {
  const [file = "", ...flags] = action.split(" ");
  const program = [...options, "toolchain/program/run.js", `components/${file}.ts`];
  return execa(process.execPath, [...program, ...flags], { env: environment, reject: false });
}

/** Runs a host action against an API server with the test's answers. */
export function runOnCluster(
  action: string,
  environment: Readonly<Record<string, string>>,
  answer: (request: string, body: unknown) => Answer,
  options: readonly string[] = [],
): Promise<Ended> {
  return withFakeApi(answer, (_api, _requests, url) =>
    runAction(action, { KUBECONFIG_CONTENT: kubeconfig(url), ...environment }, options),
  );
}
