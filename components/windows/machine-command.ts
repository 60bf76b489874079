import * as pulumi from "@pulumi/pulumi";
import type { Machine } from "../machine/machine.ts";
import { inShell, type WindowsShell } from "../../host/ssh/windows-command.ts";

/** A command for cmd.exe, as the machine's SSH server takes it. */
export function commandOn<T>(
  { shell = pulumi.output<WindowsShell>("cmd") }: Machine,
  values: pulumi.Input<T>,
  command: (known: pulumi.Unwrap<T>) => string,
): pulumi.Output<string> {
  return pulumi
    .all([shell, pulumi.output(values)])
    .apply(([known, all]) => inShell(known, command(all as pulumi.Unwrap<T>)));
}
