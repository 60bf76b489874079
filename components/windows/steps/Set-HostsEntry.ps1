<#
.SYNOPSIS
Makes the given names resolve through the hosts file, and forgets those of an earlier run.

.DESCRIPTION
Lines of this step end with the comment "# kindows" and are the only ones it changes. Everything else in the file stays
as it is.

.PARAMETER Entry
The names, as address=name pairs separated by semicolons, e.g. 192.168.150.128=kindows-dev-control-plane. Empty: no
names; those of an earlier run are removed. Default: none, mandatory. Source: ControlPlane.hostsEntries.

.OUTPUTS
Last line of standard output: one JSON object {"step", "changed", "rebootRequired", "seconds", "facts"}, or {"step",
"error": {"code", "message", "remedy"}}. Facts: entries.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 22 ForeignHostsEntry;
23 HostsFileBusy.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [AllowEmptyString()]
    [ValidatePattern('^([0-9]{1,3}(\.[0-9]{1,3}){3}=[-.0-9A-Za-z]+(;[0-9]{1,3}(\.[0-9]{1,3}){3}=[-.0-9A-Za-z]+)*)?$')]
    [string] $Entry
)
