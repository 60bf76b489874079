/** A test for every case of a table; `%s` in the title stands for the name of the case. */
export function eachCase<Case>(
  title: string,
  cases: Readonly<Record<string, Case>>,
  test: (one: Case, name: string) => unknown,
): void {
  for (const [name, one] of Object.entries(cases)) {
    it(
      title.replace("%s", () => name),
      () => test(one, name),
    );
  }
}
