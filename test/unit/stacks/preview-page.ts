import { calicoVersions, kubernetesVersions } from "../../../config/supported.ts";
import { changesAfterUp } from "../../engine/windows/changes-after-up.ts";
import { devChanges, flannelChanges } from "./dev-changes.ts";
import type { Group, Planned, SettingChange } from "./planned.ts";
import { rehearsalChanges } from "./rehearsal-changes.ts";

/** docs/preview.md: what changes plan, by the tables that the tests hold the engine to. */
export function previewPage(): string {
  return `# What a preview plans

\`pulumi preview\` of every stack works on a machine without Docker, libvirt and KVM, before anything was made
(\`make preview-diff\`, or \`KINDOWS_PREVIEW=anywhere\`: [cli.md](cli.md#previews-in-pull-requests)), and shows every resource
with what the program gives it. After an \`up\` it plans what a change asks for and nothing else: what is there stays
known, so that nothing follows for which there is no reason.

This page is written from the tables that the tests hold the program to
(\`node --import tsx test/unit/stacks/write-preview-page.ts\`): change them, not the page.

## The stack rehearsal

${tableOf(rehearsalChanges)}

\`Command win-1\` is the join token of win-1.

On a lab that is up ${alsoWhenUp(rehearsalChanges)}.

Kubernetes ${kubernetesVersions.join(", ")} and Calico ${calicoVersions.join(", ")} are the only versions there are yet, so no table has another one. What a new
version of a node's program plans is told by _another containerd_ below.

## The stack dev

With Calico, and a prepared disk as its image:

${tableOf(devChanges)}

With Flannel:

${tableOf(flannelChanges)}

## A node that is up

With state, after an \`up\` of a node on a machine of the rehearsal, in the process of the tests; \`machine\` stands for the
domain there, \`identity\` for the disc that tells a machine who it is.

${table(
  ["a change", "made anew", "changed in place"],
  changesAfterUp.map(({ name, replaces = [], updates = [] }) => [
    name,
    listed(replaces),
    listed(updates),
  ]),
)}

A new image is for new machines: a running node keeps the disk it started from, and no step runs again. Nor does one for a
domain that is made anew: it starts from the same disk.

What libvirt has is compared by libvirt's own provider, also where there is no libvirt: it is let in by a stand-in, and
needs no more to compare (test/engine/preview-diff/libvirt-after-up.test.ts).

## What is not shown

Nothing of a stack's own state is looked at without one; what a change makes anew is then what the providers are known
to do with a changed property. Values that are known only after an \`up\` are not compared: the checksum of a program that
nobody has fetched yet hides the command that installs it.
`;
}

function alsoWhenUp(changes: readonly SettingChange[]): string {
  return changes
    .flatMap(({ name, alsoWhenUp: also = [] }) =>
      also.length === 0 ? [] : [`_${name}_ changes ${listed(also)} as well`],
    )
    .join("; ");
}

function tableOf(changes: readonly SettingChange[]): string {
  return table(
    ["a change", "made", "made anew", "changed in place", "removed"],
    changes.map(({ name, plans }) => [
      name,
      ...(["created", "anew", "changed", "deleted"] satisfies (keyof Planned)[]).map((what) =>
        listed(plans[what] ?? []),
      ),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function listed(names: readonly (string | Group)[]): string {
  return names
    .map((each) =>
      typeof each === "string" ? `\`${each}\`` : `${each.title} (${each.names.length})`,
    )
    .join(", ");
}
