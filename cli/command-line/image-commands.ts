import type { Command } from "commander";

import { fetchOption } from "./fetch-option.ts";
import { commandRunner } from "./run-command.ts";

/** Commands about the disk that Windows machines start from. */
export function addImageCommands(program: Command): void {
  const run = commandRunner(program);
  const image = program.command("image").description("the disk that Windows machines start from");
  image
    .command("check")
    .description("look at what the stack's image is made of: ISOs, drivers, a disk")
    .action(run<object>(async (options) => (await import("../commands/image.ts")).check(options)));
  image
    .command("scripts")
    .description(
      "write the scripts that seal a Windows Server of your own, for its disk to be the image",
    )
    .argument("<folder>", "a folder that is not there yet")
    .option("--language <name>", "language of that Windows", "en-US")
    .action(async (folder: string, { language }: { language: string }) => {
      const { writeScripts } = await import("../commands/image-scripts.ts");
      process.exitCode = await writeScripts({ folder, language });
    });
  image
    .command("build")
    .description("make the stack's image from its ISO, unless it is there; `up` does so too")
    .addOption(fetchOption())
    .action(
      run<{ yes: boolean }>(async (options) =>
        (await import("../commands/image.ts")).build(options),
      ),
    );
  image
    .command("ls")
    .description("list the images that were made from an ISO, what uses them, and unfinished ones")
    .action(run<object>(async (options) => (await import("../commands/image.ts")).list(options)));
  image
    .command("prune")
    .description(
      "remove what killed builds left, and images that no lab of this host and no stack of this clone uses",
    )
    .option("--dry-run", "only say what would be removed", false)
    .action(
      run<{ dryRun: boolean }>(async (options) =>
        (await import("../commands/image.ts")).prune(options),
      ),
    );
}
