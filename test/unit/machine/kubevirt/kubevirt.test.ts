import assert from "node:assert/strict";
import { Provider } from "@pulumi/kubernetes/provider.js";
import { instanceState } from "../../../../components/machine/kubevirt/instance-state.ts";
import { KubeVirtMachine } from "../../../../components/machine/kubevirt/kubevirt-machine.ts";
import type { LabObjects, Seen } from "../../../../components/machine/kubevirt/lab-watch.ts";
import {
  goldenImage,
  labLabels,
  virtualMachine,
} from "../../../../components/machine/kubevirt/objects.ts";
import { type Asked, clusterProblems } from "../../../../components/machine/kubevirt/readiness.ts";
import { type ByBastions, directly } from "../../../../components/machine/ssh-access.ts";
import { SshKey } from "../../../../components/machine/ssh-key.ts";
import { hostProblemText } from "../../../../config/host-problem.ts";
import { ApiError } from "../../../../host/kubernetes/cluster-api.ts";
import { eachCase } from "../../each-case.ts";
import { assertGolden, assertSaid, yamlText } from "../../controlplane/golden.ts";
import { isSecretInput, look, record, revealed } from "../../controlplane/recorded-resources.ts";
import { labWith, settingsWith } from "./kubevirt-lab.ts";

const here = new URL(import.meta.url);

describe("kindows:machine of KubeVirt", () => {
  const hostKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Vxxy0Jm2x0m5dUyBEuU3kXlUnRzSUKgKyuG1QHZ3A";
  const bastions = [{ address: "jump.example.com", user: "jump", hostKey }];
  /** Settings with mistakes; what is said of them is in golden/refused-settings.yaml. */
  const refused: Readonly<Record<string, readonly [machine: object, others?: object]>> = {
    "a masquerade": [{ network: { pod: "masquerade" } }],
    "no network": [{ network: {} }],
    "a migration that pods' networks do not permit": [
      { network: { pod: "bridge" }, evictionStrategy: "LiveMigrate" },
    ],
    "a size beside an instance type": [{ instanceType: "u1.large", cpus: 2 }],
    "an image with a login in its address": [
      { image: { kind: "http", url: "https://me:word@example.com/x.qcow2" } },
    ],
    "a container disk without a tag": [
      { image: { kind: "registry", reference: "registry.example.com/windows" } },
    ],
    "Secure Boot with BIOS": [{ firmware: "bios", secureBoot: true }],
    "a zone of Windows": [{ timeZone: "W. Europe Standard Time" }],
    "two nodes of one name": [{ nodes: [{ name: "win-1" }, { name: "win-1" }] }],
    "a node with a host key": [{ nodes: [{ name: "win-1", hostKey: "ssh-ed25519 AAAA" }] }],
    "an upload to a proxy that anybody may listen to": [
      { image: { kind: "upload", path: "/a", sha256: "0".repeat(64), proxy: "http://cdi" } },
    ],
    "a kubeconfig from two places": [{ kubeconfig: { file: "/a", text: "b" } }],
    "the API server beside bastions": [
      { portForward: true },
      { login: { privateKeyFile: "/key", bastions } },
    ],
    "a bastion that nothing logs in to": [{}, { login: { bastions } }],
  };
  it("is refused with every mistake", () =>
    assertSaid(here, "refused-settings.yaml", refused, ([machine, others]) => {
      try {
        settingsWith(machine, others);
      } catch (error) {
        return (error as Error).message.replace(/ Known here: .*/, "").split("\n");
      }
      assert.fail("it was taken");
    }));

  it("is refused for all mistakes at once, also beside those of other sections", () =>
    assert.throws(
      () =>
        settingsWith(
          { namespace: "Windows", network: { pod: "masquerade" }, nodes: [{ name: "1" }], cpus: 0 },
          { nodes: [{ name: "win-1" }] },
        ),
      /6 mistakes [^]*machine\.namespace[^]*machine\.cpus[^]*machine\.network\.pod[^]*machine\.nodes\[0\]\.name[^]*kindows:nodes\[0\]\.address/,
    ));
});

