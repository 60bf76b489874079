import type { RoutedEndpoint } from "../../ssh/dial.ts";
import type { SshEndpoint } from "../../ssh/endpoint.ts";
import { isMap, type PropertyMap } from "../protocol/property-value.ts";

/** Reads a checked `connection` input without secret marks. */
export function parseConnection(connection: PropertyMap): RoutedEndpoint {
  const { proxy } = connection;
  return { ...parseEndpoint(connection), ...(isMap(proxy) && { via: [parseEndpoint(proxy)] }) };
}

function parseEndpoint(connection: PropertyMap): SshEndpoint {
  const text = (name: string): string | undefined => {
    const value = connection[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    host: text("host") ?? "",
    port: Number(connection["port"]),
    user: text("user") ?? "root",
    password: text("password"),
    privateKey: text("privateKey"),
    privateKeyPassword: text("privateKeyPassword"),
    agentSocketPath: text("agentSocketPath"),
    hostKey: text("hostKey"),
    dialErrorLimit: Number(connection["dialErrorLimit"]),
    perDialTimeout: Number(connection["perDialTimeout"]),
  };
}
