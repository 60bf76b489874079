import { controlPlaneNames, labNames, linuxWorkerName, loadBalancerName } from "../names.ts";
import { pathText } from "../problem.ts";
import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** A name the cluster will have, and whose it is. */
interface Taken {
  readonly name: string;
  readonly owner: string;
}

/** No two machines share a name, whatever the lab is called. */
export const windowsNames: Check<NamedSettings> = {
  reads: [],
  run({ nodes }) {
    const taken: Taken[] = [];
    const problems: SettingsProblem[] = [];
    nodes.forEach(({ name }, index) => {
      claim(name, name, ["nodes", index, "name"], taken, problems);
    });
    return problems;
  },
};

/** No two Linux nodes of the cluster, and no two containers of it, share a name, and no machine has one of theirs. */
export const linuxNames: Check<NamedSettings> = {
  reads: ["lab.name"],
  run(settings) {
    const { kindCluster } = labNames(settings.lab.name);
    const taken: Taken[] = kindNames(settings);
    const problems: SettingsProblem[] = [];
    settings.cluster.workers.forEach(({ name }, index) => {
      const path = ["cluster", "workers", index, "name"];
      claim(linuxWorkerName(kindCluster, name), name, path, taken, problems);
    });
    settings.nodes.forEach(({ name }, index) => {
      claim(name, name, ["nodes", index, "name"], [...taken], problems);
    });
    return problems;
  },
};

/** Names kind gives by itself. */
function kindNames({ lab, cluster }: NamedSettings): Taken[] {
  const { kindCluster } = labNames(lab.name);
  const controlPlanes = controlPlaneNames(kindCluster, cluster.controlPlanes).map((name) => ({
    name,
    owner: "kind's control plane",
  }));
  return [...controlPlanes, { name: loadBalancerName(kindCluster), owner: "kind's load balancer" }];
}

/** Takes `full` for the node written as `value` at `path`, or says whose it is. */
function claim(
  full: string,
  value: string,
  path: SettingsProblem["path"],
  taken: Taken[],
  problems: SettingsProblem[],
): void {
  const other = taken.find((one) => one.name === full);
  if (other === undefined) {
    taken.push({ name: full, owner: pathText(path) });
    return;
  }
  const called = full === value ? "" : ` makes the node's name ${full}, which`;
  problems.push({
    path,
    value,
    why: `${called === "" ? "is" : `${called.trim()} is`} taken by ${other.owner}`,
    instead: "Write another name.",
  });
}
