const uncounted = "where it is cut short, the model counts no change of a file or of the registry";

/** Tests that a real PowerShell does not run, by the beginning of their titles, and why. */
export const notRun: Readonly<Record<string, string>> = {
  "A script that the interpreter does not know all of ": "is about the interpreter",
  "The frame around a step names the line of a .NET error":
    "a cast fails in it, and Wine 8 hangs or ends sooner or later after one",
  "The frame around a step does not claim to know which drive is full":
    "the drive is this host's, which is not full",
  "a machine on a model of a Hyper-V host, over SSH that was interrupted before any": uncounted,
  "Set-MachineProxy, rehearsed finishes what a run left half done": uncounted,
};

/** The entry of a test that is not run; undefined if it is. */
export function whyNotRun(title: string): readonly [begin: string, why: string] | undefined {
  return Object.entries(notRun).find(([begin]) => title.startsWith(begin));
}
