import assert from "node:assert/strict";
import { readFile, readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import type { TestLab } from "./lab.ts";

/** How a secret stands in the engine's exported state. */
const secretSignature = "4dabf18193072939515e22adb298388d";

/** A place where a secret of the run stands in clear; the secret itself is not repeated. */
export type Leak = string;

/**
 * Where secrets of a lab that is up can be read by somebody who should not: in what was printed, in the command
 * lines of running processes, in stack outputs shown in clear, in files others may read.
 */
export async function leakedSecrets(lab: TestLab, printed: readonly string[]): Promise<Leak[]> {
  const secrets = await secretsOf(lab);
  assert.ok(secrets.length >= 4, `only ${secrets.length} secrets are found in the state`);
  const texts: [string, string][] = [
    ...printed.map((text, index): [string, string] => [`output ${index + 1}`, text]),
    ["outputs in clear", (await lab.withEnvironment("pulumi stack output --json")).output],
    ["command lines", (await execa("ps", ["axww", "-o", "args"])).stdout],
    ["stack history", (await lab.withEnvironment("pulumi stack history --json")).output],
  ];
  for (const file of await readableByOthers(lab)) {
    texts.push([path.relative(projectRoot, file), await readFile(file, "utf8").catch(() => "")]);
  }
  return texts.flatMap(([where, text]) =>
    secrets.filter(({ value }) => text.includes(value)).map(({ name }) => `${name} in ${where}`),
  );
}

interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Every distinct line of every secret in the state that is long enough not to be there by chance. */
async function secretsOf(lab: TestLab): Promise<Secret[]> {
  // Without what else it may say, which would come somewhere among the JSON.
  const { output } = await lab.withEnvironment("pulumi stack export --show-secrets 2> /dev/null");
  const state = JSON.parse(output.slice(output.indexOf("{"))) as {
    deployment: { resources: { urn: string; outputs?: unknown; inputs?: unknown }[] };
  };
  const found = new Map<string, string>();
  for (const { urn, inputs, outputs } of state.deployment.resources) {
    for (const text of [...secretTexts(inputs), ...secretTexts(outputs)]) {
      for (const part of secretParts(text)) found.set(part, urn.split("::").at(-1) ?? urn);
    }
  }
  return [...found].map(([value, name]) => ({ name, value }));
}

function secretTexts(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (secretSignature in value && "plaintext" in value) return [String(value.plaintext)];
  return Object.values(value).flatMap(secretTexts);
}

/** Lines of keys, certificates' keys and tokens: what is worth stealing inside a secret's text. */
function secretParts(text: string): string[] {
  const clear = text.replaceAll("\\\\n", "\n").replaceAll("\\n", "\n");
  const keys = [...clear.matchAll(/PRIVATE KEY-----\n([\s\S]+?)-----END/g)];
  const keyLines = keys.flatMap(([, body = ""]) => {
    const lines = body.split("\n").filter((line) => line.length >= 40);
    return lines.slice(1, 4);
  });
  const tokens = clear.match(/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g) ?? [];
  // Its first characters are the same for every RSA key: a header in base64, in base64 once more.
  const keyData = [...clear.matchAll(/client-key-data: ?(\S{160,})/g)].map(([, data]) =>
    (data ?? "").slice(100, 160),
  );
  return [...keyLines, ...tokens, ...keyData];
}

/** Files below the project's state folder, and the temporary folder, that somebody else may read. */
async function readableByOthers(lab: TestLab): Promise<string[]> {
  const files = await Promise.all([
    openFiles(localFolder, 3),
    openFiles(path.dirname(lab.kubeconfig), 3),
    openFiles(tmpdir(), 1),
  ]);
  return files.flat().filter((file) => !file.startsWith(lab.logFolder));
}

async function openFiles(folder: string, depth: number): Promise<string[]> {
  const mode = await stat(folder).catch(() => undefined);
  if (mode === undefined || (mode.mode & 0o005) !== 0o005) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const nested = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return depth > 0 ? openFiles(file, depth - 1) : [];
      const info = entry.isFile() ? await stat(file).catch(() => undefined) : undefined;
      const small = info !== undefined && info.size < 20_000_000;
      return small && (info.mode & 0o004) !== 0 ? [file] : [];
    }),
  );
  return nested.flat();
}
