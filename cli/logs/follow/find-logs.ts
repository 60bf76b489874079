import type { LogFolder } from "./log-folder.ts";

/** What programs that rename their logs put in the name of an old one: the time. */
const old = /-\d{4}-?\d\d-?\d\dT?/;

/** Files whose path fits a pattern, in the order of their names; old halves of logs left out. */
export async function findLogs(files: LogFolder, pattern: string): Promise<readonly string[]> {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => part.includes("*"));
  if (first === -1) {
    return (await files.size(pattern)) === undefined ? [] : [pattern];
  }
  const folder = parts.slice(0, first).join("/");
  const wanted = wildcard(parts[first] ?? "");
  const rest = parts.slice(first + 1);
  const entries = (await files.list(folder))
    .filter(({ name, isFolder }) => isFolder === rest.length > 0 && wanted.test(name))
    .filter(({ name, isFolder }) => isFolder || !old.test(name))
    .map(({ name }) => `${folder}/${name}`)
    .sort();
  if (rest.length === 0) return entries;
  const found: string[] = [];
  for (const entry of entries) found.push(...(await findLogs(files, [entry, ...rest].join("/"))));
  return found;
}

function wildcard(part: string): RegExp {
  const escaped = part.split("*").map((text) => text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "i");
}
