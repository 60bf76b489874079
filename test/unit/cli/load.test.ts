import assert from "node:assert/strict";
import { archiveFiles } from "../../../components/image-archives/archive-files.ts";
import { runsImageOf } from "../../../components/image-archives/windows-versions.ts";
import { planLoad, type LoadNode } from "../../../cli/load/load-plan.ts";
import { eachCase } from "../each-case.ts";
import {
  archiveOf,
  dockerFiles,
  here,
  ociFiles,
  type OciImage,
} from "../image-archives/write-archive.ts";

const nodes: readonly LoadNode[] = [
  { name: "control-plane", platform: { os: "linux", architecture: here } },
  { name: "worker", platform: { os: "linux", architecture: here } },
  {
    name: "win-2022",
    platform: { os: "windows", architecture: "amd64", osVersion: "10.0.20348.4405" },
  },
  {
    name: "win-2025",
    platform: { os: "windows", architecture: "amd64", osVersion: "10.0.26100.7171" },
  },
];

const name = "docker.io/library/app:1";
const windows = (osVersion: string): OciImage => ({
  ...{ names: [name], os: "windows", architecture: "amd64", osVersion },
});

async function plan(image: OciImage, named: readonly string[] = []): Promise<readonly string[]> {
  const path = await archiveOf(ociFiles([image]));
  const loads = planLoad(
    [{ source: "app.tar", path, ...(await archiveFiles(path)) }],
    nodes,
    named,
  );
  const [{ images, nodes: taking }] = loads as [(typeof loads)[number]];
  assert.deepEqual(images, [name]);
  return taking.map((node) => node.name);
}

describe("the nodes that get an image", () => {
  const chosen: Readonly<
    Record<string, readonly [image: OciImage, named: readonly string[], nodes: readonly string[]]>
  > = {
    "all Linux nodes, for Linux": [{ names: [name] }, [], ["control-plane", "worker"]],
    "a named one": [{ names: [name] }, ["worker"], ["worker"]],
    "Windows nodes that can run it": [windows("10.0.20348.2113"), [], ["win-2022", "win-2025"]],
    "none that is older than the image": [windows("10.0.26100.1742"), [], ["win-2025"]],
  };
  eachCase("are %s", chosen, async ([image, named, taking]) =>
    assert.deepEqual(await plan(image, named), taking),
  );

  const refused: Readonly<
    Record<string, readonly [image: OciImage, named: readonly string[], why: RegExp]>
  > = {
    "a node that is not there": [
      { names: [name] },
      ["win-9"],
      /^the lab has no node win-9; it has control-plane, /,
    ],
    "a Linux image for a Windows node": [
      { names: [name] },
      ["win-2022"],
      /^app\.tar has .* for linux\/.*, and the Windows nodes are windows\/amd64 10\.0\.20348\.4405\. /,
    ],
    "an image of an older Windows than any node runs": [
      windows("10.0.17763.1"),
      [],
      /for windows\/amd64 10\.0\.17763\.1, and the Windows nodes .* Build it from a base image/,
    ],
    "an image without a tag": [
      { names: ["docker.io/library/app"] },
      [],
      /^app\.tar has an image as .* without its? ?registry and tag|without registry and tag/,
    ],
  };
  eachCase("are not chosen for %s", refused, ([image, named, why]) =>
    assert.rejects(plan(image, named), (error: Error) => {
      assert.match(error.message, why);
      return true;
    }),
  );

  it("get each archive by itself, and all mistakes are told at once", async () => {
    const paths = [await archiveOf(dockerFiles([{}])), await archiveOf({ a: "x" })];
    const archives = await Promise.all(
      paths.map(async (path, at) => ({ source: `${at}.tar`, path, ...(await archiveFiles(path)) })),
    );
    assert.throws(
      () => planLoad(archives, nodes, ["worker"]),
      /^.*0\.tar has .* without a tag.*\n1\.tar is no archive of images/,
    );
  });
});

describe("containers with process isolation", () => {
  /** Microsoft's table "Windows container version compatibility". */
  const rows: readonly (readonly [image: string, node: string, runs: boolean])[] = [
    ["10.0.20348.1", "10.0.20348.4405", true],
    ["10.0.20348.1", "10.0.26100.1", true],
    ["10.0.26100.1", "10.0.20348.1", false],
    ["10.0.17763.1", "10.0.20348.1", false],
    ["10.0.17763.1", "10.0.17763.9", true],
    ["10.0.17763.1", "10.0.18363.1", false],
    ["10.0.25398.1", "10.0.26100.1", true],
    ["unknown", "10.0.20348.1", true],
  ];
  for (const [image, node, runs] of rows) {
    it(`of ${image} ${runs ? "run" : "do not run"} on ${node}`, () =>
      assert.equal(runsImageOf(image, node), runs));
  }
});
