import type { Complaint } from "../problem.ts";

const host = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$/;

/** Name of an image registry as it stands in front of an image's name. */
export function registryName(value: string): Complaint | undefined {
  if (value === "registry-1.docker.io" || value === "index.docker.io") {
    return {
      why: "is where docker.io's images come from, not their name",
      instead: "Write docker.io.",
    };
  }
  return host.test(value)
    ? undefined
    : {
        why: "is not the name of a registry",
        instead:
          "Write what stands in front of its images' names, e.g. docker.io or example.com:5000.",
      };
}

/** Address of a registry's mirror. */
export function mirrorAddress(value: string): Complaint | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[\s",;=]/.test(value)) {
    return {
      why: "is not an address containerd can pull from",
      instead: "Write https://HOST[:PORT][/PATH], e.g. https://mirror.example.com.",
    };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      why: "holds a login, which would stand in a file that every user of the node can read",
      instead: `Write https://${url.host}, and let the mirror know the nodes by their addresses.`,
    };
  }
  if (url.protocol === "http:") {
    return {
      why: "is not encrypted: anybody on the way could hand out other images",
      instead: `Give the mirror a certificate and write https://${url.host}.`,
    };
  }
  return undefined;
}
