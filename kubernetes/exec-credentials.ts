import { setTimeout as sleep } from "node:timers/promises";
import type { RequestOptions } from "node:https";

/** What a program gave; secret. */
export interface GivenCredentials {
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
}

/**
 * Asks the program that a kubeconfig's user names (`exec`, client.authentication.k8s.io) for a token or a certificate.
 *
 * @throws when it does not run, fails, or does not end in time: it may wait for somebody at a browser.
 */
export async function programCredentials(
  kubeconfig: string,
  timeoutSeconds: number,
): Promise<GivenCredentials> {
  // Loaded where there is a program only: it takes longer than all that an action does.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const command = (config.getCurrentUser()?.exec as { readonly command?: string } | undefined)
    ?.command;
  const options: RequestOptions = {};
  const timer = new AbortController();
  try {
    await Promise.race([
      config.applyToHTTPSOptions(options),
      sleep(timeoutSeconds * 1000, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`no answer within ${timeoutSeconds} s`);
      }),
    ]);
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error);
    throw new Error(`the kubeconfig's program ${command ?? ""} gives no credentials: ${why}`);
  } finally {
    timer.abort();
  }
  const header = (options.headers as Record<string, string> | undefined)?.["Authorization"];
  return {
    certificate: options.cert as string | undefined,
    key: options.key as string | undefined,
    token: header?.replace(/^Bearer /, ""),
  };
}
