import { Failure } from "../../host/failure.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { byOtherVersion } from "../engine/facts.ts";
import { enginePulumi, type Pulumi } from "../engine/pulumi.ts";
import { stackExists } from "../engine/states.ts";
import { labIdentity } from "../stack-settings.ts";
import { writeAccessFiles, type AccessFiles } from "./access.ts";
import { type LabOutputs, outputsSchema } from "./lab-outputs.ts";

/** An output that is unknown because what it depends on failed (Pulumi's property.go: computed). */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Outputs of a stack. @returns undefined while the stack is not completely up. */
export async function labOutputs(pulumi: Pulumi): Promise<LabOutputs | undefined> {
  const text = await pulumi.state(["stack", "output", "--json", "--show-secrets"]);
  const values = parseJson(text);
  if (typeof values === "object" && values !== null) {
    // A run that continues after a failure, e.g. of a host, leaves some outputs missing or unknown.
    if (!("kubeconfig" in values) || Object.values(values).includes(unknown)) return undefined;
  }
  const parsed = outputsSchema.safeParse(values);
  if (!parsed.success) {
    // Paths only: the values hold secrets.
    const paths = parsed.error.issues.map((issue) => issue.path.join("."));
    throw byOtherVersion(`the stack's outputs (${paths.join(", ")})`);
  }
  return parsed.data;
}

/** Outputs of a stack's lab; rewrites its access files. @throws Failure when the stack does not exist, or is not up. */
export async function labThatIsUp(
  stack: string,
): Promise<{ lab: string; outputs: LabOutputs; access: AccessFiles }> {
  const { lab } = await labIdentity(stack);
  const outputs = (await stackExists(stack))
    ? await labOutputs(enginePulumi(stack, lab))
    : undefined;
  if (outputs === undefined) {
    throw new Failure(`the stack ${stack} is not up: \`kindows up --stack ${stack}\``);
  }
  return { lab, outputs, access: await writeAccessFiles(stack, outputs) };
}
