import type { Complaint } from "../problem.ts";

const instead = "Write it from the drive on, e.g. D:\\kindows.";

/** Absolute path on a Windows host, which must be able to stand on a command line. */
export function windowsPath(value: string): Complaint | undefined {
  if (!/^[A-Za-z]:\\/.test(value)) {
    return { why: "is no absolute path on a drive of Windows", instead };
  }
  if (!/^[A-Za-z]:\\[\w .()\\-]*$/.test(value) || /\\\\|[ .](\\|$)/.test(value)) {
    return {
      why: "has a part that is no plain name: letters, digits, spaces, _ . ( ) and - make one, with neither space nor dot at its end",
      instead: "Write a path of such names, with single backslashes between them.",
    };
  }
  return undefined;
}

/** A folder on a Windows host; not a drive as a whole. */
export function windowsFolder(value: string): Complaint | undefined {
  const complaint = windowsPath(value);
  if (complaint !== undefined) {
    return complaint;
  }
  return value.endsWith("\\")
    ? { why: "ends with a backslash, or is a drive as a whole", instead }
    : undefined;
}

/** A VHDX on a Windows host. */
export function windowsVhdx(value: string): Complaint | undefined {
  const complaint = windowsPath(value);
  if (complaint !== undefined) {
    return complaint;
  }
  return /\.vhdx$/i.test(value)
    ? undefined
    : {
        why: "is no VHDX by its name",
        instead: "Convert it (Convert-VHD there, or qemu-img convert -O vhdx here) and write that.",
      };
}
