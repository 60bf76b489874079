import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { chooseKubeconfig } from "../../../components/controlplane/existing/choose-kubeconfig.ts";
import { caCertHash } from "../../../host/kubernetes/ca-cert-hash.ts";
import {
  credentials,
  reachableKubeconfig,
  remoteKubeconfig,
  serverAddress,
} from "../../../host/kubernetes/kubeconfig.ts";
import { remoteServer } from "../../../config/sections/api-server.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { fixture, kubeconfig } from "./fixture-kubeconfig.ts";
import { assertSaid } from "./golden.ts";

const admin = kubeconfig("https://kindows-lab-control-plane:6443");

describe("kubeconfig", () => {
  it("leads to an address, under our own names, with its certificates and key", () => {
    const text = reachableKubeconfig(admin, { name: "kindows-lab", address: "192.0.2.128" });
    const config = parse(text) as Record<string, unknown>;
    assert.equal(serverAddress(text), "192.0.2.128");
    assert.equal(config["current-context"], "kindows-lab");
    assert.deepEqual(config["contexts"], [
      { name: "kindows-lab", context: { cluster: "kindows-lab", user: "kindows-lab" } },
    ]);
    const pem = fixture("localhost-ec.pem");
    assert.deepEqual(credentials(text), {
      server: "https://192.0.2.128:6443",
      serverName: undefined,
      ca: pem,
      certificate: pem,
      key: fixture("test-only-key.pem"),
    });
  });

  it("names the server where its certificate does not carry the address", () => {
    const text = reachableKubeconfig(admin, {
      name: "kindows-lab",
      address: "192.0.2.131",
      serverName: "kindows-lab-external-load-balancer",
    });
    assert.equal(credentials(text).serverName, "kindows-lab-external-load-balancer");
  });
});

describe("kubeconfig for another computer", () => {
  it("leads to a name in the server's certificate, and keeps all else", () => {
    const reach = { name: "kindows-lab", address: "192.0.2.131", serverName: "balancer" };
    const own = reachableKubeconfig(admin, reach);
    const theirs = remoteKubeconfig(own, "lab.test:8443");
    assert.deepEqual(credentials(theirs), {
      ...credentials(own),
      server: "https://lab.test:8443",
      serverName: undefined,
    });
    const context = (text: string): unknown => (parse(text) as { contexts: unknown }).contexts;
    assert.deepEqual(context(theirs), context(own));
  });

  const servers = [
    [{ address: "192.0.2.1", port: 6443, certSANs: [] }, "192.0.2.1:6443"],
    [{ address: "0.0.0.0", port: 8443, certSANs: ["lab.test", "192.0.2.1"] }, "lab.test:8443"],
  ] as const;
  for (const [{ certSANs, ...setting }, server] of servers) {
    it(`is for ${server}`, () =>
      assert.equal(remoteServer({ ...setting, certSANs: [...certSANs] }), server));
  }
});

/** From `openssl x509 -pubkey -noout -in F | openssl pkey -pubin -outform der | sha256sum`. */
const byOpenssl = [
  ["ca-rsa.pem", "cd49d425362826fb66d737fc987eca50e9ed77f9e296d076831f4c9d2229de0f"],
  ["localhost-ec.pem", "ce3995e68c6178e2ccd4dfa03422b01a13976c00795e8af98fdd486fbf48551b"],
] as const;

describe("hash of the cluster CA", () => {
  for (const [file, hex] of byOpenssl) {
    it(`is what openssl says of ${file}`, () =>
      assert.equal(caCertHash(kubeconfig("https://192.0.2.1:6443", file)), `sha256:${hex}`));
  }

  const bad: readonly [what: string, kubeconfig: string, complaint: RegExp][] = [
    ["no YAML at all", "", /no cluster or no user/],
    ["no clusters", "clusters: []\nusers: [{user: {}}]", /no cluster or no user/],
    [
      "a CA in a file",
      "clusters: [{cluster: {server: https://x, certificate-authority: /ca.crt}}]\nusers: [{user: {}}]",
      /no certificate-authority-data/,
    ],
  ];
  for (const [what, text, complaint] of bad) {
    it(`complains of ${what}`, () => assert.throws(() => caCertHash(text), complaint));
  }
});

const files: Readonly<Record<string, string>> = {
  "ca.pem": "the authority",
  "user.pem": "a certificate",
  "user.key": "its key",
  token: "abc\n",
  kubelogin: "",
};
const folder = newFolder();

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly current?: string;
  readonly contexts?: readonly object[];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const server = "https://10.0.0.1:6443";
const trusted = { server, "certificate-authority-data": base64("the authority") };

function config({ cluster = trusted, user = { token: "abc" }, ...rest }: Parts): string {
  const { current = "prod", contexts } = rest;
  return stringify({
    contexts: contexts ?? [
      { name: "prod", context: { cluster: "c", user: "u" } },
      { name: "test", context: { cluster: "gone", user: "u" } },
    ],
    clusters: [
      { name: "other", cluster: {} },
      { name: "c", cluster },
    ],
    users: [{ name: "u", user }],
    ...(current !== "" && { "current-context": current }),
  });
}

