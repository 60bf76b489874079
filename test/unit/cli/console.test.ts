import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { screenOf, openViewer, screenAccess } from "../../../cli/console/screen.ts";
import type { LabIdentity } from "../../../cli/stack-settings.ts";
import { eventually } from "../../engine/plugins/support/eventually.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { domainXml, recordedHost, type Answers } from "./recorded-host.ts";

const lab: LabIdentity = {
  stack: "dev",
  lab: "kindows-dev",
  libvirtUri: "test:///default",
};
const domain = (graphics: string, network = "kindows-dev"): string => domainXml(network, graphics);
/** As libvirt prints it of a machine that runs. */
const vnc =
  "<graphics type='vnc' port='5901' autoport='yes' listen='127.0.0.1'><listen type='address' address='127.0.0.1'/></graphics>";
const ofOther = { "virsh dumpxml --inactive kindows-other-win-3": domain("", "kindows-other") };

const answers = (state: string, graphics = vnc): Answers => ({
  "virsh list --all": `1 kindows-dev-win-1 ${state}\n2 kindows-dev-win-2 running\n3 kindows-other-win-3 running\n`,
  "virsh dumpxml --inactive kindows-dev-win-1": domain(""),
  "virsh dumpxml --inactive kindows-dev-win-2": domain(""),
  ...ofOther,
  "virsh dumpxml kindows-dev-win-1": domain(graphics),
});

describe("the screen of a machine", () => {
  for (const state of ["running", "paused", "in shutdown"]) {
    it(`is where the machine that is ${state} says`, async () => {
      const expected = { domain: "kindows-dev-win-1", address: "127.0.0.1", port: 5901 };
      assert.deepEqual(await screenOf(recordedHost(answers(state)), lab, "win-1"), expected);
    });
  }

  const wrong: Readonly<Record<string, readonly [Answers, says: RegExp, node?: string]>> = {
    "a node that the lab has not": [
      answers("running"),
      /^the stack dev has no machine "win-3" \(those there are: win-1, win-2\)$/,
      "win-3",
    ],
    "a lab that is not up": [
      { "virsh list --all": "3 kindows-other-win-3 running\n", ...ofOther },
      /^the stack dev has no machines: `kindows up --stack dev`$/,
    ],
    "a host without virsh": [{ "virsh list --all": undefined }, /^the stack dev has no machines/],
    "a machine that is off": [
      answers("shut off"),
      /^the machine of win-1 is off \(shut off\): `kindows up --stack dev` starts it$/,
    ],
    "a machine that crashed": [answers("crashed"), /^the machine of win-1 is off \(crashed\)/],
    "a machine with another kind of screen": [
      answers("running", "<graphics type='spice' port='5900'/>"),
      /has no VNC screen.*`virsh -c test:\/\/\/default console kindows-dev-win-1`$/,
    ],
    "a screen that has no port yet": [
      answers("running", vnc.replace("5901", "-1")),
      /has no VNC screen/,
    ],
    "a libvirt that does not answer, in its own words": [{}, /virsh list --all: failed/],
  };
  eachCase("is not there for %s", wrong, ([given, message, node = "win-1"]) =>
    assert.rejects(screenOf(recordedHost(given), lab, node), { message }),
  );
});

const screen = { domain: "kindows-dev-win-1", address: "127.0.0.1", port: 5901 };
const here = screenAccess(screen, "qemu:///system", "big", "me");

describe("the access to a screen", () => {
  const tunnel = "ssh -N -L 5901:127.0.0.1:5901";
  for (const [uri, login, remoteHost] of [
    ["qemu:///system", "me@big", undefined],
    ["qemu+ssh://you@far.test/system", "you@far.test", "far.test"],
    ["qemu+ssh://far.test:2222/system?no_tty=1", "-p 2222 far.test", "far.test"],
  ] as const) {
    it(`goes through SSH for ${uri}`, () => {
      const access = screenAccess(screen, uri, "big", "me");
      assert.equal(access.url, "vnc://127.0.0.1:5901");
      assert.equal(access.tunnel, `${tunnel} ${login}`);
      assert.equal(access.remoteHost, remoteHost);
    });
  }
});

describe("a viewer", () => {
  let folder: string;
  const at = (name: string): string => path.join(folder, name);
  beforeEach(() => (folder = newFolder()));

  function environment(...programs: readonly string[]): NodeJS.ProcessEnv {
    const [begun, opened] = [at("opened.new"), at("opened")];
    for (const program of programs) {
      const script = `#!/bin/sh\nprintf '%s' "$0 $*" > ${begun}\nmv ${begun} ${opened}\n`;
      writeFileSync(at(program), script, { mode: 0o755 });
    }
    // The viewers of this host must not open.
    return { PATH: folder, DISPLAY: ":0" };
  }

  for (const [program, argument, ...others] of [
    // The first of those that are there.
    ["remote-viewer", "vnc://127.0.0.1:5901", "vncviewer"],
    ["vncviewer", "127.0.0.1::5901"],
  ] as const) {
    it(`is opened as ${program} takes it`, async () => {
      const given = { ...environment(program, ...others), PATH: `/nowhere::${folder}:/bin` };
      assert.equal(await openViewer(here, given), program);
      const opened = await eventually("the viewer has been opened", () =>
        existsSync(at("opened")) ? readFileSync(at("opened"), "utf8") : undefined,
      );
      assert.equal(opened, `${at(program)} ${argument}`);
    });
  }

  it("that is not executable is none", async () => {
    writeFileSync(at("vncviewer"), "");
    const opened = openViewer(here, environment());
    await assert.rejects(opened, /neither remote-viewer nor vncviewer is installed/);
  });

  it("needs a display, and a screen of this host", async () => {
    const { PATH } = environment("vncviewer");
    await assert.rejects(openViewer(here, { PATH }), /no display.*ssh -N -L 5901:/);
    const far = screenAccess(screen, "qemu+ssh://far.test/system", "big", "me");
    const opened = openViewer(far, environment("vncviewer"));
    await assert.rejects(opened, /another host; run: ssh .* far\.test$/);
  });

  it("can be had", async () => {
    const opened = openViewer(here, environment());
    await assert.rejects(opened, /: install virt-viewer or tigervnc-viewer/);
  });
});
