import { readFileSync } from "node:fs";
import type { types } from "@pulumi/kubernetes";
import { parseAllDocuments } from "yaml";

/** An object whose kind is defined by a CustomResourceDefinition. */
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
 * Reads a manifest that has one object of each kind.
 *
 * @param values replace the fields `${name}`; a field whose value is undefined is removed.
 * @throws if `values` lacks a name.
 */
export function manifest(file: URL, values: Readonly<Record<string, unknown>>): Manifest {
  const substitute = (_: unknown, field: unknown): unknown => {
    const [, name] = typeof field === "string" ? (/^\$\{(\w+)\}$/.exec(field) ?? []) : [];
    if (name === undefined) return field;
    if (!(name in values)) throw new Error(`${file.pathname}: there is no value for ${name}`);
    return values[name];
  };
  const objects = parseAllDocuments(readFileSync(file, "utf8")).map(
    (document) => document.toJS({ reviver: substitute }) as { readonly kind: string },
  );
  return Object.fromEntries(objects.map((object) => [object.kind, object])) as unknown as Manifest;
}
