import assert from "node:assert/strict";

import { caCertHash } from "../../../components/controlplane/ca-cert-hash.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";

/** From `openssl x509 -pubkey -noout -in F | openssl pkey -pubin -outform der | sha256sum`. */
const byOpenssl = [
  ["ca-rsa.pem", "cd49d425362826fb66d737fc987eca50e9ed77f9e296d076831f4c9d2229de0f"],
  ["localhost-ec.pem", "ce3995e68c6178e2ccd4dfa03422b01a13976c00795e8af98fdd486fbf48551b"],
] as const;

describe("hash of the cluster CA", () => {
  for (const [file, hex] of byOpenssl) {
    it(`is what openssl says of ${file}`, () => {
      assert.equal(caCertHash(kubeconfig("https://192.0.2.1:6443", file)), `sha256:${hex}`);
    });
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
