import { ApiException, CoreV1Api, KubeConfig } from "@kubernetes/client-node";

/** Client for the cluster's own objects. */
export function clusterApi(kubeconfig: string): CoreV1Api {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  return config.makeApiClient(CoreV1Api);
}

/** Whether the API server answered with this HTTP status, e.g. 404 for what is gone. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiException && error.code === status;
}

/** The API server's own words for an error, without the request that caused it. */
export function apiMessage(error: unknown): string {
  if (!(error instanceof ApiException)) {
    return error instanceof Error ? error.message : String(error);
  }
  try {
    const status = JSON.parse(String(error.body)) as { message?: unknown };
    if (typeof status.message === "string") {
      return status.message;
    }
  } catch {
    // Not a Status object: a proxy's page, for example.
  }
  return `the API server answered with HTTP status ${error.code}`;
}
