import { addressFault, addressPlan, fitsPlan, freeAddresses } from "../address-plan.ts";
import { pathText } from "../problem.ts";
import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** Every machine gets an address of its own, from those the plan keeps for machines. */
export const nodeAddresses: Check<NamedSettings> = {
  reads: ["network.cidr"],
  run(settings) {
    // A segment too small for the plan is another check's business.
    return fitsPlan(settings.network.cidr)
      ? [...misplaced(settings), ...twice(settings), ...tooMany(settings)]
      : [];
  },
};

function misplaced({ network, nodes }: NamedSettings): SettingsProblem[] {
  const { machines } = addressPlan(network.cidr);
  return nodes.flatMap(({ address }, index) => {
    const why = address === undefined ? undefined : addressFault(network.cidr, address);
    return why === undefined
      ? []
      : [
          {
            path: ["nodes", index, "address"],
            value: address,
            why,
            instead: `Write one from ${machines.first} to ${machines.last}, or leave it out to be given one.`,
          },
        ];
  });
}

function twice({ nodes }: NamedSettings): SettingsProblem[] {
  return nodes.flatMap(({ address }, index) => {
    const first = nodes.findIndex((other) => other.address === address);
    return address === undefined || first === index
      ? []
      : [
          {
            path: ["nodes", index, "address"],
            value: address,
            why: `is the address of ${pathText(["nodes", first])} (${nodes[first]?.name ?? ""}) too`,
            instead: "Write another one, or leave it out to be given one.",
          },
        ];
  });
}

function tooMany({ network, nodes }: NamedSettings): SettingsProblem[] {
  const written = nodes.map((node) => node.address);
  const wanting = written.filter((address) => address === undefined).length;
  const free = freeAddresses(network.cidr, written).length;
  return wanting <= free
    ? []
    : [
        {
          path: ["nodes"],
          value: `${nodes.length} nodes`,
          why: `need more addresses than the ${free} that are left`,
          instead: `Have at most ${nodes.length - wanting + free} nodes.`,
        },
      ];
}
