import path from "node:path";
import { below, readXml, type XmlElement } from "../../host/read-xml.ts";
import { mkdir, readFile, readdir } from "node:fs/promises";

interface Totals {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

/** Names of setup and teardown, which Ginkgo lists and counts as tests. */
const aroundTests = /^\[(?:Synchronized|Report)?(?:Before|After)Suite\]/;

/**
 * Adds up the (innermost) `testsuite` elements of JUnit files. Setup and teardown count only if they failed.
 *
 * @param texts contents of the files.
 * @throws if there is no file, or one of them is not a JUnit file.
 */
export function totals(texts: readonly string[]): Totals {
  if (texts.length === 0) {
    throw new Error("the tests left no JUnit file, so they did not finish: see their log");
  }
  const suites = texts.flatMap((text) => {
    const found = suitesOf(text);
    if (found.length === 0) {
      throw new Error("the tests left a file that is not a JUnit file: see their log");
    }
    return found;
  });
  const sum = (attribute: string): number =>
    suites.reduce((all, { attributes }) => all + Number(attributes[attribute] ?? 0), 0);
  const around = suites
    .flatMap(testsOf)
    .filter(({ attributes }) => aroundTests.test(attributes["name"] ?? ""));
  const those = (status: string): number =>
    around.filter(({ attributes }) => attributes["status"] === status).length;
  return {
    tests: sum("tests") - those("passed") - those("skipped"),
    failures: sum("failures"),
    errors: sum("errors"),
    // Ginkgo calls tests outside the focus "disabled".
    skipped: sum("skipped") + sum("disabled") - those("skipped"),
  };
}

/** Names of the tests that failed, each once. @param most maximum number of names. */
export function failedTests(texts: readonly string[], most: number): readonly string[] {
  const names = texts
    .flatMap(suitesOf)
    .flatMap(testsOf)
    .filter(({ elements }) => elements.some(({ name }) => name === "failure" || name === "error"))
    .map(({ attributes }) => attributes["name"] ?? "");
  return [...new Set(names)].slice(0, most);
}

function suitesOf(text: string): readonly XmlElement[] {
  const file = readXml(text);
  return [...below(file, "testsuite"), ...below(file, "testsuites", "testsuite")];
}

function testsOf(suite: XmlElement): readonly XmlElement[] {
  return below(suite, "testcase");
}

/**
 * Creates the folder for a run's log and results, unless it exists.
 *
 * @throws if it has results of an earlier run, which would be counted as this one's.
 */
export async function makeResultsFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [earlier] = await resultNames(folder);
  if (earlier !== undefined) {
    throw new Error(
      `--output ${folder} has results of an earlier run (${earlier}): name another folder, or remove them`,
    );
  }
}

/** Contents of the JUnit files in a folder, in the order of their names. */
export async function readResults(folder: string): Promise<readonly string[]> {
  const names = await resultNames(folder);
  return Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
}

async function resultNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => /^junit.*\.xml$/.test(name)).sort();
}
