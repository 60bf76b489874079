/** A path that Windows would refuse, or that is outside drive C:. `message` is Windows' own. */
export class WindowsPathError extends Error {
  override readonly name = "WindowsPathError";
}

/** A path that leads out of drive C: by a link. */
export class AccessDeniedError extends WindowsPathError {
  constructor() {
    super("Access is denied.");
  }
}

const syntaxError = "The filename, directory name, or volume label syntax is incorrect.";
const forbidden = /[<>"|?*:]/;
const device = /^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)/i;

/**
 * Splits a Windows path into names below C:\: `C:\k\..\etc/x.` is `["etc", "x"]`.
 *
 * Accepts `C:\x`, `C:/x`, SFTP's `/C:/x`, `\x` and paths relative to `cwd`. `..` never leads above C:\, as on Windows.
 * Other drives, network and device paths, and names that NTFS refuses are errors.
 */
export function windowsPathNames(path: string, cwd: readonly string[] = []): string[] {
  let rest = path.replaceAll("/", "\\");
  if (/^\\[A-Za-z]:/.test(rest)) rest = rest.slice(1);
  if (rest.startsWith("\\\\")) throw new WindowsPathError("The network path was not found.");

  let names: string[] = [...cwd];
  const drive = /^([A-Za-z]):(.*)$/s.exec(rest);
  if (drive) {
    if (drive[1]?.toUpperCase() !== "C") {
      throw new WindowsPathError("The system cannot find the drive specified.");
    }
    rest = drive[2] ?? "";
    // On Windows `C:name` is relative to the drive's current folder, which here is always C:\.
    names = [];
  } else if (rest.startsWith("\\")) {
    names = [];
  }

  for (const part of rest.split("\\")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      names.pop();
      continue;
    }
    names.push(checkedName(part));
  }
  return names;
}

/** `["k", "kubeadm.exe"]` as `C:\k\kubeadm.exe`. */
export function formatWindowsPath(names: readonly string[]): string {
  return `C:\\${names.join("\\")}`;
}

function checkedName(part: string): string {
  const name = part.replace(/[. ]+$/, ""); // Windows removes them silently
  const hasControl = [...name].some((character) => character.charCodeAt(0) < 32);
  if (name === "" || name.length > 255 || hasControl || forbidden.test(name) || device.test(name)) {
    throw new WindowsPathError(syntaxError);
  }
  return name;
}
