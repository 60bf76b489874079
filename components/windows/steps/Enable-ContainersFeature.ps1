<#
.SYNOPSIS
Installs the Windows feature Containers and, where that needs it, starts the reboot.

.DESCRIPTION
Where a reboot is needed, the time of the last boot is written to C:\kindows\state\reboot.json, the reboot is ordered,
and the sshd service is stopped: running sessions go on, but nobody can connect to the system that is going down and
take it for the one that comes up. Confirm-Reboot, the next step, checks that the reboot happened. Hyper-V is not
installed: process isolation and Calico's VXLAN do without it.

.PARAMETER RebootDelaySeconds
Seconds between ordering the reboot and Windows beginning it: this session must end with its result in that time.
Default: 5.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: installState, lastBootUpTime.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed;
15 CommandTimedOut; 21 FeatureFailed.
#>
[CmdletBinding()]
param(
    [ValidateRange(1, 600)]
    [int] $RebootDelaySeconds = 5
)
