import type { Host } from "../../../host/host.ts";

/** Answers by command line; undefined for a missing program. */
export type Answers = Readonly<Record<string, string | Error | undefined>>;

/** A host with recorded answers, which records the commands it runs. */
interface RecordedHost extends Host {
  readonly asked: readonly string[];
}

/**
 * Command lines are written as `virsh net-list --name`, without the options that every virsh call has.
 *
 * @param otherwise result of all other commands; without it, they fail like a daemon.
 */
export function recordedHost(
  answers: Answers,
  otherwise?: string,
  libvirtUri = "test:///default",
): RecordedHost {
  const asked: string[] = [];
  return {
    libvirtUri,
    asked,
    run: (program, args) => {
      const words = program === "virsh" ? args.slice(3) : args;
      const line = [program, ...words].join(" ");
      asked.push(line);
      const failure = otherwise ?? new Error(`${line}: failed`);
      const answer = line in answers ? answers[line] : failure;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
}

/** Command that lists kind's containers. */
export const psLine =
  'docker ps --all --no-trunc --filter label=io.x-k8s.kind.cluster --format {{.Names}} {{.State}} {{.Label "io.x-k8s.kind.cluster"}} {{.Label "io.x-k8s.kind.role"}}';

/** Command that lists labs' registries. */
export const registryLine =
  'docker ps --all --no-trunc --filter label=kindows.registry-of --format {{.Names}} {{.State}} {{.Label "kindows.registry-of"}} {{.Label "kindows.lab-id"}}';

/** libvirt's answers about a machine on a network. */
export const domainXml = (network: string, devices = "", uuid = "u"): string =>
  `<domain type='qemu'><uuid>${uuid}</uuid><devices><interface><source network='${network}' portid='p'/></interface>${devices}</devices></domain>`;
