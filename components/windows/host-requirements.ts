export interface HostRequirements {
  /** Lowest build of Windows; 20348 is Server 2022, 26100 is Server 2025. */
  readonly minimumBuild: number;
  /** Lowest revision of exactly that build. */
  readonly minimumRevision: number;
  readonly minimumFreeDiskGiB: number;
  readonly minimumMemoryMiB: number;
}

/**
 * Windows Server 2022 with at least KB5044281 (October 2024): revisions 2322 to 2582 broke Calico's VXLAN
 * (projectcalico/calico#8529, #9019). Space for one unpacked Server Core image; memory as Microsoft requires.
 */
export const defaultRequirements: HostRequirements = {
  minimumBuild: 20348,
  minimumRevision: 2762,
  minimumFreeDiskGiB: 20,
  minimumMemoryMiB: 2048,
};
