/** Part of `make lint`: GitHub's workflows, and with shellcheck the shell lines in them. */
import path from "node:path";
import { execa } from "execa";

import { ensureArtifacts } from "./ensure.ts";
import { projectRoot } from "./project.ts";
import { actionlint } from "./tools/table.ts";

const timeoutSeconds = 120;

const ensured = await ensureArtifacts([actionlint]);
// A host need not have Python, so Python lines are not checked.
const { exitCode = 1 } = await execa(
  path.join(ensured.path(actionlint), "actionlint"),
  ["-no-color", "-pyflakes="],
  {
    cwd: projectRoot,
    stdio: ["ignore", "inherit", "inherit"],
    reject: false,
    timeout: timeoutSeconds * 1000,
  },
);
process.exitCode = exitCode;
