import { ownFolder } from "../own-files.ts";

export const stepsSource = ownFolder("windows/steps");

export const remoteSteps = "C:\\kindows\\steps";
