/**
 * Damaged and hostile values at each boundary: what is read there is taken, or refused in a sentence, and never slowly.
 *
 * KINDOWS_HOSTILE_RUNS and KINDOWS_HOSTILE_SEED choose how many values and which; each failure prints the value.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import type { V1NodeList, V1Pod, V1PodList } from "@kubernetes/client-node";

import { kubeadmCertificates } from "../../../cli/doctor/certificates.ts";
import { parseDeployment, resourcesOf } from "../../../cli/engine/deployment.ts";
import { EventReader, readEvent } from "../../../cli/engine/events.ts";
import { redact } from "../../../components/redact.ts";
import { StackFacts } from "../../../cli/engine/facts.ts";
import { ownedResources } from "../../../cli/host-resources/host-resources.ts";
import { readConfig } from "../../../cli/kubeconfig/config-document.ts";
import { labState } from "../../../cli/lab/lab-state.ts";
import { assertOfThisVersion, labIdIn } from "../../../cli/lab/proof.ts";
import { LogLines } from "../../../cli/logs/follow/log-lines.ts";
import { locksInMessage } from "../../../cli/recovery/locks.ts";
import { unusedTokens } from "../../../cli/recovery/repair.ts";
import { readSettingsFile } from "../../../cli/stack-settings.ts";
import { clusterNodes } from "../../../cli/status/report.ts";
import { chooseKubeconfig } from "../../../components/controlplane/existing/choose-kubeconfig.ts";
import type {
  Answer,
  ClusterAnswers,
} from "../../../components/controlplane/existing/cluster-answers.ts";
import { checkCluster } from "../../../components/controlplane/existing/check-cluster.ts";
import { questions } from "../../../components/controlplane/existing/examine-cluster.ts";
import { podsToEvict } from "../../../components/controlplane/drain.ts";
import { hostTraits } from "../../../components/controlplane/kind-config.ts";
import { nodeRoutes } from "../../../components/controlplane/node-routes.ts";
import { actionParameter } from "../../../components/host-action/action-parameter.ts";
import { objectsIn } from "../../../components/machine/libvirt/libvirt-facts.ts";
import {
  describedNetwork,
  leasesIn,
  neighboursIn,
} from "../../../components/network/found-network.ts";
import { imagesInList } from "../../../images/windows/windows-images.ts";
import { quoteForCmd } from "../../../host/ssh/windows-command.ts";
import { parseStepResult, stepErrorCode } from "../../../components/node/step-result.ts";
import { problemText } from "../../../config/problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { stackSections } from "../../../config/stack-sections.ts";
import { readXml } from "../../../host/read-xml.ts";
import { shellWord } from "../../../host/shell-word.ts";
import { withoutControls } from "../../../host/without-controls.ts";
import { xmlText } from "../../../host/xml-text.ts";
import { apiObject } from "../../../host/kubernetes/api-objects.ts";
import { caCertHash } from "../../../host/kubernetes/ca-cert-hash.ts";
import { apiError, type ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { missingOnNodes } from "../../../host/kubernetes/daemon-set.ts";
import { credentials, reachableKubeconfig } from "../../../host/kubernetes/kubeconfig.ts";
import { podProgress, podTroubles } from "../../../host/kubernetes/pod-state.ts";
import { splitArguments } from "../../../rehearsal/machine/cmd/arguments.ts";
import {
  diskFault,
  diskFormatOf,
  isRawDisk,
  virtualGiBOf,
} from "../../../toolchain/disk-format.ts";
import { publishedChecksum } from "../../../toolchain/publisher.ts";
import { zipMembers } from "../../../toolchain/zip-member.ts";
import { deployment, libvirtMachine, resource, windowsNode } from "../cli/state-builder.ts";
import { answers } from "../controlplane/existing/answers.ts";
import { kubeconfig } from "../controlplane/fixture-kubeconfig.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import * as z from "zod";
import { damaged, damagedBytes, damagedJson, damagedText } from "./hostile-values.ts";

const runs = Number(process.env["KINDOWS_HOSTILE_RUNS"] ?? 60);
const seed = Number(process.env["KINDOWS_HOSTILE_SEED"] ?? 46);

/** JavaScript's own errors, which come with a stack trace, and zod's, which is a list in JSON. */
const noSentences = /^(Type|Range|Reference|Syntax|URI|Eval|Zod)Error$/;

