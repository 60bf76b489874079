import { readFileSync } from "node:fs";
import { stringify } from "yaml";

/** Text of a file in fixtures/; test-only-key.pem belongs to localhost-ec.pem and protects nothing. */
export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");
}

/** A kubeconfig like kind's, with the given certificate as its CA and the test key as its user's key. */
export function kubeconfig(server: string, ca = "localhost-ec.pem"): string {
  const encoded = (name: string): string => Buffer.from(fixture(name)).toString("base64");
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "kubernetes", cluster: { server, "certificate-authority-data": encoded(ca) } },
    ],
    users: [
      {
        name: "kubernetes-admin",
        user: {
          "client-certificate-data": encoded("localhost-ec.pem"),
          "client-key-data": encoded("test-only-key.pem"),
        },
      },
    ],
    contexts: [{ name: "kind-x", context: { cluster: "kubernetes", user: "kubernetes-admin" } }],
    "current-context": "kind-x",
  });
}
