import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { lines } from "../../../host/host.ts";
import { runMediaProgram } from "../../machine/disk/media-program.ts";

/** Limits of ISO 9660 with Joliet, which is what Windows reads of such a disc, and of Windows itself. */
const limits = {
  nameLength: 64, // Joliet's, in UCS-2; longer ones are truncated silently.
  pathLength: 240, // Joliet's too; below Windows' 260 with drive and terminator.
  depth: 8, // ISO 9660's, of folders within folders.
  fileBytes: 4 * 1024 ** 3 - 2048, // One extent, which is all that Windows reads of a file.
};

/** Files by their paths on the disc, with forward slashes: texts, which may be secret, and files of this host. */
interface DiscContent {
  readonly texts: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

const label = "KINDOWS";

const timeoutSeconds = 300;

/**
 * Creates a disc with files, and removes it after `work`, however that ended.
 * Disc and texts are in a private folder below the caller's folder of a build, which the next build removes if this one is
 * killed.
 *
 * @throws Error naming every file with an invalid name or size; or with xorriso's error.
 */
export async function withConfigDisc<T>(
  parent: string,
  content: DiscContent,
  work: (iso: string) => Promise<T>,
): Promise<T> {
  await requireGoodNames(content);
  await mkdir(parent, { recursive: true });
  // mkdtemp creates it for its owner only.
  const folder = await mkdtemp(path.join(parent, "config-disc-"));
  try {
    const iso = path.join(folder, "config.iso");
    await writeDisc(iso, content, path.join(folder, "texts"));
    return await work(iso);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireGoodNames({ texts, files = {} }: DiscContent): Promise<void> {
  const planned = [
    ...Object.entries(texts).map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) })),
    ...(await Promise.all(
      Object.entries(files).map(async ([path, file]) => ({ path, bytes: (await stat(file)).size })),
    )),
  ];
  const problems = discNameProblems(planned);
  if (problems.length > 0) {
    const listed = problems.map((each) => `  - ${each}`).join("\n");
    throw new Error(`these files can't be on a disc:\n${listed}`);
  }
}

async function writeDisc(
  iso: string,
  { texts, files = {} }: DiscContent,
  folder: string,
): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const sources = { ...files };
  for (const [place, [target, text]] of Object.entries(texts).entries()) {
    const file = path.join(folder, String(place));
    await writeFile(file, text, { mode: 0o600 });
    sources[target] = file;
  }
  const mapped = Object.entries(sources).flatMap(([target, file]) => ["-map", file, `/${target}`]);
  await writeFile(iso, "", { mode: 0o600 });
  const made = await runMediaProgram(
    "xorriso",
    [
      // No startup files of the user, and no questions.
      ...["-no_rc", "-abort_on", "WARNING", "-return_with", "WARNING", "32"],
      ...["-outdev", `stdio:${iso}`, "-blank", "as_needed"],
      ...["-volid", label, "-joliet", "on", "-compliance", "iso_9660_level=3"],
      ...mapped,
      ...["-commit", "-end"],
    ],
    timeoutSeconds,
  );
  await rm(folder, { recursive: true, force: true });
  if (made.how !== "well") {
    throw new Error(`xorriso could not make ${iso}: ${complaint(made.stderr)}`);
  }
  await chmod(iso, 0o600);
}

/** Its errors; never a file's content. */
function complaint(output: string): string {
  const isError = (line: string): boolean => /: (FAILURE|FATAL|SORRY|WARNING) : /.test(line);
  return lines(output).find(isError) ?? "it says nothing";
}

interface PlannedFile {
  readonly path: string;
  readonly bytes: number;
}

/** What a name may not be, by Joliet and by Windows. */
const badNames: readonly (readonly [looks: RegExp, why: string])[] = [
  [/^\.{0,2}$/, "is no name"],
  [/[*/:;?\\"<>|\u0000-\u001f]/, "has a character that no name may have"],
  [/^(?!\.+$).*[ .]$/s, "ends with a blank or a dot"],
  [/^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i, "is a device to Windows"],
];

/** All problems with names and sizes of files on a disc. */
export function discNameProblems(files: readonly PlannedFile[]): string[] {
  const seen = new Map<string, string>();
  return files.flatMap(({ path, bytes }) => {
    const earlier = seen.get(path.toLowerCase());
    seen.set(path.toLowerCase(), path);
    const names = path.split("/");
    return [
      ...(earlier === undefined ? [] : [`"${path}" is "${earlier}" to Windows`]),
      ...tooLong(`"${path}"`, path, limits.pathLength),
      ...(names.length > limits.depth
        ? [`"${path}" is ${names.length} names deep, more than ${limits.depth}`]
        : []),
      ...(bytes > limits.fileBytes ? [`"${path}" has ${bytes} bytes, more than 4 GiB`] : []),
      ...names.flatMap((name) => [
        ...tooLong(`"${path}": "${name}"`, name, limits.nameLength),
        ...badNames
          .filter(([looks]) => looks.test(name))
          .map(([, why]) => `"${path}": "${name}" ${why}`),
      ]),
    ];
  });
}

function tooLong(what: string, { length }: string, limit: number): string[] {
  return length > limit ? [`${what} has ${length} characters, more than ${limit}`] : [];
}
