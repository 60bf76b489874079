import type { WindowsHost } from "../windows-host.ts";

export const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] as const;

/** The machine's proxy variables as `NAME=value`. */
export function machineProxy({ settings: { environment } }: WindowsHost): string[] {
  return proxyVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === "" ? [] : [`${name}=${value}`];
  });
}

/** Gives a service the machine's proxy variables; whether its own differed, which leaves it stopped if it is to `stop`. */
export async function setServiceProxy(
  host: WindowsHost,
  name: string,
  stop = true,
): Promise<boolean> {
  const { services } = host;
  const current = services.environment(name);
  const isProxy = (variable: string): boolean =>
    proxyVariables.some((proxy) => variable.startsWith(`${proxy}=`));
  const wanted = [...current.filter((variable) => !isProxy(variable)), ...machineProxy(host)];
  if (current.join("\n") === wanted.join("\n")) return false;
  if (stop) await services.stop(name);
  await services.setEnvironment(name, wanted);
  return true;
}