/** How long one value may take, in seconds of the processor; a hundred times what it takes. */
const longest = 2;

function assertSentence(error: unknown): void {
  assert.ok(error instanceof Error, `it threw ${String(error)}`);
  const { name, message } = error;
  const kind = error.constructor.name;
  assert.ok(!noSentences.test(name) && !noSentences.test(kind), error.stack);
  assert.ok(message.trim() !== "" && !message.includes("\n    at "), message);
}

interface Boundary<Value = never> {
  readonly from: fc.Arbitrary<Value>;
  readonly read: (value: Value) => unknown;
}

/** Reads values of the arbitrary. */
const at = <Value>(from: fc.Arbitrary<Value>, read: (value: Value) => unknown): Boundary => ({
  from: from as fc.Arbitrary<never>,
  read,
});

/** Does each, also if one refuses. */
function each<Value>(
  ...reads: readonly ((value: Value) => unknown)[]
): (value: Value) => Promise<void> {
  return async (value) => {
    const refusals: unknown[] = [];
    for (const read of reads) {
      try {
        await read(value);
      } catch (error) {
        refusals.push(error);
      }
    }
    refusals.forEach(assertSentence);
  };
}

const facts = {
  facts: { name: "kindows-a", cidr: "192.0.2.0/24", bridge: "kw", containerRange: "" },
};
/** Types of components, the variable of their action, and its value. */
const madeByActions = [
  [
    "kindows:controlplane:KindCluster",
    "CLUSTER",
    {
      name: "kindows-a",
      network: "n",
      image: "i",
      controlPlanes: 1,
      podCidr: "",
      serviceCidr: "",
      defaultCni: true,
    },
  ],
  [
    "kindows:controlplane:LinuxWorker",
    "WORKER",
    { name: "w", cluster: "c", image: "i", network: "n", endpoint: "e", readySeconds: 1 },
  ],
  [
    "kindows:network:LabNetwork",
    "CONTAINERS",
    { uri: "u", network: "default", lab: "kindows-a", id: "0123456789abcdef", prefixLength: 28 },
  ],
  ["kindows:network:FabricHost", "FABRIC_HOST", { lab: "kindows-a", script: "x" }],
] as const;
const machine = libvirtMachine("win-1");
const node = windowsNode("win-1");
const state = JSON.parse(
  JSON.stringify(
    deployment(
      [
        resource("pulumi:pulumi:Stack", "kindows-t"),
        resource("kindows:network:LabNetwork", "lab", { custom: false, inputs: facts }),
        resource("command:local:Command", "id", {
          inputs: { triggers: ["kindows.lab-id"] },
          outputs: { stdout: "0123456789abcdef" },
        }),
        resource("docker:index/network:Network", "lab", { id: "f00d", outputs: { name: "lab" } }),
        resource("libvirt:index/domain:Domain", "win-1", { id: "1b671a64", parent: machine.urn }),
        resource("libvirt:index/pool:Pool", "p", { id: "p", outputs: { path: "/p", name: "p" } }),
        resource("libvirt:index/volume:Volume", "v", {
          id: "/p/v",
          outputs: { name: "v", pool: "p" },
        }),
        ...madeByActions.flatMap(([type, variable, parameter]) => {
          const made = resource(type, variable, { custom: false });
          const inputs = { create: "x", environment: { [variable]: JSON.stringify(parameter) } };
          return [made, resource("command:local:Command", variable, { parent: made.urn, inputs })];
        }),
        machine,
        node,
        resource("command:remote:CopyToRemote", "win-1-home", { parent: node.urn }),
        resource("command:remote:Command", "join", {
          parent: node.urn,
          inputs: { create: "x", stdin: '{"token":"abcdef.0123456789abcdef"}' },
          dependencies: [machine.urn],
        }),
      ],
      [{ type: "creating", resource: resource("libvirt:index/domain:Domain", "win-2") }],
    ),
  ),
) as unknown;

