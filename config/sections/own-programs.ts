import * as z from "zod";
import { namedFile, namedFileProblems } from "../named-file.ts";
import { type Check, unless } from "../problem.ts";

const ownFile = (what: string): ReturnType<typeof namedFile> =>
  namedFile(what, "`./kindows fetch`").meta({ description: `Your own: ${what}.` });

export const ownPrograms = z.strictObject({
  kubelet: ownFile("`kubelet.exe`"),
  kubeadm: ownFile("`kubeadm.exe`"),
  kubeProxy: ownFile("`kube-proxy.exe`"),
  containerd: ownFile("an archive with `bin/containerd.exe` and what belongs to it"),
  cniPlugins: ownFile(
    "an archive with `host-local.exe`, `win-bridge.exe` and `win-overlay.exe` (only with Flannel)",
  ),
});

/** The user's own programs on Windows nodes. */
export const programs = ownPrograms.prefault({}).meta({
  description:
    "Your own programs in place of the published ones (docs/own-binaries.md). Another file is installed in place; the node is drained before.",
});

interface ProgramsSection {
  readonly windows: {
    readonly programs: z.output<typeof ownPrograms>;
    readonly checksums: object;
  };
  readonly cni: { readonly kind: string };
}

const named: Check<ProgramsSection> = {
  reads: ["windows.programs", "windows.checksums"],
  run: ({ windows: { programs, checksums } }) =>
    Object.entries(programs).flatMap(([name, file]) => [
      ...namedFileProblems(file, ["windows", "programs", name]),
      ...unless((file.path ?? file.url) === undefined || !(name in checksums), {
        path: ["windows", "checksums", name],
        why: "is that of the published program, in whose place you have your own",
        instead: "Leave it out.",
      }),
    ]),
};

/** Networks whose steps install CNI plugins, or that are not known before the cluster was looked at. */
const withPlugins = ["flannel", "ovn-kubernetes", "found"];

const pluginsUsed: Check<ProgramsSection> = {
  reads: ["windows.programs", "cni.kind"],
  run: ({ windows: { programs }, cni }) => {
    const { path, url } = programs.cniPlugins;
    return unless((path ?? url) === undefined || withPlugins.includes(cni.kind), {
      path: ["windows", "programs", "cniPlugins", path === undefined ? "url" : "path"],
      why: `has no effect: the pod network ${cni.kind} brings its own plugins`,
      instead: "Leave it out, and use `./kindows deploy <node> cniPlugins=FILE`.",
    });
  },
};

export const programsChecks: readonly Check<ProgramsSection>[] = [named, pluginsUsed];