describe("objects of KubeVirt", () => {
  const cases: Readonly<Record<string, object>> = {
    "http-and-multus": {},
    "registry-and-pod-network": {
      image: { kind: "registry", reference: "registry.example.com/windows:2022", secret: "login" },
      network: { pod: "bridge" },
      firmware: "bios",
      instanceType: "u1.large",
      spread: "required",
      timeZone: "Europe/Berlin",
      nodeSelector: { rack: "3" },
      tolerations: [{ key: "windows", operator: "Exists" }],
    },
    snapshot: {
      image: { kind: "snapshot", name: "golden", namespace: "images" },
      secureBoot: true,
    },
  };
  eachCase("%s are as they were", cases, (machine, name) => {
    const lab = labWith(machine);
    const vm = virtualMachine(lab, { name: "win-1" }, "52:54:00:00:00:01");
    const objects = [goldenImage(lab), vm].filter((each) => each !== undefined);
    assertGolden(here, `${name}.yaml`, yamlText(...objects));
  });

  it("have another image where its source is another", () => {
    const name = (machine: object): string | undefined =>
      goldenImage(labWith(machine))?.metadata.name;
    assert.notEqual(name({ image: { kind: "http", url: "https://example.com/b" } }), name({}));
    assert.notEqual(name({ diskGiB: 80 }), name({}));
    assert.equal(name({ nodes: [] }), name({}));
  });
});

describe("state of a machine on KubeVirt", () => {
  const name = "kindows-prod-win-1";
  type Statuses = Partial<Record<keyof LabObjects, Seen["status"]>>;
  const objectsOf = (statuses: Statuses): LabObjects => {
    const kind = (status: Seen["status"]): ReadonlyMap<string, Seen> =>
      new Map(
        status ? [[name, { metadata: { name, uid: "1", resourceVersion: "1" }, status }]] : [],
      );
    const { machines, instances, volumes } = statuses;
    return { machines: kind(machines), instances: kind(instances), volumes: kind(volumes) };
  };
  const shown = (...addresses: readonly string[]): object => ({
    interfaces: [{ name: "nodes", ipAddress: addresses[0], ipAddresses: addresses }],
  });
  const noSpace = { type: "Running", status: "False", reason: "Error", message: "no space left" };
  const full = { type: "Failure", status: "True", reason: "FailedCreate", message: "over quota" };
  const none = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3" };
  const states: Readonly<
    Record<string, readonly [objects: Statuses, expected: string | object, address?: string]>
  > = {
    "runs and has an address": [
      { instances: { phase: "Running", ...shown("fe80::1", "192.0.2.7") } },
      { found: { address: "192.0.2.7" } },
    ],
    "runs and has one by the settings": [
      { instances: { phase: "Running" } },
      { found: { address: "192.0.2.9" } },
      "192.0.2.9",
    ],
    "runs without a guest agent": [
      { instances: { phase: "Running", nodeName: "rack-3", ...shown("169.254.3.4") } },
      "it runs on rack-3, but its status shows no address: the image has no QEMU guest agent (which reports it on a Multus network), or the network gives it none. If it has one, write it as address of the node in kindows:machine.nodes",
    ],
    "waits for its disk": [
      {
        machines: { printableStatus: "Provisioning" },
        volumes: { phase: "CloneInProgress", progress: "12.5%", conditions: [noSpace] },
      },
      "its machine is Provisioning; its disk is CloneInProgress (12.5%): Error: no space left",
    ],
    "exceeds a quota": [
      {
        machines: { printableStatus: "Starting", conditions: [full] },
        volumes: { phase: "Succeeded" },
      },
      "its machine is Starting: FailedCreate: over quota",
    ],
    "finds no node": [
      { instances: { phase: "Scheduling", conditions: [none] } },
      "its instance is Scheduling: Unschedulable: 0/3",
    ],
    "is not there": [{}, "there is no machine"],
  };
  eachCase("that %s", states, ([objects, expected, address]) =>
    assert.deepEqual(instanceState(objectsOf(objects), name, address), expected),
  );
});

const groups = (...versions: readonly string[]): object => ({
  groups: versions.map((groupVersion) => ({ name: groupVersion, versions: [{ groupVersion }] })),
});

