import type { StepBehaviour } from "./step.ts";
import type { StepName } from "./step-names.ts";
import { addContainerImage } from "./steps/add-container-image.ts";
import { installFlannel } from "./steps/install-flannel.ts";
import { installKubernetes } from "./steps/install-kubernetes.ts";

/** What stands in for each step script that does not run itself yet. */
export const stepBehaviours: Readonly<Partial<Record<StepName, StepBehaviour>>> = {
  "Add-ContainerImage": addContainerImage,
  "Install-Kubernetes": installKubernetes,
  "Install-Flannel": installFlannel,
};
