import type { ProgramResult } from "../programs.ts";
import type { FakeNode } from "./fake-cluster.ts";

/** The node a kubelet with these arguments registers. */
export function fakeNode(args: readonly string[], kubeletVersion: string): FakeNode {
  const flags = new Map(
    args.map((argument): [string, string] => {
      const [name = "", ...value] = argument.replace(/^--/, "").split("=");
      return [name, value.join("=")];
    }),
  );
  const list = (name: string): string[] => flags.get(name)?.split(",").filter(Boolean) ?? [];
  return {
    name: flags.get("hostname-override") ?? "",
    address: flags.get("node-ip") ?? "",
    labels: Object.fromEntries(
      list("node-labels").map((label): [string, string] => {
        const [key = "", value = ""] = label.split("=", 2);
        return [key, value];
      }),
    ),
    taints: list("register-with-taints"),
    kubeletVersion,
  };
}

/** Arguments no kubelet of today knows. */
const removedFlags = ["pod-infra-container-image", "container-runtime", "network-plugin"];

/** `kubelet.exe ... --version`: the arguments are looked at first, as the real one does. */
export function runFakeKubelet(version: string, args: readonly string[]): ProgramResult {
  const unknown = args.find((argument) =>
    removedFlags.includes(/^--([^=]+)/.exec(argument)?.[1] ?? ""),
  );
  return unknown === undefined
    ? { exitCode: 0, stdout: `Kubernetes v${version}\n`, stderr: "" }
    : {
        exitCode: 1,
        stdout: "",
        stderr: `E1121 run.go:72] "command failed" err="failed to parse kubelet flag: unknown flag: ${unknown.split("=")[0]}"\n`,
      };
}
