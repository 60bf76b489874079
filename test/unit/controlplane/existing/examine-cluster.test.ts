import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { ClusterApi } from "../../../../host/kubernetes/cluster-api.ts";
import { found, isAway } from "../../../../components/controlplane/existing/cluster-answers.ts";
import {
  askCluster,
  examineCluster,
  questions,
  readKubeconfig,
} from "../../../../components/controlplane/existing/examine-cluster.ts";
import { withFakeApi, type Answer } from "../fake-api.ts";
import { kubeconfig } from "../fixture-kubeconfig.ts";
import { answers } from "./answers.ts";
import { inNewFolder } from "../../new-folder.ts";

const wanted = {
  kubernetesVersion: "1.36.4",
  cni: { kind: "found", mayChange: false },
  nodes: [],
} as const;
const reviews = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** The fake API tells requests without their queries. */
const requestFor = (path: string): string => `GET ${path.replace(/\?.*/, "")}`;

/** A cluster whose API server gives the recorded answers, and allows all but deleting. */
function recorded(request: string, body: unknown): Answer {
  if (request === reviews) {
    const { spec } = body as { spec: { resourceAttributes: { verb: string } } };
    return [201, { status: { allowed: spec.resourceAttributes.verb !== "delete" } }];
  }
  const question = Object.entries(questions).find(([, path]) => request === requestFor(path));
  const answer = answers().answers[question?.[0] ?? ""] ?? assert.fail(request);
  return "body" in answer ? [200, answer.body as object] : [404, { message: answer.refusal }];
}

describe("examining a cluster", () => {
  it("reads everything once, changes nothing, and records refusals as answers", () =>
    withFakeApi(recorded, async (api, requests) => {
      const asked = await askCluster(api);
      assert.deepEqual(found(asked, "version"), { gitVersion: "v1.36.4" });
      assert.deepEqual(asked.answers["flannelConfig"], { refusal: "not found" });
      assert.deepEqual([...new Set(asked.denied.map(({ verb }) => verb))], ["delete"]);
      const others = requests.filter((request) => request !== reviews);
      const all = Object.values(questions).map(requestFor);
      assert.deepEqual(others.toSorted(), all.toSorted());
    }));

  it("tells what is away from what is not there", () => {
    const { ipamConfig = "", ...others } = questions;
    return withFakeApi(
      (request, body) =>
        request === `GET ${ipamConfig}` ? [503, { message: "later" }] : recorded(request, body),
      async (api) => {
        const asked = await askCluster(api);
        assert.ok(isAway(asked, "ipamConfig"));
        assert.ok(Object.keys(others).every((name) => !isAway(asked, name)));
      },
    );
  });

  it("refuses with all that is in the way", () =>
    withFakeApi(recorded, async (_api, _requests, server) => {
      await assert.rejects(
        examineCluster({ text: kubeconfig(server) }, { ...wanted, kubernetesVersion: "1.37.0" }),
        (error: Error) =>
          /^2 things are in the way in the cluster; nothing was changed:\n.*"1\.37\.0" is newer.*may not do this/s.test(
            error.message,
          ),
      );
    }));

  it("says that nobody answers", () =>
    assert.rejects(
      examineCluster({ text: kubeconfig("https://127.0.0.1:1") }, wanted),
      /the cluster of kindows:cluster\.kubeconfig\.text does not answer \(.*ECONNREFUSED.*nothing was changed/,
    ));

  const at = inNewFolder();
  for (const encoding of ["utf-8", "utf-16le", "utf-16be"] as const) {
    it(`reads a kubeconfig in ${encoding}, as editors on Windows write it (kubernetes/kubernetes#39007)`, async () => {
      const text = `\uFEFF${kubeconfig("https://x:1")}`;
      const bytes = Buffer.from(text, encoding === "utf-8" ? "utf-8" : "utf-16le");
      const file = at(encoding);
      await writeFile(file, encoding === "utf-16be" ? bytes.swap16() : bytes);
      assert.equal(readKubeconfig({ file }), readKubeconfig({ text: kubeconfig("https://x:1") }));
    });
  }

  it("asks for cluster-info without credentials too, as kubeadm join does", () =>
    withFakeApi(
      (request, body, headers) => {
        const isAnonymous = headers.authorization === undefined;
        const isInfo = request === `GET ${questions["clusterInfo"] ?? ""}`;
        return isInfo && isAnonymous ? [401, { message: "Unauthorized" }] : recorded(request, body);
      },
      async (_api, _requests, server) => {
        const config = parse(kubeconfig(server)) as { users: unknown[] };
        config.users = [{ name: "kubernetes-admin", user: { token: "t" } }];
        await assert.rejects(
          examineCluster({ text: stringify(config) }, wanted),
          /The API server answers "unauthorized" to requests for cluster-info without credentials/,
        );
      },
    ));

  it("names a missing file, and what is wrong with an existing one", () => {
    assert.throws(
      () => readKubeconfig({ file: "/gone/config" }),
      /the kubeconfig \/gone\/config cannot be read \(ENOENT\)/,
    );
    assert.throws(
      () => readKubeconfig({ text: kubeconfig("https://x:1"), context: "prod" }),
      /kubeconfig\.text cannot be used:\n {2}- it has no context prod, only: kind-x/,
    );
  });
});

describe("a user who logs in by a program", () => {
  const at = inNewFolder();

  /** A kubeconfig whose user asks a program of this text. */
  async function byProgram(server: string, script: string): Promise<string> {
    const command = at("login");
    await writeFile(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const config = parse(kubeconfig(server)) as { users: unknown[] };
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command, args: [] };
    config.users = [{ name: "kubernetes-admin", user: { exec } }];
    return stringify(config);
  }

  it("is asked once, and what it gives is used", () =>
    withFakeApi(
      () => [200, {}],
      async (_api, requests, server) => {
        const credential = '{"kind":"ExecCredential","status":{"token":"abc"}}';
        const config = await byProgram(server, `echo x >> ${at("runs")}; echo '${credential}'`);
        const api = new ClusterApi(config, 600);
        await api.get("/version");
        await api.get("/apis");
        assert.deepEqual(requests, ["GET /version", "GET /apis"]);
        assert.equal(await readFile(at("runs"), "utf8"), "x\n");
      },
    ));

  it("is reported where it fails, and where it does not end", async () => {
    const failing = await byProgram("https://127.0.0.1:1", "echo no ticket >&2; exit 1");
    await assert.rejects(
      new ClusterApi(failing, 600).get("/version"),
      /program .*\/login gives no credentials: no ticket/,
    );
    const untilRemoved = 'while [ -e "$0" ]; do sleep 0.1; done';
    const waiting = await byProgram("https://127.0.0.1:1", untilRemoved);
    await assert.rejects(
      new ClusterApi(waiting, 0.5).get("/version"),
      /gives no credentials: no answer within 0\.5 s/,
    );
  });
});