/** A cluster on which the machines can be made, by paths. */
const goodCluster: Readonly<Record<string, unknown>> = {
  "/apis": groups("kubevirt.io/v1", "cdi.kubevirt.io/v1beta1"),
  "/apis/subresources.kubevirt.io/v1/version": { gitVersion: "v1.6.0" },
  "/apis/cdi.kubevirt.io/v1beta1/cdis": { items: [{ status: { observedVersion: "v1.63.0" } }] },
  "/api/v1/namespaces/windows": {},
  "/apis/storage.k8s.io/v1/storageclasses": {
    items: [{ metadata: { name: "slow" } }, { metadata: { name: "fast" } }],
  },
  "/apis/k8s.cni.cncf.io/v1": {},
  "/apis/k8s.cni.cncf.io/v1/namespaces/windows/network-attachment-definitions/lan": {},
  "/apis/kubevirt.io/v1/namespaces/windows/virtualmachines": { items: [] },
  "/apis/cdi.kubevirt.io/v1beta1/namespaces/windows/datavolumes": { items: [] },
  "/api/v1/namespaces/windows/resourcequotas": { items: [] },
};

/** A cluster in which something is otherwise. */
interface OtherCluster {
  /** Its answers, by paths; undefined: there is none, a number: an error of that status. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly denied?: readonly string[];
  readonly machine?: object;
}

function cluster({ answers: changed, denied = [] }: OtherCluster): Asked {
  const answers = { ...goodCluster, ...changed };
  return {
    get: (path) => {
      const answer = answers[path] ?? 404;
      if (answer instanceof Error) return Promise.reject(answer);
      return typeof answer === "number"
        ? Promise.reject(new ApiError(answer, "no"))
        : Promise.resolve(answer as never);
    },
    ask: (_, body) => {
      const { spec } = body as {
        spec: { resourceAttributes: { verb: string; resource: string; subresource?: string } };
      };
      const { verb, resource, subresource = "" } = spec.resourceAttributes;
      const allowed = !denied.includes(`${verb} ${resource}${subresource && `/${subresource}`}`);
      return Promise.resolve({ status: { allowed } } as never);
    },
  };
}

const othersLabels = labLabels({ prefix: "kindows-prod", id: "fedcba9876543210" });

/** Clusters for machines; what is said to be in the way is in golden/cluster-problems.yaml. */
const clusters: Readonly<Record<string, OtherCluster>> = {
  "one that has everything": {},
  "one that shows this user little": {
    answers: {
      "/apis/cdi.kubevirt.io/v1beta1/cdis": 403,
      "/api/v1/namespaces/windows": 403,
      "/apis/storage.k8s.io/v1/storageclasses": 403,
      "/api/v1/namespaces/windows/resourcequotas": 403,
    },
  },
  "one without KubeVirt and CDI": {
    answers: {
      "/apis": groups("apps/v1"),
      "/apis/subresources.kubevirt.io/v1/version": undefined,
    },
  },
  "one with old ones": {
    answers: {
      "/apis/subresources.kubevirt.io/v1/version": { gitVersion: "v0.58.0-12-gabc" },
      "/apis/cdi.kubevirt.io/v1beta1/cdis": { items: [{ status: { observedVersion: "v1.55.0" } }] },
    },
  },
  "one without what the settings name": {
    answers: {
      "/api/v1/namespaces/windows": undefined,
      "/apis/k8s.cni.cncf.io/v1/namespaces/windows/network-attachment-definitions/lan": undefined,
    },
    machine: {
      storageClass: "ssd",
      instanceType: "u1.large",
      image: { kind: "pvc", name: "golden", namespace: "images" },
    },
  },
  "one without Multus and a default storage class": {
    answers: { "/apis/k8s.cni.cncf.io/v1": undefined },
    machine: { storageClass: undefined },
  },
  "one whose upload proxy nobody reaches, for a disk that is not here": {
    answers: { "/apis/cdi.kubevirt.io/v1beta1/cdiconfigs/config": { status: {} } },
    machine: { image: { kind: "upload", path: "/nowhere.qcow2", sha256: "0".repeat(64) } },
  },
  "one with somebody else's objects of the same names": {
    answers: {
      "/apis/kubevirt.io/v1/namespaces/windows/virtualmachines": {
        items: [
          { metadata: { name: "kindows-prod-win-1", labels: { app: "theirs" } } },
          { metadata: { name: "kindows-prod-win-2", labels: labLabels(labWith()) } },
        ],
      },
      "/apis/cdi.kubevirt.io/v1beta1/namespaces/windows/datavolumes": {
        items: [{ metadata: { name: goldenImage(labWith())?.metadata.name } }],
      },
    },
  },
  "one whose namespace has the machines of another user's stack of the same name": {
    answers: {
      "/apis/kubevirt.io/v1/namespaces/windows/virtualmachines": {
        items: [{ metadata: { name: "kindows-prod-win-1", labels: othersLabels } }],
      },
      "/api/v1/namespaces/windows/secrets/kindows-prod-win-2-identity": {
        metadata: { name: "kindows-prod-win-2-identity", labels: othersLabels },
      },
    },
  },
  "one whose quota leaves too little": {
    answers: {
      "/api/v1/namespaces/windows/resourcequotas": {
        items: [
          {
            metadata: { name: "small" },
            status: {
              hard: { "requests.memory": "20.5Gi", "requests.storage": "1e12", pods: "3" },
              used: { "requests.memory": "13421772800000m", "requests.storage": "0" },
            },
          },
        ],
      },
    },
  },
  "one that denies some rights: verb, resource and namespace": {
    answers: { "/api/v1/namespaces/images/persistentvolumeclaims/golden": {} },
    denied: [
      ...["patch virtualmachines", "watch datavolumes", "create datavolumes/source"],
      "get virtualmachineinstances/portforward",
    ],
    machine: {
      image: { kind: "pvc", name: "golden", namespace: "images" },
      portForward: true,
    },
  },
  "one that does not answer": { answers: { "/apis": new Error("connect ECONNREFUSED") } },
};

describe("a cluster for machines", () => {
  it("is said to have everything, or what is in the way", () =>
    assertSaid(here, "cluster-problems.yaml", clusters, async (one) => {
      const problems = await clusterProblems(cluster(one), labWith(one.machine));
      return problems.map(hostProblemText);
    }));
});

describe("KubeVirtMachine", () => {
  const printed = (name: string): string =>
    JSON.stringify({ privateKey: `private of ${name}`, publicKey: `ssh-ed25519 ${name}` });

  const made = (bastions: ByBastions = directly, localPort?: number) =>
    record(printed, (opts) => {
      const login = { user: "Administrator", port: 22, key: new SshKey("login", { comment: "t" }) };
      const provider = new Provider("kubevirt", { kubeconfig: "none" });
      const running = () => Promise.resolve("192.0.2.7");
      const args = { lab: labWith(), node: { name: "win-1" }, provider, image: undefined, running };
      return new KubeVirtMachine("win-1", { ...args, login, bastions, localPort }, opts);
    });

  it("has its keys in a Secret, and nowhere else", async () => {
    const { resources } = await made();
    const identity = resources.get("kubernetes:core/v1:Secret/win-1-identity");
    const data = identity?.inputs["data"];
    assert.ok(isSecretInput(data));
    const { userdata } = revealed(data) as { userdata: string };
    const text = Buffer.from(userdata, "base64").toString();
    assert.ok(text.includes("private of win-1-host-key"), text);
    assert.ok(text.includes("ssh-ed25519 login"), text);
    const machine = resources.get("kubernetes:kubevirt.io/v1:VirtualMachine/win-1");
    assert.ok(!JSON.stringify(machine?.inputs).includes("private of"));
  });

  const bastion = {
    host: "jump.example.com",
    port: 22,
    user: "jump",
    privateKey: "k",
    hostKey: "h",
  };
  const ways: readonly (readonly [what: string, Parameters<typeof made>, expected: object])[] = [
    ["at the address that its instance shows", [], { host: "192.0.2.7", port: 22 }],
    [
      "by a port of this host, through the API server",
      [directly, 10_001],
      { host: "127.0.0.1", port: 10_001 },
    ],
    [
      "by bastions, the last of which by a port of this host",
      [{ hops: [bastion, bastion], forwardPort: 20_001 }],
      {
        host: "192.0.2.7",
        port: 22,
        proxy: {
          ...bastion,
          host: "127.0.0.1",
          port: 20_001,
          perDialTimeout: 10,
          dialErrorLimit: 10,
        },
      },
    ],
  ];
  for (const [what, args, expected] of ways) {
    it(`is reached ${what}, with its own host key pinned`, async () => {
      const { value, secret } = await look((await made(...args)).made.connection);
      assert.ok(secret);
      assert.deepEqual(JSON.parse(JSON.stringify(value)), {
        user: "Administrator",
        privateKey: "private of login",
        hostKey: "ssh-ed25519 win-1-host-key",
        dialErrorLimit: -1,
        perDialTimeout: 10,
        ...expected,
      });
    });
  }
});
