/**
 * The architecture as `make lint` checks it: which folder may import which. An arrow that is missing here is a mistake,
 * and so is a circle of files, types included.
 */
const mayImport = {
  config: ["components", "host"],
  host: [],
  kubernetes: ["host"],
  ssh: ["host"],
  powershell: [],
  toolchain: ["components", "host", "plugins"],
  plugins: ["host", "kubernetes", "ssh", "toolchain"],
  components: ["config", "host", "kubernetes", "ssh", "toolchain"],
  preflight: ["components", "config", "host", "toolchain"],
  stacks: ["components", "config", "host", "toolchain"],
  rehearsal: ["components", "config", "host", "powershell", "preflight", "ssh", "toolchain"],
  verify: ["components", "host", "kubernetes", "toolchain"],
  policy: ["cli", "plugins", "toolchain"],
  cli: [
    ...["components", "config", "host", "kubernetes", "plugins", "policy", "preflight"],
    ...["rehearsal", "ssh", "stacks", "toolchain", "verify"],
  ],
};

const folders = Object.keys(mayImport);
const within = (names) => `^(${names.join("|")})/`;

export default {
  forbidden: [
    {
      name: "no-circle",
      comment: "Two files need each other: move what both need into a file of its own.",
      severity: "error",
      // Each of these is one circle still: an evaluator, and the modelled machine with what it consists of.
      from: { pathNot: within(["powershell", "rehearsal"]) },
      to: { circular: true },
    },
    ...folders.map((folder) => ({
      name: `${folder}-imports`,
      comment: `${folder}/ may import ${mayImport[folder].join(", ") || "no other folder"} (dependency-cruiser.js).`,
      severity: "error",
      from: { path: within([folder]) },
      to: { path: within(folders), pathNot: within([folder, ...mayImport[folder]]) },
    })),
    {
      name: "nothing-imports-tests",
      severity: "error",
      from: { pathNot: "^test/" },
      to: { path: "^test/" },
    },
  ],
  options: {
    // Also what only types need.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    exclude: { path: "node_modules|^sdks/" },
  },
};
