/**
 * Command line of a host action beside the components of this folder. Relative to the project, so that the state is the
 * same in every clone; parameters and secrets travel in the environment.
 */
export function actionCommand(name: string): string {
  return `node --import tsx components/controlplane/actions/${name}.ts`;
}
