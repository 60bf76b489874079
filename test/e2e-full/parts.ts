import { readdirSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../../toolchain/project.ts";
import { killPoints } from "../e2e/kill-points.ts";

/** What is run by itself, and whose result is kept. */
export interface Part {
  readonly name: string;
  /** Arguments of mocha: a file, and which of its tests. */
  readonly args: readonly string[];
}

/** Of files that take hours: what the titles of their tests begin with. */
const rows: Readonly<Record<string, readonly string[]>> = {
  "killed-runs": killPoints.map(({ state }) => state),
};

/** Each file of test/e2e and test/e2e-full, or each of its rows. */
export const parts: readonly Part[] = ["test/e2e", "test/e2e-full"].flatMap((folder) =>
  readdirSync(path.join(projectRoot, folder))
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
    .flatMap((file) => partsOf(path.join(folder, file))),
);

function partsOf(file: string): readonly Part[] {
  const name = path.basename(file, ".test.ts");
  return (
    rows[name]?.map((row) => ({
      name: `${name}.${row.toLowerCase().replaceAll(" ", "-")}`,
      args: [file, "--fgrep", `${row}: `],
    })) ?? [{ name, args: [file] }]
  );
}

/**
 * The parts of these names; a file's name stands for all of its rows. All where there is no name.
 *
 * @throws for a name that no part has.
 */
export function chosenParts(names: readonly string[], all = parts): readonly Part[] {
  const fits = (part: Part, name: string): boolean =>
    part.name === name || part.name.startsWith(`${name}.`);
  const unknown = names.filter((name) => !all.some((part) => fits(part, name)));
  if (unknown.length > 0) {
    const known = all.map(({ name }) => name).join(", ");
    throw new Error(`there is no part ${unknown.join(", ")}; parts: ${known}`);
  }
  return all.filter((part) => names.length === 0 || names.some((name) => fits(part, name)));
}
