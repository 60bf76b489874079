/** One finished step of an update, as the engine prints it. */
export interface Change {
  readonly operation: "created" | "updated" | "deleted" | "replaced";
  /** e.g. `libvirt:index:Domain`. */
  readonly type: string;
  /** Name of the resource in the program. */
  readonly name: string;
}

const line = /^\s*[-+~]{1,2}\s+(\S+:\S+:\S+) (\S+) (created|updated|deleted|replaced)\b/;

/** What an update changed, read off the engine's plain progress lines; the stack itself is left out. */
export function engineChanges(output: string): Change[] {
  return output.split("\n").flatMap((each) => {
    const [, type, name, operation] = line.exec(each) ?? [];
    return type === undefined || name === undefined || type === "pulumi:pulumi:Stack"
      ? []
      : [{ type, name, operation: operation as Change["operation"] }];
  });
}
