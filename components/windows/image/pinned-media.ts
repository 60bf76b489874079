/** A medium that is downloaded unless the settings name another. */
export interface PinnedMedium {
  readonly url: string;
  readonly sha256: string;
  /** Size of the file; undefined if it is too small to matter. */
  readonly bytes?: number;
}

/**
 * The virtio drivers. Their publisher gives no checksum of the ISO; this one is in antifob/incus-windows (`config.sh` at
 * 2ccbf2a), in ConvoyPanel/cofoundry (computed from the download, as it says) and in several public Nix flakes.
 */
export const virtioDrivers: PinnedMedium = {
  url: "https://fedorapeople.org/groups/virt/virtio-win/direct-downloads/archive-virtio/virtio-win-0.1.285-1/virtio-win-0.1.285.iso",
  sha256: "e14cf2b94492c3e925f0070ba7fdfedeb2048c91eea9c5a5afb30232a3976331",
  bytes: 789_645_312,
};

/**
 * OpenSSH for Windows Server 2022, some 5 MB. This checksum is in rgl/windows-vagrant (`provision-openssh.ps1`) and
 * JuliaPackaging/Yggdrasil (`O/OpenSSH/build_tarballs.jl`), independently of each other.
 */
export const openSshArchive: PinnedMedium = {
  url: "https://github.com/PowerShell/Win32-OpenSSH/releases/download/10.0.0.0p2-Preview/OpenSSH-Win64.zip",
  sha256: "23f50f3458c4c5d0b12217c6a5ddfde0137210a30fa870e98b29827f7b43aba5",
};
