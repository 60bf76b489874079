import * as z from "zod";
import { sshServerSchema } from "../../machine/existing/machine-parameter.ts";
import type { FabricEnd, FabricOnHost } from "./fabric.ts";

/** Parameter of the action apply-fabric: a host, and what is installed on it. */
export const fabricHostSchema = z.object({
  name: z.string(),
  /** SSH server of the host; undefined for this host. */
  server: sshServerSchema.extend({ privateKeyFile: z.string() }).optional(),
  lab: z.string(),
  /** The lab's name and random id, as in `FabricEnd`. */
  mark: z.string(),
  /** Shell script that takes the argument `up` or `down`. */
  script: z.string(),
  /** systemd unit that runs the script at boot, or when libvirt has made the lab's bridge. */
  unit: z.string(),
});

type FabricHostParameter = z.infer<typeof fabricHostSchema>;

export type Server = FabricHostParameter["server"];

export function fabricScript({ functions, up, down }: FabricOnHost, end: FabricEnd): string {
  return `#!/bin/sh
# Network fabric of the lab ${end.lab} on ${end.host.name}. Written by kindows, which overwrites changes.
set -eu
export PATH="$PATH:/usr/sbin:/sbin"
is_own() { [ "$(cat "/sys/class/net/$1/ifalias" 2>/dev/null)" = ${end.mark} ]; }
fail() { echo "$1" >&2; exit 1; }
${functions?.(end) ?? ""}
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
 * The systemd unit for the script. On this host libvirt creates and removes the bridge, so the unit is bound to the
 * bridge's device. On other hosts it runs before libvirt, which starts the machines.
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

type Installed = Pick<FabricHostParameter, "lab" | "mark" | "script" | "unit">;

/** File with the mark of the lab that the fabric is of, beside its script. */
export const markFile = "lab-id";

/** Shell condition: there is a fabric, and it is another lab's. */
function isOthers({ lab, mark }: Pick<Installed, "lab" | "mark">): string {
  const folder = folderOf(lab);
  return `[ -e ${folder} ] && [ "$(cat ${folder}/${markFile} 2>/dev/null)" != ${mark} ]`;
}

/** Shell code that installs the script, runs it, and has it run after each boot. Fails if another lab's is there. */
export function installText({ lab, mark, script, unit }: Installed): string {
  const folder = folderOf(lab);
  return `set -eu
umask 022
if ${isOthers({ lab, mark })}; then
  echo "the fabric in ${folder} is another lab's: write another kindows:lab.name, or, if nobody uses it: sh ${folder}/fabric down; rm -r ${folder}" >&2
  exit 1
fi
mkdir -p ${folder}
echo ${mark} > ${folder}/${markFile}
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

/** Shell code that removes the fabric. Succeeds if there is none, or only another lab's. */
export function removeText({ lab, mark, script }: Omit<Installed, "unit">): string {
  return `set -eu
if ${isOthers({ lab, mark })}; then exit 0; fi
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

export function unitName(lab: string): string {
  return `${lab}-fabric.service`;
}

function unitFile(lab: string): string {
  return `/etc/systemd/system/${unitName(lab)}`;
}
