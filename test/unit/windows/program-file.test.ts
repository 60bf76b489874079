import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { allowedReleases, versionComplaint } from "../../../components/windows/own-programs.ts";
import { examineProgram, linkedVersion } from "../../../components/windows/program-file.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { programBytes } from "./program-bytes.ts";

describe("a program's file", () => {
  const folder = newFolder();
  const examine = async (content: Buffer) => {
    const file = path.join(folder, "program.exe");
    await writeFile(file, content);
    return examineProgram(file);
  };

  it("has a checksum, and the version that was linked into it", async () => {
    const found = await examine(programBytes({ variables: ["v1.37.0-alpha.1.12+0f3-dirty"] }));
    assert.ok("sha256" in found, JSON.stringify(found));
    assert.match(found.sha256, /^[0-9a-f]{64}$/);
    assert.equal(found.version, "1.37.0-alpha.1.12+0f3-dirty");
  });

  const refused: Readonly<Record<string, readonly [content: Buffer, why: RegExp]>> = {
    "for Linux": [Buffer.from("\x7fELF\x02\x01\x01".padEnd(200, "\0"), "latin1"), /for Linux$/],
    "for macOS": [Buffer.from("cffaedfe07000001", "hex"), /for macOS$/],
    "for arm64": [programBytes({ machine: 0xaa64 }), /for arm64, and Windows nodes are amd64$/],
    "for x86": [programBytes({ machine: 0x14c }), /for x86, and/],
    "for another processor": [programBytes({ machine: 0x5064 }), /the processor 0x5064/],
    "that is a library": [programBytes({ characteristics: 0x2022 }), /is a library/],
    "that is cut off": [programBytes({ cutBytes: 1 }), /^is cut off$/],
    "that is cut off in its headers": [programBytes().subarray(0, 130), /not a whole program/],
    "that is a script": [Buffer.from("@echo off"), /^is not a program for Windows$/],
    "that is empty": [Buffer.alloc(0), /^is not a program for Windows$/],
    "that has two letters": [Buffer.from("MZ"), /not a whole program/],
  };
  eachCase("is refused %s", refused, async ([content, why]) => {
    const found = await examine(content);
    assert.ok("why" in found, JSON.stringify(found));
    assert.match(found.why, why);
    assert.match(found.instead, /^[A-Z].*\.$/);
  });

  it("is refused if it is a folder, or not there", async () => {
    for (const [file, why] of [
      [folder, "is not a file"],
      [path.join(folder, "none.exe"), "does not exist"],
    ] as const) {
      const found = await examineProgram(file);
      assert.equal("why" in found && found.why, why);
    }
  });

  it("has no version that is a text of its source, or one of several", () => {
    assert.equal(linkedVersion(programBytes({ variables: [] })), undefined);
    assert.equal(linkedVersion(programBytes({ variables: ["v1.36.4", "v1.36.5"] })), undefined);
    assert.equal(linkedVersion(programBytes({ variables: ["v1.36.4", "v1.36.4"] })), "1.36.4");
  });
});

describe("the version of a program", () => {
  const rows: readonly (readonly [Parameters<typeof versionComplaint>[0], string, boolean])[] = [
    ["kubelet", "1.36.4", true],
    ["kubelet", "1.36.99-alpha.1+dirty", true],
    ["kubelet", "1.33.0", true],
    ["kubelet", "1.32.9", false],
    ["kubelet", "1.37.0-alpha.0", false],
    ["kubelet", "0.0.0-master", false],
    ["kubeProxy", "1.33.1", true],
    ["kubeProxy", "1.37.0", false],
    ["kubeadm", "1.36.0", true],
    ["kubeadm", "1.35.4", false],
    ["containerd", "2.4.0-rc.1", true],
    ["containerd", "1.7.28", false],
    ["cniPlugins", "0.1.0", true],
  ];
  for (const [program, version, fits] of rows) {
    it(`${version} of ${program} ${fits ? "fits" : "does not fit"} a cluster of 1.36.4`, () => {
      const complaint = versionComplaint(program, version, "1.36.4");
      assert.equal(complaint === undefined, fits, complaint?.why);
    });
  }

  it("that nobody knows is left to the machine, with the releases that fit", () => {
    assert.equal(versionComplaint("kubelet", undefined, "1.36.4"), undefined);
    assert.equal(allowedReleases("kubelet", "1.36.4"), "1.33-1.36");
    assert.equal(allowedReleases("cniPlugins", "1.36.4"), "");
  });
});