const admin = kubeconfig("https://192.0.2.1:6443");

const owner = { uid: "mine", kind: "DaemonSet", name: "agent" };
const pod = {
  metadata: {
    name: "agent-1",
    namespace: "net",
    labels: { "controller-revision-hash": "1" },
    ownerReferences: [owner],
  },
  spec: { nodeName: "win-1", containers: [{ name: "a", image: "i" }] },
  status: {
    phase: "Pending",
    conditions: [
      { type: "Ready", status: "False" },
      { type: "PodScheduled", status: "False" },
    ],
    containerStatuses: [{ name: "a", image: "i", state: { waiting: { reason: "ErrImagePull" } } }],
    initContainerStatuses: [{ name: "b", state: { terminated: { exitCode: 1, message: "m" } } }],
  },
};
const listed = {
  metadata: { name: "win-1", labels: { "kubernetes.io/os": "windows" } },
  spec: { podCIDRs: ["10.244.1.0/24"], podCIDR: "10.244.1.0/24" },
  status: {
    conditions: [{ type: "Ready", status: "False", message: "m" }],
    addresses: [{ type: "InternalIP", address: "192.0.2.11" }],
    nodeInfo: { operatingSystem: "windows", osImage: "i", kubeletVersion: "v1.36.4" },
  },
};
const namespace = "/apis/apps/v1/namespaces/net";
/** Answers of an API server, by the paths of their requests. */
const daemonSet: Readonly<Record<string, unknown>> = {
  [`${namespace}/daemonsets/agent`]: {
    metadata: { name: "agent", namespace: "net", uid: "mine", generation: 1 },
    spec: { selector: { matchLabels: { app: "agent" } } },
    status: { observedGeneration: 1 },
  },
  [`${namespace}/controllerrevisions`]: {
    items: [{ metadata: pod.metadata, revision: 1 }],
  },
  "/api/v1/namespaces/net/pods": { items: [pod] },
};

/** A client that gets these answers. */
function apiWith(given: unknown): ClusterApi {
  const get = (url: string): Promise<unknown> => {
    const [where = ""] = url.split("?");
    const body = (given as Record<string, unknown> | null)?.[where];
    return Promise.resolve().then(() => apiObject(where, body));
  };
  return { get, find: get } as unknown as ClusterApi;
}

const cluster = Object.fromEntries(
  Object.entries(answers().answers).flatMap(([name, answer]) =>
    "body" in answer ? [[name, answer.body]] : [],
  ),
);

function checkAnswers(given: unknown): unknown {
  const bodies = given as Readonly<Record<string, unknown>> | null;
  const all = Object.entries(questions).map(([name, where]): [string, Answer] => {
    const body = bodies?.[name];
    return [name, body === undefined ? { refusal: "no" } : { body: apiObject(where, body) }];
  });
  return checkCluster(
    { answers: Object.fromEntries(all) as ClusterAnswers["answers"], denied: [] },
    {
      kubernetesVersion: "1.36.4",
      cni: { kind: "found", mayChange: true },
      nodes: [{ name: "win-1", nodeIp: "192.0.2.11" }],
    },
  );
}

const event = {
  resourcePreEvent: {
    metadata: {
      op: "create",
      urn: machine.urn,
      type: machine.type,
      new: { type: machine.type, custom: true, parent: machine.urn, inputs: machine.inputs },
    },
  },
  diagnosticEvent: { urn: machine.urn, severity: "error", message: "m" },
};

const failed = '{"step":"Join-Node","error":{"code":"JoinFailed","message":"m","remedy":"r"}}';
const good = '{"step":"Join-Node","changed":true,"rebootRequired":false,"seconds":1,"facts":{}}';

/** The head of a disk of 1 GiB. */
function qcow2(): Buffer {
  const head = Buffer.alloc(1024);
  head.write("QFI\xfb", "latin1");
  head.writeUInt32BE(3, 4);
  head.writeUInt32BE(16, 20);
  head.writeBigUInt64BE(1024n ** 3n, 24);
  head.writeUInt32BE(104, 100);
  return head;
}

