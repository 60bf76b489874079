import { stripVTControlCharacters } from "node:util";

/** A text that may come from a guest or a pod, without what would command a terminal. Keeps tabs and line breaks. */
export function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\t\n]/gu, "");
}
