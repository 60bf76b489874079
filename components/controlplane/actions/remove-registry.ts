/** Host action: removes the lab's registry with its images, if it still exists. */
import { localRegistry } from "../../../config/local-registry.ts";
import { registryLabel } from "../../../config/names.ts";
import { docker, labelledContainers, removeContainers } from "../../../host/docker.ts";
import { lines } from "../../../host/host.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { registrySchema } from "../registry-container.ts";
import { dropStandIn } from "./cluster-images.ts";

export const environment = { REGISTRY: registrySchema };

await runAction(environment, async ({ REGISTRY: { name, lab } }) => {
  const label = `${registryLabel}=${lab}`;
  const containers = (await labelledContainers(label)).filter((each) => each === name);
  await removeContainers(containers);
  const listed = await docker(["volume", "ls", "--quiet", "--filter", `label=${label}`]);
  const volumes = lines(listed).filter((each) => each === name);
  if (volumes.length > 0) await docker(["volume", "rm", ...volumes]);
  say(containers.length > 0 ? `removed the container ${name}` : `there is no container ${name}`);
  await dropStandIn(localRegistry.image);
});
