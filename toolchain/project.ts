import path from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Ignored folder for everything that this clone keeps between runs: state, plugins, keys, kubeconfigs. */
export const localFolder = path.join(projectRoot, ".kindows");

/** The engine's home (PULUMI_HOME): plugins, credentials, logs. */
export const pulumiHome = path.join(localFolder, "pulumi");
