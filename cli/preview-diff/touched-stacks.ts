/** What no stack is made of: changes there are not worth a preview. */
const elsewhere =
  /^(?:docs|test|bench|samples|policy|rehearsal\/README|\.github|\.ci)\/|(?:^|\/)[^/]*\.md$|^(?:Makefile|LICENSE|\.[^/]*|eslint\.config\.js|PSScriptAnalyzerSettings\.psd1)$/;

const settingsFile = /^Pulumi\.([A-Za-z0-9_.-]+)\.yaml$/;

/** The stack of a settings file, or nothing when the file is none. */
export function stackOf(file: string): string | undefined {
  return settingsFile.exec(file)?.[1];
}

/**
 * The stacks that a change may have to do with: those whose settings are in it, or all of them.
 *
 * @param files that are different, relative to the project.
 * @param stacks of both versions.
 */
export function touchedStacks(
  files: readonly string[],
  stacks: readonly string[],
): readonly string[] {
  const relevant = files.filter((file) => !elsewhere.test(file));
  const settings = new Set(relevant.map(stackOf));
  // Undefined is in it where anything else than settings is.
  return settings.has(undefined) ? stacks : stacks.filter((stack) => settings.has(stack));
}
