import { parseRange } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";

/** Address of an HTTP proxy. */
export function proxyAddress(value: string): Complaint | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    return {
      why: "is not the address of an HTTP proxy",
      instead: "Write http://HOST:PORT, e.g. http://proxy.example.com:3128.",
    };
  }
  const plain = `${url.protocol}//${url.host}`;
  if (url.username !== "" || url.password !== "") {
    return {
      why: "holds a login, which would stand in the registry of Windows, where every user can read it",
      instead: `Write ${plain}, and let the proxy know the nodes by their addresses.`,
    };
  }
  return value === plain || value === `${plain}/`
    ? undefined
    : { why: "is more than a proxy's address", instead: `Write ${plain}.` };
}

/** What is reached without the proxy: a host, a domain, an address or a range of them. */
export function noProxyEntry(value: string): Complaint | undefined {
  if (/^\*\./.test(value)) {
    return {
      why: "has a wildcard, which Go's programs do not know",
      instead: `Write ${value.slice(1)}.`,
    };
  }
  const name = /^\.?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$/;
  return name.test(value) || parseRange(value) !== undefined
    ? undefined
    : {
        why: "is not a host, a domain or a range of addresses",
        instead: "Write e.g. registry.example.com, .example.com, 10.1.2.3 or 10.0.0.0/8.",
      };
}
