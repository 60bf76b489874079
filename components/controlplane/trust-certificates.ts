import { docker } from "../../host/docker.ts";
import { say } from "../host-action/run-action.ts";
import { type CaCertificate, pemOf } from "../node/ca-certificates.ts";

/** Longest run in one container, in seconds. */
const seconds = 120;

/**
 * Does in a node's container what components/linux/steps/trust-certificates.sh does on a machine. containerd reads the
 * certificates when it starts; it may not have been started yet.
 */
const script = `set -eu
folder=/usr/local/share/ca-certificates
cat >/kind/kindows-certificates.new
touch /kind/kindows-certificates
cmp -s /kind/kindows-certificates.new /kind/kindows-certificates && exit 0
mkdir -p $folder
rm -f $folder/kindows-*.crt
awk -v folder=$folder '/BEGIN CERTIFICATE/ { n++ } { print > (folder "/kindows-" n ".crt") }' /kind/kindows-certificates.new
update-ca-certificates
systemctl try-restart containerd
mv /kind/kindows-certificates.new /kind/kindows-certificates`;

/**
 * Makes nodes in containers trust these certificates besides those of their system, and no others that were given before.
 *
 * @throws if a node does not take them.
 */
export async function trustCertificates(
  nodes: readonly string[],
  certificates: readonly CaCertificate[],
): Promise<void> {
  const input = pemOf(certificates);
  await Promise.all(
    nodes.map(async (node) => {
      say(`giving ${certificates.length} certificates to ${node}`);
      const command = ["exec", "--interactive", node, "sh", "-c", script];
      await docker(command, { input, timeoutSeconds: seconds });
    }),
  );
}
