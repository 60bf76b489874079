import type { SettingsProblem } from "../problem.ts";
import type { WrittenSettings } from "../settings.ts";

/** The part of the settings it is about; stacks of every kind have it. */
interface ProxySettings {
  readonly windows: Pick<WrittenSettings["windows"], "proxy">;
}

/** Exceptions from a proxy need a proxy. */
export const proxySet = {
  reads: ["windows.proxy"],
  run: ({ windows }: ProxySettings): SettingsProblem[] => {
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
