import assert from "node:assert/strict";
import { parse } from "yaml";

import { caCertHash } from "../../../kubernetes/ca-cert-hash.ts";
import { credentials, reachableKubeconfig, serverAddress } from "../../../kubernetes/kubeconfig.ts";
import { fixture, kubeconfig } from "./fixture-kubeconfig.ts";

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
      ...{ server: "https://192.0.2.128:6443", serverName: undefined },
      ...{ ca: pem, certificate: pem, key: fixture("test-only-key.pem") },
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

  const withUser = (user: string): string =>
    `clusters: [{cluster: {server: https://x, certificate-authority-data: ''}}]\nusers: [{user: ${user}}]`;

  it("takes a token in place of certificate and key", () => {
    const found = { server: "https://x", serverName: undefined, ca: "", token: "abc" };
    assert.deepEqual(credentials(withUser("{token: abc}")), found);
  });

  it("says which certificate is missing", () =>
    assert.throws(() => credentials(withUser("{}")), /no client-certificate-data/));
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
