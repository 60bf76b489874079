import type { LinuxPiece } from "../machine/programs.ts";

/**
 * A table of nftables for IPv4, which replaces an earlier one of its name at once.
 *
 * @param lines what is in it, as commands of `nft`.
 */
export function nftTable(piece: string, name: string, lines: readonly string[]): LinuxPiece {
  const table = `table ip ${name}`;
  const make = [`add ${table}`, `delete ${table}`, `add ${table}`, ...lines];
  return {
    name: piece,
    make: make.map((line) => `nft ${line}`),
    remove: [`nft delete ${table}`],
  };
}
