import assert from "node:assert/strict";
import {
  checkMachine,
  nodeTraces,
  type SeenMachine,
} from "../../../../components/machine/existing/check-machine.ts";

const fresh: SeenMachine = {
  ver: "Microsoft Windows [Version 10.0.20348.4405]",
  installationType: "Server Core",
  user: "Administrator",
  isAdministrator: true,
  computerName: "WIN-1",
  ours: false,
  traces: [],
};

/** What is seen besides, and what is reported: why and what to do. */
const refused: Readonly<Record<string, readonly [Partial<SeenMachine>, readonly RegExp[]]>> = {
  "Linux with a program named ver": [
    { ver: "GNU/Linux 6.1" },
    [
      /does not run Windows: to ver it says GNU\/Linux 6\.1\. Write the address of a Windows Server/,
    ],
  ],
  "a Windows for clients": [
    { installationType: "Client" },
    [/a Windows for clients, which Kubernetes has no nodes of: use a machine with Windows Server/],
  ],
  "an account without rights": [
    { user: "me", isAdministrator: false },
    [/^me is no administrator there: make it one \(net localgroup Administrators me \/add\)/],
  ],
  "another computer name": [
    { computerName: "WIN-7" },
    [/its computer name is WIN-7: write that as name, or rename it \(Rename-Computer win-1 /],
  ],
  ...Object.fromEntries(
    Object.entries(nodeTraces).map(([path, what]) => [
      `somebody's ${path}`,
      [
        { traces: [path] },
        [
          new RegExp(
            `^${what} \\(${path}\\): .*not touched; take it out of its cluster \\(kubectl`,
          ),
        ],
      ] as const,
    ]),
  ),
  "all at once": [
    {
      installationType: "Client",
      isAdministrator: false,
      computerName: "x",
      traces: Object.keys(nodeTraces),
    },
    [/for clients/, /no administrator/, /computer name/, /a node of a cluster already .*, kubelet/],
  ],
};

describe("what is seen of a machine", () => {
  for (const [what, [seen, reported]] of Object.entries(refused)) {
    it(`stands against taking it: ${what}`, () => {
      const problems = checkMachine("win-1", { ...fresh, ...seen });
      assert.equal(problems.length, reported.length, problems.join("\n"));
      reported.forEach((pattern, index) => assert.match(problems[index] ?? "", pattern));
    });
  }

  const taken: Readonly<Record<string, Partial<SeenMachine>>> = {
    "a fresh Windows Server": {},
    "one with a desktop": { installationType: "Server" },
    "one that does not say what it is; the first step asks again": { installationType: "" },
    "one that was joined from here": { ours: true, traces: Object.keys(nodeTraces) },
  };
  for (const [what, seen] of Object.entries(taken)) {
    it(`lets it be taken: ${what}`, () =>
      assert.deepEqual(checkMachine("win-1", { ...fresh, ...seen }), []));
  }
});
