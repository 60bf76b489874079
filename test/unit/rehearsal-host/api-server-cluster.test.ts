import assert from "node:assert/strict";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig, type V1Node } from "@kubernetes/client-node";
import { ApiServerCluster, caCertHash } from "../../../rehearsal/host/fake/api-server-cluster.ts";
import type { FakeNode } from "../../../rehearsal/host/fake/fake-cluster.ts";

/** A CA certificate; its hash was computed by `openssl x509 -pubkey | openssl pkey -pubin -outform der | sha256sum`. */
const caCertificate = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUSL5qJOwHT65vmtqsKJ9+tuHg3QQwCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwHhcNMjYxMTIxMTI0ODA4WhcNMjYxMjIxMTI0ODA4WjAN
MQswCQYDVQQDDAJjYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMK6kdyj6NZS
U1lM0FInubr7AzHA8bi2yt4JDRhGHJi6YNV53ntV2Nl5fvFfypU5NqaP4tQVz0F9
hK+o+uMy7sSjUzBRMB0GA1UdDgQWBBSWmSHUcyIkVlSIZsqqjdeLnNfY0DAfBgNV
HSMEGDAWgBSWmSHUcyIkVlSIZsqqjdeLnNfY0DAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIBQH6UVoFb+l9gB/We2ebF+9a+o3AG1xDr/VQ+1AtX50
AiEA4GcoMCNM2lFkmH8PnvJ2Acw0xQWz9MUXeqaGUfbaGlc=
-----END CERTIFICATE-----
`;
const caHash = "sha256:8e8719c7480979a8e41f21acf5c0788be5415e2841c7bc6e64592130706b1c37";
const token = "abcdef.0123456789abcdef";

const node: FakeNode = {
  name: "win-1",
  address: "192.168.150.11",
  labels: { pool: "a" },
  taints: ["os=windows:NoSchedule", "gpu:NoExecute"],
  kubeletVersion: "1.36.4",
};

describe("A fake node in an API server", () => {
  let server: Server;
  let cluster: ApiServerCluster;
  let secrets: Record<string, Record<string, string>>;
  let nodes: Record<string, V1Node>;

  beforeEach(async () => {
    secrets = {};
    nodes = {};
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromClusterAndUser(
      {
        name: "c",
        server: `http://127.0.0.1:${port}`,
        caData: Buffer.from(caCertificate).toString("base64"),
        skipTLSVerify: true, // it speaks plain HTTP here
      },
      { name: "u", token: "admin" },
    );
    assert.equal(caCertHash(kubeconfig), caHash);
    cluster = new ApiServerCluster(kubeconfig);
  });
  afterEach(() => server.close());

  /** The few routes of the API server that are used. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const reply = (code: number, value: unknown): void => {
      response.writeHead(code, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    const [, , , kind, name = "", , secretName = ""] = request.url?.split("/") ?? [];
    if (kind === "namespaces") {
      const data = secrets[secretName];
      reply(data ? 200 : 404, data ? { data } : { kind: "Status", code: 404 });
    } else if (request.method === "POST") {
      const created = JSON.parse(body) as V1Node;
      const key = created.metadata?.name ?? "";
      if (nodes[key]) return reply(409, { kind: "Status", code: 409 });
      nodes[key] = created;
      reply(201, created);
    } else if (request.method === "PUT") {
      nodes[name] = JSON.parse(body) as V1Node;
      reply(200, nodes[name]);
    } else {
      reply(nodes[name] ? 200 : 404, nodes[name] ?? { kind: "Status", code: 404 });
    }
  }

  function addToken(changes: Readonly<Record<string, string>>): void {
    const data = {
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-authentication": "true",
      expiration: "2999-01-01T00:00:00Z",
      ...changes,
    };
    secrets["bootstrap-token-abcdef"] = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
    );
  }

  it("takes a token that is there and not expired", async () => {
    addToken({});
    await cluster.authorize({ endpoint: "x:1", token, caCertHashes: ["sha256:00", caHash] });
  });

  const refused: readonly (readonly [name: string, prepare: () => void, message: RegExp])[] = [
    ["is not there", () => undefined, /for token ID "abcdef"/],
    ["has another secret", () => addToken({ "token-secret": "x" }), /token ID/],
    ["has expired", () => addToken({ expiration: "2020-01-01T00:00:00Z" }), /token ID/],
    [
      "is not for authentication",
      () => addToken({ "usage-bootstrap-authentication": "false" }),
      /token ID/,
    ],
  ];
  for (const [name, prepare, message] of refused) {
    it(`refuses a token that ${name}`, async () => {
      prepare();
      await assert.rejects(
        cluster.authorize({ endpoint: "x:1", token, caCertHashes: [caHash] }),
        message,
      );
    });
  }

  it("refuses another cluster's CA", async () => {
    addToken({});
    await assert.rejects(
      cluster.authorize({ endpoint: "x:1", token, caCertHashes: [`sha256:${"0".repeat(64)}`] }),
      /CA .* is invalid/,
    );
  });

  it("registers a node that says it is fake; labels of one that is there stay as they are", async () => {
    await cluster.register(node);
    const registered = nodes["win-1"];
    assert.equal(registered?.metadata?.labels?.["kubernetes.io/os"], "windows");
    assert.equal(registered?.metadata?.labels?.["pool"], "a");
    assert.deepEqual(registered?.spec?.taints, [
      { key: "os", value: "windows", effect: "NoSchedule" },
      { key: "gpu", effect: "NoExecute" },
    ]);
    assert.match(registered?.status?.nodeInfo?.osImage ?? "", /\(rehearsal\)/);
    assert.match(registered?.status?.conditions?.[0]?.message ?? "", /nothing runs on this node/);
    await cluster.register({ ...node, labels: { pool: "b" } });
    assert.equal(nodes["win-1"]?.metadata?.labels?.["pool"], "a");
  });

  it("tells whether the API server can be reached", async () => {
    const { port } = server.address() as AddressInfo;
    assert.equal(await cluster.connect("127.0.0.1", port, 600), undefined);
    server.close();
    server.closeAllConnections();
    assert.match((await cluster.connect("127.0.0.1", port, 600)) ?? "", /ECONNREFUSED/);
  });
});
