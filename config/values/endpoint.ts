import { addressNumber } from "../ipv4.ts";
import type { Complaint } from "../problem.ts";
import { dnsDomain } from "./dns-name.ts";

const instead = "Write HOST:PORT, e.g. api.example.com:6443.";

/** `host:port` of an API server, the host an IPv4 address or a DNS name. */
export function endpoint(value: string): Complaint | undefined {
  if (/^[a-z]+:\/\//i.test(value)) {
    return {
      why: "is an address with a scheme",
      instead: `Write ${value.replace(/^[a-z]+:\/\//i, "").replace(/\/.*$/, "")} alone, as HOST:PORT.`,
    };
  }
  const [, host, port] = /^([^:]+):(\d{1,5})$/.exec(value) ?? [];
  if (host === undefined || port === undefined) {
    return { why: "is not a host and a port", instead };
  }
  if (Number(port) < 1 || Number(port) > 65535) {
    return { why: `has the port ${port}, which there is none of`, instead };
  }
  return hostName(host) === undefined
    ? undefined
    : { why: `has no host name or IPv4 address before the port`, instead };
}

/** An IPv4 address or a DNS name in lower case. */
export function hostName(value: string): Complaint | undefined {
  const numeric = /^[\d.]+$/.test(value);
  return (numeric ? addressNumber(value) !== undefined : dnsDomain(value) === undefined)
    ? undefined
    : {
        why: "is neither an IPv4 address nor a DNS name",
        instead: "Write one of them, without user and port, e.g. 192.0.2.10 or host.example.com.",
      };
}
