import { readFile } from "node:fs/promises";

/** Largest packet that an interface of this host takes, in bytes; undefined where there is no such interface. */
export async function probeMtu(networkInterface: string): Promise<number | undefined> {
  const text = await readFile(`/sys/class/net/${networkInterface}/mtu`, "utf8").catch(
    () => undefined,
  );
  return text === undefined ? undefined : Number(text);
}
