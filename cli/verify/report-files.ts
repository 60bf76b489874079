import { access, constants, stat, writeFile } from "node:fs/promises";
import path from "node:path";

import { htmlText } from "../../verify/report/html.ts";
import { jsonText } from "../../verify/report/json.ts";
import { junitText } from "../../verify/report/junit.ts";
import type { Verification } from "../../verify/result.ts";
import { Failure } from "../../host/failure.ts";

/** Files that a run's results are written to. */
export interface ReportFiles {
  readonly json?: string;
  readonly junit?: string;
  readonly html?: string;
}

const renderers = { json: jsonText, junit: junitText, html: htmlText } as const;

type Format = keyof typeof renderers;

/** Checks before a long run that the reports can be written. @throws Failure with every file that cannot. */
export async function checkReportFiles(files: ReportFiles): Promise<void> {
  const problems = await Promise.all(
    wanted(files).map(async ([format, file]) => {
      const why = await whyNotWritable(file);
      return why === undefined ? [] : [`--${format} ${file}: ${why}`];
    }),
  );
  if (problems.flat().length > 0) {
    throw new Failure(problems.flat().join("\n"));
  }
}

/** Writes the results in every requested format. @returns the files */
export async function writeReportFiles(
  files: ReportFiles,
  verification: Verification,
): Promise<readonly string[]> {
  return Promise.all(
    wanted(files).map(async ([format, file]) => {
      await writeFile(file, renderers[format](verification));
      return file;
    }),
  );
}

function wanted(files: ReportFiles): readonly (readonly [Format, string])[] {
  return (Object.keys(renderers) as Format[]).flatMap((format) => {
    const file = files[format];
    return file === undefined ? [] : [[format, file] as const];
  });
}

async function whyNotWritable(file: string): Promise<string | undefined> {
  const folder = path.dirname(path.resolve(file));
  const there = await stat(folder).catch(() => undefined);
  if (there?.isDirectory() !== true) {
    return `there is no folder ${folder}: make it first`;
  }
  const own = await stat(file).catch(() => undefined);
  if (own?.isDirectory() === true) {
    return "it is a folder: name a file";
  }
  return access(own === undefined ? folder : file, constants.W_OK).then(
    () => undefined,
    () => "it may not be written by this user",
  );
}