function zip(): Buffer {
  const [name, content] = [Buffer.from("a/b"), Buffer.from("text")];
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50);
  entry.writeUInt32LE(content.length, 20);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + name.length + content.length, 16);
  return Buffer.concat([local, name, content, entry, name, end]);
}

const libvirtXml =
  "<network><name>a</name><uuid>u</uuid><bridge name='b'/><ip address='192.0.2.1' prefix='24'/></network>" +
  "<pool><name>p</name><target><path>/p</path></target></pool>" +
  "<domain><name>d</name><memory unit='KiB'>5</memory><metadata><lab id='0'/></metadata></domain>";
const wim =
  '<WIM><IMAGE INDEX="1"><NAME>n</NAME><WINDOWS><ARCH>9</ARCH><EDITIONID>ServerStandard</EDITIONID><LANGUAGES><DEFAULT>en-US</DEFAULT></LANGUAGES><VERSION><BUILD>20348</BUILD></VERSION></WINDOWS></IMAGE></WIM>';

const settings = `config:
  kindows:lab: { name: a }
  kindows:network: { cidr: 192.168.150.0/24 }
  kindows:cluster: { kubernetesVersion: 1.36.4, tokenTtlMinutes: 30 }
  kindows:login: { user: Administrator, privateKeyFile: /k, bastions: [{ address: b, user: j, hostKey: ssh-ed25519 AAAA }] }
  kindows:nodes:
    - { name: win-1, os: windows, labels: { a: b }, kubeletArgs: { max-pods: "60" } }
    - { name: win-2, ssh: { address: 192.168.150.20, hostKey: ssh-ed25519 AAAA } }
  kindows:windows: { registryMirrors: { docker.io: https://mirror.test } }
`;

const folder = newFolder();
let files = 0;

/** Writes a file, reads it by each of these, and does not leave it. */
function fromFile(
  ...reads: readonly ((file: string) => unknown)[]
): (content: Buffer) => Promise<void> {
  return async (content) => {
    const file = path.join(folder, String((files += 1) % 10));
    writeFileSync(file, content);
    await each(...reads)(file);
  };
}

