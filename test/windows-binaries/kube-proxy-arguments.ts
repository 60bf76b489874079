/** Values of what components/kubeproxy/start.ps1 only knows on a machine. */
export interface KubeProxyFacts {
  readonly nodeName: string;
  /** Source address on an overlay network: the HNS endpoint's, or a reserved one. */
  readonly sourceVip: string;
}

/**
 * The arguments with which start.ps1 starts kube-proxy.exe on an overlay network, out of the script's own text.
 *
 * @throws where the script has an expression that is not known here.
 */
export function kubeProxyArguments(script: string, facts: KubeProxyFacts): string[] {
  const list = /^\$arguments = @\(\n([^]*?)^\)$/m.exec(script)?.[1] ?? "";
  const added = [...script.matchAll(/^\s*\$arguments \+= (.+)$/gm)].map((match) => match[1] ?? "");
  const expressions = list
    .split("\n")
    .concat(added)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (expressions.length === 0) throw new Error("start.ps1 has no list $arguments");
  return expressions.map((expression) => {
    const literal = /^'([^']*)'$/.exec(expression)?.[1];
    if (literal !== undefined) return literal;
    const text = (/^"([^"]*)"$/.exec(expression)?.[1] ?? "$")
      .replace("$kubeconfig", assignedText(script, "kubeconfig"))
      .replace("$env:NODENAME", facts.nodeName)
      .replace("$sourceVip", facts.sourceVip);
    if (text.includes("$")) throw new Error(`start.ps1 has an unknown argument: ${expression}`);
    return text;
  });
}

/** A variable that the script sets to plain text. */
function assignedText(script: string, name: string): string {
  return new RegExp(`^\\$${name} = '([^']*)'$`, "m").exec(script)?.[1] ?? `$${name}`;
}
