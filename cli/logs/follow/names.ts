/** All control planes, where something is asked for by name. */
export const controlPlaneName = "control-plane";

/** What the engine says in `up`. */
export const stepsName = "steps";
