/** Variables of a process of Windows: names are found without regard to case. */
import type { Environment } from "../../powershell/host.ts";

/**
 * @param initial what the process begins with.
 * @param machine the variables that new processes begin with.
 */
export function windowsEnvironment(
  machineName: string,
  initial: Readonly<Record<string, string>>,
  machine: Environment["machine"],
): Environment {
  const variables = new Map<string, { readonly name: string; readonly value: string }>();
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined || value === "") {
      variables.delete(name.toLowerCase());
    } else {
      variables.set(name.toLowerCase(), { name, value });
    }
  };
  for (const [name, value] of Object.entries(initial)) {
    set(name, value);
  }
  return {
    get: (name) => variables.get(name.toLowerCase())?.value,
    set,
    all: () => new Map([...variables.values()].map(({ name, value }) => [name, value])),
    machineName,
    ...(machine ? { machine } : {}),
  };
}
