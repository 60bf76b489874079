/** How a run came out, as JUnit's file says it. */
export interface Totals {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

/** What Ginkgo lists beside the tests, and counts as some that passed: what runs before and after all of them. */
const aroundTests =
  /<testcase\b[^>]*\sname="\[(?:Synchronized|Report)?(?:Before|After)Suite\][^>]*>/g;

/**
 * Adds up the `testsuite` elements of JUnit's files; of a file of several with one around them, the inner ones. What is
 * around the tests is no test, and counts only where it failed.
 *
 * @param texts contents of the files.
 * @throws when there is no file, or one is none of JUnit's.
 */
export function totals(texts: readonly string[]): Totals {
  const each = texts.map((text) => {
    const tags = [...text.matchAll(/<testsuite(?=[\s>])[^>]*>/g)].map(([tag]) => tag);
    if (tags.length === 0) {
      throw new Error("the tests left a file that is none of JUnit's: look at their log");
    }
    const around = [...text.matchAll(aroundTests)].map(([tag]) => tag);
    const those = (status: string): number =>
      around.filter((tag) => tag.includes(`status="${status}"`)).length;
    const [passed, skipped] = [those("passed"), those("skipped")];
    const without = { tests: -passed - skipped, failures: 0, errors: 0, skipped: -skipped };
    return [...tags.map(attributes), without];
  });
  if (each.length === 0) {
    throw new Error(
      "the tests left no JUnit file: they did not come to their end; look at their log",
    );
  }
  const sum = (of: (counts: Totals) => number): number =>
    each.flat().reduce((all, counts) => all + of(counts), 0);
  return {
    tests: sum(({ tests }) => tests),
    failures: sum(({ failures }) => failures),
    errors: sum(({ errors }) => errors),
    skipped: sum(({ skipped }) => skipped),
  };
}

function attributes(tag: string): Totals {
  const count = (attribute: string): number =>
    Number(new RegExp(`\\s${attribute}="(\\d+)"`).exec(tag)?.[1] ?? 0);
  return {
    tests: count("tests"),
    failures: count("failures"),
    errors: count("errors"),
    // Ginkgo says "disabled" of what the focus leaves out.
    skipped: count("skipped") + count("disabled"),
  };
}

/** Names of the tests that failed, each once, at most so many. */
export function failedTests(texts: readonly string[], most: number): readonly string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(/<testcase\b([^>]*[^/])>([^]*?)<\/testcase>/g)]
      .filter(([, , body = ""]) => /<(failure|error)\b/.test(body))
      .map(([, own = ""]) => unescape(/\sname="([^"]*)"/.exec(own)?.[1] ?? "")),
  );
  return [...new Set(names)].slice(0, most);
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&amp;": "&",
};

function unescape(text: string): string {
  return text.replace(/&(?:lt|gt|quot|apos|amp|#34|#39);/g, (entity) => entities[entity] ?? entity);
}
