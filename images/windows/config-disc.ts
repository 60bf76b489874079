import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { lines } from "../../host/host.ts";
import { runMediaProgram } from "../disk/media-program.ts";

/** Limits of Windows, and of ISO 9660 with Joliet, as Windows reads it. */
const limits = {
  nameLength: 64, // Joliet's limit in UCS-2; longer names are truncated silently.
  pathLength: 240, // Joliet's limit; Windows' is 260 with drive and terminator.
  depth: 8, // ISO 9660's limit on nested folders.
  fileBytes: 4 * 1024 ** 3 - 2048, // One extent; Windows reads no more of a file.
};

/** Texts, which may be secret, and files of this host, by their paths on the disc with forward slashes. */
interface DiscContent {
  readonly texts: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

const label = "KINDOWS";

const timeoutSeconds = 300;

/**
 * Creates a disc with files for `work`, and removes it afterwards, even if `work` failed.
 *
 * @param parent folder of the build, which the next build removes if this one is killed. The disc and the texts are in
 * a private folder below it.
 * @throws Error with every file whose name or size is invalid, or with xorriso's error.
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
  for (const [index, [target, text]] of Object.entries(texts).entries()) {
    const file = path.join(folder, String(index));
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
    throw new Error(`xorriso could not create ${iso}: ${firstError(made.stderr)}`);
  }
  await chmod(iso, 0o600);
}

/** xorriso's first error, which never has a file's content. */
function firstError(output: string): string {
  const isError = (line: string): boolean => /: (FAILURE|FATAL|SORRY|WARNING) : /.test(line);
  return lines(output).find(isError) ?? "it printed no error";
}

interface PlannedFile {
  readonly path: string;
  readonly bytes: number;
}

/** Names that Joliet or Windows does not allow. */
const badNames: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^\.{0,2}$/, "is not a valid name"],
  [/[*/:;?\\"<>|\u0000-\u001f]/, "has a character that is not allowed in names"],
  [/^(?!\.+$).*[ .]$/s, "ends with a space or a dot"],
  [/^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i, "is the name of a device in Windows"],
];

/** All problems with names and sizes of files on a disc. */
export function discNameProblems(files: readonly PlannedFile[]): string[] {
  const seen = new Map<string, string>();
  return files.flatMap(({ path, bytes }) => {
    const earlier = seen.get(path.toLowerCase());
    seen.set(path.toLowerCase(), path);
    const names = path.split("/");
    return [
      ...(earlier === undefined ? [] : [`"${path}" and "${earlier}" are the same name to Windows`]),
      ...tooLong(`"${path}"`, path, limits.pathLength),
      ...(names.length > limits.depth
        ? [`"${path}" is ${names.length} names deep, more than ${limits.depth}`]
        : []),
      ...(bytes > limits.fileBytes ? [`"${path}" has ${bytes} bytes, more than 4 GiB`] : []),
      ...names.flatMap((name) => [
        ...tooLong(`"${path}": "${name}"`, name, limits.nameLength),
        ...badNames
          .filter(([pattern]) => pattern.test(name))
          .map(([, why]) => `"${path}": "${name}" ${why}`),
      ]),
    ];
  });
}

function tooLong(name: string, { length }: string, limit: number): string[] {
  return length > limit ? [`${name} has ${length} characters, more than ${limit}`] : [];
}
