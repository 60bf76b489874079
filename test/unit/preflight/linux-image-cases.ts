import type { HostFacts } from "../../../preflight/host-facts.ts";
import type { HostCase } from "./host-case.ts";

const lab = (image: string): string =>
  `{ windows: { image: { kind: rehearsal }, memoryMiB: 3072, diskGiB: 8 }, cni: { kind: kind-default }, hypervisor: { domainType: qemu }, ${image} nodes: [{ name: win-1 }, { name: linux-1, os: linux, diskGiB: 8 }] }`;
const own = lab("linux: { image: { path: /srv/debian.qcow2 } },");
const published = lab(
  `linux: { image: { url: "https://cloud.example.com/ubuntu.img", sha256: "${"a".repeat(64)}" } },`,
);
const pinned = lab(`linux: { image: { path: /srv/debian.qcow2, sha256: "${"a".repeat(64)}" } },`);

type Image = NonNullable<HostFacts["linuxMedia"]>["image"];

const host = (image: Image, programs: "there" | "missing" = "there"): HostCase["host"] => ({
  linuxMedia: { image, programs },
});

/** What may be wrong with the disk that Linux machines start from. */
export const linuxImageCases: readonly HostCase[] = [
  {
    name: "nothing made for Linux machines",
    settings: lab(""),
    host: host("not prepared", "missing"),
    problems: [
      "The disk of Linux machines is not prepared yet. Run `./kindows prepare`.",
      "The programs of Linux machines are not made yet. Run `./kindows prepare`.",
    ],
  },
  {
    name: "a cloud image that is not there",
    settings: own,
    host: host("missing"),
    problems: [
      'kindows:linux.image.path: "/srv/debian.qcow2" is not there. Write the path of a cloud image you may read.',
    ],
  },
  {
    name: "a cloud image that can't be read",
    settings: own,
    host: host("unreadable"),
    problems: [
      `kindows:linux.image.path: "/srv/debian.qcow2" can't be read. Write the path of a cloud image you may read.`,
    ],
  },
  {
    name: "a cloud image that is none",
    settings: own,
    host: host("no disk"),
    problems: [
      `kindows:linux.image.path: "/srv/debian.qcow2" is neither a qcow2, VHD or VHDX image nor a disk with a partition table. Write the path of a cloud image: Debian's end in .qcow2, Ubuntu's in .img.`,
    ],
  },
  {
    name: "a cloud image that nobody has downloaded",
    settings: published,
    host: host("not prepared"),
    problems: [
      'kindows:linux.image.url: "https://cloud.example.com/ubuntu.img" is not prepared yet. Run `./kindows prepare`.',
    ],
  },
  {
    name: "a cloud image that is another one",
    settings: pinned,
    host: host({ wrongSha256: "b".repeat(64) }),
    problems: [
      `kindows:linux.image.path: "/srv/debian.qcow2" has SHA-256 ${"b".repeat(64)}, not ${"a".repeat(64)} as in the settings. Compare with what its publisher says, and download it again.`,
    ],
  },
  {
    name: "a cloud image larger than the disk that stands on it",
    settings: own,
    host: host({ virtualGiB: 9.5 }),
    problems: [
      "The disk of linux-1, 8 GiB, is smaller than its image, 10 GiB. Write 10 or more for kindows:linux.diskGiB, or the node's own diskGiB.",
    ],
  },
];
