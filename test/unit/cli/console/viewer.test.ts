import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openViewer } from "../../../../cli/console/viewer.ts";
import { wayTo } from "../../../../cli/console/way.ts";
import { eventually } from "../../../engine/plugins/support/eventually.ts";

const screen = { domain: "kindows-dev-win-1", address: "127.0.0.1", port: 5901 };
const here = wayTo(screen, "qemu:///system", "big", "me");

describe("the way to a screen", () => {
  const cases: readonly (readonly [uri: string, tunnel: string, remote: string | undefined])[] = [
    ["qemu:///system", "ssh -N -L 5901:127.0.0.1:5901 me@big", undefined],
    ["qemu+ssh://you@far.test/system", "ssh -N -L 5901:127.0.0.1:5901 you@far.test", "far.test"],
    [
      "qemu+ssh://far.test:2222/system?no_tty=1",
      "ssh -N -L 5901:127.0.0.1:5901 -p 2222 far.test",
      "far.test",
    ],
  ];
  for (const [uri, tunnel, remote] of cases) {
    it(`goes through SSH for ${uri}`, () => {
      const way = wayTo(screen, uri, "big", "me");
      assert.equal(way.url, "vnc://127.0.0.1:5901");
      assert.equal(way.tunnel, tunnel);
      assert.equal(way.remoteHost, remote);
    });
  }
});

describe("a viewer", () => {
  let folder: string;
  const at = (name: string): string => path.join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "kindows-viewer-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function environment(...programs: readonly string[]): NodeJS.ProcessEnv {
    for (const program of programs) {
      writeFileSync(
        at(program),
        `#!/bin/sh\nprintf '%s' "$0 $*" > ${at("opened.new")}\nmv ${at("opened.new")} ${at("opened")}\n`,
        { mode: 0o755 },
      );
    }
    // The viewers of this host must not open.
    return { PATH: folder, DISPLAY: ":0" };
  }

  for (const [program, argument] of [
    ["remote-viewer", "vnc://127.0.0.1:5901"],
    ["vncviewer", "127.0.0.1::5901"],
  ] as const) {
    it(`is opened as ${program} takes it`, async () => {
      const given = { ...environment(program), PATH: `/nowhere::${folder}:/bin` };
      assert.equal(await openViewer(here, given), program);
      const opened = await eventually("the viewer has been opened", () =>
        existsSync(at("opened")) ? readFileSync(at("opened"), "utf8") : undefined,
      );
      assert.equal(opened, `${at(program)} ${argument}`);
    });
  }

  it("is the first of those that are there", async () => {
    const given = { ...environment("remote-viewer", "vncviewer"), PATH: `${folder}:/bin` };
    assert.equal(await openViewer(here, given), "remote-viewer");
    await eventually("it has been opened", () => (existsSync(at("opened")) ? true : undefined));
  });

  it("that is not executable is none", async () => {
    writeFileSync(at("vncviewer"), "");
    await assert.rejects(openViewer(here, environment()), /no remote-viewer or vncviewer to open/);
  });

  it("needs a display, and a screen of this host", async () => {
    const { PATH } = environment("vncviewer");
    await assert.rejects(openViewer(here, { PATH }), /no display.*ssh -N -L 5901:/);
    const far = wayTo(screen, "qemu+ssh://far.test/system", "big", "me");
    await assert.rejects(
      openViewer(far, environment("vncviewer")),
      /another host; run: ssh .* far\.test$/,
    );
  });

  it("can be had", async () => {
    await assert.rejects(
      openViewer(here, environment()),
      /apt-get install virt-viewer or tigervnc-viewer/,
    );
  });
});
