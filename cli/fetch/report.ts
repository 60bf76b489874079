import { transferText } from "../../toolchain/transfer-text.ts";
import { table } from "../table.ts";
import type { ProgramState } from "./programs.ts";

/** The table of programs, and below it what is in the way of those that are missing. */
export function programsText(states: readonly ProgramState[]): string {
  const rows = states.map(({ fileName, state, bytes, sha256 }) => [
    fileName,
    state,
    sizeText(state, bytes),
    sha256 ?? "unknown",
  ]);
  const problems = states.flatMap(({ fileName, problem }) =>
    problem === undefined ? [] : [`${fileName}: ${problem}`],
  );
  return [table(["PROGRAM", "STATE", "SIZE", "SHA-256"], rows), ...problems].join("\n");
}

function sizeText(state: ProgramState["state"], bytes: number): string {
  if (state !== "missing") {
    return transferText(bytes);
  }
  return bytes === 0 ? "-" : `${transferText(bytes)} of it`;
}
