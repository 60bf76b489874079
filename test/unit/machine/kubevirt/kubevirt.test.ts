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
import type { ByBastions } from "../../../../components/machine/existing/existing-machine.ts";
import { SshKey } from "../../../../components/machine/ssh-key.ts";
import { hostProblemText } from "../../../../config/host-problem.ts";
import { ApiError } from "../../../../kubernetes/cluster-api.ts";
import { eachCase } from "../../each-case.ts";
import { assertGolden, yamlText } from "../../controlplane/golden.ts";
import { isSecretInput, look, record, revealed } from "../../controlplane/recorded-resources.ts";
import { labWith, settingsWith } from "./kubevirt-lab.ts";

describe("kindows:machine of KubeVirt", () => {
  const refused: Readonly<Record<string, readonly [machine: object, text: string]>> = {
    "a masquerade": [
      { network: { pod: "masquerade" } },
      'kindows:machine.network.pod: "masquerade" gives every machine the same address, so every node would register with it (kubevirt/kubevirt pull request 2493). Write bridge, where the cluster\'s pod network permits it, or multus: NAMESPACE/NAME instead.',
    ],
    "no network": [
      { network: {} },
      "kindows:machine.network: names no network. Write multus: NAMESPACE/NAME, or pod: bridge.",
    ],
    "a migration that pods' networks do not permit": [
      { network: { pod: "bridge" }, evictionStrategy: "LiveMigrate" },
      'kindows:machine.evictionStrategy: "LiveMigrate" cannot be: KubeVirt moves no machine that is bridged to the pod network, and no drain would end. Write LiveMigrateIfPossible or None, or a network of multus.',
    ],
    "a size beside an instance type": [
      { instanceType: "u1.large", cpus: 2 },
      "kindows:machine.cpus: 2 is what the instance type u1.large says. Leave it out, or leave instanceType out.",
    ],
    "an image with a login in its address": [
      { image: { kind: "http", url: "https://me:word@example.com/x.qcow2" } },
      'kindows:machine.image.url: "https://...@example.com/x.qcow2" holds a login, which everybody could read in the DataVolume. Put it into a Secret, and write its name as secret.',
    ],
    "a container disk without a tag": [
      { image: { kind: "registry", reference: "registry.example.com/windows" } },
      'kindows:machine.image.reference: "registry.example.com/windows" has no tag of its own and no digest, so it could be another image tomorrow. Write NAME:TAG or NAME@sha256:DIGEST.',
    ],
    "Secure Boot with BIOS": [
      { firmware: "bios", secureBoot: true },
      "kindows:machine.secureBoot: true is for machines that start with UEFI. Leave it out, or write firmware: uefi for an image that was installed so.",
    ],
    "a zone of Windows": [
      { timeZone: "W. Europe Standard Time" },
      'kindows:machine.timeZone: "W. Europe Standard Time" is no time zone. Write one as Europe/Berlin, or UTC.',
    ],
    "two nodes of one name": [
      { nodes: [{ name: "win-1" }, { name: "win-1" }] },
      'kindows:machine.nodes[1].name: "win-1" is that of kindows:machine.nodes[0] too. Write another name.',
    ],
    "a node with a host key": [
      { nodes: [{ name: "win-1", hostKey: "ssh-ed25519 AAAA" }] },
      'kindows:machine.nodes[0].hostKey: "ssh-ed25519 AAAA" is not a setting. Leave it out.',
    ],
    "an upload to a proxy that anybody may listen to": [
      { image: { kind: "upload", path: "/a", sha256: "0".repeat(64), proxy: "http://cdi" } },
      'kindows:machine.image.proxy: "http://cdi" is not an https address. Write https://HOST or https://HOST:PORT.',
    ],
    "a kubeconfig from two places": [
      { kubeconfig: { file: "/a", text: "b" } },
      "kindows:machine.kubeconfig: has file and text. Keep one of them.",
    ],
  };
  eachCase("refuses %s", refused, ([machine, text]) =>
    assert.throws(
      () => settingsWith(machine),
      ({ message }: Error) => {
        assert.ok(message.includes("1 mistake in the settings"), message);
        assert.ok(message.includes(text), message);
        return true;
      },
    ),
  );

  it("refuses to go through the API server beside bastions", () => {
    const hostKey =
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Vxxy0Jm2x0m5dUyBEuU3kXlUnRzSUKgKyuG1QHZ3A";
    const bastions = [{ address: "jump.example.com", user: "jump", hostKey }];
    assert.throws(
      () => settingsWith({ portForward: true }, { login: { privateKeyFile: "/key", bastions } }),
      /1 mistake [^]*kindows:machine\.portForward: true stands beside kindows:login\.bastions\. Keep one of the two ways to the machines\./,
    );
  });

  it("reports all mistakes at once, also beside those of other sections", () =>
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
    assertGolden(new URL(import.meta.url), `${name}.yaml`, yamlText(...objects));
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
      "it runs on rack-3, but its status shows no address: the image has no QEMU guest agent (which tells it on a network of Multus), or the network gives it none. Where it has one, write it as address of the node in kindows:machine.nodes",
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

/** @param changed answers; undefined: there is none, a number: an error of that status. */
function cluster(
  changed: Readonly<Record<string, unknown>>,
  denied: readonly string[] = [],
): Asked {
  const answers = { ...goodCluster, ...changed };
  return {
    get: (path) => {
      const answer = answers[path] ?? 404;
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

describe("a cluster for machines", () => {
  const image = goldenImage(labWith())?.metadata.name ?? "";
  const theirs =
    "is there, and not this stack's: it is neither taken over nor removed. Remove it, or give the node or the stack another name.";
  const problems: Readonly<
    Record<
      string,
      readonly [Readonly<Record<string, unknown>>, machine: object, expected: string[]]
    >
  > = {
    "that has everything": [{}, {}, []],
    "that shows this user little": [
      {
        "/apis/cdi.kubevirt.io/v1beta1/cdis": 403,
        "/api/v1/namespaces/windows": 403,
        "/apis/storage.k8s.io/v1/storageclasses": 403,
        "/api/v1/namespaces/windows/resourcequotas": 403,
      },
      {},
      [],
    ],
    "without KubeVirt and CDI": [
      { "/apis": groups("apps/v1"), "/apis/subresources.kubevirt.io/v1/version": undefined },
      {},
      [
        "KubeVirt is not in the cluster for the machines. Install it (https://kubevirt.io/user-guide/cluster_admin/installation/), or write the cluster that has it as kindows:machine.kubeconfig.",
        "CDI is not in the cluster for the machines. Install KubeVirt's Containerized Data Importer there (https://github.com/kubevirt/containerized-data-importer).",
      ],
    ],
    "with old ones": [
      {
        "/apis/subresources.kubevirt.io/v1/version": { gitVersion: "v0.58.0-12-gabc" },
        "/apis/cdi.kubevirt.io/v1beta1/cdis": {
          items: [{ status: { observedVersion: "v1.55.0" } }],
        },
      },
      {},
      [
        "KubeVirt is 0.58.0 there, which is too old. Use 1.1.0 or newer.",
        "CDI is 1.55.0 there, which is too old. Use 1.58.0 or newer.",
      ],
    ],
    "without what the settings name": [
      {
        "/api/v1/namespaces/windows": undefined,
        "/apis/k8s.cni.cncf.io/v1/namespaces/windows/network-attachment-definitions/lan": undefined,
      },
      {
        storageClass: "ssd",
        instanceType: "u1.large",
        image: { kind: "pvc", name: "golden", namespace: "images" },
      },
      [
        "The namespace windows is not in the cluster for the machines. Make it (kubectl create namespace windows), or write another machine.namespace.",
        "The NetworkAttachmentDefinition windows/lan is not in the cluster for the machines. Make it, or write another machine.network.multus.",
        "The PersistentVolumeClaim images/golden is not in the cluster for the machines. Write another machine.image.",
        "The instance type u1.large is not in the cluster for the machines. Write another machine.instanceType, or cpus and memoryMiB instead.",
        "The storage class ssd is not in the cluster for the machines (there are slow, fast). Write another machine.storageClass.",
      ],
    ],
    "without Multus and a default storage class": [
      { "/apis/k8s.cni.cncf.io/v1": undefined },
      { storageClass: undefined },
      [
        "Multus is not in the cluster for the machines. Install it, or write machine.network.pod: bridge where the pod network permits that.",
        "The cluster for the machines has no default storage class (there are slow, fast). Write one as machine.storageClass.",
      ],
    ],
    "whose upload proxy nobody reaches, for a disk that is not here": [
      { "/apis/cdi.kubevirt.io/v1beta1/cdiconfigs/config": { status: {} } },
      { image: { kind: "upload", path: "/nowhere.qcow2", sha256: "0".repeat(64) } },
      [
        "/nowhere.qcow2 cannot be read. Write the path of a disk on this host as machine.image.path.",
        "CDI knows no address of its upload proxy. Write one as machine.image.proxy (docs/kubevirt.md).",
      ],
    ],
    "with somebody else's objects of the same names": [
      {
        "/apis/kubevirt.io/v1/namespaces/windows/virtualmachines": {
          items: [
            { metadata: { name: "kindows-prod-win-1", labels: { app: "theirs" } } },
            { metadata: { name: "kindows-prod-win-2", labels: labLabels(labWith()) } },
          ],
        },
        "/apis/cdi.kubevirt.io/v1beta1/namespaces/windows/datavolumes": {
          items: [{ metadata: { name: image } }],
        },
      },
      {},
      [
        `The VirtualMachine windows/kindows-prod-win-1 ${theirs}`,
        `The DataVolume windows/${image} ${theirs}`,
      ],
    ],
    "whose quota leaves too little": [
      {
        "/api/v1/namespaces/windows/resourcequotas": {
          items: [
            {
              metadata: { name: "small" },
              status: {
                hard: { "requests.memory": "20Gi", "requests.storage": "1Ti", pods: "3" },
                used: { "requests.memory": "12Gi", "requests.storage": "0" },
              },
            },
          ],
        },
      },
      {},
      [
        "The ResourceQuota windows/small leaves 8 GiB of requests.memory, and the 2 machines that are to be made need 16. Have it raised, or make fewer or smaller machines.",
      ],
    ],
  };
  eachCase("%s: what is in the way", problems, async ([changed, machine, expected]) => {
    const found = await clusterProblems(cluster(changed), labWith(machine));
    assert.deepEqual(found.map(hostProblemText), expected);
  });

  it("names each right that is missing: verb, resource and namespace", async () => {
    const denied = ["patch virtualmachines", "watch datavolumes", "create datavolumes/source"];
    denied.push("get virtualmachineinstances/portforward");
    const image = { kind: "pvc", name: "golden", namespace: "images" };
    const lab = labWith({ image, portForward: true });
    const path = "/api/v1/namespaces/images/persistentvolumeclaims/golden";
    const found = await clusterProblems(cluster({ [path]: {} }, denied), lab);
    assert.deepEqual(found.map(hostProblemText), [
      "The kubeconfig's user in the cluster for the machines may not: patch virtualmachines.kubevirt.io -n windows (to make machines), watch datavolumes.cdi.kubevirt.io -n windows (for their disks), get virtualmachineinstances.subresources.kubevirt.io/portforward -n windows (for SSH), create datavolumes.cdi.kubevirt.io/source -n images (to clone a disk of another namespace). Have an administrator allow that in the namespace windows (docs/kubevirt.md has a Role).",
    ]);
  });

  it("that does not answer is said to be just that", async () => {
    const silent = { ...cluster({}), get: () => Promise.reject(new Error("connect ECONNREFUSED")) };
    assert.deepEqual((await clusterProblems(silent, labWith())).map(hostProblemText), [
      "The cluster for the machines (kindows:machine) does not answer: connect ECONNREFUSED. Write another kindows:machine.kubeconfig, or see to it that this host reaches it.",
    ]);
  });
});

describe("KubeVirtMachine", () => {
  const printed = (name: string): string =>
    JSON.stringify({ privateKey: `private of ${name}`, publicKey: `ssh-ed25519 ${name}` });

  const made = (bastions: ByBastions = {}, localPort?: number) =>
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
  const forward = { port: 20_001, through: [bastion] } as const;
  const ways: readonly (readonly [what: string, Parameters<typeof made>, expected: object])[] = [
    ["at the address that its instance shows", [], { host: "192.0.2.7", port: 22 }],
    [
      "by a port of this host, through the API server",
      [{}, 10_001],
      { host: "127.0.0.1", port: 10_001 },
    ],
    [
      "by bastions, the last of which by a port of this host",
      [{ bastion, forward }],
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
