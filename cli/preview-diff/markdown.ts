import { redact } from "../../components/redact.ts";
import { propertyPath } from "../../offline/plugins/protocol/property-diff.ts";
import {
  isAbsent,
  isSecret,
  isUnknown,
  type PropertyValue,
} from "../../offline/plugins/protocol/property-value.ts";
import { type ChangedResource, type Difference, type InputChange, isNone } from "./difference.ts";
import type { PreviewedResource } from "../../policy/previewed.ts";

/** First line of each document, by which a comment with an earlier one is found and edited. */
const documentMark = "<!-- kindows preview-diff -->";

export interface StackReport {
  readonly stack: string;
  readonly difference?: Difference;
  /** Reasons why there is no difference to show. */
  readonly troubles: readonly string[];
  /** Warnings of the newer program that the older one does not have. */
  readonly warnings: readonly string[];
  readonly only?: "base" | "head";
}

/** GitHub takes 65536 characters for a comment. */
const documentLimit = 60_000;
const valueLimit = 100;
const propertyLimit = 20;

/**
 * One Markdown document about all stacks, without secrets and unknown values.
 *
 * @param title names of both versions, e.g. `main (1a2b3c4)`.
 */
export function markdown(
  title: { readonly base: string; readonly head: string },
  stacks: readonly StackReport[],
): string {
  const document = [
    documentMark,
    `# What \`up\` would change`,
    `From ${code(title.base)} to ${code(title.head)}.`,
    ...(stacks.length === 0 ? ["No stack is affected by this change."] : stacks.map(stackText)),
    "This compares two versions of the program, not a program with a lab. Secrets and values that are known only after " +
      "`up` are not shown, and *replaced* relies on what the providers are known to do.",
  ].join("\n\n");
  if (document.length <= documentLimit) return `${document}\n`;
  const shown = document.slice(0, document.lastIndexOf("\n", documentLimit));
  return `${shown}\n\n... and more: this document is cut off at ${documentLimit} characters.\n`;
}

function stackText({ stack, difference, troubles, warnings, only }: StackReport): string {
  const quoted = warnings.map((line) => `> ${plain(line)}`);
  const heading = `## ${plain(stack)}`;
  if (difference === undefined) {
    const failed = troubles.map((line) => `- ${code(line)}`).join("\n");
    return [heading, "**It cannot be previewed:**", failed, ...quoted].join("\n\n");
  }
  if (isNone(difference)) return [`${heading}: no change`, ...quoted].join("\n\n");
  const { created, changed, deleted } = difference;
  const sections = [
    { word: "deleted", lines: deleted.map(resourceText) },
    { word: "replaced", lines: changed.filter(({ replaced }) => replaced).map(changeText) },
    { word: "changed", lines: changed.filter(({ replaced }) => !replaced).map(changeText) },
    { word: "created", lines: created.map(resourceText) },
  ].filter(({ lines }) => lines.length > 0);
  const counts = ["created", "changed", "replaced", "deleted"].flatMap((word) =>
    sections.filter((each) => each.word === word).map(({ lines }) => `${lines.length} ${word}`),
  );
  const whole = {
    head: `The stack is new.`,
    base: `The stack is removed: run ${code(`kindows down --stack ${stack}`)} while its settings still exist.`,
  };
  return [
    `${heading}: ${counts.join(", ")}`,
    ...(only === undefined ? [] : [whole[only]]),
    ...quoted,
    ...sections.map(
      ({ word, lines }) => `**${word[0]?.toUpperCase()}${word.slice(1)}**\n\n${lines.join("\n")}`,
    ),
  ].join("\n\n");
}

function resourceText({ name, type }: PreviewedResource): string {
  return `- ${code(name)} (${plain(type)})`;
}

function changeText({ resource, properties, because }: ChangedResource): string {
  const shown = properties.slice(0, propertyLimit).map((change) => `  - ${propertyText(change)}`);
  const more = properties.length - shown.length;
  return [
    `${resourceText(resource)}${because.length > 0 ? `, with ${because.map(code).join(", ")}` : ""}`,
    ...shown,
    ...(more > 0 ? [`  - ... and ${more} more properties`] : []),
  ].join("\n");
}

function propertyText({ keys, before, after, replaces, follows }: InputChange): string {
  const path = code(propertyPath(keys));
  if (follows !== undefined) return `${path}: follows ${follows.map(code).join(", ")}`;
  const [old, now] = brief(before, after);
  const change =
    old === undefined ? `${now} (new)` : now === undefined ? `${old} (gone)` : `${old} → ${now}`;
  return `${path}: ${change}${replaces ? ", which replaces it" : ""}`;
}

/** Two values, shortened: only the differing part of long texts. */
function brief(
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
): (string | undefined)[] {
  if (typeof before === "string" && typeof after === "string") {
    const texts = [oneLine(before), oneLine(after)] as const;
    let start = 0;
    while (start < texts[0].length && texts[0][start] === texts[1][start]) start += 1;
    // With a few characters before it.
    const from = Math.max(0, start - 20);
    if (from > 0 && texts.some(({ length }) => length > valueLimit)) {
      return texts.map((text) => code(`...${cut(text.slice(from))}`));
    }
  }
  return [before, after].map((value) => (isAbsent(value) ? undefined : valueText(value)));
}

function valueText(value: PropertyValue): string {
  const hidden = hiddenText(value);
  if (hidden !== undefined) return `*${hidden}*`;
  if (typeof value === "object") return code(cut(JSON.stringify(value, showHidden)));
  return code(typeof value === "string" ? cut(oneLine(value)) || '""' : String(value));
}

/** Within an object too, unknown values and secrets must not look like real values. */
function showHidden(_key: string, value: PropertyValue): PropertyValue {
  const hidden = hiddenText(value);
  return hidden === undefined ? value : `(${hidden})`;
}

/** Text instead of an unknown value or a secret; undefined for other values. */
function hiddenText(value: PropertyValue): string | undefined {
  if (isSecret(value)) return "secret";
  return isUnknown(value) ? "known after up" : undefined;
}

function cut(text: string): string {
  return text.length <= valueLimit ? text : `${text.slice(0, valueLimit)}...`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\r?\n\s*/g, " ⏎ ");
}

/** Formats a text as code: a text with backticks needs more of them around it. */
function code(raw: string): string {
  const text = redact(raw);
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const padded = text.startsWith("`") || text.endsWith("`") ? ` ${text} ` : text;
  return `${fence}${oneLine(padded)}${fence}`;
}

/** Formats a text without markup and mentions. */
function plain(text: string): string {
  return oneLine(redact(text)).replaceAll(/[\\`*_<>[\]#|@]/g, (each) =>
    each === "@" ? "@\u200b" : `\\${each}`,
  );
}