describe("choosing from a kubeconfig", () => {
  before(() => {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(folder, name), text, { mode: 0o755 });
    }
  });

  it("leaves nothing of the other contexts, and nothing on this host", () => {
    const chosen = chooseKubeconfig(
      config({
        cluster: { server, "certificate-authority": "ca.pem", "tls-server-name": "api" },
        user: { "client-certificate": "user.pem", "client-key": "user.key" },
      }),
      undefined,
      folder,
    );
    assert.ok("kubeconfig" in chosen, JSON.stringify(chosen));
    assert.deepEqual(credentials(chosen.kubeconfig), {
      server,
      serverName: "api",
      ca: "the authority",
      certificate: "a certificate",
      key: "its key",
    });
    const { contexts, clusters } = parse(chosen.kubeconfig) as Record<string, unknown[]>;
    assert.deepEqual(contexts, [{ name: "prod", context: { cluster: "prod", user: "prod" } }]);
    assert.equal(clusters?.length, 1);
  });

  const taken: Readonly<Record<string, readonly [Parts, object]>> = {
    "a token": [{}, { token: "abc" }],
    "a token in a file": [{ user: { tokenFile: "token" } }, { token: "abc" }],
    "a program that is at hand": [
      { user: { exec: { command: "./kubelogin", apiVersion: "client.authentication.k8s.io/v1" } } },
      { exec: path.join(folder, "kubelogin") },
    ],
    "a program beside the kubeconfig, whoever starts it from where (kube-rs/kube#2037)": [
      { user: { exec: { command: "sub/../kubelogin", apiVersion: "v1" } } },
      { exec: path.join(folder, "kubelogin") },
    ],
    "files beside the kubeconfig (kelproject/pykube#130)": [
      {
        cluster: { server, "certificate-authority": "ca.pem" },
        user: { "client-certificate": "./user.pem", "client-key": "user.key" },
      },
      { ca: "the authority", certificate: "a certificate", key: "its key" },
    ],
    "values that are empty, which say nothing": [
      {
        cluster: {
          ...{ server, "certificate-authority": "ca.pem", "certificate-authority-data": "" },
          ...{ "proxy-url": "", "insecure-skip-tls-verify": false, "tls-server-name": "" },
        },
        user: {
          ...{ token: "", tokenFile: "token", username: "", as: "", exec: null },
          "auth-provider": null,
        },
      },
      { serverName: undefined, ca: "the authority", token: "abc" },
    ],
    "a token and a newer one in a file: the file's": [
      { user: { token: "old", tokenFile: "token" } },
      { token: "abc" },
    ],
    "a token, where the file with a newer one is gone": [
      { user: { token: "old", tokenFile: "gone" } },
      { token: "old" },
    ],
    "a token beside a certificate: both, as the API server decides": [
      { user: { token: "t", "client-certificate": "user.pem", "client-key": "user.key" } },
      { token: "t", certificate: "a certificate", key: "its key" },
    ],
    "a server in capital letters": [
      { cluster: { ...trusted, server: "HTTPS://API.example.com:6443/" } },
      { server: "https://API.example.com:6443" },
    ],
    "a server without a scheme, which is https where there is an authority": [
      { cluster: { ...trusted, server: "10.0.0.1:6443" } },
      { server: "https://10.0.0.1:6443" },
    ],
    "the only context, where none is current": [
      { current: "", contexts: [{ name: "one", context: { cluster: "c", user: "u" } }] },
      { token: "abc" },
    ],
  };
  eachCase("takes %s", taken, ([parts, part]) => {
    const chosen = chooseKubeconfig(config(parts), undefined, folder);
    assert.ok("kubeconfig" in chosen, JSON.stringify(chosen));
    assert.deepEqual(
      Object.entries(credentials(chosen.kubeconfig)).filter(([key]) => key in part),
      Object.entries(part),
    );
  });

  const at = (server: string): Parts => ({ cluster: { ...trusted, server } });
  /** What cannot be used; what is said of it is in golden/refused-kubeconfigs.yaml. */
  const refused: Readonly<Record<string, readonly [text: string | Parts, context?: string]>> = {
    "a text that is no settings": ["just a line"],
    "a broken text": ["{"],
    "a key twice": ["users: []\ncontexts: []\nusers: []\n"],
    "a path that begins with ~, which nobody expands": [
      { cluster: { server, "certificate-authority": "~/ca.pem" } },
    ],
    "no contexts at all": ["clusters: []"],
    "several contexts of which none is current": [{ current: "" }],
    "a context that is not in it": [{}, "stage"],
    "a current context that is not in it": [{ current: "gone" }],
    "a context without its cluster": [{}, "test"],
    "a context without its user": [
      { contexts: [{ name: "prod", context: { cluster: "c", user: "nobody" } }] },
    ],
    "a server behind a proxy": [at("https://rancher.example.com/k8s/c-1")],
    "a server without TLS": [at("http://10.0.0.1:8080")],
    "a server that nobody trusts": [{ cluster: { server } }],
    "a server that everybody trusts": [{ cluster: { server, "insecure-skip-tls-verify": true } }],
    "an authority that is not there": [
      { cluster: { server, "certificate-authority": "/gone.pem" } },
    ],
    "a proxy": [{ cluster: { ...trusted, "proxy-url": "http://p" } }],
    "a program that is not at hand": [
      { user: { exec: { command: "aws-iam", installHint: "Get it there." } } },
    ],
    "a provider of old": [{ user: { "auth-provider": {} } }],
    "a password": [{ user: { username: "me", password: "secret" } }],
    "somebody who acts as another": [{ user: { token: "x", as: "root" } }],
    "a user with nothing": [{ user: {} }],
    "no key": [{ user: { "client-certificate": "user.pem" } }],
  };
  it("refuses what cannot be used, with everything that is wrong", () =>
    assertSaid(
      new URL(import.meta.url),
      "refused-kubeconfigs.yaml",
      refused,
      ([parts, context]) => {
        const text = typeof parts === "string" ? parts : config(parts);
        const chosen = chooseKubeconfig(text, context, folder);
        assert.ok("problems" in chosen, "it was taken");
        return chosen.problems;
      },
    ));
});
