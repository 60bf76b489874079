/** What a command is run for here, and what has to come of it. */
export interface RunHere {
  /** Whether it needs the engine's tools; without, it runs in a clone that has nothing yet. */
  readonly engine?: boolean;
  readonly exitCodes: readonly number[];
  readonly says: RegExp;
}

/** Why a command can't be run without a lab, Docker or a network, and what runs it instead. */
export interface RunElsewhere {
  readonly needs: string;
  /** File of a test that runs it, and words of that file by which it does; none where no test does. */
  readonly by?: { readonly file: string; readonly words: string };
}

export type Whereabouts = RunHere | RunElsewhere;

const aLab = "a lab, and so a hypervisor";
const rehearsal = "test/e2e/rehearsal.test.ts";

/**
 * Of every command in the documents, by its beginning, where it is run; the longest beginning counts. What `make` runs
 * is looked up as the `kindows` command that it is.
 */
export const whereabouts: Readonly<Record<string, Whereabouts>> = {
  "kindows --help": { exitCodes: [0], says: /Usage: kindows/ },
  "kindows up --help": { exitCodes: [0], says: /Usage: kindows up/ },
  "kindows bootstrap": {
    needs: "a public key",
    by: { file: "test/unit/cli/existing/commands.test.ts", words: "bootstrapLines(" },
  },
  "kindows cache ls": { exitCodes: [0], says: /0 entries/ },
  "kindows cache prune": {
    needs: "Docker, of whose images it removes those whose entries are gone",
    by: { file: "test/unit/cli/cache-prune.test.ts", words: "removeStaleDownloads(" },
  },
  "kindows completion bash": { exitCodes: [0], says: /complete .*kindows/ },
  "kindows completion fish": { exitCodes: [0], says: /complete .*kindows/ },
  "kindows conformance": { needs: "a lab with real Windows nodes" },
  "kindows conformance --list": { exitCodes: [0], says: /operational-readiness/ },
  "kindows console": {
    needs: "a machine, and a viewer",
    by: { file: "test/unit/cli/console/screen.test.ts", words: "is where the machine that is" },
  },
  "kindows doctor": { exitCodes: [1], says: /In the way of the stack rehearsal/ },
  "kindows doctor --fix": {
    needs: aLab,
    by: { file: rehearsal, words: 'lab.kindows("doctor", "--fix")' },
  },
  "kindows down": { needs: aLab, by: { file: rehearsal, words: 'lab.kindows("down")' } },
  "kindows env": { engine: true, exitCodes: [0], says: /export PULUMI_BACKEND_URL=/ },
  "kindows fetch": { exitCodes: [0], says: /fetches nothing/ },
  "kindows fetch --stack dev": {
    needs: "a network, and downloads for minutes",
    by: { file: "test/unit/cli/fetch.test.ts", words: "fetches what is pinned, once" },
  },
  "kindows host-key": {
    needs: "a machine with SSH",
    by: { file: "test/unit/cli/existing/commands.test.ts", words: "the host key a machine shows" },
  },
  "kindows image build": {
    needs: "an ISO of Windows, KVM and half an hour",
    by: { file: "test/e2e/image-builder.test.ts", words: "goes through every stage, and says so" },
  },
  "kindows image check": { exitCodes: [1], says: /acceptLicence/ },
  "kindows image ls": { exitCodes: [0], says: /USED BY/ },
  "kindows image prune": {
    needs: "images that may go",
    by: { file: "test/unit/cli/image.test.ts", words: "prune keeps what machines stand on" },
  },
  "kindows image prune --dry-run": { exitCodes: [0], says: /would free 0\.0 MiB/ },
  "kindows image scripts": { exitCodes: [0], says: /sealing/ },
  "kindows kubeconfig --merge": {
    needs: aLab,
    by: { file: rehearsal, words: 'withFile("--merge")' },
  },
  "kindows kubeconfig --remove": {
    exitCodes: [0],
    says: /there is nothing of the stack rehearsal in/,
  },
  "kindows logs": { needs: aLab, by: { file: rehearsal, words: 'lab.kindows("logs", "win-1")' } },
  "kindows policy": { engine: true, exitCodes: [0], says: /rehearsal: all rules kept/ },
  "kindows policy --rules": { exitCodes: [0], says: /images-by-digest/ },
  "kindows prepare": {
    needs: "an hour, root, packages and daemons",
    by: { file: rehearsal, words: 'lab.kindows("up"' },
  },
  "kindows preview": {
    needs: "a host on which everything is prepared, which it does otherwise",
    by: { file: rehearsal, words: "pulumi preview --expect-no-changes" },
  },
  "kindows preview-diff": {
    needs: "a branch `main`, which not every clone has",
    by: {
      file: "test/unit/cli/preview-diff/compare.test.ts",
      words: "tells what a change of settings does",
    },
  },
  "kindows ssh": {
    needs: aLab,
    by: { file: rehearsal, words: 'lab.kindows("ssh", "win-1", "--"' },
  },
  "kindows status": { exitCodes: [1], says: /the stack rehearsal is not up/ },
  "kindows status --watch": {
    needs: "somebody who ends it",
    by: { file: "test/unit/cli/status/watch.test.ts", words: "watch(" },
  },
  "kindows topology": {
    needs: "to write a file of this clone",
    by: { file: "test/unit/cli/topology/topology-svg.test.ts", words: "topologySvg(preview)" },
  },
  "kindows up": { needs: aLab, by: { file: rehearsal, words: 'lab.kindows("up"' } },
  "kindows verify": {
    needs: aLab,
    by: { file: "test/e2e/verified.ts", words: 'lab.kindows("verify"' },
  },
  "kindows verify --list": { exitCodes: [0], says: /linux-pod-to-linux-service/ },

  "make bench": { needs: `${aLab}, a host that does nothing else, and half an hour` },
  "make e2e": { needs: `${aLab}, and half an hour: it is a test itself` },
  "make e2e-full": { needs: `${aLab}, and hours: it is a test itself` },
  "make lint": {
    needs: "minutes: every change goes through it",
    by: { file: ".ci/run", words: "make test" },
  },
  "make sdk": { needs: "the official provider, which is asked for its schema" },
  "make test": { needs: "it runs this test", by: { file: ".ci/run", words: "make test" } },
  "make test-windows-binaries": { needs: "root, Wine and minutes: it is a test itself" },

  kubectl: { needs: "a cluster" },
  "KINDOWS_GONE=rack-2 ./kindows down": { needs: "a hypervisor that is gone" },
  "KINDOWS_GONE=rack-3 pulumi destroy": { needs: "a Hyper-V host that is gone" },
  "qemu-img convert -O vhdx": { needs: "an image of Windows" },
  scp: { needs: "a Hyper-V host" },
  "KINDOWS_GONE=win-1 pulumi up": {
    needs: "a machine that is gone",
    by: { file: "test/engine/existing/existing-machines.test.ts", words: "gone for good" },
  },
  "pulumi config set": { needs: "a secret of the user's" },
  "pulumi destroy": { needs: aLab },
  "pulumi preview": {
    needs: "what `kindows env` prints",
    by: { file: rehearsal, words: "pulumi preview --expect-no-changes" },
  },
  "pulumi refresh": {
    needs: aLab,
    by: { file: "test/e2e/refreshed.ts", words: "pulumi refresh" },
  },
  "pulumi stack init": {
    needs: "what `kindows env` prints",
    by: { file: "test/engine/preview-diff/recorded-stacks.test.ts", words: "existing" },
  },
  "pulumi up": { needs: aLab, by: { file: "cli/commands/up.ts", words: '"up", "--yes"' } },

  curl: { needs: "a network: 400 MiB of Kubernetes' own tests" },
  tar: { needs: "what curl fetches" },
  "node --import tsx test/unit/stacks/write-preview-page.ts": {
    needs: "to write a file of this clone",
    by: { file: "test/unit/stacks/preview-page.test.ts", words: "previewPage()" },
  },
  "node --import tsx config/write-settings-page.ts": {
    needs: "to write a file of this clone",
    by: { file: "test/unit/config/settings-page.test.ts", words: "settingsPage()" },
  },
  "node --import tsx plugins/command/main.ts": {
    needs: "an engine that ends it",
    by: {
      file: "test/engine/plugins/local-command.test.ts",
      words: "command.local.Command in the engine",
    },
  },
};

/** The whereabouts of a command, and the beginning of it that they stand under. */
export function whereaboutsOf(
  words: readonly string[],
): readonly [string, Whereabouts] | undefined {
  const line = words.join(" ");
  return Object.entries(whereabouts)
    .filter(([beginning]) => line === beginning || line.startsWith(`${beginning} `))
    .sort(([one], [other]) => other.length - one.length)[0];
}
