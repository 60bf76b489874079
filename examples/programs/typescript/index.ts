/** Joins a Windows Server machine that is reachable by SSH to a cluster made by kubeadm. */
import * as pulumi from "@pulumi/pulumi";
import { WindowsNode } from "@kindows/components";

const config = new pulumi.Config();

const node = new WindowsNode("node", {
  kubeconfig: config.requireSecret("kubeconfig"),
  endpoint: config.require("endpoint"),
  serviceCidr: config.get("serviceCidr"),
  podNetwork: config.get("podNetwork"),
  computerName: config.require("computerName"),
  address: config.require("address"),
  sshHost: config.get("sshHost"),
  sshPort: config.getNumber("sshPort"),
  privateKey: config.requireSecret("privateKey"),
  hostKey: config.require("hostKey"),
  containerdVersion: config.get("containerdVersion"),
  checksums: config.requireObject<Record<string, string>>("checksums"),
  carriesPrograms: config.getBoolean("carriesPrograms"),
  labels: { "example.test/joined-by": "typescript" },
});

export const nodeName = node.nodeName;
export const windowsBuild = node.windowsBuild;
