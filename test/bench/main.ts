/**
 * `make bench`: how close the program comes to its lower bounds. Prints ratios of times from one run, which can be
 * compared between machines, and never fails because of one. Brings a lab of its own up and down several times; with
 * the argument `preview` only once, to measure a preview without changes, which takes minutes.
 */
import { benchLab, configureNodes, kindows } from "./bench-lab.ts";
import { fabricRatios } from "./fabric-ratios.ts";
import { previewRatio } from "./preview-ratio.ts";
import { printRatios, timed, type Ratio, inTurn } from "./report.ts";
import { upRatios } from "./up-ratio.ts";

const ratios: Ratio[] = [];
try {
  await configureNodes(1);
  await kindows("prepare");
  await timed("prepare, second time", () => kindows("prepare"));

  if (process.argv[2] === "preview") {
    await timed("up from nothing, one node", () => kindows("up"));
    ratios.push(await previewRatio());
  } else {
    await everything();
  }
} finally {
  await benchLab.kindows("down");
  await benchLab.removeSettings();
  printRatios(ratios);
}

async function everything(): Promise<void> {
  const [one, bare] = await upRatios();
  ratios.push(one, bare, await previewRatio(), await statusRatio());

  ratios.push(...(await fabricRatios()));

  await kindows("down");
  await configureNodes(40);
  await timed("preview of 40 new nodes (aim: at most 12 s)", () => kindows("preview"));
  await configureNodes(4);
  const four = await timed("up from nothing, four nodes", () => kindows("up"));
  ratios.push({
    what: "four nodes / one node",
    measured: four,
    base: one.measured,
    aim: "at most 2",
  });
}

/** `kindows status` of a lab that is up, over a command that only prints its help. */
async function statusRatio(): Promise<Ratio> {
  const seconds = async (argument: string): Promise<number> => (await kindows(argument)).seconds;
  const times = await inTurn(
    { what: "status", seconds: () => seconds("status") },
    { what: "a command that prints its help", seconds: () => seconds("--help") },
  );
  return { what: "status / a command that does nothing", ...times, aim: "no slower" };
}
