import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import {
  type UploadedImage,
  uploadImage,
} from "../../../../components/machine/kubevirt/image-upload.ts";
import { LabWatch } from "../../../../components/machine/kubevirt/lab-watch.ts";
import { goldenImage } from "../../../../components/machine/kubevirt/objects.ts";
import { withFakeApi } from "../../controlplane/fake-api.ts";
import { fixture } from "../../controlplane/fixture-kubeconfig.ts";
import { newFolder } from "../../new-folder.ts";
import { type Answer, HttpsServer } from "../../toolchain/https-server.ts";
import { labWith } from "./kubevirt-lab.ts";

const disk = Buffer.alloc(3_000_000, "a disk of Windows ");

describe("an image that is uploaded", () => {
  let proxy: HttpsServer;
  const file = path.join(newFolder(), "windows.qcow2");

  before(async () => {
    writeFileSync(file, disk);
    proxy = await HttpsServer.start();
  });
  after(() => proxy.stop());

  /** Uploads it; what the proxy answers to each attempt, and in which phase its DataVolume is. */
  async function upload(
    answers: readonly Answer[],
    { phase = "UploadReady", ...image }: Partial<UploadedImage> & { phase?: string } = {},
  ): Promise<{ readonly told: readonly string[]; readonly tokens: number }> {
    const sha256 = createHash("sha256").update(disk).digest("hex");
    const settings = { kind: "upload", path: file, sha256, ...image } as const;
    const lab = labWith({ image: settings });
    const left = [...answers];
    proxy.answer = (...exchange) => (left.shift() ?? assert.fail("it is asked again"))(...exchange);
    const told: string[] = [];
    const volume = {
      metadata: { name: goldenImage(lab)?.metadata.name, uid: "1", resourceVersion: "1" },
      status: { phase },
    };
    const host = proxy.url.replace("https://127.0.0.1", "localhost");
    const config = { uploadProxyURL: host, uploadProxyCA: fixture("localhost-ec.pem") };
    return withFakeApi(
      (request) => {
        if (request.endsWith("/cdiconfigs/config")) return [200, { status: config }];
        if (request.endsWith("/uploadtokenrequests")) return [201, { status: { token: "secret" } }];
        const items = request.endsWith("/datavolumes") ? [volume] : [];
        return [200, { metadata: { resourceVersion: "1" }, items }];
      },
      async (api, requests) => {
        const watch = await LabWatch.open(api, lab);
        await uploadImage(api, watch, lab, settings, (line) => told.push(line), 1);
        const tokens = requests.filter((each) => each.endsWith("/uploadtokenrequests")).length;
        assert.equal(left.length, 0);
        return { told, tokens };
      },
    );
  }

  it("arrives whole, with a token, and says how far it is", async () => {
    let arrived = Buffer.alloc(0);
    const { told, tokens } = await upload([
      (request, response) => {
        assert.deepEqual(
          [request.method, request.url, request.headers.authorization],
          ["POST", "/v1beta1/upload-async", "Bearer secret"],
        );
        void buffer(request).then((body) => {
          arrived = body;
          response.end();
        });
      },
    ]);
    assert.ok(arrived.equals(disk));
    assert.equal(tokens, 1);
    assert.deepEqual(told.slice(0, 2), [`reads ${file}`, `uploads ${file}: 0 % of 0.0 GiB`]);
    assert.match(told.at(-1) ?? "", /: 9\d % of 0\.0 GiB$/);
  });

  it("begins again, with another token, where it breaks off or the proxy has nobody to hand it to", async () => {
    const { told, tokens } = await upload([
      (request) => request.once("data", () => request.socket.destroy()),
      (request, response) => request.resume().on("end", () => response.writeHead(503).end()),
      (request, response) => request.resume().on("end", () => response.end()),
    ]);
    assert.equal(tokens, 3);
    const broken = told.filter((line) => line.includes("broke off"));
    assert.equal(broken.length, 2, told.join("\n"));
    assert.match(broken[1] ?? "", /upload-async answers 503/);
  });

  it("is there already", async () => {
    assert.deepEqual(await upload([], { phase: "Succeeded" }), { told: [], tokens: 0 });
    await upload([
      (request, response) => request.resume().on("end", () => response.writeHead(409).end()),
    ]);
  });

  it("is not tried again where it is refused, or is another file", async () => {
    const refused: Answer = (request, response) =>
      request.resume().on("end", () => response.writeHead(400).end("too large for its volume"));
    await assert.rejects(upload([refused]), /upload-async answers 400: too large for its volume$/);
    await assert.rejects(
      upload([], { sha256: "0".repeat(64) }),
      /has another SHA-256 than kindows:machine/,
    );
  });

  it("has another name where its content is another", () => {
    const name = (sha256: string, place = file) =>
      goldenImage(labWith({ image: { kind: "upload", path: place, sha256 } }))?.metadata.name;
    assert.notEqual(name("0".repeat(64)), name("1".repeat(64)));
    assert.equal(name("0".repeat(64)), name("0".repeat(64), "/elsewhere"));
  });
});
