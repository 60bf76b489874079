/** Components that have host actions, each a program in the folder `actions` beside them. */
type Folder = "cni" | "controlplane" | "machine";

/**
 * Command line of a host action. Relative to the project, so that the state is the same in every clone; parameters and
 * secrets travel in the environment.
 */
export function actionCommand(folder: Folder, name: string): string {
  return `node toolchain/program/run.js components/${folder}/actions/${name}.ts`;
}
