import { fixture, kubeconfig } from "../controlplane/fixture-kubeconfig.ts";
import { stepFacts } from "../windows/windows-node-mocks.ts";

/** Keys and tokens among it. */
export const secrets = [
  "private key of",
  "abcdef.0123456789abcdef",
  Buffer.from(fixture("test-only-key.pem")).toString("base64"),
];

const byAction: Readonly<Record<string, (name: string) => string>> = {
  "create-kind-cluster": () => kubeconfig("https://192.168.150.128:6443"),
  "find-api-server": () => JSON.stringify({ address: "192.168.160.128", port: 6443 }),
  "find-node-routes": () =>
    JSON.stringify([{ range: "10.244.0.0/24", nextHop: "192.168.150.128" }]),
  "generate-ssh-key": (name) =>
    JSON.stringify({ privateKey: `private key of ${name}`, publicKey: `ssh-ed25519 AAAA ${name}` }),
  "mint-bootstrap-token": () => "abcdef.0123456789abcdef",
};

/**
 * What a command of a lab that is up has printed: a step as its script does, a host action by its name.
 *
 * @param name of its resource.
 * @param command its command line.
 */
export function printedBy(name: string, command: string): string {
  if (name === "lab-id") return "0123456789abcdef";
  const step = /([A-Z][A-Za-z]+-[A-Z][A-Za-z]+)\.ps1/.exec(command)?.[1];
  if (step !== undefined) {
    const result = { step, changed: true, rebootRequired: false, seconds: 1 };
    return JSON.stringify({ ...result, facts: stepFacts[step] ?? {} });
  }
  const action = /actions\/([a-z-]+)\.ts/.exec(command)?.[1] ?? "";
  return byAction[action]?.(name) ?? "";
}
