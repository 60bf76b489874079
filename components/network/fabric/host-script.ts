import * as z from "zod";
import { placeSchema } from "../../machine/existing/machine-parameter.ts";
import type { FabricEnd, FabricOnHost } from "./fabric.ts";

/** A host of a fabric, and what is installed there. */
export const fabricHostSchema = z.object({
  name: z.string(),
  /** Undefined for this host. */
  server: placeSchema.extend({ privateKeyFile: z.string() }).optional(),
  lab: z.string(),
  /** Program with the arguments `up` and `down`. */
  script: z.string(),
  /** systemd's unit that runs it at boot, or when libvirt has made the lab's bridge. */
  unit: z.string(),
});

export type FabricHostParameter = z.infer<typeof fabricHostSchema>;

export type Server = FabricHostParameter["server"];

export function fabricScript({ functions = "", up, down }: FabricOnHost, end: FabricEnd): string {
  return `#!/bin/sh
# Network fabric of the lab ${end.lab} on ${end.host.name}. Written by kindows, which overwrites changes.
set -eu
export PATH="$PATH:/usr/sbin:/sbin"
is_own() { [ "$(cat "/sys/class/net/$1/ifalias" 2>/dev/null)" = ${end.lab} ]; }
fail() { echo "$1" >&2; exit 1; }
${functions}
up() {
${up(end)}
}
down() {
${down(end)}
}
"$1"
`;
}

/**
 * systemd's unit for it. On this host the bridge comes and goes with libvirt's network, so the unit goes by the bridge; on
 * others it runs before libvirt starts machines.
 */
export function fabricUnit({ after }: FabricOnHost, { lab, host, isLocal }: FabricEnd): string {
  const device = `sys-subsystem-net-devices-${host.bridge.replaceAll("-", "\\x2d")}.device`;
  return `[Unit]
Description=kindows: network fabric of ${lab}
Wants=network-online.target
After=${["network-online.target", ...after, ...(isLocal ? [device] : [])].join(" ")}
${isLocal ? `BindsTo=${device}` : "Before=libvirtd.service virtqemud.service"}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh ${folderOf(lab)}/fabric up

[Install]
WantedBy=${isLocal ? device : "multi-user.target"}
`;
}

type Installed = Pick<FabricHostParameter, "lab" | "script" | "unit">;

/** Shell that installs a fabric's program on a host and runs it, now and after each boot. */
export function installText({ lab, script, unit }: Installed): string {
  const folder = folderOf(lab);
  return `set -eu
umask 022
mkdir -p ${folder}
cat > ${folder}/fabric.new <<'END-OF-FABRIC'
${script}END-OF-FABRIC
mv ${folder}/fabric.new ${folder}/fabric
sh ${folder}/fabric up
[ -d /run/systemd/system ] || exit 0
cat > ${unitFile(lab)} <<'END-OF-UNIT'
${unit}END-OF-UNIT
systemctl daemon-reload
systemctl enable --quiet ${unitName(lab)}
`;
}

/** Shell that removes all of it; fine if it is gone, or was never there. */
export function removeText({ lab, script }: Omit<Installed, "unit">): string {
  return `set -eu
if [ -e ${unitFile(lab)} ]; then
  systemctl disable --quiet --now ${unitName(lab)} || :
  rm ${unitFile(lab)}
  systemctl daemon-reload || :
fi
sh -s down <<'END-OF-FABRIC'
${script}END-OF-FABRIC
rm -rf ${folderOf(lab)}
rmdir ${fabricsFolder} 2>/dev/null || :
`;
}

export const fabricsFolder = "/var/lib/kindows";

function folderOf(lab: string): string {
  return `${fabricsFolder}/${lab}`;
}

function unitName(lab: string): string {
  return `${lab}-fabric.service`;
}

function unitFile(lab: string): string {
  return `/etc/systemd/system/${unitName(lab)}`;
}
