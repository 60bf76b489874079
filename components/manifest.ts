import { readFileSync } from "node:fs";
import type { types } from "@pulumi/kubernetes";
import { parseAllDocuments } from "yaml";

/** An object of a kind that a CustomResourceDefinition defines. */
interface CustomObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Objects of a manifest, by their kind. */
export interface Manifest {
  readonly Namespace: types.input.core.v1.Namespace;
  readonly ServiceAccount: types.input.core.v1.ServiceAccount;
  readonly ConfigMap: types.input.core.v1.ConfigMap;
  readonly ClusterRole: types.input.rbac.v1.ClusterRole;
  readonly ClusterRoleBinding: types.input.rbac.v1.ClusterRoleBinding;
  readonly Deployment: types.input.apps.v1.Deployment;
  readonly DaemonSet: types.input.apps.v1.DaemonSet;
  readonly Installation: CustomObject;
  readonly APIServer: CustomObject;
}

/**
 * The objects in a file that lies beside a module, one of each kind.
 *
 * @param values what is put in the place of each `${name}`; without the field where it is undefined.
 * @throws for a name without a value.
 */
export function manifest(file: URL, values: Readonly<Record<string, unknown>>): Manifest {
  const place = (_: unknown, written: unknown): unknown => {
    const [, name] = typeof written === "string" ? (/^\$\{(\w+)\}$/.exec(written) ?? []) : [];
    if (name === undefined) return written;
    if (!(name in values)) throw new Error(`${file.pathname}: nothing is given for ${name}`);
    return values[name];
  };
  const objects = parseAllDocuments(readFileSync(file, "utf8")).map(
    (document) => document.toJS({ reviver: place }) as { readonly kind: string },
  );
  return Object.fromEntries(objects.map((object) => [object.kind, object])) as unknown as Manifest;
}
