import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { checkServerIdentity, rootCertificates } from "node:tls";
import pRetry, { AbortError } from "p-retry";
import { messageOf } from "../../../host/failure.ts";
import { ApiError, type ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { sha256OfFile } from "../../../toolchain/cache-marker.ts";
import { imageState } from "./instance-state.ts";
import type { LabWatch } from "./lab-watch.ts";
import { goldenImage, importerApi, type Lab } from "./objects.ts";
import type { KubeVirtSettings } from "./settings.ts";

export type UploadedImage = Extract<KubeVirtSettings["image"], { readonly kind: "upload" }>;

/** Path of CDI's configuration, which all users of the cluster may read. */
export const importerConfigPath = `/apis/${importerApi}/cdiconfigs/config`;

export interface ImporterConfig {
  readonly status?: {
    readonly uploadProxyURL?: string;
    readonly uploadProxyCA?: string;
  };
}

/** Number of retries of an upload. The pauses between them grow to half a minute. */
const retries = 15;

/** Time limit without progress. */
const idleMilliseconds = 10 * 60_000;

/**
 * Name in the certificate that CDI makes for its proxy. It is accepted too, for a proxy behind `kubectl port-forward`.
 */
const certificateName = "cdi-uploadproxy";

/**
 * Uploads a lab's image if its DataVolume waits for an upload. CDI cannot resume uploads, so one that breaks off starts
 * again.
 *
 * @param report receives the progress.
 * @throws if the file has another SHA-256 than the settings, or the proxy cannot be reached or refuses the upload.
 */
export async function uploadImage(
  api: ClusterApi,
  watch: LabWatch,
  lab: Lab,
  image: UploadedImage,
  report: (line: string) => void,
  firstPauseMilliseconds = 1000,
): Promise<void> {
  const { namespace, startMinutes } = lab.machine;
  const name = goldenImage(lab)?.metadata.name ?? "";
  const wait = { what: `the image ${name} to take an upload`, seconds: startMinutes * 60 };
  const wanted = (): Promise<boolean> =>
    watch.until({ ...wait, onChange: report }, [name], (objects) => {
      const state = imageState(objects, name);
      if (typeof state !== "string") return { found: false };
      const isReady = objects.volumes.get(name)?.status?.phase === "UploadReady";
      return isReady ? { found: true } : state;
    });
  if (!(await wanted())) return;
  report(`reads ${image.path}`);
  if ((await sha256OfFile(image.path)) !== image.sha256) {
    throw new Error(
      `${image.path} has another SHA-256 than kindows:machine.image.sha256: write the one that sha256sum prints, or the path of the right file`,
    );
  }
  const attempt = async (): Promise<void> => {
    const isWanted = await wanted().catch((error: unknown) => {
      throw new AbortError(messageOf(error));
    });
    if (!isWanted) return;
    const { status = {} } = await api.get<ImporterConfig>(importerConfigPath);
    const { status: token } = await api.ask<{ status: { token: string } }>(
      `/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/${namespace}/uploadtokenrequests`,
      {
        apiVersion: "upload.cdi.kubevirt.io/v1beta1",
        kind: "UploadTokenRequest",
        metadata: { name, namespace },
        spec: { pvcName: name },
      },
    );
    await send(image, { ...status, ...token }, report);
  };
  await pRetry(attempt, {
    retries,
    minTimeout: firstPauseMilliseconds,
    maxTimeout: 30_000,
    // The proxy may not run yet, or CDI may still process an earlier upload.
    shouldRetry: ({ error }) => !(error instanceof ApiError) || error.status >= 500,
    onFailedAttempt: ({ error }) => {
      report(`the upload of ${image.path} broke off (${error.message})`);
    },
  });
}

async function send(
  { path, proxy }: UploadedImage,
  {
    uploadProxyURL = "",
    uploadProxyCA = "",
    token,
  }: NonNullable<ImporterConfig["status"]> & { readonly token: string },
  report: (line: string) => void,
): Promise<void> {
  const { size } = await stat(path);
  const gib = (size / 2 ** 30).toFixed(1);
  // The URL in CDI's configuration may lack the scheme.
  const base = proxy ?? uploadProxyURL.replace(/^(?!https?:)/, "https://");
  const url = `${base.replace(/\/$/, "")}/v1beta1/upload-async`;
  const outgoing = request(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-length": size,
      "content-type": "application/octet-stream",
    },
    ca: [...rootCertificates, uploadProxyCA],
    checkServerIdentity: (host, certificate) =>
      checkServerIdentity(host, certificate) && checkServerIdentity(certificateName, certificate),
    timeout: idleMilliseconds,
  });
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let [sent, reported] = [0, -1];
    for await (const chunk of chunks) {
      const percent = Math.floor((sent / size) * 20) * 5;
      if (percent > reported) report(`uploads ${path}: ${percent} % of ${gib} GiB`);
      reported = percent;
      sent += chunk.length;
      yield chunk;
    }
  }
  await new Promise<void>((resolve, reject) => {
    outgoing.on("timeout", () => outgoing.destroy(new Error(`${url} accepts no data`)));
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      const { statusCode = 0 } = answer;
      text(answer).then((body) => {
        // 409: CDI already has the whole image.
        if (statusCode === 200 || statusCode === 409) resolve();
        else reject(new ApiError(statusCode, `${url} answers ${statusCode}: ${body.trim()}`));
      }, reject);
    });
    // A failure here also fails the request.
    pipeline(createReadStream(path), counted, outgoing).catch(() => undefined);
  });
}
