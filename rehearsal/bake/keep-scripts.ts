/**
 * Writes the syntax trees of the scripts below a folder to one that stands for drive C:: `keep-scripts.ts SOURCE DRIVE`.
 * A program of its own, as nothing that a real `up` runs imports the interpreter.
 */
import { keepScripts } from "../windows/kept-scripts.ts";

const [source = "", drive = ""] = process.argv.slice(2);
await keepScripts(source, drive);
