/**
 * The architecture as `make lint` checks it: which folder may import which. An arrow that is missing here is a mistake,
 * and so is a circle of files, types included.
 */
const mayImport = {
  host: [],
  config: ["components", "host", "images"],
  toolchain: ["host"],
  offline: ["host", "toolchain"],
  components: ["config", "host", "toolchain"],
  images: ["components", "config", "host", "toolchain"],
  stacks: ["components", "config", "host", "images", "toolchain"],
  rehearsal: ["components", "config", "host", "images", "toolchain"],
  verify: ["components", "host", "images", "toolchain"],
  policy: ["components", "host", "offline", "toolchain"],
  cli: [
    ...["components", "config", "host", "images", "offline", "policy"],
    ...["rehearsal", "stacks", "toolchain", "verify"],
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
      from: {},
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
      name: "components-take-sections",
      comment:
        "A component or check takes the sections that it reads (config/sections/), not all settings of a lab.",
      severity: "error",
      from: { path: within(["components"]) },
      to: { path: "^config/settings[.]ts$" },
    },
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
