<#
.SYNOPSIS
Runs a recorded step in a culture that is the same everywhere.

.PARAMETER Path
The trace.

.PARAMETER Steps
Folder with the project's steps, and the stand-ins for some of their libraries.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $Path,

    [Parameter(Mandatory = $true)]
    [string] $Steps
)

[Threading.Thread]::CurrentThread.CurrentCulture = [Globalization.CultureInfo]::InvariantCulture
. $Path -Steps $Steps
