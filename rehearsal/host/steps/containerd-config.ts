/** What the step changes in containerd's default configuration. */
export interface ContainerdSettings {
  /** Sandbox image. */
  readonly pauseImage: string;
  /** Folder of the CNI programs, with forward slashes. */
  readonly cniBinDirectory: string;
  /** Folder of the CNI configuration, with forward slashes. */
  readonly cniConfDirectory: string;
  /** Folder that holds a folder with a hosts.toml per registry, with forward slashes; undefined: as containerd has it. */
  readonly registryFolder: string | undefined;
}

const images = "plugins.'io.containerd.cri.v1.images'.pinned_images";
const registry = "plugins.'io.containerd.cri.v1.images'.registry";
const cni = "plugins.'io.containerd.cri.v1.runtime'.cni";

/**
 * containerd's default configuration (2.x) with a few values changed, each in its own section only: a `bin_dir` elsewhere,
 * such as the image verifier's, means something else.
 *
 * @returns the text, or the settings that the default configuration does not have.
 */
export function editContainerdConfig(
  text: string,
  settings: ContainerdSettings,
): { readonly text: string } | { readonly missing: string[] } {
  const values = new Map([
    [`${images}/sandbox`, `'${settings.pauseImage}'`],
    [`${cni}/bin_dirs`, `['${settings.cniBinDirectory}']`],
    [`${cni}/conf_dir`, `'${settings.cniConfDirectory}'`],
  ]);
  if (settings.registryFolder !== undefined) {
    values.set(`${registry}/config_path`, `'${settings.registryFolder}'`);
  }
  const found = new Set<string>();
  let section = "";
  const lines = text.split(/\r?\n/).map((line) => {
    const header = /^\s*\[([^[\]]+)\]\s*$/.exec(line);
    if (header) {
      section = header[1] ?? "";
      return line;
    }
    const [, indent = "", key = ""] = /^(\s*)([A-Za-z_]+)\s*=/.exec(line) ?? [];
    const value = values.get(`${section}/${key}`);
    if (value === undefined) return line;
    found.add(`${section}/${key}`);
    return `${indent}${key} = ${value}`;
  });
  const missing = [...values.keys()].filter((key) => !found.has(key)).sort();
  return missing.length > 0 ? { missing } : { text: lines.join("\n") };
}
