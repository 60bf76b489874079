<#
.SYNOPSIS
Confirms that the reboot which Enable-ContainersFeature ordered has happened, and that the feature is there now.

.DESCRIPTION
Nothing to do when no reboot was ordered. Otherwise the time of the last boot must differ from the recorded one: an
answering SSH server proves nothing, since the system that is still shutting down can answer too.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: installState, lastBootUpTime, and previousBootUpTime after a reboot.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 21 FeatureFailed;
75 RebootNotDone (try again).
#>
[CmdletBinding()]
param()
