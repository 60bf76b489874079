import type { Host } from "../../../host/host.ts";

/** Answers by command line; nothing is the answer of a program that is not there. */
export type Answers = Readonly<Record<string, string | Error | undefined>>;

/** A host that answers as recorded, and keeps what it was asked to do. */
interface RecordedHost extends Host {
  readonly asked: readonly string[];
}

/**
 * Command lines are written as `virsh net-list --name`, without the options that every virsh call has.
 *
 * @param otherwise what any other command prints; without it, they fail as a daemon would.
 */
export function recordedHost(
  answers: Answers,
  otherwise?: string,
  libvirtUri = "test:///default",
): RecordedHost {
  const asked: string[] = [];
  return {
    ...{ libvirtUri, asked },
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
