import { type Document, type YAMLMap, isMap, parse } from "yaml";
import * as z from "zod";

import { Failure, messageOf } from "../../host/failure.ts";
import {
  entriesOf,
  unsetMissingCurrent,
  putEntry,
  sectionNames,
  sections,
  takeEntries,
  type Section,
  readConfig,
  writeConfig,
} from "./config-document.ts";
import { editConfigFile, fileForNew, readConfigFile } from "./config-file.ts";

/** The stack, and its clone, that put an entry into a kubeconfig. */
interface Origin {
  readonly project: string;
  readonly stack: string;
}

/** Name of the kubeconfig extension that records the origin; kubectl keeps extensions. */
const noteName = "kindows";

const noteSchema = z.object({
  project: z.string(),
  stack: z.string(),
  /** The current context before the lab's. */
  before: z.string().optional(),
});

const labSchema = z.object({
  clusters: z.tuple([z.object({ name: z.string(), cluster: z.record(z.string(), z.unknown()) })]),
  users: z.tuple([z.object({ name: z.string(), user: z.record(z.string(), z.unknown()) })]),
});

interface MergeOptions {
  readonly origin: Origin;
  readonly use: boolean;
  /** Overwrite entries of the same name and another origin. */
  readonly force: boolean;
}

/**
 * Merges a lab's context, cluster and user into a user's kubeconfig, all three under the lab's name, and leaves everything
 * else as it is. Earlier entries of this stack are updated; the context's namespace stays as the user chose it.
 *
 * @param file the kubeconfig's name, for errors.
 * @returns the entries of another origin that were overwritten, e.g. `context kindows-a`.
 * @throws Failure if there are such entries and they may not be overwritten; then nothing has changed.
 */
function mergeLab(
  document: Document,
  labKubeconfig: string,
  { origin, use, force }: MergeOptions,
  file: string,
): readonly string[] {
  const lab = labSchema.parse(parse(labKubeconfig));
  const { name, cluster } = lab.clusters[0];
  const foreign = sectionNames.flatMap((section) =>
    entriesOf(document, section)
      .filter((entry) => entry.get("name") === name && !isOf(entry, section, origin))
      .map((entry) => ({ word: `${sections[section]} ${name}`, owner: ownerText(entry, section) })),
  );
  if (foreign.length > 0 && !force) {
    const list = foreign.map(({ word, owner }) => `  - ${word}, ${owner}`).join("\n");
    throw new Failure(
      `${file} has entries of this name that the stack ${origin.stack} did not create, and was not changed:\n${list}\n` +
        `Rename or remove them (kubectl config), or overwrite them with --force`,
    );
  }
  const old = entriesOf(document, "contexts").find((entry) => isOf(entry, "contexts", origin));
  const namespace = old?.getIn(["context", "namespace"]);
  const current = z.string().safeParse(document.get("current-context")).data ?? "";
  const before =
    use && current !== "" && current !== name ? current : old && noteOf(old, "contexts")?.before;
  const withNote = (more: object): object => ({
    extensions: [{ name: noteName, extension: { ...origin, ...more } }],
  });
  const context = {
    cluster: name,
    user: name,
    ...(typeof namespace === "string" && { namespace }),
    ...withNote(before === undefined ? {} : { before }),
  };
  // If the lab was renamed, remove entries of its former name.
  removeLab(document, origin, (entry) => entry.get("name") !== name);
  putEntry(document, "clusters", { name, cluster: { ...cluster, ...withNote({}) } });
  putEntry(document, "users", { name, user: { ...lab.users[0].user, ...withNote({}) } });
  putEntry(document, "contexts", { name, context });
  if (use) document.set("current-context", name);
  return foreign.map(({ word }) => word);
}

/**
 * Removes this stack's entries from a kubeconfig. If its context was the current one, the previous one becomes current
 * again.
 *
 * @returns what was removed, e.g. `context kindows-a`.
 */
function removeLab(
  document: Document,
  origin: Origin,
  which: (entry: YAMLMap) => boolean = () => true,
): readonly string[] {
  const befores = entriesOf(document, "contexts")
    .filter((entry) => isOf(entry, "contexts", origin))
    .flatMap((entry) => noteOf(entry, "contexts")?.before ?? []);
  const gone = sectionNames.flatMap((section) =>
    takeEntries(document, section, (entry) => isOf(entry, section, origin) && which(entry)).map(
      (name) => `${sections[section]} ${name}`,
    ),
  );
  const [instead] = befores;
  if (gone.length > 0) unsetMissingCurrent(document, instead);
  return gone;
}

