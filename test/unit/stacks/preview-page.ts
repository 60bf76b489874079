import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { calicoVersions } from "../../../components/cni/calico/release.ts";
import { nodeImages } from "../../../host/versions.ts";
import { changesAfterUp } from "../../engine/windows/changes-after-up.ts";
import { devChanges, flannelChanges } from "./dev-changes.ts";
import type { Group, Planned, SettingChange } from "./planned.ts";
import { rehearsalChanges } from "./rehearsal-changes.ts";

/** docs/preview.md. */
export const file = fileURLToPath(new URL("../../../docs/preview.md", import.meta.url));

/** What it says: what changes plan, by the tables that the tests hold the engine to. */
export async function previewPage(): Promise<string> {
  return format(text(), { ...(await resolveConfig(file)), filepath: file });
}

const text = () => `# What a preview plans

\`pulumi preview\` of every stack works on a machine without Docker, libvirt and KVM, before anything exists
(\`make preview-diff\`, or \`KINDOWS_PREVIEW=anywhere\`: [cli.md](cli.md#previews-in-pull-requests)), and shows every resource
with its inputs. After an \`up\` it plans only what a change needs: known values stay known, so nothing else follows.

The tables that the tests check the program against are the source of this page
(\`node --import tsx test/unit/stacks/write-preview-page.ts\`): change those, not the page.

## The stack rehearsal

${listOf(rehearsalChanges)}

On a running lab ${alsoWhenUp(rehearsalChanges)}.

The lists contain no other version of Kubernetes (there are ${Object.keys(nodeImages).join(", ")}), which only changes the cluster, and none of Calico, because ${calicoVersions.join(", ")} is the only one yet.
_another containerd_ below shows what a new version of a node's program plans.

## The stack dev

With Calico and a prepared disk as its image, what it plans otherwise:

${listOf(devChanges)}

With Flannel:

${listOf(flannelChanges)}

## A running node

With state, after an \`up\` of a node on a rehearsal machine inside the test process. \`machine\` is the domain there, \`identity\`
the disc that gives a machine its identity.

${changesAfterUp
  .map(({ name, replaces = [], updates = [] }) =>
    item(name, { replaced: replaces, changed: updates }),
  )
  .join("\n")}

A new image is for new machines: a running node keeps its disk, and no step runs again. Nor does a step run again for a domain
that is replaced: it starts from the same disk.

libvirt's own provider compares what libvirt has, even without libvirt: it connects to a stand-in, which is all it needs
(test/engine/preview-diff/libvirt-after-up.test.ts).

## What is not shown

Without a stack's state, nothing is compared with it: what a change replaces is then what the providers are known to do with
a changed property. Values that are known only after an \`up\` are not compared: the checksum of a program that nobody has
fetched yet hides the command that installs it.
`;

function alsoWhenUp(changes: readonly SettingChange[]): string {
  return changes
    .flatMap(({ name, alsoWhenUp: also = [] }) =>
      also.length === 0 ? [] : [`_${name}_ also updates ${listed(also)}`],
    )
    .join("; ");
}

const verbs = {
  created: "creates",
  replaced: "replaces",
  changed: "updates",
  deleted: "deletes",
} as const satisfies Record<keyof Planned, string>;

function listOf(changes: readonly SettingChange[]): string {
  return changes.map(({ name, plans }) => item(name, plans)).join("\n");
}

function item(name: string, plans: Planned): string {
  const parts = (["created", "replaced", "changed", "deleted"] as const).flatMap((what) => {
    const names = plans[what] ?? [];
    return names.length === 0 ? [] : [`${verbs[what]} ${listed(names)}`];
  });
  return `- **${name}**: ${parts.length === 0 ? "nothing" : parts.join("; ")}`;
}

function listed(names: readonly (string | Group)[]): string {
  return names
    .map((each) =>
      typeof each === "string" ? `\`${each}\`` : `${each.title} (${each.names.length})`,
    )
    .join(", ");
}
