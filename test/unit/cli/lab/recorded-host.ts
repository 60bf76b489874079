import type { Host } from "../../../../cli/lab/host.ts";

/** Answers by command line; a command that is not there fails as a daemon would. */
export type Answers = Readonly<Record<string, string | undefined>>;

/** A host that answers as recorded, and keeps what it was asked to do. */
export interface RecordedHost extends Host {
  readonly asked: readonly string[];
}

/** Command lines are written as `virsh net-list --name`, without the options that every virsh call has. */
export function recordedHost(answers: Answers): RecordedHost {
  const asked: string[] = [];
  return {
    libvirtUri: "test:///default",
    asked,
    run: (program, args) => {
      const words = program === "virsh" ? args.slice(3) : args;
      const line = [program, ...words].join(" ");
      asked.push(line);
      return line in answers
        ? Promise.resolve(answers[line])
        : Promise.reject(new Error(`${line}: failed`));
    },
  };
}
