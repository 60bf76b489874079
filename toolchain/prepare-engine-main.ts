/** What `make test` needs: the engine and its plugins, but no daemon and no image. */
import { prepareEngine } from "./prepare-engine.ts";

await prepareEngine([], {});
