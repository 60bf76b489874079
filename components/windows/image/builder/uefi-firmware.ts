import { existsSync } from "node:fs";
import type { UefiFirmware } from "./qemu-command.ts";

const debian: UefiFirmware = {
  code: "/usr/share/OVMF/OVMF_CODE_4M.fd",
  variables: "/usr/share/OVMF/OVMF_VARS_4M.fd",
};

/** Where other versions of Debian and Ubuntu, Fedora, Arch and openSUSE have it. */
const others = [
  ["/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"],
  ["/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"],
  ["/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd"],
  ["/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin"],
].map(([code = "", variables = ""]) => ({ code, variables }));

/** The UEFI firmware of this host. If it has none, Debian's path, as a preview needs no firmware. */
export function uefiFirmware(): UefiFirmware {
  return [debian, ...others].find(isThere) ?? debian;
}

/** @throws with the package to install if this host has none. */
export function findUefiFirmware(): UefiFirmware {
  const firmware = uefiFirmware();
  if (!isThere(firmware)) {
    throw new Error(
      "this host has no UEFI for machines: install Debian's ovmf, Fedora's edk2-ovmf; or write kindows:windows.image.firmware bios",
    );
  }
  return firmware;
}

/** Debian packages needed for UEFI on this host; none if it is installed. */
export function uefiPackages(): readonly string[] {
  return isThere(uefiFirmware()) ? [] : ["ovmf"];
}

function isThere({ code, variables }: UefiFirmware): boolean {
  return existsSync(code) && existsSync(variables);
}