const boundaries: Readonly<Record<string, Boundary>> = {
  "a stack's state": at(damagedJson(state), (json) => {
    const read = parseDeployment(json);
    const resources = resourcesOf(read);
    const stackFacts = new StackFacts(resources);
    return each(
      () => ownedResources(resources),
      () => labIdIn(resources),
      () => assertOfThisVersion("t", resources),
      () => unusedTokens(resources),
      () => stackFacts.machines(),
      () => resources.map(({ urn }) => stackFacts.nodeOf(urn)),
      () => labState(read),
    )(undefined);
  }),
  "an action's parameter in a state": at(
    damaged({ inputs: { environment: { WORKER: '{"name":"a"}' } } }),
    (found) => actionParameter(found ?? {}, "WORKER", z.object({ name: z.string() })),
  ),
  "a kubeconfig of the lab": at(
    fc.oneof(
      damagedText(admin),
      damagedJson({
        clusters: [{ cluster: { server: "https://a", "certificate-authority-data": "AA==" } }],
        users: [{ user: { token: "t", exec: { command: "c" }, "client-key-data": "AA==" } }],
      }),
    ),
    each(credentials, caCertHash, (text) =>
      reachableKubeconfig(text, { name: "a", address: "192.0.2.1" }),
    ),
  ),
  "the user's kubeconfig": at(
    damagedText(admin),
    each(
      (text) => chooseKubeconfig(text, undefined, undefined),
      (text) => readConfig(text, "config"),
    ),
  ),
  "a cluster's answers": at(damaged(cluster), checkAnswers),
  "documents that a cluster keeps": at(
    fc.tuple(damagedText("networking: { podSubnet: 10.244.0.0/16 }"), damagedText(admin)),
    ([kubeadm, info]) =>
      checkAnswers({
        ...cluster,
        kubeadmConfig: { data: { ClusterConfiguration: kubeadm } },
        clusterInfo: { data: { kubeconfig: info } },
        flannelConfig: { data: { "net-conf.json": kubeadm } },
        ovnConfig: { data: { "ovnkube.conf": info } },
      }),
  ),
  "a DaemonSet and its pods": at(damaged(daemonSet), (given) =>
    missingOnNodes(apiWith(given), { namespace: "net", name: "agent" }, ["win-1"]),
  ),
  "a list of pods": at(damaged({ items: [pod] }), (given) => {
    const { items } = apiObject("/api/v1/pods", given) as V1PodList;
    podTroubles(items);
    podsToEvict(items);
    items.map((one: V1Pod) => podProgress(one));
  }),
  "a list of nodes": at(damagedJson({ items: [listed] }), (json) => {
    clusterNodes(json);
    const { items } = apiObject("/api/v1/nodes", JSON.parse(json)) as V1NodeList;
    nodeRoutes({ nodes: ["win-1"], serviceCidr: "10.96.0.0/12" }, items);
  }),
  "an API server's refusal": at(damagedJson({ message: "m", reason: "r" }), (json) =>
    assertSentence(apiError(500, json)),
  ),
  "the engine's events": at(damagedJson(event), (json) => {
    const reader = new EventReader();
    reader.read(readEvent(JSON.stringify(event)));
    reader.read(readEvent(json));
    reader.read(readEvent(json));
  }),
  "an engine's lock in a message": at(
    damagedText("created by root@here (pid 5) at 2026-11-21T11:48:10Z"),
    locksInMessage,
  ),
  "a step's output": at(
    fc.oneof(
      damagedText(`progress\r\n${good}`),
      damagedText(failed),
      damagedJson(JSON.parse(good)),
    ),
    each(
      (text) => parseStepResult("Join-Node", "win-1", text),
      (text) => stepErrorCode(text),
    ),
  ),
  "kubeadm's certificates": at(
    damagedJson({ certificates: [{ name: "a", expirationDate: "2027-01-02T03:04:05Z" }] }),
    kubeadmCertificates,
  ),
  "what Docker says of the host": at(
    fc.tuple(damagedJson({ CgroupVersion: "2" }), damagedText("CapBnd:\t000001ffffffffff\n")),
    ([info, status]) => hostTraits(info, status),
  ),
  "a disk": at(damagedBytes(qcow2()), fromFile(diskFault, diskFormatOf, isRawDisk, virtualGiBOf)),
  "a ZIP file": at(damagedBytes(zip()), (bytes) => {
    for (const content of zipMembers(bytes).values()) content();
  }),
  "libvirt's XML": at(damagedText(libvirtXml), each(readXml, objectsIn, describedNetwork)),
  "who has addresses in a network": at(
    damagedText(
      " 2026-11-28 09:26:23   52:54:00:f5:c6:91   ipv4   192.168.122.220/24   win-1   -\n",
    ),
    each(leasesIn, (text) => neighboursIn(text, "virbr0")),
  ),
  "an image's list in XML": at(damagedText(wim), imagesInList),
  "a stack's settings": at(damagedText(settings), (text) => {
    const { config, outside } = readSettingsFile(text, "Pulumi.x.yaml");
    const { sections, others } = stackSections(config, "Pulumi.x.yaml", outside);
    return resolveSettings(sections, { stack: "x", file: "Pulumi.x.yaml" }, others);
  }),
  "a wrong setting's value": at(damaged({ a: [1, { b: "c" }] }), (value) =>
    problemText({ path: ["x"], value, why: "is wrong", instead: "Write another." }),
  ),
  "a publisher's checksums": at(
    fc.oneof(
      damagedText(`${"a".repeat(64)}  kubelet.exe\n`),
      damagedJson({ assets: [{ name: "kubelet.exe", digest: `sha256:${"a".repeat(64)}` }] }),
    ),
    (text) => publishedChecksum(text, "kubelet.exe"),
  ),
  "a guest's log": at(
    damagedText("2026-11-21T11:48:10Z stdout F a\n-----BEGIN PRIVATE KEY-----\nAAAA\n"),
    (text) => {
      for (const form of ["plain", "container"] as const) {
        const lines = new LogLines(form);
        const shown = [...lines.push(Buffer.from(text)), ...lines.end()];
        for (const line of shown) assert.doesNotMatch(line, /[\0-\x08\x0b-\x1f\x7f]/);
      }
    },
  ),
  "a guest's text in a terminal": at(damagedText("plain \u001b[31mred"), (text) =>
    assert.doesNotMatch(withoutControls(text), /[\0-\x08\x0b-\x1f\x7f-\x9f]/),
  ),
  "an argument for cmd.exe": at(damagedText("a b%PATH%\\"), (text) => {
    const quoted = quoteForCmd(text);
    // cmd.exe takes away the caret, which makes of a percent sign one that begins no variable.
    assert.deepEqual(splitArguments(quoted.replaceAll('"^%"', '"%"')), [text]);
  }),
  "a text in XML": at(fc.string({ unit: "binary" }), (text) => {
    const [element] = readXml(`<a b="${xmlText(text)}">${xmlText(text)}</a>`).elements;
    assert.equal(element?.name, "a");
    assert.equal(element.elements.length, 0);
  }),
};

