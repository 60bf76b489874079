/** A file on a disc to be made: its path there, with forward slashes. */
export interface PlannedFile {
  readonly path: string;
  readonly bytes: number;
}

/** Limits of ISO 9660 with Joliet, which is what Windows reads of such a disc, and of Windows itself. */
const limits = {
  /** Joliet: 64 characters of UCS-2 for a name, longer ones are cut without a word. */
  nameLength: 64,
  /** Of the whole path, as Joliet's specification has it: below Windows' 260 with drive and terminator. */
  pathLength: 240,
  /** ISO 9660: folders within folders. */
  depth: 8,
  /** Of one extent, which is all that Windows reads of a file. */
  fileBytes: 4 * 1024 ** 3 - 2048,
};

/** Names that mean devices to Windows, whatever ending they have. */
const deviceName = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** Everything about names and sizes that keeps files from being on a disc as they should; empty where all is well. */
export function discNameProblems(files: readonly PlannedFile[]): string[] {
  const seen = new Map<string, string>();
  return files.flatMap(({ path, bytes }) => {
    const earlier = seen.get(path.toLowerCase());
    seen.set(path.toLowerCase(), path);
    const names = path.split("/");
    return [
      ...(earlier === undefined ? [] : [`"${path}" is "${earlier}" to Windows`]),
      ...(path.length > limits.pathLength
        ? [`"${path}" has ${path.length} characters, more than ${limits.pathLength}`]
        : []),
      ...(names.length > limits.depth
        ? [`"${path}" is ${names.length} names deep, more than ${limits.depth}`]
        : []),
      ...(bytes > limits.fileBytes ? [`"${path}" has ${bytes} bytes, more than 4 GiB`] : []),
      ...names.flatMap((name) => nameProblems(name).map((why) => `"${path}": "${name}" ${why}`)),
    ];
  });
}

function nameProblems(name: string): string[] {
  return [
    ...(name === "" || name === "." || name === ".." ? ["is no name"] : []),
    ...(name.length > limits.nameLength
      ? [`has ${name.length} characters, more than ${limits.nameLength}`]
      : []),
    // Joliet's, and those of Windows.
    ...(/[*/:;?\\"<>|\u0000-\u001f]/.test(name) ? ["has a character that no name may have"] : []),
    ...(/[ .]$/.test(name) && !/^\.+$/.test(name) ? ["ends with a blank or a dot"] : []),
    ...(deviceName.test(name) ? ["is a device to Windows"] : []),
  ];
}
