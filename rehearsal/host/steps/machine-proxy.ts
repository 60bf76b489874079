import * as z from "zod";
import type { WindowsHost } from "../windows-host.ts";

export const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] as const;

const recordPath = "C:\\kindows\\state\\proxy.json";
const recordSchema = z.record(z.enum(proxyVariables), z.string());
type ProxyRecord = z.output<typeof recordSchema>;

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

/** Gives the machine back the proxy variables it had before the first proxy from here; whether any differed. */
export async function restoreProxy(host: WindowsHost): Promise<boolean> {
  const record = await readRecord(host);
  return record !== undefined && (await setVariables(host, record));
}

async function setVariables(host: WindowsHost, wanted: ProxyRecord): Promise<boolean> {
  let changed = false;
  for (const name of proxyVariables) {
    if ((host.settings.environment[name] ?? "") === wanted[name]) continue;
    await host.settings.setEnvironment(name, wanted[name] === "" ? undefined : wanted[name]);
    changed = true;
  }
  return changed;
}

async function readRecord({ drive }: WindowsHost): Promise<ProxyRecord | undefined> {
  const text = await drive.readText(recordPath);
  return text === undefined ? undefined : recordSchema.parse(JSON.parse(text));
}
