import { kindows } from "./bench-lab.ts";
import { inTurn } from "./in-turn.ts";
import type { Ratio } from "./report.ts";

/** `kindows status` of a lab that is up, over a command that only prints its help. */
export async function statusRatio(): Promise<Ratio> {
  const seconds = async (argument: string): Promise<number> => (await kindows(argument)).seconds;
  const times = await inTurn(
    { what: "status", seconds: () => seconds("status") },
    { what: "a command that prints its help", seconds: () => seconds("--help") },
  );
  return { what: "status / a command that does nothing", ...times, aim: "no slower" };
}
