import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import path from "node:path";
import { text } from "node:stream/consumers";

import { findUpdate } from "../../../../cli/fetch/image-media.ts";
import { imageMedia, missingUpdate } from "../../../../images/windows/media.ts";
import {
  catalogueSearch,
  findInCatalogue,
  lockedUpdate,
} from "../../../../images/windows/update-catalogue.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import type { Settings } from "../../../../config/settings.ts";
import { readSoftwareLock } from "../../../../toolchain/software-lock.ts";
import { newFolder } from "../../new-folder.ts";
import { HttpsServer } from "../../toolchain/https-server.ts";

const kb = "KB5044281";
const id = "0b1d2f3a-1111-2222-3333-444455556666";
const cumulative = `2024-10 Cumulative Update for Microsoft server operating system version 21H2 for x64-based Systems (${kb})`;
const others = [
  "2024-10 Cumulative Update for .NET Framework 3.5 and 4.8.1 for Microsoft server operating system version 21H2 for x64 (KB5044035)",
  cumulative.replace("x64", "arm64"),
  cumulative.replace(kb, "KB5046616"),
];
const file = `https://catalog.s.download.windowsupdate.com/d/msdownload/update/software/secu/2024/10/windows10.0-kb5044281-x64_${"ab".repeat(20)}.msu`;
const digest = createHash("sha256").update("update").digest();

/** Pages as public programs that read the catalogue expect them; nobody has seen the real ones here. */
const results = (titles: readonly string[]): string =>
  titles
    .map((title, place) => {
      const each = title === cumulative ? id : id.replace("0b1d", `000${place}`);
      return `<tr id="${each}_R${place}"><td><a id='${each}_link' href="javascript:void(0);" onclick='goToDetails("${each}");' class="contentTextItemSpacerNoBreakLink">\n  ${title}\n</a></td></tr>`;
    })
    .join("\n");
const dialog = (url: string, sha256: string): string =>
  `downloadInformation[0] = new Object();
downloadInformation[0].files[0] = new Object();
downloadInformation[0].files[0].url = '${url}';
downloadInformation[0].files[0].digest = 'iH8eDpa5pkZtyW2IzGWCDGhJ0e0=';
downloadInformation[0].files[0].sha256 = '${sha256}';
downloadInformation[0].files[0].fileName = 'windows10.0-kb5044281-x64.msu';`;

describe("an update in Microsoft's Update Catalog", () => {
  let server: HttpsServer;
  before(async () => (server = await HttpsServer.start()));
  after(() => server.stop());

  const posted: string[] = [];
  const find = (titles: readonly string[], asked = dialog(file, digest.toString("base64"))) => {
    posted.length = 0;
    server.answer = (request, response) => {
      void (async () => {
        if (request.method === "GET") response.end(results(titles));
        else {
          posted.push(await text(request));
          response.end(request.url === "/DownloadDialog.aspx" ? asked : "");
        }
      })();
    };
    return findInCatalogue(kb, server.url);
  };

  it("is the one of Windows Server 2022 with the number, and its file the one that the dialog names", async () => {
    const found = { uri: file, sha256: digest.toString("hex") };
    assert.deepEqual(await find([...others, cumulative]), found);
    assert.equal(server.asked[0]?.path, `/Search.aspx?q=${kb}`);
    const form = new URLSearchParams(posted[0]);
    assert.deepEqual(JSON.parse(form.get("updateIDs") ?? ""), [
      { size: 0, updateID: id, uidInfo: id },
    ]);
    const plain = dialog(file.replace("https:", "http:"), digest.toString("base64"));
    assert.deepEqual(await find([cumulative], plain), found);
  });

  it("is not guessed", async () => {
    await assert.rejects(
      find(others),
      /^Error: it lists 0 such updates .* Its results: 2024-10 Cumulative/,
    );
    await assert.rejects(find([]), /Its results: nothing$/);
    await assert.rejects(
      find([cumulative, cumulative]),
      /^Error: it lists 2 such updates of Windows Server 2022/,
    );
    for (const [url, sha256] of [
      [file, ""],
      [file, "iH8eDpa5pkZtyW2IzGWCDGhJ0e0="],
      [file.replace("windowsupdate.com", "example.com"), digest.toString("base64")],
      [file.replace("kb5044281", "kb5046616"), digest.toString("base64")],
      [file.replace(".msu", ".exe"), digest.toString("base64")],
    ] as const) {
      await assert.rejects(
        find([cumulative], dialog(url, sha256)),
        /no file of KB5044281 with a SHA/,
      );
    }
    server.answer = (_, response) => response.writeHead(503).end();
    await assert.rejects(findInCatalogue(kb, server.url), /curl: \(22\).*503/);
  });

  const withImage = (image: object): Settings =>
    resolveSettings(
      { windows: { image: { kind: "evaluation-iso", ...image } } },
      { stack: "dev", file: "Pulumi.dev.yaml" },
    );

  it("is looked for once, after the terms are agreed to, and locked", async () => {
    const lockFile = path.join(newFolder(), "software.lock.json");
    const look = (image: object): Promise<void> =>
      findUpdate(withImage(image), lockFile, server.url);
    await assert.rejects(find([]));
    server.asked.length = 0;
    await look({});
    await look({ acceptLicence: true, update: { path: "/own.msu" } });
    assert.equal(server.asked.length, 0);
    const failed =
      /^Failure: KB5044281 could not be found .* results: nothing\. Add one of Microsoft.s cumulative updates/;
    await assert.rejects(look({ acceptLicence: true }), failed);
    await find([cumulative]);
    server.asked.length = 0;
    await look({ acceptLicence: true });
    await look({ acceptLicence: true });
    assert.equal(server.asked.length, 2);
    const sha256 = digest.toString("hex");
    assert.deepEqual(lockedUpdate(kb, readSoftwareLock(lockFile)), { uri: file, sha256 });
  });

  it("is what an ISO that is too old takes, once it is locked", () => {
    const { image } = withImage({ acceptLicence: true }).windows;
    assert.ok(image.kind === "evaluation-iso");
    const sha256 = digest.toString("hex");
    const entry = { sha256, takenFrom: catalogueSearch(kb), takenOn: "2026-11-25" };
    assert.equal(lockedUpdate("KB5046616", { [file]: entry }), undefined);
    const { media, problems } = imageMedia(image, "2022", { [file]: entry });
    assert.deepEqual(problems, []);
    const source = { kind: "download", uri: file, sha256 };
    assert.deepEqual(media.at(-1), { name: "update", source });
    assert.equal(missingUpdate(image, "2022", { [file]: entry }), undefined);
    assert.equal(missingUpdate(image, "2022", {}), kb);
    assert.equal(missingUpdate(image, "2025", {}), undefined);
    const newer = { ...image, update: { kb: "KB5046616" } };
    assert.equal(missingUpdate(newer, "2022", { [file]: entry }), "KB5046616");
    const [problem] = imageMedia(newer, "2022", { [file]: entry }).problems;
    assert.equal(problem?.subject, "The update KB5046616");
  });
});
