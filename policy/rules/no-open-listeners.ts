import { texts, type Rule } from "../rule.ts";

/** All addresses of a host, IPv4 or IPv6; neither a default route (`0.0.0.0/0`) nor part of another address. */
const everyAddress = /(?<![0-9.])0\.0\.0\.0(?![0-9.]*[/0-9])|\[::\](?::[0-9]+)?/;

/** Screens, metrics and API servers that listen on all addresses of a host are open to its whole network. */
export const noOpenListeners: Rule = {
  name: "no-open-listeners",
  description: "nothing listens on every address of a host (0.0.0.0, [::])",
  check: (preview) =>
    texts(preview).flatMap(({ resource, path, text }) => {
      const found = everyAddress.exec(text)?.[0];
      return found === undefined
        ? []
        : [
            {
              resource: resource.name,
              message: `${path.join(".")} has ${found}: name the address it is to listen on, e.g. 127.0.0.1`,
            },
          ];
    }),
};
