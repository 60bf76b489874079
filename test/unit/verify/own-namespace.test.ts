import assert from "node:assert/strict";

import { createNamespace, removeNamespace } from "../../../verify/run/own-namespace.ts";
import { withFakeApi } from "../controlplane/fake-api.ts";
import type { Answer } from "../controlplane/fake-api.ts";

const path = "/api/v1/namespaces/kindows-verify";
const gone: Answer = [404, { message: "not found" }];
const fine: Answer = [200, {}];

describe("the namespace of a run", () => {
  it("is made, and pods can be made in it from then on", async () => {
    const asked: string[] = [];
    await withFakeApi(
      (request) => {
        asked.push(request);
        return request === `GET ${path}` ? gone : fine;
      },
      async (api) => {
        await createNamespace(api, () => assert.fail("nothing to say"));
      },
    );
    assert.deepEqual(asked, [
      `GET ${path}`,
      "POST /api/v1/namespaces",
      `GET ${path}/serviceaccounts/default`,
    ]);
  });

  it("takes the place of what an earlier run left", async () => {
    let there = true;
    const lines: string[] = [];
    await withFakeApi(
      (request) => {
        if (request === `DELETE ${path}`) there = false;
        if (request === `GET ${path}`) return there ? fine : gone;
        return fine;
      },
      async (api, requests) => {
        await createNamespace(api, (line) => lines.push(line));
        assert.ok(requests.indexOf(`DELETE ${path}`) < requests.indexOf("POST /api/v1/namespaces"));
      },
    );
    assert.match(
      lines[0] ?? "",
      /^removing the namespace kindows-verify that an earlier run left$/,
    );
  });

  it("is gone when it is removed, also where it was not there", async () => {
    await withFakeApi(
      () => gone,
      async (api, requests) => {
        await removeNamespace(api, () => undefined);
        assert.deepEqual(requests, [`DELETE ${path}`, `GET ${path}`]);
      },
    );
  });

  it("is rid of pods whose node does not answer, and of those only", async () => {
    const deleted: string[] = [];
    const pod = (name: string, nodeName: string): object => ({
      metadata: { name, deletionTimestamp: "2026-11-22T00:00:00Z" },
      spec: { nodeName },
    });
    const node = (name: string, status: string): object => ({
      metadata: { name },
      status: { conditions: [{ type: "Ready", status, message: "stopped" }] },
    });
    await withFakeApi(
      (request) => {
        if (request.startsWith(`DELETE ${path}/pods/`)) deleted.push(request);
        if (request === `GET ${path}`) return deleted.length > 0 ? gone : fine;
        if (request === `GET ${path}/pods`) {
          return [200, { items: [pod("lost", "b"), pod("ending", "a")] }];
        }
        if (request === "GET /api/v1/nodes") {
          return [200, { items: [node("a", "True"), node("b", "Unknown")] }];
        }
        return fine;
      },
      (api) => removeNamespace(api, () => undefined),
    );
    assert.deepEqual(deleted, [`DELETE ${path}/pods/lost`]);
  });

  it("is left with the server's reason where it does not let it be removed", async () => {
    await withFakeApi(
      () => [403, { message: "namespaces is forbidden" }],
      async (api) => {
        await assert.rejects(
          removeNamespace(api, () => undefined),
          /namespaces is forbidden/,
        );
      },
    );
  });
});
