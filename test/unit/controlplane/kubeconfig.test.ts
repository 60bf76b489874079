import assert from "node:assert/strict";
import { parse } from "yaml";

import {
  credentials,
  reachableKubeconfig,
  serverAddress,
} from "../../../components/controlplane/kubeconfig.ts";
import { fixture, kubeconfig } from "./fixture-kubeconfig.ts";

const admin = kubeconfig("https://kindows-lab-control-plane:6443");

describe("kubeconfig", () => {
  it("leads to an address, under our own names", () => {
    const text = reachableKubeconfig(admin, { name: "kindows-lab", address: "192.0.2.128" });
    const config = parse(text) as Record<string, unknown>;
    assert.equal(serverAddress(text), "192.0.2.128");
    assert.equal(config["current-context"], "kindows-lab");
    assert.deepEqual(config["contexts"], [
      { name: "kindows-lab", context: { cluster: "kindows-lab", user: "kindows-lab" } },
    ]);
    assert.equal(credentials(text).server, "https://192.0.2.128:6443");
    assert.equal(credentials(text).serverName, undefined);
  });

  it("names the server where its certificate does not carry the address", () => {
    const text = reachableKubeconfig(admin, {
      name: "kindows-lab",
      address: "192.0.2.131",
      serverName: "kindows-lab-external-load-balancer",
    });
    assert.equal(credentials(text).serverName, "kindows-lab-external-load-balancer");
  });

  it("keeps certificates and key", () => {
    const text = reachableKubeconfig(admin, { name: "kindows-lab", address: "192.0.2.128" });
    const { ca, certificate, key } = credentials(text);
    assert.equal(ca, fixture("localhost-ec.pem"));
    assert.equal(certificate, fixture("localhost-ec.pem"));
    assert.equal(key, fixture("test-only-key.pem"));
  });

  it("takes a token in place of certificate and key", () => {
    const text = "clusters: [{cluster: {server: https://x, certificate-authority-data: ''}}]\n";
    assert.deepEqual(credentials(`${text}users: [{user: {token: abc}}]`), {
      server: "https://x",
      serverName: undefined,
      ca: "",
      token: "abc",
    });
  });

  it("says which certificate is missing", () => {
    const text = "clusters: [{cluster: {server: https://x, certificate-authority-data: ''}}]\n";
    assert.throws(() => credentials(`${text}users: [{user: {}}]`), /no client-certificate-data/);
  });
});
