import { below, readXml, type XmlElement } from "../../host/read-xml.ts";

/** How a run came out, as JUnit's file says it. */
export interface Totals {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

/** What Ginkgo lists beside the tests, and counts as some that passed: what runs before and after all of them. */
const aroundTests = /^\[(?:Synchronized|Report)?(?:Before|After)Suite\]/;

/**
 * Adds up the `testsuite` elements of JUnit's files; of a file of several with one around them, the inner ones. What is
 * around the tests is no test, and counts only where it failed.
 *
 * @param texts contents of the files.
 * @throws when there is no file, or one is none of JUnit's.
 */
export function totals(texts: readonly string[]): Totals {
  if (texts.length === 0) {
    throw new Error(
      "the tests left no JUnit file: they did not come to their end; look at their log",
    );
  }
  const suites = texts.flatMap((text) => {
    const found = suitesOf(text);
    if (found.length === 0) {
      throw new Error("the tests left a file that is none of JUnit's: look at their log");
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
    // Ginkgo says "disabled" of what the focus leaves out.
    skipped: sum("skipped") + sum("disabled") - those("skipped"),
  };
}

/** Names of the tests that failed, each once, at most so many. */
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
