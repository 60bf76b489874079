import type { HyperVHostParameter } from "./parameters.ts";

/** A host as the settings have it. */
interface WrittenHost extends Pick<
  HyperVHostParameter,
  "name" | "address" | "port" | "user" | "hostKey" | "privateKeyFile" | "folder"
> {
  readonly switch: string;
  readonly image: string;
}

/** The same as its actions are told of it, but for whose machines it runs. */
export function hyperVPlace(host: WrittenHost, lab: string): Omit<HyperVHostParameter, "owner"> {
  const { name, address, port, user, hostKey, privateKeyFile, folder } = host;
  return {
    ...{ name, address, port, user, hostKey, privateKeyFile, folder, lab },
    switchName: host.switch,
    baseDisk: host.image,
  };
}
