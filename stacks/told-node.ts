import type * as pulumi from "@pulumi/pulumi";
import type { Machine } from "../components/machine/machine.ts";

/** A machine that can be told of, with the host key it shows. */
export type PinnedMachine = Machine & { readonly hostKey: pulumi.Output<string> };

/** What a stack tells of a node. */
export interface ToldNode extends Pick<PinnedMachine, "name" | "os" | "address" | "hostKey"> {
  readonly sshUser: string;
  readonly nodeName: pulumi.Output<string>;
}

/** @param sshUser who logs in to the machine. */
export function toldNode(
  { name, os, address, hostKey }: PinnedMachine,
  nodeName: pulumi.Output<string>,
  sshUser: string,
): ToldNode {
  return { name, os, address, hostKey, sshUser, nodeName };
}