describe("hostile values", () => {
  eachCase("end in a sentence, at once: %s", boundaries, ({ from, read }) =>
    fc.assert(
      fc.asyncProperty(from, async (value) => {
        const before = process.cpuUsage().user;
        try {
          await read(value);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          assertSentence(error);
        }
        const seconds = (process.cpuUsage().user - before) / 1e6;
        assert.ok(seconds < longest, `${seconds} s`);
      }),
      { numRuns: runs, seed },
    ),
  );
});

describe("words for a shell", () => {
  it("arrive as they were", () => {
    const word = fc.string({ unit: "binary" }).filter((text) => !text.includes("\0"));
    const words = fc.sample(fc.oneof(word, damagedText("a b$'\"")), { numRuns: 200, seed });
    const given = words.map((text) => text.replaceAll(/[\0\ud800-\udfff]/g, ""));
    const command = `printf '%s\\0' ${given.map(shellWord).join(" ")}`;
    const printed = execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" });
    assert.deepEqual(printed.split("\0").slice(0, -1), given);
  });
});

describe("hostile texts of some megabytes", () => {
  const much = 2_000_000;
  const long: Readonly<Record<string, (text: string) => unknown>> = {
    "in a step's output": (text) => stepErrorCode(text),
    "in a kubeconfig": (text) => credentials(`clusters: [{cluster: {server: "${text}"}}]`),
    "in a state": (text) => parseDeployment(text),
    "in a list of nodes": (text) => clusterNodes(text),
    "in an API server's refusal": (text) => apiError(500, text),
    "in the engine's events": (text) => readEvent(text),
    "in an engine's message": (text) => locksInMessage(text),
    "in a wrong setting": (value) => problemText({ path: ["x"], value, why: "w", instead: "i" }),
    "in a terminal": (text) => withoutControls(text),
    "in a word for a shell": (text) => shellWord(text),
    "in a log, which is redacted": (text) => redact(text.slice(0, much / 10)),
    "in a log that is followed": (text) =>
      new LogLines("plain").push(
        Buffer.from(`-----BEGIN PRIVATE KEY-----\n${text.slice(0, much / 40)}\n`),
      ),
  };
  const pieces = [
    "{",
    "[",
    '{"a":',
    "a\n",
    "\n",
    "a: ",
    "- ",
    "&a ",
    "*a ",
    "\u001b",
    "\u001b]",
    "\u001b[",
    "'",
    " (pid 1",
    " x",
    "  ",
  ];
  eachCase("take no time: %s", long, (read) => {
    for (const piece of pieces) {
      const text = piece.repeat(much / piece.length);
      const before = process.cpuUsage().user;
      try {
        read(text);
      } catch (error) {
        assertSentence(error);
      }
      const seconds = (process.cpuUsage().user - before) / 1e6;
      assert.ok(seconds < longest, `${seconds} s for ${JSON.stringify(piece)}`);
    }
  });
});
