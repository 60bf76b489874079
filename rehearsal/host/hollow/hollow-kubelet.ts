import type { HollowNode } from "./hollow-cluster.ts";

/** The node a kubelet with these arguments registers. */
export function hollowNode(args: readonly string[], kubeletVersion: string): HollowNode {
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
