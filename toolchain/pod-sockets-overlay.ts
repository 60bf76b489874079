import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const sourceFolder = fileURLToPath(new URL("pod-sockets", import.meta.url));

/** Files of Go's standard library, and ours in their place. */
const files: readonly { readonly file: string; readonly source: string }[] = [
  { file: "net/pod_windows.go", source: "net_pod_windows.go" },
  { file: "net/dnsconfig_windows.go", source: "net_dnsconfig_windows.go" },
  { file: "os/sys_windows.go", source: "os_sys_windows.go" },
];

/** What the overlay is made from besides the one for Wine. */
export const podSocketsOverlaySources = [sourceFolder, fileURLToPath(import.meta.url)];

/**
 * Writes an overlay for `go build -overlay`: another one, with which a program's sockets and its resolver are those of the
 * pod that it runs in. Only for programs that run in pods, so that a change of it rebuilds no others.
 *
 * @param overlay path of the overlay for Wine.
 * @returns path of the overlay's JSON file, which has the same name for the same content.
 */
export async function writePodSocketsOverlay(
  overlay: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout: goroot } = await execa("go", ["env", "GOROOT"], { env, timeout: 10_000 });
  const { Replace } = JSON.parse(await readFile(overlay, "utf8")) as {
    Replace: Record<string, string>;
  };
  for (const { file, source } of files) {
    Replace[path.join(goroot, "src", file)] = path.join(sourceFolder, source);
  }
  const content = JSON.stringify({ Replace });
  const name = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const written = path.join(path.dirname(overlay), `in-pods-${name}.json`);
  await writeFile(written, content);
  return written;
}
