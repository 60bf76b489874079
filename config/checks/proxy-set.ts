import type { Check } from "./check.ts";

/** Exceptions from a proxy need a proxy. */
export const proxySet: Check = {
  reads: ["windows.proxy"],
  run: ({ windows }) => {
    const { http, https, noProxy } = windows.proxy;
    return noProxy.length > 0 && http === undefined && https === undefined
      ? [
          {
            path: ["windows", "proxy", "noProxy"],
            value: noProxy,
            why: "names exceptions, but there is no proxy",
            instead: "Add kindows:windows.proxy.https, or leave it out.",
          },
        ]
      : [];
  },
};
