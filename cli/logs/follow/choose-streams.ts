import type { LogStream } from "./source.ts";

/** Streams by the name they are asked for. */
export type StreamsByName = ReadonlyMap<string, readonly LogStream[]>;

/** Names that were asked for and are none, or what is to be followed. */
export type Choice =
  { readonly streams: readonly LogStream[] } | { readonly unknown: readonly string[] };

/** The streams of these names; all of them where no name is given. */
export function chooseStreams(all: StreamsByName, names: readonly string[]): Choice {
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0) return { unknown };
  const wanted = names.length === 0 ? [...all.keys()] : names;
  return { streams: [...new Set(wanted.flatMap((name) => all.get(name) ?? []))] };
}
