import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * What QEMU writes (accel/kvm/kvm-all.c) when the kernel's KVM can't run the guest any further. On hosts that are virtual
 * machines themselves this happens now and then, whatever the guest does.
 */
const fatal = [
  /^KVM internal error\. Suberror: .*/gm,
  /^KVM: entry failed, hardware error .*/gm,
  /^KVM: unknown exit, hardware reason .*/gm,
  /^error: kvm run failed .*/gm,
];

/** The fatal errors of KVM in a log of QEMU. */
export function fatalKvmErrors(log: string): string[] {
  return fatal.flatMap((each) => log.match(each) ?? []);
}

/** Those in all logs below folders that exist. */
export function fatalKvmErrorsBelow(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith(".log"))
      .flatMap((name) => fatalKvmErrors(readFileSync(path.join(folder, name), "latin1"))),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
