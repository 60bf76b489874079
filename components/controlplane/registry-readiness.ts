import type { Gathered, HostProblem } from "../../config/host-problem.ts";
import { localRegistry } from "../../config/local-registry.ts";
import { labNames } from "../../config/names.ts";
import type { LabSection } from "../../config/sections/lab.ts";
import type { DockerFacts } from "./docker-readiness.ts";

/** Checks that nobody but the lab's own registry has its port of this host. */
export function checkRegistryPort(
  { lab, registry }: LabSection & { readonly registry: boolean },
  {
    docker,
    registryPort: program,
  }: { readonly docker: Gathered<DockerFacts>; readonly registryPort: string | undefined },
): HostProblem[] {
  if (!registry || program === undefined) return [];
  const { prefix } = labNames(lab.name);
  const publishing = (docker.reachable ? docker.containers : []).find(({ ports = [] }) =>
    ports.includes(localRegistry.hostPort),
  );
  if (publishing?.registryOf === prefix) return [];
  const byProgram = program === "" ? "a program of another user" : `the program ${program}`;
  const owner =
    publishing === undefined
      ? byProgram
      : publishing.registryOf === undefined
        ? `Docker's container ${publishing.name}`
        : `the registry of the lab ${publishing.registryOf}`;
  return [
    {
      subject: `kindows:registry: port ${localRegistry.hostPort} of this host`,
      why: `is taken by ${owner}`,
      instead: "End that, or leave out kindows:registry.",
    },
  ];
}
