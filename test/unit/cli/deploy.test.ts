import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { nameAt, planDeploy, planUndo } from "../../../cli/deploy/deploy-plan.ts";
import { Failure } from "../../../host/failure.ts";
import {
  deployedOn,
  withDeployed,
  withoutSuperseded,
} from "../../../components/controlplane/deployed-programs.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { programBytes } from "../windows/program-bytes.ts";

const target = {
  kubernetesVersion: "1.36.4",
  nodes: [
    { name: "control-plane", os: "linux" },
    { name: "win-1", os: "windows" },
  ],
} as const;

const folder = newFolder();
const file = (name: string): string => path.join(folder, name);

before(async () => {
  await writeFile(file("kubelet.exe"), programBytes());
  await writeFile(file("newer.exe"), programBytes({ variables: ["v1.37.0"] }));
  await writeFile(file("kubelet"), "\x7fELF");
  await writeFile(file("win overlay"), programBytes({ variables: [] }));
});

describe("what deploy puts onto a node", () => {
  it("goes to the place of what it replaces; a CNI plugin keeps its name", async () => {
    await writeFile(file("win-overlay.exe"), programBytes({ variables: [] }));
    const words = [
      `kubelet=${file("kubelet.exe")}`,
      `kubeProxy=${file("kubelet.exe")}`,
      `cniPlugins=${file("win-overlay.exe")}`,
    ];
    const places = (await planDeploy("win-1", words, target)).map(({ destination }) => destination);
    assert.deepEqual(places, [
      "C:/k/kubelet.exe",
      "C:/k/kube-proxy.exe",
      "C:/opt/cni/bin/win-overlay.exe",
    ]);
    assert.deepEqual(places.map(nameAt), ["kubelet", "kubeProxy", "cniPlugins=win-overlay.exe"]);
    assert.deepEqual(planUndo("win-1", places.map(nameAt), target), places);
  });

  const refused: Readonly<
    Record<string, readonly [node: string, words: readonly string[], why: RegExp]>
  > = {
    "a node that is not there": ["win-9", [], /^the lab has no node win-9; it has control-plane/],
    "a Linux node": ["control-plane", [], /^control-plane runs Linux/],
    "no program": ["win-1", [], /^no program is named\. Write kubelet=FILE, /],
    "an unknown program": ["win-1", ["kubelt=x"], /^"kubelt=x" names no program\. Write kubelet/],
    "a program without a file": ["win-1", ["kubelet"], /^"kubelet" names no program/],
    "a file that is not there": ["win-1", ["kubelet=/x.exe"], /^kubelet: \/x\.exe does not exist/],
    "a Linux binary": ["win-1", [`kubelet=${file("kubelet")}`], /kubelet is a program for Linux\./],
    "a newer version": [
      "win-1",
      [`kubelet=${file("newer.exe")}`],
      /newer\.exe is version 1\.37\.0, and the cluster's Kubernetes is 1\.36\.4: .* Build one of 1\.33 to 1\.36\.$/,
    ],
    "a kubeadm of another release": [
      "win-1",
      [`kubeadm=${file("newer.exe")}`],
      /Build one of 1\.36 to 1\.36\.$/,
    ],
    "a CNI plugin without its name": [
      "win-1",
      [`cniPlugins=${file("win overlay")}`],
      /is not named as a CNI plugin/,
    ],
    "the same program twice": [
      "win-1",
      [`kubelet=${file("kubelet.exe")}`, `kubelet=${file("kubelet.exe")}`],
      /^kubelet: C:\/k\/kubelet\.exe is given twice/,
    ],
  };
  eachCase("is refused: %s", refused, ([node, words, why]) =>
    assert.rejects(planDeploy(node, words, target), (error: unknown) => {
      assert.ok(error instanceof Failure);
      assert.match(error.message.replaceAll("\n", "|"), why);
      return true;
    }),
  );

  it("is refused with everything that is wrong", () =>
    assert.rejects(
      planDeploy("win-9", ["x=y", `kubelet=${file("kubelet")}`], target),
      (error: Error) => error.message.split("\n").length === 3,
    ));

  it("is not undone where nothing of the kind can have been deployed", () => {
    for (const word of ["kubelt", "kubelet=x.exe", "cniPlugins", "cniPlugins=x"]) {
      assert.throws(
        () => planUndo("win-1", [word], target),
        /is nothing to undo\. Write kubelet, /,
      );
    }
    assert.deepEqual(planUndo("win-1", [], target), []);
  });
});

describe("what was deployed", () => {
  const node = { metadata: { name: "win-1", annotations: { other: "x" } }, spec: {} };
  const [kubelet, kubeProxy] = [
    { sha256: "a", insteadOf: "b" },
    { sha256: "c", insteadOf: "" },
  ];

  it("is noted on the Node, and nothing else of it changes", () => {
    const noted = withDeployed(node, { kubelet, kubeProxy });
    assert.deepEqual(deployedOn(noted), { kubelet, kubeProxy });
    assert.deepEqual(deployedOn(withDeployed(noted, { kubelet })), { kubelet });
    assert.deepEqual(withDeployed(noted, {}), node);
    assert.deepEqual(
      deployedOn({ metadata: { annotations: { "kindows.dev/deployed": "?" } } }),
      {},
    );
  });

  it("is noted no more once the stack has installed something else in its place", () => {
    const noted = withDeployed(node, { kubelet, kubeProxy });
    assert.equal(withoutSuperseded(noted, { kubelet: "b" }), undefined);
    const left = withoutSuperseded(noted, { kubelet: "d" });
    assert.deepEqual(left && deployedOn(left), { kubeProxy });
    assert.equal(withoutSuperseded(node, { kubelet: "d" }), undefined);
  });
});
