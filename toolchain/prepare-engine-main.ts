/** What `make test` needs: the engine and its plugins, and what the container runtime's test runs; no daemon, no image. */
import { ensureHostPackages } from "./host-packages.ts";
import { prepareEngine } from "./prepare-engine.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

await ensureHostPackages(["jq"], say);
await prepareEngine([], { progress: say });
