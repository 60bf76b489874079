import { existsSync } from "node:fs";
import type { UefiFirmware } from "../../../components/machine/libvirt/uefi-firmware.ts";

const debian: UefiFirmware = {
  code: "/usr/share/OVMF/OVMF_CODE_4M.fd",
  variables: "/usr/share/OVMF/OVMF_VARS_4M.fd",
};

/** Paths in other versions of Debian and Ubuntu, and in Fedora, Arch and openSUSE. */
const others = [
  ["/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"],
  ["/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"],
  ["/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd"],
  ["/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin"],
].map(([code = "", variables = ""]) => ({ code, variables }));

/** The UEFI firmware of this host. Without one this is Debian's path, because a preview needs no firmware. */
export function uefiFirmware(): UefiFirmware {
  return [debian, ...others].find(isThere) ?? debian;
}

/** @throws with the package to install if this host has no UEFI firmware. */
export function findUefiFirmware(): UefiFirmware {
  const firmware = uefiFirmware();
  if (!isThere(firmware)) {
    throw new Error(
      "this host has no UEFI firmware for machines: install Debian's ovmf or Fedora's edk2-ovmf, or set kindows:windows.image.firmware to bios",
    );
  }
  return firmware;
}

/** Debian packages to install for UEFI on this host; none if it has UEFI firmware. */
export function uefiPackages(): readonly string[] {
  return isThere(uefiFirmware()) ? [] : ["ovmf"];
}

function isThere({ code, variables }: UefiFirmware): boolean {
  return existsSync(code) && existsSync(variables);
}
