import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  judgeCertificates,
  kubeadmCertificates,
  kubeconfigCertificates,
  pemCertificate,
  probeCertificates,
} from "../../../../cli/doctor/certificates.ts";
import type { Certificate, ContainerCertificates } from "../../../../cli/doctor/certificates.ts";
import type { Host } from "../../../../cli/lab/host.ts";

const now = new Date("2027-03-01T12:00:00Z");
const inDays = (days: number): Date => new Date(now.getTime() + days * 24 * 60 * 60 * 1000);
const ending = (name: string, days: number): Certificate => ({ name, until: inDays(days) });
const plane = (change: Partial<ContainerCertificates> = {}): ContainerCertificates => ({
  container: "c",
  controlPlane: [ending("apiserver", 300)],
  authorities: [ending("ca", 3000)],
  kubelet: [{ ...ending("it", 300), from: inDays(-60) }],
  troubles: [],
  ...change,
});
const worker = (change: Partial<ContainerCertificates> = {}): ContainerCertificates =>
  plane({ container: "w", controlPlane: [], authorities: [], ...change });

const pemFile = path.resolve(import.meta.dirname, "../../controlplane/fixtures/localhost-ec.pem");
const pem = readFileSync(pemFile, "utf8");

describe("certificates of a lab", () => {
  const renew = { kind: "renew-certificates", containers: ["c"] };
  const cases: readonly (readonly [
    string,
    readonly ContainerCertificates[],
    readonly Certificate[],
    readonly (readonly [name: string, seen: RegExp, repair?: object])[],
  ])[] = [
    ["that are all good are nothing to tell", [plane(), worker()], [ending("it", 300)], []],
    ["of nobody are nothing to tell", [], [], []],
    ["that end in 30 days are not told yet", [plane({ controlPlane: [ending("a", 30)] })], [], []],
    [
      "that have expired, and that soon will, are one finding, the oldest first",
      [
        plane({
          controlPlane: [ending("etcd-server", 29), ending("apiserver", -2), ending("x", 99)],
        }),
      ],
      [],
      [
        [
          "certificates of c",
          /^apiserver expired 2027-02-27T12:00Z; etcd-server ends in 29 days, 2027-03-30T12:00Z$/,
          renew,
        ],
      ],
    ],
    [
      "of the stack's kubeconfig are renewed with the control plane's",
      [plane()],
      [ending("its client certificate", 1.5)],
      [["kubeconfig of the stack", /ends in 1 day, /, renew]],
    ],
    [
      "of a kubeconfig whose control plane is not here are told, and left",
      [worker()],
      [ending("its client certificate", -1)],
      [["kubeconfig of the stack", /expired/]],
    ],
    [
      "of a worker's kubelet",
      [worker({ kubelet: [ending("it", -0.1)] })],
      [],
      [
        [
          "certificate of kubelet in w",
          /it expired/,
          { kind: "renew-kubelet-certificate", container: "w" },
        ],
      ],
    ],
    [
      "of authorities cannot be renewed",
      [plane({ authorities: [ending("ca", 3)] })],
      [],
      [["certificate authorities of c", /ca ends in 3 days/]],
    ],
    [
      "that cannot be read are told",
      [plane({ troubles: ["no answer within 60 s"] })],
      [],
      [["certificates of c", /they cannot be read: no answer within 60 s/]],
    ],
    [
      "that begin in the future tell of this host's clock",
      [worker({ kubelet: [{ ...ending("it", 300), from: inDays(1) }] })],
      [],
      [["clock of this host", /it says 2027-03-01T12:00Z, before .* \(2027-03-02T12:00Z\)/]],
    ],
  ];
  for (const [name, containers, kubeconfig, expected] of cases) {
    it(name, () => {
      const found = judgeCertificates(containers, kubeconfig, now);
      assert.deepEqual(
        found.map(({ name: each, repair }) => [each, repair]),
        expected.map(([each, , repair]) => [each, repair]),
      );
      found.forEach(({ seen, remedy }, index) => {
        assert.match(seen, expected[index]?.[1] ?? /^$/);
        assert.notEqual(remedy, "");
      });
    });
  }
});

describe("what kubeadm and PEM files tell of certificates", () => {
  it("is read from kubeadm's JSON; one that is not there, or has no date, is left out", () => {
    const json = JSON.stringify({
      kind: "CertificateExpirationInfo",
      certificates: [
        { name: "apiserver", expirationDate: "2027-01-02T03:04:05Z", residualTime: 3 },
        { name: "super-admin.conf", expirationDate: null, residualTime: 0, missing: true },
        { name: "garbled", expirationDate: "soon" },
      ],
      certificateAuthorities: null,
    });
    assert.deepEqual(kubeadmCertificates(json), {
      controlPlane: [{ name: "apiserver", until: new Date("2027-01-02T03:04:05Z") }],
      authorities: [],
    });
  });

  for (const bad of ["", "no", "[]x", '{"certificates":[{"name":1}]}']) {
    it(`is refused where it is something else: ${JSON.stringify(bad)}`, () => {
      assert.throws(() => kubeadmCertificates(bad));
    });
  }

  it("is read from PEM, and refused where that is none", () => {
    const { from, until } = pemCertificate("it", pem);
    assert.ok(from !== undefined && from < until);
    assert.throws(() => pemCertificate("it", ""));
  });

  it("is none for a kubeconfig that is none, or has none", () => {
    assert.deepEqual(kubeconfigCertificates(undefined), []);
    assert.deepEqual(kubeconfigCertificates("{"), []);
  });
});

describe("asking containers for their certificates", () => {
  const kubeadm = JSON.stringify({
    certificates: [{ name: "apiserver", expirationDate: "2027-01-02T03:04:05Z" }],
  });

  it("hides nothing of one behind the silence of another", async () => {
    const host: Host = {
      libvirtUri: "qemu:///system",
      run: (_program, args) => {
        const line = args.join(" ");
        if (line.startsWith("ps ")) {
          return Promise.resolve("c control-plane\nw worker\nlb external-load-balancer\n");
        }
        if (line.startsWith("exec w ")) return Promise.reject(new Error("no answer\nat all"));
        return Promise.resolve(line.includes("kubeadm") ? kubeadm : pem);
      },
    };
    const [first, second, ...rest] = await probeCertificates("kindows-x", host);
    assert.deepEqual(rest, []);
    assert.equal(first?.controlPlane[0]?.name, "apiserver");
    assert.equal(first?.kubelet.length, 1);
    assert.deepEqual(second, {
      container: "w",
      controlPlane: [],
      authorities: [],
      kubelet: [],
      troubles: ["no answer"],
    });
  });
});
