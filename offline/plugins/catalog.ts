export interface BundledPlugin {
  /** Folder below offline/plugins/ with its main.ts. */
  readonly name: string;
  readonly kind: "language" | "resource";
  readonly executable: string;
  /** Version it is installed as: that of the npm package it serves, which the engine requires exactly. */
  readonly version: string;
}

/**
 * The bundled plugins. Installed as `$PULUMI_HOME/plugins/<kind>-<short name>-v<version>/<executable>`; the engine
 * finds the language host there if PULUMI_IGNORE_AMBIENT_PLUGINS is set and none is beside `pulumi`.
 */
export const bundledPlugins: readonly BundledPlugin[] = [
  {
    name: "language-nodejs",
    kind: "language",
    executable: "pulumi-language-nodejs",
    version: "3.248.0",
  },
  provider("command", "1.2.1"),
  provider("docker", "5.2.0"),
  provider("kubernetes", "4.34.2"),
];

function provider(name: string, version: string): BundledPlugin {
  return { name, kind: "resource", executable: `pulumi-resource-${name}`, version };
}
