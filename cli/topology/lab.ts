import type { Facts } from "../../components/facts.ts";
import { StackFacts } from "../engine/facts.ts";
import type { Previewed } from "../preview-diff/previewed.ts";

/** A virtual machine, as the program asks for it. */
export type DrawnMachine = Facts<"kindows:machine:LibvirtMachine">;

/** What of a stack stands on the host, and how it hangs together. */
export interface DrawnLab {
  readonly network?: Facts<"kindows:network:LabNetwork">;
  readonly cluster?: Facts<"kindows:controlplane:KindCluster">;
  /** Names of containers and nodes. */
  readonly workers: readonly string[];
  readonly machines: readonly DrawnMachine[];
}

/** What a preview says about the lab itself; a stack without a network, a cluster or machines has none in its picture. */
export function labOf({ components }: Pick<Previewed, "components">): DrawnLab {
  const facts = new StackFacts(components);
  const { compare } = new Intl.Collator("en", { numeric: true });
  const [network] = facts.of("kindows:network:LabNetwork").values();
  const [cluster] = facts.of("kindows:controlplane:KindCluster").values();
  return {
    ...(network && { network }),
    ...(cluster && { cluster }),
    workers: [...facts.of("kindows:controlplane:LinuxWorker").values()]
      .map(({ name }) => name)
      .sort(compare),
    machines: [...facts.of("kindows:machine:LibvirtMachine").values()].sort((one, other) =>
      compare(one.node, other.node),
    ),
  };
}