const bodySchema = z.object({
  extensions: z.array(z.object({ name: z.string(), extension: z.unknown() })),
});

function noteOf(entry: YAMLMap, section: Section): z.infer<typeof noteSchema> | undefined {
  const body = entry.get(sections[section]);
  const { data } = bodySchema.safeParse(isMap(body) ? body.toJSON() : undefined);
  const note = data?.extensions.find(({ name }) => name === noteName);
  return noteSchema.safeParse(note?.extension).data;
}

/** Whether the stack of this clone put the entry into the kubeconfig. */
export function isOf(entry: YAMLMap, section: Section, { project, stack }: Origin): boolean {
  const note = noteOf(entry, section);
  return note?.project === project && note.stack === stack;
}

function ownerText(entry: YAMLMap, section: Section): string {
  const note = noteOf(entry, section);
  return note === undefined
    ? "of unknown origin"
    : `of the stack ${note.stack} of the project in ${note.project}`;
}

interface Merged {
  readonly file: string;
  readonly written: boolean;
  readonly overwritten: readonly string[];
}

/**
 * Merges a lab into one of the user's kubeconfigs: the one that has it already, or the one that kubectl would choose.
 *
 * @param files the user's, at least one.
 * @param labKubeconfig the lab's own, as YAML.
 * @throws Failure if the file is damaged, may not be written, or has entries of another origin; then it is unchanged.
 */
export async function mergeIntoFiles(
  files: readonly string[],
  labKubeconfig: string,
  options: MergeOptions,
): Promise<Merged> {
  const file = (await fileWithLab(files, options.origin)) ?? (await fileForNew(files));
  let overwritten: readonly string[] = [];
  const written = await editConfigFile(file, (text) =>
    changed(text, file, (document) => {
      overwritten = mergeLab(document, labKubeconfig, options, file);
    }),
  );
  return { file, written, overwritten };
}

/**
 * Removes a stack's entries from the user's kubeconfigs.
 *
 * @returns what was removed from where, e.g. `context kindows-a from ~/.kube/config`.
 * @throws Failure when a file is damaged or may not be written.
 */
export async function removeFromFiles(
  files: readonly string[],
  origin: Origin,
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const file of files) {
    const text = await readConfigFile(file);
    // If there is nothing to remove, create neither lock nor folder.
    if (text === "" || removeLab(readConfig(text, file), origin).length === 0) continue;
    await editConfigFile(file, (now) =>
      changed(now, file, (document) => {
        gone.push(...removeLab(document, origin).map((each) => `${each} from ${file}`));
      }),
    );
  }
  return gone;
}

/**
 * Updates the entries of `mergeIntoFiles`, because a replaced cluster has other keys. Never fails, so that an invalid
 * file does not make `up` fail.
 *
 * @param say receives a line if a file was changed, or could not be.
 */
export async function refreshInFiles(
  files: readonly string[],
  origin: Origin,
  labKubeconfig: string,
  say: (line: string) => void,
): Promise<void> {
  try {
    const file = await fileWithLab(files, origin);
    if (file === undefined) return;
    const options = { origin, use: false, force: false };
    if ((await mergeIntoFiles([file], labKubeconfig, options)).written) {
      say(`updated the context of ${origin.stack} in ${file}`);
    }
  } catch (error) {
    say(`the context in your kubeconfig was not updated: ${messageOf(error)}`);
  }
}

async function fileWithLab(files: readonly string[], origin: Origin): Promise<string | undefined> {
  for (const file of files) {
    const contexts = entriesOf(readConfig(await readConfigFile(file), file), "contexts");
    if (contexts.some((entry) => isOf(entry, "contexts", origin))) return file;
  }
  return undefined;
}

/** The text after a change; unchanged if only its style would differ. */
function changed(text: string, file: string, change: (document: Document) => void): string {
  const document = readConfig(text, file);
  const before = JSON.stringify(document.toJSON());
  change(document);
  return JSON.stringify(document.toJSON()) === before ? text : writeConfig(document, text);
}
