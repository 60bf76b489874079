import * as z from "zod";
import type { StepContext, StepOutcome } from "../step.ts";
import type { WindowsHost } from "../windows-host.ts";
import { startContainerd } from "./containerd-service.ts";
import { startJoinedKubelet } from "./kubelet-service.ts";
import { proxyVariables, setServiceProxy } from "./machine-proxy.ts";

const recordPath = "C:\\kindows\\state\\proxy.json";
const recordSchema = z.record(z.enum(proxyVariables), z.string());
type ProxyRecord = z.output<typeof recordSchema>;

/** Gives machine and services a proxy, or what they had before the first one. */
export async function setMachineProxy(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const httpProxy = parameters.text("HttpProxy");
  const httpsProxy = parameters.text("HttpsProxy");
  const noProxy = parameters.text("NoProxy");
  const isRemoval = httpProxy === "" && httpsProxy === "" && noProxy === "";

  const record = await readRecord(host);
  if (!isRemoval && record === undefined) await saveRecord(host);
  const wanted = isRemoval
    ? record
    : { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy };
  let changed = wanted !== undefined && (await setVariables(host, wanted));
  await context.checkpoint();

  for (const name of ["containerd", "kubelet"]) {
    if (host.services.get(name) && (await setServiceProxy(host, name, !isRemoval))) changed = true;
  }
  if (!isRemoval && host.services.get("containerd")) {
    await startContainerd(context);
    await startJoinedKubelet(context);
  }
  if (isRemoval) await host.drive.remove(recordPath);
  return { changed, facts: { httpProxy, httpsProxy, noProxy } };
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

async function saveRecord({ drive, settings }: WindowsHost): Promise<void> {
  const entries = proxyVariables.map((name) => [name, settings.environment[name] ?? ""]);
  await drive.write(recordPath, JSON.stringify(Object.fromEntries(entries)));
}
