import { existsSync } from "node:fs";
import type { UefiFirmware } from "./builder-machine.ts";

/** Where distributions put UEFI for machines: Debian and Ubuntu, Fedora, Arch, openSUSE. */
const places: readonly UefiFirmware[] = [
  ["/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"],
  ["/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"],
  ["/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"],
  ["/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd"],
  ["/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin"],
].map(([code = "", variables = ""]) => ({ code, variables }));

/** The UEFI of this host; where it has none, the place that Debian's package would put it in: a preview needs none. */
export function uefiFirmware(): UefiFirmware {
  const [debian] = places;
  const found = places.find(isThere) ?? debian;
  if (found === undefined) {
    throw new Error("no place of UEFI is known");
  }
  return found;
}

/** @throws with what to install when this host has none. */
export function findUefiFirmware(): UefiFirmware {
  const firmware = uefiFirmware();
  if (!isThere(firmware)) {
    throw new Error(
      "this host has no UEFI for machines: install Debian's ovmf, Fedora's edk2-ovmf; or write kindows:windows.image.firmware bios",
    );
  }
  return firmware;
}

/** Debian packages that UEFI takes on this host; none where it has it. */
export function uefiPackages(): readonly string[] {
  return isThere(uefiFirmware()) ? [] : ["ovmf"];
}

function isThere({ code, variables }: UefiFirmware): boolean {
  return existsSync(code) && existsSync(variables);
}
