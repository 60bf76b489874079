import assert from "node:assert/strict";
import { screenOf } from "../../../../cli/console/screen.ts";
import type { LabIdentity } from "../../../../cli/stack-settings.ts";
import { labNames } from "../../../../config/names.ts";
import { recordedHost, type Answers } from "../lab/recorded-host.ts";

const lab: LabIdentity = { stack: "dev", names: labNames("dev"), libvirtUri: "test:///default" };

const domain = (graphics: string): string =>
  `<domain><uuid>u</uuid><devices><interface><source network='kindows-dev'/></interface>${graphics}</devices></domain>`;
/** As libvirt prints it of a machine that runs. */
const vnc =
  "<graphics type='vnc' port='5901' autoport='yes' listen='127.0.0.1'><listen type='address' address='127.0.0.1'/></graphics>";

function answers(state: string, live: string): Answers {
  return {
    "virsh list --all --name": "kindows-dev-win-1\nkindows-dev-win-2\nkindows-other-win-3\n",
    "virsh dumpxml --inactive kindows-dev-win-1": domain(""),
    "virsh dumpxml --inactive kindows-dev-win-2": domain(""),
    "virsh dumpxml --inactive kindows-other-win-3": domain("").replace("-dev", "-other"),
    "virsh domstate kindows-dev-win-1": `${state}\n\n`,
    "virsh dumpxml kindows-dev-win-1": live,
  };
}

describe("the screen of a machine", () => {
  for (const state of ["running", "paused", "in shutdown"]) {
    it(`is where the machine that is ${state} says`, async () => {
      assert.deepEqual(await screenOf(recordedHost(answers(state, domain(vnc))), lab, "win-1"), {
        domain: "kindows-dev-win-1",
        address: "127.0.0.1",
        port: 5901,
      });
    });
  }

  const wrong: readonly (readonly [what: string, node: string, given: Answers, says: RegExp])[] = [
    [
      "a node that the lab has not",
      "win-3",
      answers("running", domain(vnc)),
      /^the stack dev has no machine "win-3" \(those there are: win-1, win-2\)$/,
    ],
    [
      "a lab that is not up",
      "win-1",
      { "virsh list --all --name": "kindows-other-win-3\n", ...answersOfOther() },
      /^the stack dev has no machines: `kindows up --stack dev`$/,
    ],
    [
      "a host without virsh",
      "win-1",
      { "virsh list --all --name": undefined },
      /^the stack dev has no machines/,
    ],
    [
      "a machine that is off",
      "win-1",
      answers("shut off", domain(vnc)),
      /^the machine of win-1 is off \(shut off\): `kindows up --stack dev` starts it$/,
    ],
    [
      "a machine that crashed",
      "win-1",
      answers("crashed", domain(vnc)),
      /^the machine of win-1 is off \(crashed\)/,
    ],
    [
      "a machine with another kind of screen",
      "win-1",
      answers("running", domain("<graphics type='spice' port='5900'/>")),
      /has no screen on VNC.*`virsh -c test:\/\/\/default console kindows-dev-win-1`$/,
    ],
    [
      "a screen that has no port yet",
      "win-1",
      answers("running", domain(vnc.replace("5901", "-1"))),
      /has no screen on VNC/,
    ],
  ];
  for (const [what, node, given, says] of wrong) {
    it(`is not there for ${what}`, async () => {
      await assert.rejects(screenOf(recordedHost(given), lab, node), { message: says });
    });
  }

  it("is told by libvirt's own words where libvirt does not answer", async () => {
    await assert.rejects(
      screenOf(recordedHost({}), lab, "win-1"),
      /virsh list --all --name: failed/,
    );
  });
});

function answersOfOther(): Answers {
  const { "virsh dumpxml --inactive kindows-other-win-3": xml } = answers("", "");
  return { "virsh dumpxml --inactive kindows-other-win-3": xml };
}
