import assert from "node:assert/strict";
import { resolveExisting } from "../../../config/existing/resolve.ts";

const file = "Pulumi.prod.yaml";

/** The public half of a key that nobody has, another one for each place. */
const key = (place: number): string => {
  const head = Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0\x20", "latin1");
  return `ssh-ed25519 ${Buffer.concat([head, Buffer.alloc(32, place)]).toString("base64")}`;
};

describe("good settings of existing machines", () => {
  const hostKey = key(1);

  /** A stack of one machine, as far as it matters here. */
  const resolved = (kubeconfig: object, login: object, node: object) =>
    resolveExisting(
      {
        ...{ cluster: { kubeconfig }, login: { privateKeyFile: "/home/me/key", ...login } },
        nodes: [{ name: "win-1", address: "10.0.0.11", hostKey, ...node }],
      },
      { file },
    );

  it("a machine has what all have in common, and what it has of its own", () => {
    const bastion = { address: "jump.example.com", user: "jump", hostKey: `${hostKey} jump` };
    const { nodes, windows, cluster } = resolved(
      { text: "apiVersion: v1", context: "prod" },
      { port: 2222 },
      { bastions: [bastion], labels: { a: "b" } },
    );
    assert.equal(cluster.kubernetesVersion, "1.36.4");
    assert.equal(windows.containerdVersion, "2.3.4");
    assert.deepEqual(nodes, [
      {
        ...{ name: "win-1", os: "windows", hostKey, labels: { a: "b" }, taints: [] },
        ...{ address: "10.0.0.11", nodeIp: "10.0.0.11", kubeletArgs: {} },
        login: {
          ...{ user: "Administrator", port: 2222, privateKeyFile: "/home/me/key" },
          bastions: [{ ...bastion, port: 22, privateKeyFile: "/home/me/key" }],
        },
      },
    ]);
  });

  it("a way of its own takes the place of the one of all", () => {
    const login = { privateKeyPassphrase: "sesame" };
    const { nodes } = resolved({ file: "/etc/kube.conf" }, login, { agent: true, user: "me" });
    assert.deepEqual(nodes[0]?.login, { user: "me", port: 22, bastions: [], agent: true });
  });
});

describe("the port of several bastions", () => {
  const bastion = (place: number): object => ({
    ...{ address: `10.9.0.${place}`, user: "jump", hostKey: key(100 + place) },
  });
  const both = [bastion(1), bastion(2)];
  const ports = (login: object, nodes: readonly object[], stack = file): (number | undefined)[] =>
    resolveExisting(
      {
        cluster: { kubeconfig: { file: "/etc/kube.conf" } },
        login: { privateKeyFile: "/home/me/key", ...login },
        nodes: nodes.map((node, index) => ({
          ...{ name: `win-${index}`, address: `10.0.0.${index + 1}`, hostKey: key(index) },
          ...node,
        })),
      },
      { file: stack },
    ).nodes.map((node) => node.login.forwardPort);

  it("is the same in each run, and for all machines behind the same bastions", () => {
    const [one, other] = ports({ bastions: both }, [{}, {}]);
    assert.equal(one, other);
    assert.deepEqual(ports({ bastions: both }, [{}]), [one]);
    assert.ok(one !== undefined && one >= 20_000 && one < 30_000, String(one));
  });

  it("is another one behind others, with another key file, and in another stack", () => {
    const own = { bastions: [bastion(1), bastion(3)] };
    const [one] = ports({ bastions: both }, [{}]);
    const others = [
      ...ports({}, [own, { bastions: [...both].reverse() }]),
      ...ports({ bastions: both, privateKeyFile: "/home/me/other" }, [{}]),
      ...ports({ bastions: both }, [{}], "Pulumi.test.yaml"),
    ];
    assert.equal(new Set([one, ...others]).size, 5);
  });

  it("is what is written, where it is; that of all is not for bastions of its own", () => {
    const login = { bastions: both, forwardPort: 20_001 };
    const own = { bastions: [bastion(1), bastion(3)] };
    const [all, one, derived] = ports(login, [{}, { ...own, forwardPort: 20_002 }, {}]);
    assert.deepEqual([all, one, derived], [20_001, 20_002, 20_001]);
    assert.notEqual(ports(login, [own])[0], 20_001);
  });

  it("is not there for one bastion, or none", () =>
    assert.deepEqual(ports({ bastions: [bastion(1)] }, [{}, { bastions: [] }]), [
      undefined,
      undefined,
    ]));
});
